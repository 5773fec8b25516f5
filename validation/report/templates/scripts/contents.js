// The contents say where the reader is, and show that place where there is no room for all.

{
  const links = [...document.querySelectorAll(".bar nav a[href^='#']")];
  const places = links.map((link) => document.getElementById(link.hash.slice(1)));
  const nav = document.querySelector(".bar nav");
  let shown = 0;
  const show = (place) => { // not by scrollIntoView, which would stop the page's own scrolling
    const [link, around] = [links[shown = place], nav].map((each) => each.getBoundingClientRect());
    nav.scrollLeft += (link.left + link.right - around.left - around.right) / 2;
  };
  const mark = () => {
    const last = places.findLastIndex((place, i) => i === 0 || place.getBoundingClientRect().top < innerHeight / 3);
    links.forEach((link, i) => (i === last ? link.setAttribute("aria-current", "location") : link.removeAttribute("aria-current")));
    if (last !== shown) show(last);
  };
  let isDue = false;
  addEventListener("scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; mark(); });
  }, { passive: true });
  mark();
}
