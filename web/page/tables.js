// The items of a field: search, order, bounds on demand, a sparkline each.

// A log without names has numbers. A name is a key of the log, and no safer than an item.
function fieldName(field) {
  return /^\d+$/.test(field) ? `column ${field}` : plainName(field);
}

const orderNames = { heat: "Heat", total: "Total", trend: "Rising", new: "New" };

function chosenRows(list) {
  const rows = list.orders[shown.order] || list.orders.heat;
  const query = shown.query.toLowerCase();
  if (query === "") return rows;
  return list.rows.map((row, i) => i)
    .filter((i) => list.rows[i][0].toLowerCase().startsWith(query))
    .sort((a, b) => valueOf(list, b, "hits") - valueOf(list, a, "hits"));
}

function trendNodes(trend) {
  if (trend === null || Number.isNaN(trend)) return [];
  const [mark, word, name] = trend > 1.1 ? ["\u2191", "rising", "up"]
    : trend < 1 / 1.1 ? ["\u2193", "falling", "down"] : ["\u2192", "steady", ""];
  return [make("span", { class: name },
    make("span", { "aria-hidden": "true" }, `${mark} `),
    make("span", { class: "hidden-label" }, `${word} `), trend.toFixed(1))];
}

function boundsText(list, row, kind) {
  const [lower, upper] = kind === "total"
    ? [valueOf(list, row, "total_lower"), valueOf(list, row, "total_upper")]
    : [valueOf(list, row, "lower"), valueOf(list, row, "upper")];
  const text = kind === "total" ? countText : shortText;
  return lower === upper ? `exactly ${text(upper)}` : `${text(lower)} to ${text(upper)}`;
}

function numberCell(list, row, kind, text, name = "") {
  const bounds = boundsText(list, row, kind);
  return make("td", { class: name, title: bounds }, text,
    shown.bounds ? make("div", { class: "bound" }, bounds) : null);
}

function rowOf(list, row, rank) {
  const total = valueOf(list, row, "total");
  const recent = valueOf(list, row, "recent");
  return make("tr", {},
    make("td", { class: "rank middle" }, String(rank)),
    make("td", { class: "text" }, itemButton(list, row, `item:${list.rows[row][0]}`)),
    list.orders.total
      ? numberCell(list, row, "total", countText(total)) : null,
    numberCell(list, row, "heat", shortText(valueOf(list, row, "hits"))),
    make("td", { class: "wide" }, shortText(valueOf(list, row, "rate_per_minute"))),
    make("td", { class: "middle" },
      valueOf(list, row, "hits") > 0 ? trendNodes(valueOf(list, row, "trend")) : []),
    shown.order === "new"
      ? make("td", { class: "wide" }, timeText(valueOf(list, row, "first_seen"))) : null,
    make("td", { class: "middle" }, recent && recent.length
      ? sparkBars(recent, 120, 18, `events in the last ${recent.length} half-lives, oldest first: ${
        recent.join(", ")}`) : null));
}

function head(text, name = "", label = null) {
  return make("th", { scope: "col", class: name, title: label }, text);
}

function itemTable(list, rows) {
  const life = spanText(shown.data.half_life_seconds);
  return make("table", { class: "ranked" },
    make("caption", { class: "hidden-label" }, `Items of ${fieldName(list.field)}`),
    make("thead", {}, make("tr", {}, head("#", "middle"), head(fieldName(list.field), "text"),
      list.orders.total ? head("total") : null,
      head(`heat (${life})`, "", `every event counts half as much after each ${life}`),
      head("per min", "wide"), head("trend", "middle"),
      shown.order === "new" ? head("first seen", "wide") : null,
      head("recent", "middle", `the last 24 half-lives`))),
    make("tbody", {}, rows.slice(0, shown.rows).map((row, i) => rowOf(list, row, i + 1))));
}

function searchBox() {
  const box = make("input", { type: "search", placeholder: "Starts with \u2026", "data-key": "search",
    "aria-label": "Find items that start with", autocomplete: "off", spellcheck: "false",
    input: () => choose({ query: box.value, rows: 10 }, "items") });
  box.value = shown.query;
  return make("label", { class: "search" }, box);
}

function boundsSwitch() {
  const box = make("input", { type: "checkbox", "data-key": "bounds",
    change: () => choose({ bounds: box.checked }, "items") });
  box.checked = shown.bounds;
  return make("label", { class: "check" }, box, "Bounds");
}

function fieldChoice() {
  const lists = shown.data.lists;
  if (lists.length < 2) return null;
  return choiceOf("field", "Field", lists.map((list, i) => [String(i), fieldName(list.field)]),
    String(shown.field), (i) => choose({ field: Number(i), rows: 10, query: "" },
      "items", "movers", "presence"));
}

pages.items = (section) => {
  const list = chosenList();
  if (!list) {
    section.hidden = true;
    return;
  }
  const caret = section.contains(document.activeElement) ? document.activeElement.selectionStart : null;
  if (list.rows.length === 0) {
    fill(section, make("div", { class: "head" }, heading("items", "What is hot")),
      make("p", { class: "quiet", role: "status" }, "No event has been counted yet."));
    return;
  }
  const rows = chosenRows(list);
  const orders = Object.keys(orderNames).filter((order) => list.orders[order])
    .map((order) => [order, orderNames[order]]);
  const more = rows.length > shown.rows
    ? make("button", { type: "button", class: "button more", "data-key": "more",
      click: () => choose({ rows: shown.rows + 40 }, "items") },
    `Show more (${countText(rows.length - shown.rows)} left)`) : null;
  fill(section,
    make("div", { class: "head" }, heading("items", "What is hot"), fieldChoice(),
      shown.query === "" ? choiceOf("order", "Order", orders, shown.order,
        (order) => choose({ order }, "items", "presence")) : null,
      searchBox(), boundsSwitch()),
    make("div", { class: "scroll", "data-key": "items-scroll" }, itemTable(list, rows)),
    rows.length === 0 ? make("p", { class: "quiet", role: "status" },
      `None of the ${countText(list.rows.length)} items listed here starts with that. bloomtime heat and seen answer about any item.`) : null,
    more);
  if (caret !== null && document.activeElement.type === "search") {
    document.activeElement.setSelectionRange(caret, caret);
  }
};
