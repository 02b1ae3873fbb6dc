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
  const cells = make("g", { transform: "translate(34 18)" });
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
  return { cells, width: 40 + Math.max(columns, 4) * pitch, height: 20 + 24 * pitch };
}

// Rows are days of the week, columns are weeks.
function weekGrid(days, most) {
  const cells = make("g", { transform: "translate(34 18)" });
  const pitch = cellSize + cellGap;
  const shift = (local(days.from).getUTCDay() + 6) % 7;
  let month = -1;
  days.events.forEach((n, i) => {
    const at = days.from + i * 86400 * 1e6;
    const column = Math.floor((i + shift) / 7);
    cells.append(cellAt(column, (i + shift) % 7, n, most, dayText(at)));
    const date = local(at);
    if (date.getUTCMonth() !== month && date.getUTCDate() <= 7) {
      month = date.getUTCMonth();
      const year = month === 0 ? ` ${date.getUTCFullYear()}` : "";
      cells.append(axisText(column * pitch, -6, months[month] + year));
    }
  });
  [0, 2, 4].forEach((row) =>
    cells.append(axisText(-8, row * pitch + 11, weekdays[(row + 1) % 7], "end")));
  const columns = Math.ceil((days.events.length + shift) / 7);
  return { cells, width: 40 + Math.max(columns, 4) * pitch, height: 20 + 7 * pitch };
}

function calendarOf(days, what) {
  const most = Math.max(1, ...days.events);
  const hourly = days.step_seconds === 3600;
  const { cells, width, height } = hourly ? hourGrid(days, most) : weekGrid(days, most);
  const busiest = days.events.indexOf(most);
  const at = days.from + busiest * days.step_seconds * 1e6;
  const label = `${what} per ${hourly ? "hour" : "day"}; most ${countText(most)}, ${
    hourly ? timeText(at) : dayText(at)}`;
  return [
    make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label,
                  "data-key": "calendar" },
      make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
                    "aria-label": label }, cells)),
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
