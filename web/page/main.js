// The head and the foot of the page, and the start.

function figure(name, value, unit = "") {
  return make("div", {}, make("dt", {}, name), make("dd", {}, value, make("small", {}, unit)));
}

const plurals = new Map([["path", "Paths"], ["host", "Hosts"], ["agent", "Agents"],
  ["referrer", "Referrers"], ["method", "Methods"], ["site", "Sites"], ["family", "Families"]]);

function profileFigures(data) {
  const held = data.held_back ? ` + ${countText(data.held_back)} held back` : "";
  const figures = [figure(data.requests ? "Requests" : "Events", countText(data.records), held)];
  const fields = data.fields || [];
  for (const field of fields) {
    const other = fields.length === 1 ? "Different items" : `Different: ${fieldName(field.field)}`;
    figures.push(figure(plurals.get(field.field) || other, countText(field.distinct)));
  }
  if (data.bytes_sent !== null && data.bytes_sent !== undefined) {
    figures.push(figure("Sent", bytesText(data.bytes_sent)));
  }
  if (data.requests) {
    figures.push(figure("Status 4xx", shareText(data.status_4xx, data.requests)));
    figures.push(figure("Status 5xx", shareText(data.status_5xx, data.requests)));
  }
  if (data.bad_lines) figures.push(figure("Rejected lines", countText(data.bad_lines)));
  return figures;
}

function dedupeFigures(data) {
  const all = data.passed + data.dropped + data.unjudged;
  return [figure("Lines", countText(all)), figure("Dropped", countText(data.dropped),
    ` ${shareText(data.dropped, all)}`), figure("Passed", countText(data.passed)),
  data.window_seconds ? figure("Window", lengthText(data.window_seconds))
    : figure("Window", countText(data.last), " lines"),
  figure("Error now", probabilityText(data.error_now)),
  figure("Wrongly dropped", data.expected_wrongly_dropped < 0.01 ? "< 0.01"
    : shortText(data.expected_wrongly_dropped), " expected")];
}

pages.figures = (section) => {
  const data = shown.data;
  const figures = data.page.kind === "dedupe" ? dedupeFigures(data) : profileFigures(data);
  fill(section, make("dl", { class: "figures" }, figures));
};

pages.about = (footer) => {
  const data = shown.data;
  const lines = data.page.kind === "dedupe"
    ? [`A line whose key was seen within the window never passes. Another line is dropped by mistake with a probability of at most ${probabilityText(data.error)}.`]
    : [`Heat is a decayed count: an event counts half as much after each ${spanText(data.half_life_seconds)}. The upper bounds of heat and total are never below the truth; lower bounds of listed items hold always for heat, and for totals unless two items have the same fingerprint.`,
      "An item that is shown as absent at some time was certainly absent then.",
      `Times are those of the log (${data.page.zone_name || "UTC"}).`];
  fill(footer, lines.map((line) => make("p", {}, line)),
    make("p", {}, `bloomtime ${data.page.version}`));
};

pages.title = (title) => {
  const [name, ...rest] = shown.data.page.title.split(": ");
  title.replaceChildren(...nameNodes(name));
  find("summary").textContent = plainName(rest.join(": "));
};

function chooseTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("bloomtime-theme", theme);
  } catch { /* a file may have no storage */ }
}

function startTheme() {
  let theme = "auto";
  try {
    theme = localStorage.getItem("bloomtime-theme") || "auto";
  } catch { /* likewise */ }
  for (const input of find("theme").querySelectorAll("input")) {
    input.checked = input.value === theme;
    input.addEventListener("change", () => chooseTheme(input.value));
  }
  if (theme !== "auto") chooseTheme(theme);
}

startTheme();
render();
if (document.body.dataset.live === "true") listen();

let width = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  render("traffic", "duplicates", "presence");
});
