"use strict";

// Small things first: elements, numbers, words.

function element(tag, fields = {}, ...children) {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
}

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function figure(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(3)));
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 });
const groupName = (group) => (group === null ? "(none)" : group);
const holds = (text, query) => query.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

function compared(a, b) {
  if (a === b) return 0;
  if (a === null || a === "") return 1; // what is absent stands last
  if (b === null || b === "") return -1;
  return a < b ? -1 : 1;
}

function ordered(items, valueOf, isDown) {
  const isAbsent = (value) => value === null || value === "";
  return items
    .map((item) => [valueOf(item), item])
    .sort(([a], [b]) => (isDown && !isAbsent(a) && !isAbsent(b) ? compared(b, a) : compared(a, b)))
    .map(([, item]) => item);
}

// Every table.sortable sorts by its headings; a long one has a filter.

function makeSortable(head, sortBy) {
  const button = element("button", { type: "button", textContent: head.textContent });
  head.replaceChildren(button);
  button.addEventListener("click", () => {
    const isDown = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    sortBy(isDown);
  });
}

function sortRows(table, column, isDown) {
  const isNumeric = table.tHead.rows[0].cells[column].classList.contains("n");
  const valueOf = (row) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return isNumeric && text !== "" ? Number(text.replaceAll(",", "")) : text;
  };
  table.tBodies[0].append(...ordered([...table.tBodies[0].rows], valueOf, isDown));
}

function addFilter(table) {
  const rows = [...table.tBodies[0].rows];
  const count = element("span", { role: "status", textContent: `${rows.length} rows` });
  const input = element("input", { type: "search", size: 18 });
  input.addEventListener("input", () => {
    for (const row of rows) row.hidden = !holds(row.textContent, input.value);
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
  });
  table.parentNode.before(element("div", { className: "controls" }, element("label", {}, "filter ", input), count));
}

for (const table of document.querySelectorAll("table.sortable")) {
  if (table.closest("#tests")) continue; // this one is replaced as a whole, below
  [...table.tHead.rows[0].cells].forEach((head, i) => makeSortable(head, (isDown) => sortRows(table, i, isDown)));
  if ("filter" in table.dataset) addFilter(table);
}

// The tests: a table of pages, a map whose cells open, and the curves of an opened cell.

const embedded = document.getElementById("samples");
if (embedded) showTests(JSON.parse(embedded.textContent));

function showTests(data) {
  const rejected = new Set(data.rejected);
  const cells = new Map();
  const cell = (level, measure, group) => {
    const key = `${level},${measure},${group}`;
    if (!cells.has(key)) cells.set(key, { tests: [], small: [] });
    return cells.get(key);
  };
  data.tests.measure.forEach((measure, i) => cell(data.tests.level[i], measure, data.tests.group[i]).tests.push(i));
  for (const each of data.small) cell(each[0], each[1], each[2]).small.push(each);
  const verdictOf = (i) => data.verdicts[data.tests.verdict[i]] ?? "";
  const shares = data.tests.statistic.map((distance, i) => { // Stephens (1970): D over the D that is significant
    const [n, m] = [data.tests.n[i], data.tests.n_anonymised[i]];
    const root = Math.sqrt(Math.round((n * m) / (n + m)));
    return (distance * (root + 0.12 + 0.11 / root)) / data.limit;
  });
  const isFailed = (i) => rejected.has(i) || verdictOf(i) === "different";
  const opened = document.getElementById("opened");

  for (const shown of document.querySelectorAll(".needs-script")) shown.hidden = false;
  for (const hidden of document.querySelectorAll(".without-script")) hidden.hidden = true;
  showMaps();
  showTable();

  // --- the map

  function showMaps() {
    const maps = [...document.querySelectorAll(".map")];
    const level = document.getElementById("level");
    const inputs = ["only-group", "only-measure"].map((id) => document.getElementById(id));
    const [group, measure] = inputs;
    document.getElementById("maps").classList.add("live");
    level.parentNode.hidden = maps.length < 2;
    level.addEventListener("change", () => maps.forEach((map) => { map.hidden = map.dataset.level !== level.value; }));
    for (const input of inputs) input.addEventListener("input", () => maps.forEach((map) => narrow(map, group.value, measure.value)));
    document.getElementById("colour")?.addEventListener("change", (event) => {
      const shown = document.getElementById("maps").classList;
      shown.remove("by-distance", "by-verdict");
      shown.add(event.target.value);
    });
    maps.forEach(makeGrid);
  }

  function narrow(map, group, measure) {
    const [heads, ...rows] = map.querySelectorAll("tr");
    const isShown = [...heads.cells].map((head, i) => i === 0 || holds(`${head.textContent} ${head.dataset.industry ?? ""}`, group));
    [heads, ...rows].forEach((row) => [...row.cells].forEach((each, i) => { each.hidden = !isShown[i]; }));
    for (const row of rows) row.hidden = !holds(row.cells[0].textContent, measure);
  }

  function makeGrid(map) {
    const table = map.querySelector("table");
    const place = (chosen) => [
      data.levels.indexOf(map.dataset.level),
      data.measures.indexOf(chosen.parentNode.cells[0].textContent),
      data.groups.findIndex((group) => groupName(group) === table.tHead.rows[0].cells[chosen.cellIndex].textContent),
    ];
    const cellAt = (event) => event.target.closest("tbody td[class]");
    const point = (event) => {
      const chosen = cellAt(event);
      if (chosen) document.getElementById("pointed").textContent = summary(...place(chosen));
    };
    const choose = (chosen) => {
      for (const other of document.querySelectorAll(".heat [aria-selected]")) other.removeAttribute("aria-selected");
      chosen.setAttribute("aria-selected", "true");
      open(...place(chosen), chosen);
    };
    const first = table.querySelector("tbody td[class]");
    if (first) first.tabIndex = 0;
    table.addEventListener("mouseover", point);
    table.addEventListener("focusin", point);
    table.addEventListener("click", (event) => { if (cellAt(event)) choose(cellAt(event)); });
    table.addEventListener("keydown", (event) => {
      const chosen = cellAt(event);
      if (!chosen) return;
      if (event.key === "Enter" || event.key === " ") choose(chosen);
      else if (!move(table, chosen, event.key)) return;
      event.preventDefault();
    });
  }

  function move(table, from, key) {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key] ?? [0, 0];
    let [row, column] = [from.parentNode.rowIndex, from.cellIndex];
    do {
      [row, column] = [row + down, column + right];
      const next = table.rows[row]?.cells[column];
      if (!(down || right) || !next || next.tagName !== "TD" || row === 0) return false;
      if (!next.hidden && !next.parentNode.hidden && next.className) {
        from.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
        return true;
      }
    } while (true);
  }

  function summary(level, measure, group) {
    const { tests, small } = cell(level, measure, group);
    const years = tests.map((i) => {
      const word = rejected.has(i) ? "REJECTED" : verdictOf(i);
      return `${data.tests.year[i]}: D ${figure(data.tests.statistic[i])}, ${figure(shares[i])} of critical, n ${data.tests.n[i]}${word && `, ${word}`}`;
    });
    return `${data.measures[measure]}, ${groupName(data.groups[group])}. ${[...years, few(small)].join("; ")}`;
  }

  // --- an opened cell

  function open(level, measure, group, from) {
    const { tests, small } = cell(level, measure, group);
    const close = element("button", { type: "button", className: "opener", textContent: "close" });
    close.addEventListener("click", () => { opened.replaceChildren(); from.focus(); });
    opened.replaceChildren(
      element("h3", { textContent: `${data.measures[measure]}: ${groupName(data.groups[group])}` }),
      element("p", { className: "told", textContent: "Share of firms below a figure, figures on a logarithmic scale that keeps signs. Dashed, black: original. Solid, blue: anonymised. Each point is the mean of five firms or more, rounded." }),
      element("div", { className: "years" }, ...tests.map(year)),
      element("p", { textContent: few(small) }),
      close,
    );
    opened.focus({ preventScroll: true });
    opened.scrollIntoView({ block: "nearest" });
  }

  function few(small) {
    return small.length ? `Too few firms to test: ${small.map((each) => `${each[4]} in ${each[3]}`).join(", ")}.` : "";
  }

  function year(i) {
    const { tests, statistics } = data;
    const facts = [
      ["D", figure(tests.statistic[i])],
      ["D over its critical value", figure(shares[i])],
      ["p", figure(tests.p_value[i])],
      ["p after Holm", figure(tests.p_holm[i])],
      ["n, original and anonymised", `${tests.n[i]}, ${tests.n_anonymised[i]}`],
      ["detectable shift (sd)", figure(tests.detectable_shift[i])],
      ["KS test", rejected.has(i) ? "REJECTED" : "not rejected"],
      ["equivalence", verdictOf(i)],
      ...statistics.map((name, k) => [name.replaceAll("_", " "), figure(tests[`s${k}`][i])]),
    ];
    const rows = facts.filter(([, value]) => value !== "").map(([name, value]) =>
      element("tr", {}, element("th", { scope: "row", textContent: name }), element("td", { className: "n", textContent: value })));
    return element("figure", {}, element("h4", { textContent: tests.year[i] }), curves(i), element("table", {}, element("tbody", {}, ...rows)));
  }

  function curves(i) {
    const pair = data.curves?.pairs[i];
    if (!pair) return element("p", { className: "told", textContent: "No curves: too few firms to draw them without showing single figures." });
    const signedLog = (x) => Math.sign(x) * Math.log10(1 + Math.abs(x));
    const sides = [pair[0], pair[1] ?? pair[0]].map((side) => points(side).map(([x, y]) => [signedLog(x), y]));
    const all = sides.flat().map(([x]) => x);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const across = (x) => 34 + (250 * (x - low)) / (high - low || 1);
    const up = (y) => 150 - 140 * y;
    const line = (side, name) => drawn("polyline", { class: `curve ${name}`, points: side.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join(" ") });
    const label = (x, y, anchor, text) => drawn("text", { x, y, "text-anchor": anchor }, text);
    const value = (x) => compact.format(Math.sign(x) * (10 ** Math.abs(x) - 1));
    const places = [low, (low + high) / 2, high];
    return drawn("svg", { viewBox: "0 0 300 172", role: "img", "aria-label": "two distribution curves" },
      drawn("path", { class: "axis", d: "M34 10V150H284" }),
      ...[0, 0.5, 1].map((y) => label(30, up(y) + 4, "end", `${100 * y}%`)),
      ...places.map((x, k) => label(across(x), 167, ["start", "middle", "end"][k], value(x))),
      line(sides[1], "anonymised"), line(sides[0], "original"));
  }

  function points(side) { // two characters each, as points.py writes them
    const { probabilities } = data.curves;
    return probabilities.map((y, k) => [unpacked(side[2 * k], side[2 * k + 1]), y]).filter(([x]) => x !== null);
  }

  function unpacked(first, second) {
    const { alphabet, usual, lowest, exponents } = data.packing;
    const code = alphabet.indexOf(first) - 2;
    if (code < 0) return code === -2 ? 0 : null;
    const above = Math.floor(code / 2) + usual;
    const exponent = above < lowest + exponents ? above : above - exponents;
    const size = (alphabet.indexOf(second) + 10) * 10 ** (exponent - 1);
    return code % 2 ? -size : size;
  }

  // --- the table of all tests

  function showTable() {
    const { tests } = data;
    const texts = tests.measure.map((measure, i) =>
      `${data.measures[measure]} ${groupName(data.groups[tests.group[i]])} ${tests.year[i]} ${data.levels[tests.level[i]].replace("_", "-")} ${verdictOf(i)}`);
    const columns = [
      ["measure", (i) => data.measures[tests.measure[i]]],
      ["group", (i) => groupName(data.groups[tests.group[i]])],
      ["level", (i) => data.levels[tests.level[i]].replace("_", "-")],
      ["year", (i) => String(tests.year[i])],
      ["n", (i) => tests.n[i]],
      ["D", (i) => tests.statistic[i]],
      ["of critical", (i) => shares[i]],
      ["p", (i) => tests.p_value[i]],
      ["p (Holm)", (i) => tests.p_holm[i]],
      ["detectable shift (sd)", (i) => tests.detectable_shift[i]],
      ["KS", (i) => (rejected.has(i) ? "REJECTED" : "not rejected")],
      ["equivalence", verdictOf],
    ];
    const size = 50;
    const all = tests.measure.map((_, i) => i);
    let found = ordered(all, (i) => tests.p_value[i]), page = 0, sort = { column: 7, isDown: false };

    const input = element("input", { type: "search", size: 24, placeholder: "measure, group, year" });
    const failed = element("input", { type: "checkbox" });
    const status = element("span", { role: "status" });
    const previous = element("button", { type: "button", textContent: "previous" });
    const next = element("button", { type: "button", textContent: "next" });
    const heads = columns.map(([name], k) => element("th", { scope: "col", textContent: name, className: k > 3 && k < 10 ? "n" : "" }));
    const body = element("tbody");
    heads.forEach((head, k) => makeSortable(head, (isDown) => { sort = { column: k, isDown }; refresh(); }));
    heads[7].setAttribute("aria-sort", "ascending");
    input.addEventListener("input", refresh);
    failed.addEventListener("change", refresh);
    previous.addEventListener("click", () => { page -= 1; draw(); });
    next.addEventListener("click", () => { page += 1; draw(); });
    const row = element("tr", {}, ...heads);
    document.getElementById("tests").replaceChildren(
      element("div", { className: "controls" }, element("label", {}, "filter ", input), element("label", {}, failed, " only failed")),
      element("div", { className: "wide" }, element("table", { id: "all-tests" }, element("thead", {}, row), body)),
      element("div", { className: "pager" }, previous, next, status),
    );
    draw();

    function refresh() {
      const kept = all.filter((i) => (!failed.checked || isFailed(i)) && holds(texts[i], input.value));
      found = ordered(kept, columns[sort.column][1], sort.isDown);
      page = 0;
      draw();
    }

    function draw() {
      const from = page * size;
      const shown = found.slice(from, from + size);
      previous.disabled = page === 0;
      next.disabled = from + size >= found.length;
      status.textContent = found.length ? `${from + 1} to ${from + shown.length} of ${found.length.toLocaleString("en")}` : "none";
      body.replaceChildren(...shown.map(drawRow));
    }

    function drawRow(i) {
      const [[, measure], ...rest] = columns;
      const button = element("button", { type: "button", className: "opener", textContent: measure(i) });
      button.addEventListener("click", () => open(tests.level[i], tests.measure[i], tests.group[i], button));
      const cells = rest.map(([, valueOf]) => {
        const value = valueOf(i);
        const isText = typeof value === "string";
        const kind = !isText ? "n" : value === "REJECTED" || value === "different" ? "exceeded" : "";
        return element("td", { className: kind, textContent: isText ? value : figure(value) });
      });
      return element("tr", {}, element("td", {}, button), ...cells);
    }
  }
}
