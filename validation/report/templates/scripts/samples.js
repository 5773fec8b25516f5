// All tests of the variant, read when they are first asked for. `samples.py` writes them: columns, a value that repeats once.

const samples = (() => {
  let read = null;
  return () => (read ??= joined(JSON.parse(document.getElementById("samples").textContent)));
})();

function spread(runs) {
  const column = [];
  for (const run of runs) {
    const [value, count] = Array.isArray(run) ? run : [run, 1];
    for (let i = 0; i < count; i += 1) column.push(value);
  }
  return column;
}

function lazy(object, makers) { // a column is spread when it is first asked for
  for (const [name, make] of Object.entries(makers)) {
    let made = null;
    Object.defineProperty(object, name, { get: () => (made ??= make()) });
  }
  return object;
}

function unpacked(text) { // two characters a figure, as points.py writes them
  const { alphabet, usual, lowest, exponents } = samples().packing;
  return text.match(/../gu)?.map(([first, second]) => {
    if (first === "%") return null;
    const code = alphabet.indexOf(first) - 1;
    if (code < 0) return 0;
    const above = Math.floor(code / 2) + usual;
    const exponent = above < lowest + exponents ? above : above - exponents;
    const size = (alphabet.indexOf(second) + 10) * 10 ** (exponent - 1);
    return code % 2 ? -size : size;
  }) ?? [];
}

function joined(data) {
  const columns = (packed) => {
    const read = lazy({}, Object.fromEntries(Object.entries(packed).map(([name, runs]) => [name, () => (typeof runs === "string" ? statistics(runs) : spread(runs))])));
    let at = 0;
    const cells = read.step.map((step) => data.cells[(at += step)]);
    return lazy(read, Object.fromEntries(["level", "group", "year"].map((name, k) => [name, () => cells.map((each) => each[k])])));
  };
  const statistics = (text) => unpacked(text).map((point) => point && point / data.packing.enlarged);
  const tests = columns(data.tests), small = columns(data.small);
  const ofSizes = (i) => data.sizes[`${tests.n[i]},${tests.n_anonymised[i]}`];
  const critical = (i) => ofSizes(i)[0] / tests.n[i];
  if (!("n_anonymised" in tests)) lazy(tests, { n_anonymised: () => tests.n });
  lazy(tests, {
    statistic: () => tests.n.map((n, i) => tests.apart[i] / n),
    detectable_shift: () => tests.n.map((_, i) => ofSizes(i)[1]),
    share: () => tests.n.map((_, i) => tests.apart[i] / ofSizes(i)[0]),
  });
  const cells = new Map();
  const cell = (level, measure, group) => {
    const key = `${level},${measure},${group}`;
    if (!cells.has(key)) cells.set(key, { tests: [], small: [] });
    return cells.get(key);
  };
  tests.level.forEach((level, i) => cell(level, tests.measure[i], tests.group[i]).tests.push(i));
  small.level.forEach((level, i) => cell(level, small.measure[i], small.group[i]).small.push(i));
  const rejected = new Set(data.rejected);
  const verdictOf = (i) => data.verdicts[tests.verdict[i]] ?? "";
  const isFailed = (i) => rejected.has(i) || verdictOf(i) === "different";
  const curves = data.curves && { original: data.curves.original.split("%"), anonymised: data.curves.anonymised.split("%") };
  return { ...data, tests, small, cell, rejected, critical, verdictOf, isFailed, curves };
}

const groupName = (group) => (group === null ? "(none)" : group);
const inEnglish = (name) => samples().english[name] ?? "";
const bothNames = (name) => `${inEnglish(name)} ${name}`.trim();

function named(name) { // in both languages, each marked
  const english = inEnglish(name);
  const own = element("span", { lang: /[\u3400-\u9fff]/.test(name) ? samples().language : "", textContent: name });
  if (!own.lang) own.removeAttribute("lang");
  return english ? [`${english} `, own] : [own];
}
