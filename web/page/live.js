// A page that is served gets a new document whenever something changed, over one connection.

// Not while the reader drags: the chart would be taken from under the pointer.
function showDocument(text) {
  if (shown.dragging) {
    shown.waiting = text;
    return;
  }
  const before = shown.data.series;
  shown.data = JSON.parse(text);
  const after = shown.data.series;
  // Steps mean the same times only while their beginning and length are the same.
  if (!after || !before || before.from !== after.from || before.step_seconds !== after.step_seconds) {
    Object.assign(shown, { range: null, cursor: null });
  }
  render();
  if (find("item").open) drawItem();
}

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
  source.addEventListener("document", (event) => showDocument(event.data));
}
