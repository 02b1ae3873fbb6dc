// The timeline of one item, in a dialog. Escape closes it.

// Names that are not UTF-8, and long ones that begin alike, may have the same text.
function sameText(list, item) {
  return list.rows.map((cells, i) => i).filter((i) => list.rows[i][0] === item);
}

function openItem(list, row) {
  const item = list.rows[row][0];
  shown.open = { field: list.field, item, number: sameText(list, item).indexOf(row) };
  drawItem();
  find("item").showModal();
}

function openRow() {
  if (!shown.open) return null;
  const list = (shown.data.lists || []).find((l) => l.field === shown.open.field);
  const rows = list ? sameText(list, shown.open.item) : [];
  const row = rows[Math.min(shown.open.number, rows.length - 1)];
  return row === undefined ? null : { list, row };
}

function fact(name, ...text) {
  return [make("dt", {}, name), make("dd", {}, ...text)];
}

function itemFacts(list, row) {
  const value = (name) => valueOf(list, row, name);
  const times = list.times[row];
  const facts = [];
  if (value("total") !== null) {
    facts.push(fact("Total", countText(value("total")),
      make("span", { class: "bound" }, `  ${boundsText(list, row, "total")}`)));
  }
  facts.push(fact("Heat", shortText(value("hits")),
    make("span", { class: "bound" }, `  ${boundsText(list, row, "heat")}`)));
  facts.push(fact("Per minute", shortText(value("rate_per_minute"))));
  if (times) {
    const [first, last, ticks] = times;
    facts.push(fact("First seen", timeText(first, true)), fact("Last seen", timeText(last, true)),
      fact("Seen in", `${countText(ticks)} of ${ticksText(list.timeline.asked_ticks)}`),
      fact("Probability of error", probabilityText(list.timeline.error)));
  }
  return make("dl", { class: "facts" }, facts);
}

function itemChart(list, row, dialog) {
  const times = list.times[row];
  if (!times) {
    return make("p", { class: "quiet" }, valueOf(list, row, "cut")
      ? "Only the beginning of this name is kept, so its times cannot be looked up."
      : list.timeline ? "It was not seen in the time that the history still covers."
        : "This store has no history.");
  }
  const { from, to } = list.timeline;
  const counts = times[3];
  const step = (to - from) / 1e6 / counts.length;
  const width = Math.max(240, Math.min(700, dialog.clientWidth - 40));
  const unit = shown.data.tick_seconds === 1 ? "Seconds" : "Ticks";
  const label = `${unit} in which it was seen, in ${counts.length} parts of the time`;
  return make("div", { class: "chart" }, barChart({
    series: [{ name: "seen", counts, fill: "fill-1" }], from, step, first: 0,
    last: counts.length - 1, width, height: 150, label, text: roundText }).svg,
  make("p", { class: "quiet" }, `${label}.`));
}

function drawItem() {
  const found = openRow();
  if (!found) return;
  const { list, row } = found;
  const dialog = find("item");
  const title = make("h2", { id: "item-title", class: "item" },
    nameNodes(list.rows[row][0], 1024));
  const close = make("button", { type: "button", class: "button", "data-key": "close",
                                 click: () => dialog.close() }, "Close");
  fill(dialog, make("div", { class: "head" }, title, close),
    dialog.open ? itemChart(list, row, dialog) : make("div", { class: "chart" }),
    itemFacts(list, row));
  // Its width is known once it is open.
  if (!dialog.open) requestAnimationFrame(() => { if (dialog.open) drawItem(); });
}

find("item").addEventListener("close", () => { shown.open = null; });
find("item").addEventListener("click", (event) => {
  if (event.target === find("item")) find("item").close();
});
