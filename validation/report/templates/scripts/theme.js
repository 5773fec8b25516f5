// Light or dark, as the system has it unless the reader chooses.

function showTheme(theme) {
  document.documentElement.style.colorScheme = theme === "auto" ? "" : theme;
}

{
  const themes = { auto: "auto", light: "light", dark: "dark" };
  const select = element("select", { id: "theme" }, ...Object.entries(themes).map(([value, name]) => element("option", { value, textContent: `\u25d0 ${name}` })));
  select.setAttribute("aria-label", "theme");
  select.value = localStorage.getItem("silt-theme") ?? "auto";
  showTheme(select.value);
  select.addEventListener("change", () => { localStorage.setItem("silt-theme", select.value); showTheme(select.value); });
  document.querySelector(".bar").append(select);
}
