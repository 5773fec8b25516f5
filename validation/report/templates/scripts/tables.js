// Every table.sortable sorts by its headings; a long one has a filter. Tables that are too long for that are paged.

function makePager(size, draw, beyond = null) { // draws some of the items that it is given, and buttons for the others; it may not have all
  const status = element("span", { role: "status" });
  let items = [], from = 0;
  const turn = (text, by) => {
    const button = element("button", { type: "button", textContent: text });
    button.addEventListener("click", () => { from += by; show(); });
    return button;
  };
  const [previous, next] = [turn("previous", -size), turn("next", size)];
  const show = () => {
    const shown = items.slice(from, from + size);
    previous.disabled = from === 0;
    next.disabled = from + size >= items.length;
    const all = items.length.toLocaleString("en"), found = items.length ? `${from + 1} to ${from + shown.length} of ${all}` : "No row fits";
    status.textContent = found + (beyond ? `${beyond.shown === all ? "" : `, of ${beyond.shown} that are here`}; the file has ${beyond.of}` : "");
    draw(shown);
  };
  return {
    element: element("div", { className: "pager" }, previous, next, status),
    show(others) { [items, from] = [others, 0]; show(); },
  };
}

function makeSortable(head, sortBy) {
  const button = element("button", { type: "button" }, ...head.childNodes);
  head.replaceChildren(button);
  button.addEventListener("click", () => sortBy(head.getAttribute("aria-sort") === "ascending"));
}

function markSorted(heads, column, isDown) {
  heads.forEach((head, i) => (i === column ? head.setAttribute("aria-sort", isDown ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
}

function sortRows(table, column, isDown) {
  const heads = [...table.tHead.rows[0].cells];
  const isNumeric = heads[column].classList.contains("n");
  const valueOf = (row) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return isNumeric && text !== "" ? Number(text.replaceAll(",", "")) : text;
  };
  markSorted(heads, column, isDown);
  table.tBodies[0].append(...ordered([...table.tBodies[0].rows], valueOf, isDown));
}

const FIRST = 100; // rows of a long table that are shown at first; more take long to lay out

function addFilter(table, name) {
  const body = table.tBodies[0];
  const count = element("span", { role: "status" });
  const input = element("input", { type: "search", size: 18, value: address.get(`${name} filter`) });
  const all = element("button", { type: "button", textContent: `show more than the first ${FIRST}` });
  let most = FIRST;
  const show = () => {
    const rows = [...body.rows];
    const isFound = finder(input.value);
    const found = rows.filter((row) => !(row.hidden = Boolean(input.value) && !isFound(row.textContent)));
    found.forEach((row, i) => row.classList.toggle("beyond", i >= most));
    all.hidden = found.length <= most;
    count.textContent = `${found.length === rows.length ? "" : `${found.length} of `}${rows.length} rows`;
  };
  input.addEventListener("input", () => { show(); address.put(`${name} filter`, input.value); });
  all.addEventListener("click", () => { most = Infinity; show(); });
  table.parentNode.before(element("div", { className: "controls" }, element("label", {}, "filter ", input), count, all));
  return show;
}

function liven(table) {
  const name = table.caption.textContent;
  const heads = [...table.tHead.rows[0].cells];
  const show = "filter" in table.dataset ? addFilter(table, name) : () => {};
  const sort = (column, isDown) => { sortRows(table, column, isDown); show(); };
  heads.forEach((head, column) => makeSortable(head, (isDown) => {
    sort(column, isDown);
    address.put(`${name} sort`, `${column}${isDown ? " down" : ""}`);
  }));
  const [column, isDown] = address.get(`${name} sort`).split(" ");
  if (heads[column || -1]) sort(Number(column), Boolean(isDown));
  else show();
}

const isDrawnAnew = (table) => document.getElementById("samples") && table.closest("#tests"); // of all tests (`tests.js`)
for (const table of document.querySelectorAll("table.sortable")) if (!isDrawnAnew(table)) liven(table);

for (const long of document.querySelectorAll(".tall, .map")) { // laid out once the first screen stands, one after another
  requestIdleCallback(() => { long.style.contentVisibility = "visible"; });
}
