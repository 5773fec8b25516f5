// Two distributions of one sample, drawn over each other.

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function drawCurves(i, year) {
  const curves = samples().curves;
  const [original, other] = [curves?.original[i], curves?.anonymised[i]];
  if (!original) return element("p", { className: "told", textContent: "No curves: too few firms to draw them without showing single figures." });
  const signedLog = (x) => Math.sign(x) * Math.log10(1 + Math.abs(x));
  const sides = [original, other || original].map((side) => points(side).map(([x, y]) => [signedLog(x), y]));
  const all = sides.flat().map(([x]) => x);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const across = (x) => 34 + (250 * (x - low)) / (high - low || 1);
  const up = (y) => 150 - 140 * y;
  const line = (side, name) => drawn("polyline", { class: `curve ${name}`, points: side.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join(" ") });
  const label = (x, y, anchor, text) => drawn("text", { x, y, "text-anchor": anchor }, text);
  const value = (x) => compact.format(Math.sign(x) * (10 ** Math.abs(x) - 1));
  const alike = other ? `They are at most ${figure(samples().tests.statistic[i])} apart.` : "The two curves coincide.";
  const told = `Original and anonymised figures of ${year}, from ${value(low)} to ${value(high)}. ${alike}`;
  return drawn("svg", { viewBox: "0 0 300 172", role: "img", "aria-label": told },
    drawn("path", { class: "axis", d: "M34 10V150H284" }),
    ...[0, 0.5, 1].map((y) => label(30, up(y) + 4, "end", `${100 * y}%`)),
    ...[low, (low + high) / 2, high].map((x, k) => label(across(x), 167, ["start", "middle", "end"][k], value(x))),
    line(sides[1], "anonymised"), line(sides[0], "original"));
}

function points(side) { // two characters each, as points.py writes them: each the mean of one of so many equal blocks
  const blocks = side.length / 2;
  return Array.from({ length: blocks }, (_, k) => [unpacked(side[2 * k], side[2 * k + 1]), (k + 0.5) / blocks]);
}

function unpacked(first, second) {
  const { alphabet, usual, lowest, exponents } = samples().packing;
  const code = alphabet.indexOf(first) - 1;
  if (code < 0) return 0;
  const above = Math.floor(code / 2) + usual;
  const exponent = above < lowest + exponents ? above : above - exponents;
  const size = (alphabet.indexOf(second) + 10) * 10 ** (exponent - 1);
  return code % 2 ? -size : size;
}
