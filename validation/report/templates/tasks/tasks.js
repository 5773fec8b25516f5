// The list of tasks: filters, which the address keeps; links that lead to a task open it; SQL is put together when it is asked for.

{
  const tasks = [...document.querySelectorAll(".task")];
  const filters = document.getElementById("filters");
  const [selects, words] = [[...filters.querySelectorAll("select")], filters.querySelector("input")];
  const controls = [...selects, words];
  const isOf = { rule: (value, all) => all.split(" ").includes(value), outcome: (value, all) => all.split(" ").includes(value) };
  const same = (value, other) => value === other;

  const PAGE = 50; // a page of several hundred tasks is as long as a book
  let shown = PAGE;
  const more = element("button", { type: "button" });
  tasks.at(-1)?.after(more);
  const show = () => {
    const isFound = finder(words.value);
    const kept = (task) => selects.every(({ name, value }) => !value || (isOf[name] ?? same)(value, task.dataset[name] ?? "")) &&
      (!words.value || isFound(`${task.id} ${task.querySelector(".question").textContent}`));
    const found = tasks.filter((task) => !(task.hidden = !kept(task)));
    const isAnswered = (task) => task.querySelector("details") !== null;
    const parts = [found.filter(isAnswered), found.filter((task) => !isAnswered(task))]; // the first of each are shown
    const rest = parts.flatMap((part) => part.slice(shown));
    for (const task of rest) task.hidden = true;
    more.hidden = !rest.length;
    more.textContent = `show more: ${rest.length} are left`;
    filters.querySelector("[role=status]").textContent = `${found.length} of ${tasks.length} tasks, with and without answers`;
  };
  const clear = () => {
    for (const control of controls) { control.value = ""; address.put(control.name, ""); }
    show();
  };
  const open = () => {
    const task = tasks.find(({ id }) => `#${id}` === location.hash);
    if (!task) return;
    if (task.hidden) { shown = Infinity; clear(); }
    const details = task.querySelector("details");
    if (details) details.open = true;
    task.scrollIntoView();
  };

  for (const control of controls) {
    control.value = address.get(control.name);
    if (control.selectedIndex === -1) control.value = "";
    control.addEventListener("input", () => { address.put(control.name, control.value); shown = PAGE; show(); });
  }
  filters.querySelector("button").addEventListener("click", () => { shown = Infinity; clear(); });
  more.addEventListener("click", () => { shown += PAGE; show(); });
  filters.hidden = false;
  for (const count of document.querySelectorAll("[data-only]")) {
    count.replaceWith(element("a", { href: `?${count.dataset.only}#tasks`, textContent: count.textContent }));
  }
  show();
  addEventListener("hashchange", open);
  open();

  const { pieces, tasks: statements } = JSON.parse(document.getElementById("statements").textContent);
  for (const steps of document.querySelectorAll(".steps")) {
    const sql = element("pre", { tabIndex: 0 });
    const folded = element("details", { className: "sql" }, element("summary", { textContent: "SQL" }), sql);
    folded.addEventListener("toggle", () => {
      sql.textContent = statements[steps.closest(".task").id].map((piece) => pieces[piece]).join("");
    }, { once: true });
    steps.after(folded);
  }
}
