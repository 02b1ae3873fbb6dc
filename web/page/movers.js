// What is new, what rises and what is gone.

const shownMovers = 8;

function moverList(list, title, explained, rows, text) {
  return make("div", {}, make("h3", { title: explained }, title),
    rows.length === 0 ? make("p", { class: "quiet" }, "nothing")
      : make("ol", {}, rows.slice(0, shownMovers).map((row) => make("li", {},
        itemButton(list, row, `${title}:${list.rows[row][0]}`), make("span", {}, ...text(row))))));
}

pages.movers = (section) => {
  const list = chosenList();
  if (!list || list.rows.length === 0) {
    section.hidden = true;
    return;
  }
  const { at, half_life_seconds: life } = shown.data;
  const lately = at - 24 * life * 1e6;
  const started = shown.data.first_event;
  const fresh = (list.orders.new || []).filter((row) => {
    const first = valueOf(list, row, "first_seen");
    return first !== null && first > Math.max(lately, started + life * 1e6);
  });
  const rising = (list.orders.trend || []).filter((row) => valueOf(list, row, "trend") > 1.1);
  const gone = list.orders.gone || [];
  fill(section,
    make("div", { class: "head" }, heading("movers", `New, rising and gone: ${fieldName(list.field)}`)),
    make("div", { class: "columns" },
      moverList(list, "New", `first seen within the last 24 half-lives`, fresh,
        (row) => [`since ${momentText(valueOf(list, row, "first_seen"))}`]),
      moverList(list, "Rising", "rate of the last minutes over the rate of the last hours", rising,
        (row) => [`\u00d7 ${valueOf(list, row, "trend").toFixed(1)}`]),
      moverList(list, "Gone", "no event for four half-lives", gone,
        (row) => [`${countText(valueOf(list, row, "total"))} until ${momentText(list.times[row][1])}`])));
};

// The time; the day if it is not that of the newest event; the date if it was in another year.
function momentText(micros) {
  const [day, newest] = [dayText(micros), dayText(shown.data.at)];
  if (day === newest) return clockText(micros);
  return day.slice(0, 4) === newest.slice(0, 4) ? `${day.slice(5)} ${clockText(micros)}` : day;
}
