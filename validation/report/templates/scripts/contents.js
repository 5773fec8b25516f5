// The contents say where the reader is.

{
  const links = [...document.querySelectorAll(".bar nav a[href^='#']")];
  const places = links.map((link) => document.getElementById(link.hash.slice(1)));
  const mark = () => {
    const last = places.findLastIndex((place, i) => i === 0 || place.getBoundingClientRect().top < innerHeight / 3);
    links.forEach((link, i) => (i === last ? link.setAttribute("aria-current", "location") : link.removeAttribute("aria-current")));
  };
  let isDue = false;
  addEventListener("scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; mark(); });
  }, { passive: true });
  mark();
}
