// What the answers take, beside exact counting.

function memoryRow(name, bytes, most, kind) {
  const bar = make("div", { class: `bar ${kind}` });
  bar.style.width = `${(100 * bytes) / most}%`;
  return make("div", { class: "pair" }, make("span", {}, name), bar, make("span", {}, bytesText(bytes)));
}

pages.memory = (section) => {
  const data = shown.data;
  const rows = data.page.kind === "dedupe"
    ? [["Keys and counts", data.memory, ""],
       [`Exact map of ${countText(data.keys)} keys`, data.exact_bytes, "other"]]
    : [["Heat and totals", data.memory_bytes, ""],
       data.history_bytes ? ["When items were seen", data.history_bytes, "second"] : null,
       ["Exact counting, without times", data.exact_bytes, "other"]].filter((row) => row);
  const most = Math.max(1, ...rows.map(([, bytes]) => bytes));
  fill(section, make("div", { class: "head" }, heading("memory", "Memory")),
    make("div", { class: "bars" }, rows.map(([name, bytes, kind]) =>
      memoryRow(name, bytes, most, kind))));
};
