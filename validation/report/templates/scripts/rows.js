// Records of a table: paged and searched. Those that the page does not hold come from a script beside it, once the table is opened.

const recordsOf = {}; // by table, what takes further rows

function takeRows({ table, rows, changed }) { // what the script beside the page calls
  const cells = Map.groupBy(changed, ([row]) => row);
  recordsOf[table](rows.map((row, i) => recordOf(row, cells.get(i) ?? [])));
}

function recordOf(row, changed) {
  const texts = row.map((text) => (text === null ? [""] : [text]));
  for (const [, column, before, after] of changed) texts[column] = [element("del", { textContent: before }), " ", element("ins", { textContent: after })];
  return {
    isChanged: changed.length > 0,
    text: texts.flat().map((part) => part.textContent ?? part).join(" "),
    row: () => element("tr", {}, ...texts.map((parts) => element("td", {}, ...parts))),
  };
}

function markFound(table, query, isChanged) { // cells with a word of the search, and the first of them, or of what noise changed, in sight
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const cells = [...table.tBodies[0].rows].flatMap((row) => [...row.cells]);
  for (const cell of cells) cell.classList.toggle("found", words.some((word) => cell.textContent.toLowerCase().includes(word)));
  const found = table.querySelector(words.length ? ".found" : "td:has(ins)"), frame = table.parentNode;
  frame.scrollLeft = found && (words.length || isChanged) ? Math.max(0, found.offsetLeft + found.offsetWidth - frame.clientWidth) : 0;
}

function showRecords(table, details) {
  const body = table.tBodies[0];
  let records = [...body.rows].map((row) => ({ isChanged: Boolean(row.querySelector("ins")), text: row.textContent, row: () => row }));
  const beyond = table.dataset.shown ? table.dataset : null;
  const input = element("input", { type: "search", size: 24, value: address.get(`${details.id} search`) });
  const changed = element("input", { type: "checkbox", checked: address.get(`${details.id} changed`) !== "" });
  const state = element("span", { role: "status" });
  const pager = makePager(50, (shown) => { body.replaceChildren(...shown.map((record) => record.row())); markFound(table, input.value, changed.checked); }, beyond);
  const show = () => {
    const isFound = finder(input.value);
    only.hidden = !records.some((record) => record.isChanged);
    pager.show(records.filter((record) => (!changed.checked || record.isChanged) && (!input.value || isFound(record.text))));
  };
  const only = element("label", {}, changed, " only those that noise changed");
  input.addEventListener("input", () => { show(); address.put(`${details.id} search`, input.value); });
  changed.addEventListener("change", () => { show(); address.put(`${details.id} changed`, changed.checked ? "only" : ""); });
  table.parentNode.before(element("div", { className: "controls" }, element("label", {}, beyond ? `search these ${beyond.shown} ` : "search ", input), only, state));
  table.parentNode.after(pager.element);
  show();
  if (!table.dataset.script) return;
  recordsOf[details.id.replace("data-", "")] = (all) => { records = all; state.textContent = ""; show(); };
  const script = element("script", { src: table.dataset.script });
  script.addEventListener("error", () => { state.textContent = `The other records are in ${table.dataset.script}, which is not beside this page.`; });
  state.textContent = "The other records are being loaded.";
  details.append(script);
}

for (const details of document.querySelectorAll("details.data")) {
  details.addEventListener("toggle", () => showRecords(details.querySelector(".records"), details), { once: true });
  details.addEventListener("toggle", () => address.put(details.id, details.open ? "open" : ""));
  details.open = details.open || address.get(details.id) !== "";
}

function openTarget() { // whatever the address leads to is open, and what it lies in
  const details = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details");
  if (!details) return;
  details.addEventListener("toggle", () => details.scrollIntoView(), { once: true }); // it became longer, and others shorter
  details.open = true;
}

addEventListener("hashchange", openTarget);
openTarget();
