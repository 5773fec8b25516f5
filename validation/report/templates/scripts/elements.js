// Elements, numbers and words.

function element(tag, fields = {}, ...children) {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
}

function figure(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? whole.format(value) : String(Number(value.toPrecision(3)));
}

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 });
function finder(query) { // of texts that hold every word
  const words = query.toLowerCase().split(/\s+/);
  return (text) => { const sought = text.toLowerCase(); return words.every((word) => sought.includes(word)); };
}

const isAbsent = (value) => value === null || value === "";

function compared(a, b) {
  if (a === b) return 0;
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) ? 1 : -1; // what is absent stands last
  return a < b ? -1 : 1;
}

function ordered(items, valueOf, isDown) {
  const alike = Map.groupBy(items, valueOf); // fewer values to sort than items
  const values = [...alike.keys()].sort((a, b) => (isDown && !isAbsent(a) && !isAbsent(b) ? compared(b, a) : compared(a, b)));
  return values.flatMap((value) => alike.get(value));
}

async function inSteps(items, size, act) { // some in each frame, so that the page answers meanwhile
  for (let from = 0; from < items.length; from += size) {
    items.slice(from, from + size).forEach(act);
    await new Promise(requestAnimationFrame);
  }
}
