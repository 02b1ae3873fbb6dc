// Who came back when: a strip for each of the first items.

const shownStrips = 14;

function stripOf(counts, label) {
  const most = Math.max(1, ...counts);
  const svg = make("svg", { viewBox: `0 0 ${counts.length} 1`, preserveAspectRatio: "none",
                            role: "img", "aria-label": label });
  svg.append(make("rect", { class: "cell-0", x: 0, y: 0, width: counts.length, height: 1 }));
  const levels = counts.map((n) => levelOf(n, most));
  // Equal neighbours are one part: no seams in print.
  for (let begin = 0, end = 0; begin < levels.length; begin = end) {
    while (end < levels.length && levels[end] === levels[begin]) end += 1;
    if (levels[begin] === 0) continue;
    svg.append(make("rect", { class: `cell-${levels[begin]}`, x: begin, y: 0, width: end - begin,
                              height: 1 }));
  }
  return svg;
}

function stripAxis(from, to) {
  const svg = make("svg", { class: "axis", "aria-hidden": "true" });
  const ticks = ticksBetween(from, to, window.innerWidth < 700 ? 3 : window.innerWidth < 1000 ? 5 : 8);
  for (const tick of ticks) {
    const share = (tick.at - from) / Math.max(1, to - from);
    if (share > 0.97) continue;
    svg.append(make("text", { x: `${(100 * share).toFixed(2)}%`, y: 13,
                              "text-anchor": share < 0.03 ? "start" : "middle" }, tick.text));
  }
  return svg;
}

pages.presence = (section) => {
  const list = chosenList();
  const rows = list && list.timeline
    ? (list.orders[shown.order] || list.orders.heat).filter((row) => list.times[row]) : [];
  if (rows.length === 0) {
    section.hidden = true;
    return;
  }
  const { from, to, error } = list.timeline;
  fill(section,
    make("div", { class: "head" }, heading("presence", `Who came back when: ${fieldName(list.field)}`)),
    make("div", { class: "strips" }, rows.slice(0, shownStrips).flatMap((row) => {
      const [first, last, ticks, counts] = list.times[row];
      const label = `${plainName(list.rows[row][0])}: first ${timeText(first)}, last ${
        timeText(last)}, seen in ${ticksText(ticks)}`;
      return [itemButton(list, row, `strip:${list.rows[row][0]}`), stripOf(counts, label)];
    }), make("span", {}), stripAxis(from, to)),
    make("p", { class: "scale" }, "Each strip is strongest where the item was seen most often. Empty parts are certain; a mark is wrong with a probability of at most ",
      probabilityText(error), "."));
};
