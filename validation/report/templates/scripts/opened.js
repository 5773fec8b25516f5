// A cell that the reader opened, beside what it was opened from. Escape closes it.

const opened = element("aside", { id: "opened", tabIndex: -1, hidden: true });
opened.setAttribute("aria-label", "opened cell");
document.querySelector("main").after(opened);

function openCell(level, measure, group, from) {
  const { tests, small } = samples().cell(level, measure, group);
  const { measures, groups, levels } = samples();
  const years = element("div");
  const close = element("button", { type: "button", className: "close", textContent: "close" });
  close.addEventListener("click", closeCell);
  opened.replaceChildren(
    close,
    element("h3", {}, ...named(measures[measure]), ": ", ...named(groupName(groups[group]))),
    element("p", { className: "note", textContent: `Share of firms below a figure, figures on a logarithmic scale that keeps signs. Dashed: ${samples().others}. Solid: these tables. Each point is the mean of five firms or more, rounded. Below: by which share of firms the curves differ (line), by how much at most (D, the band), and how much would be significant (dotted).` }),
    years,
    element("p", { textContent: tooFew(small) }),
  );
  inSteps(tests, 1, (i) => years.append(drawYear(i)));
  const block = opened.hidden ? "center" : "nearest"; // the page becomes narrower when it opens
  opened.hidden = false;
  opened.scrollTop = 0;
  opened.from = from;
  document.body.classList.add("has-opened");
  opened.focus({ preventScroll: true });
  from?.scrollIntoView({ block, inline: "nearest" });
  address.put("cell", JSON.stringify([levels[level], measures[measure], groups[group]]));
}

function closeCell({ isLeft = false } = {}) {
  if (opened.hidden) return;
  opened.hidden = true;
  document.body.classList.remove("has-opened");
  for (const other of document.querySelectorAll(".heat [aria-selected]")) other.removeAttribute("aria-selected");
  if (!isLeft) opened.from?.focus();
  address.put("cell", "");
}

addEventListener("keydown", (event) => { if (event.key === "Escape") closeCell(); });

function tooFew(small) {
  const { n, year } = samples().small;
  return small.length ? `Too few firms to test: ${small.map((i) => `${n[i]} in ${yearOf(year[i])}`).join(", ")}.` : "";
}

const yearOf = (place) => String(samples().years[place]);

function drawYear(i) {
  const { tests, statistics, rejected, verdictOf } = samples();
  const facts = [
    ["D", figure(tests.statistic[i])],
    ["D over its critical value", figure(tests.share[i])],
    ["p", figure(tests.p_value[i])],
    ["p after Holm", figure(tests.p_holm[i])],
    [`n of ${samples().others} and of these tables`, `${tests.n[i]}, ${tests.n_anonymised[i]}`],
    ["detectable shift (sd)", figure(tests.detectable_shift[i])],
    ["KS test", rejected.has(i) ? "differs" : "passed"],
    ["equivalence", verdictOf(i)],
    ...statistics.map((name, k) => [name.replaceAll("_", " "), figure(tests[`s${k}`][i])]),
  ];
  const rows = facts.filter(([, value]) => value !== "").map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row", textContent: name }), element("td", { className: "n", textContent: value })));
  const year = yearOf(tests.year[i]);
  return element("figure", {}, element("h4", { textContent: year }), ...drawCurves(i, year), element("table", {}, element("tbody", {}, ...rows)));
}
