// A state of dedupe: how many duplicates it dropped, and when.

pages.duplicates = (section) => {
  const data = shown.data;
  if (data.page.kind !== "dedupe") {
    section.hidden = true;
    return;
  }
  section.hidden = false;
  if (!data.series) {
    fill(section, make("div", { class: "head" }, heading("duplicates", "Duplicates over time")),
      make("p", { class: "quiet" }, "No line has been dropped so far."));
    return;
  }
  const label = `Duplicates per ${spanText(data.series.step_seconds)}`;
  drawChart(section, make("div", { class: "head" }, heading("duplicates", label), zoomButtons()),
    label);
};
