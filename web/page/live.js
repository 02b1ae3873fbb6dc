// A page that is served gets a new document whenever something changed, over one connection.

function listen() {
  const state = find("live");
  state.hidden = false;
  const tell = (name, text) => {
    state.dataset.state = name;
    if (state.textContent !== text) state.textContent = text;
  };
  tell("lost", "connecting");
  const source = new EventSource("api/events");
  source.addEventListener("open", () => tell("open", "live"));
  // The browser connects again by itself, unless the server refused.
  source.addEventListener("error", () => {
    tell("lost", "reconnecting");
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
  source.addEventListener("document", (event) => {
    const before = shown.data.series;
    shown.data = JSON.parse(event.data);
    const after = shown.data.series;
    // A range of steps means the same time only while the steps are the same.
    if (!after || !before || before.from !== after.from || before.step_seconds !== after.step_seconds) {
      shown.range = null;
    }
    render();
    if (find("item").open) drawItem();
  });
}
