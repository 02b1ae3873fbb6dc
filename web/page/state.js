// What is shown, and what the reader has chosen. render() draws all of it anew.

const shown = {
  data: JSON.parse(find("document").textContent),
  field: 0,
  order: "heat",
  query: "",
  rows: 10,
  bounds: false,
  measure: "events",
  allYears: false,  // in the calendar
  range: null,  // of the traffic chart: [first step, last step]; null for all of it
  numbers: false,  // the traffic as a table is open
  cursor: null,  // the step that the traffic chart explains; null for none
  dragging: false,  // over the chart, to zoom
  waiting: null,  // a document that came while the reader dragged
  open: null,   // the item whose timeline is open: {field, item, number}
};

// The list of the chosen field.
function chosenList() {
  const lists = shown.data.lists || [];
  return lists[Math.min(shown.field, lists.length - 1)];
}

function columnOf(list, name) {
  return list.columns.indexOf(name);
}

function valueOf(list, row, name) {
  return list.rows[row][columnOf(list, name)];
}

function render(...sections) {
  for (const [id, draw] of Object.entries(pages)) {
    if (sections.length === 0 || sections.includes(id)) draw(find(id));
  }
}

function choose(changes, ...sections) {
  Object.assign(shown, changes);
  render(...sections);
}
