// Every table.sortable sorts by its headings; a long one has a filter.

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

function addFilter(table, name) {
  const rows = [...table.tBodies[0].rows];
  const count = element("span", { role: "status" });
  const input = element("input", { type: "search", size: 18, value: address.get(`${name} filter`) });
  const filter = () => {
    for (const row of rows) row.hidden = !holds(row.textContent, input.value);
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
    address.put(`${name} filter`, input.value);
  };
  input.addEventListener("input", filter);
  count.textContent = `${rows.length} rows`;
  if (input.value) filter();
  table.parentNode.before(element("div", { className: "controls" }, element("label", {}, "filter ", input), count));
}

function liven(table) {
  const name = table.caption.textContent;
  const sort = (column, isDown) => {
    sortRows(table, column, isDown);
    address.put(`${name} sort`, `${column}${isDown ? " down" : ""}`);
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => makeSortable(head, (isDown) => sort(column, isDown)));
  const [column, isDown] = address.get(`${name} sort`).split(" ");
  if (table.tHead.rows[0].cells[column || -1]) sort(Number(column), Boolean(isDown));
  if ("filter" in table.dataset) addFilter(table, name);
}

for (const table of document.querySelectorAll("table.sortable")) if (!table.closest("#tests")) liven(table);
