// Builds elements. Text always becomes a text node, so nothing in the data is read as HTML.

const svgNames = new Set(["svg", "g", "rect", "path", "line", "text", "title"]);

function make(name, attributes = {}, ...children) {
  const element = svgNames.has(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return element;
}

const find = (id) => document.getElementById(id);

// Replaces the contents of a section. What had the focus or was scrolled stays so, if it is there
// again: a live page is drawn anew while somebody reads it.
function fill(section, ...children) {
  const keyed = () => Array.from(section.querySelectorAll("[data-key]"));
  const before = new Map(keyed().map((element) => [element.dataset.key,
    { left: element.scrollLeft, focus: element === document.activeElement }]));
  section.hidden = false;
  section.replaceChildren(...children.flat().filter((child) => child));
  for (const element of keyed()) {
    const was = before.get(element.dataset.key);
    if (!was) continue;
    if (was.left) element.scrollLeft = was.left;
    if (was.focus) element.focus({ preventScroll: true });
  }
}

function heading(section, text) {
  return make("h2", { id: `${section}-title` }, text);
}

// A row of radio buttons: choices are [value, label].
function choiceOf(name, label, choices, chosen, act) {
  return make("fieldset", { class: "switch" },
    make("legend", {}, label),
    choices.map(([value, text]) => {
      const input = make("input", { type: "radio", name, value, "data-key": `${name}:${value}`,
                                    change: () => act(value) });
      input.checked = value === chosen;
      return make("label", {}, input, make("span", {}, text));
    }));
}

// A button with the name of an item, which opens its timeline.
function itemButton(list, row, key) {
  return make("button", { type: "button", class: "link item", "data-key": key,
                          "aria-haspopup": "dialog", click: () => openItem(list, row) },
    nameNodes(list.rows[row][0]));
}
