// Two distributions of one sample, drawn over each other.

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const label = (x, y, anchor, text) => drawn("text", { x, y, "text-anchor": anchor }, text);
const line = (name, points) => drawn("polyline", { class: `curve ${name}`, points: points.map((point) => point.map((at) => at.toFixed(1)).join(",")).join(" ") });
const signedLog = (x) => Math.sign(x) * Math.log10(1 + Math.abs(x));

function drawCurves(i, year) { // the pair, and its difference below it
  const curves = samples().curves;
  const [original, other] = [curves?.original[i], curves?.anonymised[i]];
  if (!original) return [element("p", { className: "note", textContent: "No curves: too few firms to draw them without showing single figures." })];
  const sides = [original, other || original].map((side) => points(side).map(([x, y]) => [signedLog(x), y]));
  const all = sides.flat().map(([x]) => x);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const across = (x) => 34 + (250 * (x - low)) / (high - low || 1);
  const up = (y) => 150 - 140 * y;
  const [before, after] = sides.map((side) => side.map(([x, y]) => [across(x), up(y)]));
  const value = (x) => compact.format(Math.sign(x) * (10 ** Math.abs(x) - 1));
  const alike = other ? `They are at most ${figure(samples().tests.statistic[i])} apart.` : "The two curves coincide.";
  const described = `Figures of ${samples().others} and of these tables, ${year}, from ${value(low)} to ${value(high)}. ${alike}`;
  return [drawn("svg", { viewBox: "0 0 300 172", role: "img", "aria-label": described },
    drawn("path", { class: "axis", d: "M34 10V150H284" }),
    ...[0, 0.5, 1].map((y) => label(30, up(y) + 4, "end", `${100 * y}%`)),
    ...[low, (low + high) / 2, high].map((x, k) => label(across(x), 167, ["start", "middle", "end"][k], value(x))),
    line("anonymised", after), line("original", before)), drawDifference(i, sides, across)];
}

function drawDifference(i, [original, anonymised], across) { // as far as rounded points tell; of all figures it is within D
  const { tests, critical } = samples();
  const [most, limit] = [tests.statistic[i], critical(i)];
  const up = (share) => 32 - (26 * share) / Math.max(most, limit);
  const percent = (share) => `${Number((100 * share).toPrecision(2))}%`;
  const places = [...new Set([...original, ...anonymised].map(([x]) => x))].sort((a, b) => a - b);
  const apart = (x) => Math.max(-most, Math.min(most, shareBelow(anonymised, x) - shareBelow(original, x)));
  const described = `Their difference is at most ${percent(most)} of firms; ${percent(limit)} would be significant.`;
  return drawn("svg", { class: "difference", viewBox: "0 0 300 64", role: "img", "aria-label": described },
    drawn("path", { class: "band", d: `M34 ${up(most)}H284V${up(-most)}H34Z` }),
    drawn("path", { class: "axis", d: "M34 32H284" }),
    drawn("path", { class: "limit", d: `M34 ${up(limit)}H284M34 ${up(-limit)}H284` }),
    ...[limit, 0, -limit].map((share) => label(30, up(share) + 4, "end", percent(share))),
    line("apart", places.map((x) => [across(x), up(apart(x))])));
}

function shareBelow(side, x) { // on a straight line between two points
  const [before, after] = [side.findLast(([at]) => at <= x), side.find(([at]) => at > x)];
  if (!before || !after) return (before ?? after)[1];
  return before[1] + ((after[1] - before[1]) * (x - before[0])) / (after[0] - before[0]);
}

function points(side) { // each is the mean of one of so many equal blocks
  return unpacked(side).map((x, k, { length }) => [x, (k + 0.5) / length]);
}
