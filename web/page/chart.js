// Bars over time, as SVG in the pixels of the page.

// A "nice" number not below x: 1, 1.5, 2, 3 and so on times a power of ten.
function niceAbove(x) {
  if (x <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(x));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((n) => n * unit).find((n) => n >= x);
}

const tickLengths = [1, 2, 5, 10, 15, 30, 60, 300, 600, 900, 1800, 3600, 10800, 21600, 43200, 86400,
                     172800, 604800, 1209600];
const monthSteps = [1, 3, 6, 12, 24, 60, 120, 600, 1200];

// Times for an axis: at most `most`, on whole seconds to days of the log's zone, or on the first of
// a month, and at least `least` seconds apart.
function ticksBetween(from, to, most, least = 1) {
  const length = tickLengths.find((l) => l >= least && (to - from) / 1e6 / l <= most);
  if (!length) return monthTicks(from, to, most);
  const offset = zoneMicros();
  const unit = length * 1e6;
  const ticks = [];
  for (let t = Math.ceil((from + offset) / unit) * unit - offset; t <= to; t += unit) ticks.push(t);
  return ticks.map((t) => {
    const at = local(t);
    const day = `${months[at.getUTCMonth()]} ${at.getUTCDate()}`;
    const midnight = at.getUTCHours() === 0 && at.getUTCMinutes() === 0 && at.getUTCSeconds() === 0;
    return { at: t, text: length >= 86400 ? day
      : midnight && ticks.length > 1 ? day : clockText(t, length < 60) };
  });
}

// January has the year as its name.
function monthTicks(from, to, most) {
  const span = (to - from) / 1e6 / 86400 / 30.4;
  const step = monthSteps.find((m) => span / m <= most) || 2400;
  const start = local(from);
  const first = 12 * start.getUTCFullYear() + start.getUTCMonth();
  const ticks = [];
  for (let m = Math.ceil(first / step) * step; ; m += step) {
    const at = startOfDay(Math.floor(m / 12), m % 12, 1) * 1000 - zoneMicros();
    if (at > to) return ticks;
    if (at >= from) ticks.push({ at, text: m % 12 === 0 ? String(m / 12) : months[m % 12] });
  }
}

// Groups of neighbouring steps, so that each bar has at least two pixels. A bar is their mean.
function grouped(series, first, last, width) {
  const size = Math.max(1, Math.ceil((2 * (last - first + 1)) / width));
  const bars = [];
  for (let begin = first; begin <= last; begin += size) {
    const end = Math.min(last + 1, begin + size);
    bars.push({ begin, end, values: series.map((counts) => {
      let sum = 0;
      for (let i = begin; i < end; i += 1) sum += counts[i];
      return sum / (end - begin);
    }) });
  }
  return bars;
}

const widestBar = 48;  // pixels: a single minute is no wall

// One path of all bars of a series, stacked on those before it.
function barsPath(bars, number, x, y) {
  let path = "";
  for (const bar of bars) {
    let below = 0;
    for (let i = 0; i < number; i += 1) below += bar.values[i];
    const value = bar.values[number];
    if (value <= 0) continue;
    const spare = Math.max(0, x(bar.end) - x(bar.begin) - widestBar) / 2;
    const left = (x(bar.begin) + spare).toFixed(2);
    const right = (x(bar.end) - spare).toFixed(2);
    const top = y(below + value).toFixed(2);
    path += `M${left} ${y(below).toFixed(2)}V${top}H${right}V${y(below).toFixed(2)}Z`;
  }
  return path;
}

// Draws series of {name, counts, fill} from step `first` to `last`. Returns what a pointer needs.
function barChart({ series, from, step, first, last, width, height, label, text }) {
  const left = 46;
  const bottom = 22;
  const plotWidth = Math.max(80, width - left - 4);
  const plotHeight = height - bottom - 8;
  const bars = grouped(series.map((s) => s.counts), first, last, plotWidth);
  const highest = Math.max(0, ...bars.map((bar) => bar.values.reduce((a, b) => a + b, 0)));
  const top = niceAbove(highest);
  const x = (position) => left + ((position - first) / (last + 1 - first)) * plotWidth;
  const y = (value) => 8 + plotHeight * (1 - value / top);
  const timeOf = (position) => from + position * step * 1e6;
  const svg = make("svg", { class: "plot", width, height, viewBox: `0 0 ${width} ${height}`,
                            role: "img", "aria-label": label });
  for (const part of top > 1 ? [0, 0.5, 1] : [0, 1]) {
    svg.append(make("line", { class: "gridline", x1: left, x2: left + plotWidth,
                              y1: y(part * top), y2: y(part * top) }),
      make("text", { x: left - 8, y: y(part * top) + 4, "text-anchor": "end" },
        text(part * top)));
  }
  series.forEach((s, number) => {
    svg.append(make("path", { class: s.fill, d: barsPath(bars, number, x, y) }));
  });
  let free = left;  // labels do not overlap
  const ticks = ticksBetween(timeOf(first), timeOf(last + 1), Math.max(2, Math.floor(plotWidth / 56)),
    step);
  for (const tick of ticks) {
    const at = x((tick.at - from) / 1e6 / step);
    const space = 7 * tick.text.length;
    const begin = Math.max(left, at - space / 2);
    if (begin < free || begin + space > left + plotWidth + 8) continue;
    free = begin + space + 4;
    svg.append(make("text", { x: begin === left ? left : at, y: height - 5,
                              "text-anchor": begin === left ? "start" : "middle" }, tick.text));
  }
  const stepAt = (pixel) =>
    Math.min(last, Math.max(first, Math.floor(first + ((pixel - left) / plotWidth) * (last + 1 - first))));
  return { svg, x, stepAt, top: 8, height: plotHeight, bars };
}

// Small bars without axes, for a row of a table or a strip of presence.
function sparkBars(counts, width, height, label) {
  const most = Math.max(1, ...counts);
  const each = width / counts.length;
  const svg = make("svg", { class: "spark", width, height, viewBox: `0 0 ${width} ${height}`,
                            role: "img", "aria-label": label });
  counts.forEach((n, i) => {
    if (n === 0) return;
    const tall = Math.max(1.5, (n / most) * height);
    svg.append(make("rect", { x: (i * each).toFixed(2), y: (height - tall).toFixed(2),
                              width: Math.max(0.6, each - 1).toFixed(2), height: tall.toFixed(2) }));
  });
  return svg;
}
