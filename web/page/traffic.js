// The chart of traffic, with zoom: drag a range, or use the keys + - 0 and the arrows.

const statusFills = { none: "fill-5", "1xx": "fill-6", "2xx": "fill-1", "3xx": "fill-2",
                      "4xx": "fill-3", "5xx": "fill-4" };

function measures(data) {
  const series = data.series;
  const found = [["events", data.requests ? "Requests" : data.page.kind === "dedupe"
    ? "Duplicates" : "Events"]];
  if (series.status) found.push(["status", "Status"]);
  if (series.method) found.push(["method", "Method"]);
  if (series.bytes) found.push(["bytes", "Bytes"]);
  return found;
}

function seriesOf(data, measure) {
  const series = data.series;
  if (measure === "status") {
    return Object.entries(series.status).map(([name, counts]) =>
      ({ name, counts, fill: statusFills[name] }));
  }
  if (measure === "method") {
    return Object.entries(series.method).map(([name, counts], i) =>
      ({ name, counts, fill: `fill-${(i % 6) + 1}` }));
  }
  return [{ name: measures(data).find(([key]) => key === measure)[1], counts: series[measure],
            fill: "fill-1" }];
}

function zoomed(first, last) {
  const count = shown.data.series.count;
  const begin = Math.max(0, Math.min(first, last));
  const end = Math.min(count - 1, Math.max(first, last));
  const range = begin === 0 && end === count - 1 ? null : [begin, Math.max(end, begin)];
  choose({ range }, trafficSection());
}

function trafficSection() {
  return shown.data.page.kind === "dedupe" ? "duplicates" : "traffic";
}

// Half as long around a step, or twice as long.
function zoomBy(factor, around) {
  const [first, last] = shown.range || [0, shown.data.series.count - 1];
  const length = Math.max(3, Math.round((last - first + 1) * factor));
  const share = (around - first) / Math.max(1, last - first);
  const begin = Math.round(around - share * length);
  zoomed(Math.max(0, begin), Math.max(0, begin) + length - 1);
}

// Shows the document that came while the reader dragged.
function endDrag() {
  shown.dragging = false;
  const waiting = shown.waiting;
  shown.waiting = null;
  if (waiting) showDocument(waiting);
}

// What a range of steps is: its time and the numbers of each series.
function tipOf(series, measure, bar) {
  const { from, step_seconds: step } = shown.data.series;
  const start = from + bar.begin * step * 1e6;
  const end = from + bar.end * step * 1e6;
  const text = measure === "bytes" ? bytesText : countText;
  const lines = series.map((s) => {
    let sum = 0;
    for (let i = bar.begin; i < bar.end; i += 1) sum += s.counts[i];
    return `${text(sum)} ${series.length > 1 ? s.name : measure === "bytes" ? "sent" : s.name.toLowerCase()}`;
  });
  const until = bar.end - bar.begin === 1 && step === 60 ? "" : ` to ${clockText(end)}`;
  return [`${timeText(start)}${until}`, ...lines.filter((line, i) => series.length === 1 ||
    !line.startsWith("0 ") || i === 0)];
}

// Returns a function that shows the cursor where it was before the chart was drawn anew.
function attachPointer(box, chart, series, measure) {
  const overlay = make("g", {});
  const tip = make("div", { class: "tip", hidden: true });
  const told = make("p", { class: "hidden-label", "aria-live": "polite" });
  chart.svg.append(overlay);
  box.append(tip, told);
  let begun = null;

  function show(step, chosen) {
    shown.cursor = step;
    const bar = chart.bars.find((b) => step >= b.begin && step < b.end) || chart.bars[0];
    const at = chart.x((bar.begin + bar.end) / 2);
    const nodes = [make("line", { class: "cursor", x1: at, x2: at, y1: chart.top,
                                  y2: chart.top + chart.height })];
    if (chosen) {
      const [a, b] = [chart.x(Math.min(...chosen)), chart.x(Math.max(...chosen) + 1)];
      nodes.push(make("rect", { class: "chosen", x: a, width: b - a, y: chart.top,
                                height: chart.height }));
    }
    overlay.replaceChildren(...nodes);
    const [time, ...lines] = tipOf(series, measure, bar);
    tip.replaceChildren(make("b", {}, time), ...lines.map((line) => make("div", {}, line)));
    tip.hidden = false;
    const room = box.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(room, at + 12 > room ? at - tip.offsetWidth - 12 : at + 12))}px`;
    told.textContent = [time, ...lines].join(", ");
  }

  function hide() {
    shown.cursor = null;
    overlay.replaceChildren();
    tip.hidden = true;
  }

  const stepOf = (event) => chart.stepAt(event.clientX - chart.svg.getBoundingClientRect().left);
  box.addEventListener("pointermove", (event) =>
    show(stepOf(event), begun === null ? null : [begun, stepOf(event)]));
  box.addEventListener("pointerleave", () => { if (begun === null) hide(); });
  box.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button === 0) {
      begun = stepOf(event);
      shown.dragging = true;
      box.setPointerCapture(event.pointerId);
    }
  });
  box.addEventListener("pointerup", (event) => {
    const start = begun;
    begun = null;
    if (start !== null && Math.abs(stepOf(event) - start) >= 2) zoomed(start, stepOf(event));
    endDrag();
  });
  box.addEventListener("pointercancel", () => {
    begun = null;
    endDrag();
  });
  box.addEventListener("dblclick", () => choose({ range: null }, trafficSection()));
  box.addEventListener("blur", hide);
  box.addEventListener("keydown", (event) => {
    const [first, last] = shown.range || [0, shown.data.series.count - 1];
    const at = shown.cursor === null ? Math.floor((first + last) / 2)
      : Math.min(last, Math.max(first, shown.cursor));
    const size = chart.bars[0].end - chart.bars[0].begin;
    const acts = {
      ArrowLeft: () => show(Math.max(first, at - size)),
      ArrowRight: () => show(Math.min(last, at + size)),
      Home: () => show(first),
      End: () => show(last),
      "+": () => zoomBy(0.5, at),
      "=": () => zoomBy(0.5, at),
      "-": () => zoomBy(2, at),
      0: () => choose({ range: null }, trafficSection()),
      Escape: () => choose({ range: null }, trafficSection()),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
  return () => {
    const [first, last] = shown.range || [0, shown.data.series.count - 1];
    if (shown.cursor !== null && shown.cursor >= first && shown.cursor <= last) show(shown.cursor);
  };
}

// Fills the section with its head, the chart, its legend and its table.
function drawChart(section, sectionHead, label) {
  const data = shown.data;
  const { from, step_seconds: step, count } = data.series;
  const known = measures(data).map(([key]) => key);
  const measure = known.includes(shown.measure) ? shown.measure : "events";
  const series = seriesOf(data, measure);
  const [first, last] = shown.range || [0, count - 1];
  const box = make("div", { class: "chart", tabindex: "0", "data-key": "chart", role: "group",
    "aria-label": `${label}. Arrows move, plus and minus zoom, 0 shows all.` });
  const width = Math.max(260, (section.clientWidth || 1000) - 44);
  const chart = barChart({ series, from, step, first, last, width,
                           height: width < 500 ? 170 : 240, label,
                           text: measure === "bytes" ? bytesText : roundText });
  box.append(chart.svg);
  const pointAgain = attachPointer(box, chart, series, measure);
  const legend = series.length < 2 ? null : make("ul", { class: "legend" }, series.map((s) => {
    const sum = s.counts.slice(first, last + 1).reduce((a, b) => a + b, 0);
    return make("li", {}, make("i", { class: s.fill }), `${s.name} ${countText(sum)}`);
  }));
  const { cursor } = shown;  // a box that is removed loses the pointer and the focus
  fill(section, sectionHead, box, legend, chartTable(series, measure, first, last));
  shown.cursor = cursor;
  pointAgain();
}

// The same numbers as a table, in at most 24 rows. It is made when somebody opens it.
function chartTable(series, measure, first, last) {
  const details = make("details", { open: shown.numbers },
    make("summary", { "data-key": "numbers" }, "As a table"));
  const fillIn = () => details.append(make("div", { class: "scroll", "data-key": "numbers-scroll" },
    numbersOf(series, measure, first, last)));
  if (shown.numbers) fillIn();
  details.addEventListener("toggle", () => {
    shown.numbers = details.open;
    if (details.open && details.children.length === 1) fillIn();
  });
  return details;
}

function numbersOf(series, measure, first, last) {
  const { from, step_seconds: step } = shown.data.series;
  const size = Math.ceil((last - first + 1) / 24);
  const text = measure === "bytes" ? bytesText : countText;
  const rows = [];
  for (let begin = first; begin <= last; begin += size) {
    const sums = series.map((s) =>
      s.counts.slice(begin, Math.min(last + 1, begin + size)).reduce((a, b) => a + b, 0));
    rows.push(make("tr", {}, make("td", { class: "text" }, timeText(from + begin * step * 1e6)),
      sums.map((n) => make("td", {}, text(n)))));
  }
  return make("table", {},
    make("thead", {}, make("tr", {}, make("th", { class: "text", scope: "col" }, "From"),
      series.map((s) => make("th", { scope: "col" }, s.name)))),
    make("tbody", {}, rows));
}

function zoomButtons() {
  const [first, last] = shown.range || [0, shown.data.series.count - 1];
  const middle = Math.floor((first + last) / 2);
  const button = (key, label, text, act, disabled) =>
    make("button", { type: "button", class: "button", "data-key": key, "aria-label": label,
                     title: label, click: act, disabled }, text);
  return make("span", { class: "zoom" },
    button("zoom-in", "Zoom in", "+", () => zoomBy(0.5, middle), last - first < 4), " ",
    button("zoom-out", "Zoom out", "\u2212", () => zoomBy(2, middle), !shown.range), " ",
    button("zoom-all", "Show the whole time", "All",
      () => choose({ range: null }, trafficSection()), !shown.range));
}

pages.traffic = (section) => {
  const data = shown.data;
  if (data.page.kind !== "profile" || !data.series) {
    section.hidden = true;
    return;
  }
  section.hidden = false;
  const per = spanText(data.series.step_seconds);
  const label = `${measures(data)[0][1]} per ${per}`;
  const range = shown.range
    ? `${timeText(data.series.from + shown.range[0] * data.series.step_seconds * 1e6)} to ${
      timeText(data.series.from + (shown.range[1] + 1) * data.series.step_seconds * 1e6)}` : "";
  drawChart(section, make("div", { class: "head" },
    heading("traffic", label), make("span", { class: "quiet", id: "range" }, range),
    measures(data).length > 1 ? choiceOf("measure", "Measure", measures(data), shown.measure,
      (measure) => choose({ measure }, "traffic")) : null,
    zoomButtons()), label);
};
