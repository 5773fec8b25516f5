// Elements, numbers and words.

function element(tag, fields = {}, ...children) {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
}

function figure(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(3)));
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 });
const holds = (text, query) => query.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
const isAbsent = (value) => value === null || value === "";

function compared(a, b) {
  if (a === b) return 0;
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) ? 1 : -1; // what is absent stands last
  return a < b ? -1 : 1;
}

function ordered(items, valueOf, isDown) {
  return items
    .map((item) => [valueOf(item), item])
    .sort(([a], [b]) => (isDown && !isAbsent(a) && !isAbsent(b) ? compared(b, a) : compared(a, b)))
    .map(([, item]) => item);
}
