// The maps of all tests: the first stands in the page, the others are drawn when they are asked for.

if (document.getElementById("maps")) showMaps(document.getElementById("maps"));

function showMaps(maps) {
  const controls = ["level", "only-group", "only-measure", "colour"].map((id) => document.getElementById(id));
  const [level, group, measure, colour] = controls;
  const shown = () => maps.querySelector(".map:not([hidden])");
  const narrowShown = () => narrow(shown(), group.value, measure.value);
  const showLevel = async () => {
    for (const map of maps.querySelectorAll(".map")) map.hidden = map.dataset.level !== level.value;
    if (!shown()) await drawMap(level.value, maps);
    if (group.value || measure.value) narrowShown();
  };
  const showColour = () => {
    fold(shown());
    maps.classList.remove("by-distance", "by-verdict");
    maps.classList.add(colour.value);
    unfold(shown());
  };

  for (const hidden of document.querySelectorAll(".needs-script")) hidden.hidden = false;
  requestIdleCallback(samples); // read before the first cell is pointed at
  maps.classList.add("live");
  makeLive(shown());
  fold(shown());
  requestIdleCallback(() => unfold(maps.querySelector(".map")));
  level.parentNode.hidden = level.options.length < 2;
  level.addEventListener("change", showLevel);
  group.addEventListener("input", narrowShown);
  measure.addEventListener("input", narrowShown);
  colour?.addEventListener("change", showColour);
  for (const control of controls.filter(Boolean)) {
    if (address.get(control.id)) control.value = address.get(control.id);
    control.addEventListener("input", () => address.put(control.id, control.value));
  }
  if (colour && address.get("colour")) showColour();
  if (controls.some((control) => control && address.get(control.id))) showLevel();
  let wasSeen = false;
  new IntersectionObserver(([{ isIntersecting: isSeen }]) => { // a cell is not left open beside other sections
    if (matchMedia("print").matches) return; // on paper nobody goes on
    if (wasSeen && !isSeen) closeCell({ isLeft: true });
    wasSeen = isSeen;
  }).observe(maps.closest("section"));
  if (address.get("cell")) openKept(JSON.parse(address.get("cell")));
}

function openKept([level, measure, group]) {
  const { levels, measures, groups } = samples();
  const places = [levels.indexOf(level), measures.indexOf(measure), groups.indexOf(group)];
  if (!places.includes(-1)) openCell(...places, null);
}

function narrow(map, group, measure) {
  const { columns } = ofLevel(map.dataset.level);
  const [heads, ...rows] = map.querySelectorAll("tr");
  const [isGroup, isMeasure] = [finder(group), finder(measure)];
  const isShown = [...heads.cells].map((head, i) => i === 0 || isGroup(`${head.textContent} ${columns[i - 1][1] ?? ""}`));
  fold(map);
  map.querySelector("table").style.setProperty("--columns", isShown.filter(Boolean).length - 1); // cells keep their size
  [heads, ...rows].forEach((row) => [...row.cells].forEach((each, i) => { if (each.hidden === isShown[i]) each.hidden = !isShown[i]; }));
  for (const row of rows) row.hidden = !isMeasure(row.cells[0].textContent);
  unfold(map);
}

function rowsAtOnce(columns) { // what a slow machine lays out in one frame
  return Math.ceil(400 / columns);
}

function fold(map) {
  const rows = [...map.querySelectorAll("tbody tr:not([hidden])")];
  for (const row of rows.slice(rowsAtOnce(rows[0]?.cells.length))) row.classList.add("beyond");
}

function unfold(map) {
  const folded = [...map.querySelectorAll("tbody .beyond")].sort((a, b) => a.hidden - b.hidden);
  return inSteps(folded, rowsAtOnce(map.querySelector("tr").cells.length), (row) => row.classList.remove("beyond"));
}

function ofLevel(level) {
  return samples().maps.find((map) => map.level === level);
}

async function drawMap(level, maps) {
  const { name, columns, rows } = ofLevel(level);
  const { groups, measures } = samples();
  const head = ([group]) => element("th", { scope: "col" }, element("span", {}, ...named(groupName(groups[group]))));
  const cell = (_, k, packed) => {
    const [found, verdict] = packed.slice(2 * k, 2 * k + 2);
    const kind = { "\u2715": "over", "/": "small", " ": "" }[found] ?? `d${found}`;
    return element("td", { className: verdict === " " ? kind : `${kind} v${verdict}`, textContent: found.trim() });
  };
  const row = ([measure, packed]) => {
    const cells = columns.map((column, k) => cell(column, k, packed));
    for (const empty of cells) if (!empty.className) empty.removeAttribute("class");
    return element("tr", {}, element("th", { scope: "row" }, ...named(measures[measure])), ...cells);
  };
  const table = element("table", { className: "heat", role: "grid" },
    element("caption", { className: "unseen", textContent: `measures by ${name}` }),
    element("thead", {}, element("tr", {}, element("td"), ...columns.map(head))),
    element("tbody"));
  const made = element("div", { className: "wide map" }, table);
  made.dataset.level = level;
  table.style.setProperty("--columns", columns.length);
  maps.querySelector(".map").after(made);
  const drawing = inSteps(rows, rowsAtOnce(columns.length), (each) => table.tBodies[0].append(row(each)));
  makeLive(made);
  await drawing;
}

function makeLive(map) {
  const table = map.querySelector("table");
  const place = (chosen) => {
    const { columns, rows } = ofLevel(map.dataset.level);
    return [samples().levels.indexOf(map.dataset.level), rows[chosen.parentNode.rowIndex - 1][0], columns[chosen.cellIndex - 1][0]];
  };
  const cellAt = (event) => event.target.closest("tbody td[class]");
  const point = (event) => {
    if (cellAt(event)) document.getElementById("pointed").replaceChildren(...summary(...place(cellAt(event))));
  };
  const choose = (chosen) => {
    for (const other of document.querySelectorAll(".heat [aria-selected]")) other.removeAttribute("aria-selected");
    chosen.setAttribute("aria-selected", "true");
    openCell(...place(chosen), chosen);
  };
  const first = table.querySelector("tbody td[class]");
  if (first) first.tabIndex = 0;
  // A cell that an opening panel moves under a pointer at rest was not pointed at.
  table.addEventListener("mouseover", (event) => { if (event.movementX || event.movementY) point(event); });
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
  const { cell, tests, measures, groups, rejected, verdictOf } = samples();
  const found = cell(level, measure, group);
  const years = found.tests.map((i) => {
    const word = rejected.has(i) ? "differs" : verdictOf(i);
    return `${yearOf(tests.year[i])}: D ${figure(tests.statistic[i])}, ${figure(tests.share[i])} of critical, n ${tests.n[i]}${word && `, ${word}`}`;
  });
  return [...named(measures[measure]), ", ", ...named(groupName(groups[group])), `. ${[...years, tooFew(found.small)].filter(Boolean).join("; ")}`];
}
