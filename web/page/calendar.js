// A heat map of long spans: hours of each day for some weeks, or the days of years.

const cellSize = 13;
const cellGap = 3;

function levelOf(n, most) {
  return n === 0 ? 0 : Math.min(4, 1 + Math.floor((3.999 * n) / most));
}

function cellAt(column, row, n, most, text) {
  return make("rect", { class: `cell-${levelOf(n, most)}`, x: column * (cellSize + cellGap),
                        y: row * (cellSize + cellGap), width: cellSize, height: cellSize, rx: 2 },
    make("title", {}, `${text}: ${countText(n)}`));
}

function axisText(x, y, text, anchor = "start") {
  return make("text", { x, y, "text-anchor": anchor }, text);
}

// Rows are hours, columns are days.
function hourGrid(days, most) {
  const cells = make("g", { transform: "translate(44 18)" });
  const pitch = cellSize + cellGap;
  const columns = Math.ceil(days.events.length / 24);
  days.events.forEach((n, i) => {
    const at = days.from + i * 3600 * 1e6;
    cells.append(cellAt(Math.floor(i / 24), i % 24, n, most, timeText(at)));
  });
  for (let hour = 0; hour < 24; hour += 6) {
    cells.append(axisText(-8, hour * pitch + 11, `${String(hour).padStart(2, "0")}:00`, "end"));
  }
  for (let day = 0; day < columns; day += 7) {
    const at = local(days.from + day * 86400 * 1e6);
    cells.append(axisText(day * pitch, -6, `${months[at.getUTCMonth()]} ${at.getUTCDate()}`));
  }
  return { cells, width: 50 + Math.max(columns, 4) * pitch, height: 20 + 24 * pitch };
}

// The days of one year: rows are days of the week, columns are weeks.
function yearGrid(year, days, most) {
  const cells = make("g", { transform: "translate(44 18)" });
  const pitch = cellSize + cellGap;
  const start = startOfDay(year, 0, 1);
  const shift = (new Date(start).getUTCDay() + 6) % 7;
  const columnOf = (at) => Math.floor(((at - start) / 864e5 + shift) / 7);
  for (const { at, n } of days) {
    const row = (new Date(at).getUTCDay() + 6) % 7;
    cells.append(cellAt(columnOf(at), row, n, most, new Date(at).toISOString().slice(0, 10)));
  }
  months.forEach((name, month) =>
    cells.append(axisText(columnOf(startOfDay(year, month, 7)) * pitch, -6, name)));
  [0, 2, 4].forEach((row) =>
    cells.append(axisText(-8, row * pitch + 11, weekdays[(row + 1) % 7], "end")));
  return { cells, width: 50 + 54 * pitch, height: 20 + 7 * pitch };
}

function gridBox({ cells, width, height }, label, key) {
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label,
                       "data-key": key },
    make("svg", { class: "grid", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
                  "aria-label": label }, cells));
}

const usualYears = 3;

// The newest year first.
function yearBoxes(days, most, what) {
  const years = new Map();
  days.events.forEach((n, i) => {
    const at = local(days.from + i * 864e8).setUTCHours(0, 0, 0, 0);
    const year = new Date(at).getUTCFullYear();
    if (!years.has(year)) years.set(year, []);
    years.get(year).push({ at, n });
  });
  const all = Array.from(years).reverse();
  const drawn = shown.allYears ? all : all.slice(0, usualYears);
  const earlier = all.length - drawn.length;
  return [...drawn.flatMap(([year, of]) => {
    const sum = countText(of.reduce((total, day) => total + day.n, 0));
    return [make("h3", {}, `${year}: ${sum}`),
      gridBox(yearGrid(year, of, most), `${what} per day of ${year}, ${sum} in all`, `year:${year}`)];
  }), earlier > 0 ? make("button", { type: "button", class: "button more", "data-key": "years",
    click: () => choose({ allYears: true }, "calendar") },
  `Show ${earlier} earlier year${earlier === 1 ? "" : "s"}`) : null];
}

function calendarOf(days, what) {
  const most = Math.max(1, ...days.events);
  const hourly = days.step_seconds === 3600;
  const busiest = timeText(days.from + days.events.indexOf(most) * days.step_seconds * 1e6);
  const label = `${what} per hour; most ${countText(most)}, ${busiest}`;
  return [
    ...(hourly ? [gridBox(hourGrid(days, most), label, "calendar")] : yearBoxes(days, most, what)),
    make("p", { class: "scale", "aria-hidden": "true" }, "none ",
      [0, 1, 2, 3, 4].map((level) => make("i", { class: `cell-${level}` })),
      ` ${countText(most)} per ${hourly ? "hour" : "day"}`),
  ];
}

pages.calendar = (section) => {
  const days = shown.data.days;
  if (!days) {
    section.hidden = true;
    return;
  }
  const what = measures(shown.data)[0][1];
  fill(section, make("div", { class: "head" }, heading("calendar",
    days.step_seconds === 3600 ? "Hours of each day" : "Calendar")), calendarOf(days, what));
};
