// The table of all tests: ten at a time, found by words, sorted by any column.

if (document.getElementById("samples")) {
  document.getElementById("tests").replaceChildren();
  for (const hidden of document.querySelectorAll(".without-script")) hidden.hidden = true;
  requestIdleCallback(showTests, { timeout: 1000 });
}

function columnsOfTests() {
  const { tests, measures, groups, levels, rejected, verdictOf } = samples();
  const [ofMeasures, ofGroups] = [measures.map(bothNames), groups.map((group) => bothNames(groupName(group)))];
  const level = (i) => levels[tests.level[i]].replace("_", "-");
  return [
    ["measure", (i) => ofMeasures[tests.measure[i]]],
    ["group", (i) => ofGroups[tests.group[i]]],
    ["level", level],
    ["year", (i) => yearOf(tests.year[i])],
    ["n", (i) => tests.n[i]],
    ["D", (i) => tests.statistic[i]],
    ["of critical", (i) => tests.share[i]],
    ["p", (i) => tests.p_value[i]],
    ["p (Holm)", (i) => tests.p_holm[i]],
    ["detectable shift (sd)", (i) => tests.detectable_shift[i]],
    ["KS", (i) => (rejected.has(i) ? "differs" : "passed")],
    ["equivalence", verdictOf],
  ];
}

function showTests() {
  const smallestP = 7;
  const { tests, isFailed, verdictOf, measures, groups } = samples();
  const columns = columnsOfTests();
  const all = tests.level.map((_, i) => i);
  let texts = null;
  const [measure, group, level, year] = columns.map(([, valueOf]) => valueOf);
  const searched = () => (texts ??= all.map((i) => `${measure(i)} ${group(i)} ${level(i)} ${year(i)} ${verdictOf(i)}`));
  const [kept, isKeptDown] = address.get("tests sort").split(" ");
  let sort = { column: Number(kept || smallestP), isDown: Boolean(isKeptDown) };

  const input = element("input", { type: "search", size: 24, placeholder: "measure, group, year", value: address.get("tests filter") });
  const failed = element("input", { type: "checkbox", checked: Boolean(address.get("tests failed")) });
  const heads = columns.map(([name], k) => element("th", { scope: "col", textContent: name, className: k > 3 && k < 10 ? "n" : "" }));
  const body = element("tbody");
  const pager = makePager(10, (shown) => body.replaceChildren(...shown.map(drawRow)));
  heads.forEach((head, k) => makeSortable(head, (isDown) => { sort = { column: k, isDown }; refresh(); }));
  input.addEventListener("input", refresh);
  failed.addEventListener("change", refresh);
  document.getElementById("tests").replaceChildren(
    element("div", { className: "controls" }, element("label", {}, "filter ", input), element("label", {}, failed, " only those that differ")),
    element("div", { className: "wide" }, element("table", { id: "all-tests" },
      element("caption", { className: "unseen", textContent: "all tests" }), element("thead", {}, element("tr", {}, ...heads)), body)),
    pager.element,
  );
  refresh();

  function refresh() {
    const isFound = finder(input.value);
    const sought = failed.checked ? all.filter(isFailed) : all;
    const found = ordered(input.value ? sought.filter((i) => isFound(searched()[i])) : sought, columns[sort.column][1], sort.isDown);
    markSorted(heads, sort.column, sort.isDown);
    address.put("tests filter", input.value);
    address.put("tests failed", failed.checked ? "only" : "");
    address.put("tests sort", sort.column === smallestP && !sort.isDown ? "" : `${sort.column}${sort.isDown ? " down" : ""}`);
    pager.show(found);
  }

  function drawRow(i) {
    const button = element("button", { type: "button" }, ...named(measures[tests.measure[i]]));
    button.addEventListener("click", () => openCell(tests.level[i], tests.measure[i], tests.group[i], button));
    const group = element("td", {}, ...named(groupName(groups[tests.group[i]])));
    const cells = columns.slice(2).map(([, valueOf]) => {
      const value = valueOf(i);
      const isText = typeof value === "string";
      const kind = !isText ? "n" : value === "differs" || value === "different" ? "doubtful" : "";
      return element("td", { className: kind, textContent: isText ? value : figure(value) });
    });
    return element("tr", {}, element("td", {}, button), group, ...cells);
  }
}
