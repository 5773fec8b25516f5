// The address keeps what is opened, filtered and sorted, so that a link or a reload shows the same.

const address = {
  get: (name) => new URLSearchParams(location.search).get(name) ?? "",
  put(name, value) {
    const kept = new URLSearchParams(location.search);
    if (value) kept.set(name, value);
    else kept.delete(name);
    const query = kept.toString();
    history.replaceState(null, "", `${location.pathname}${query && "?"}${query}${location.hash}`);
  },
};
