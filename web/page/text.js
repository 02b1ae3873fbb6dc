// Numbers, times and names as the page writes them.
"use strict";

const pages = {};  // what draws each section, by its id

const many = new Intl.NumberFormat("en-US");

function countText(n) {
  return n === null || n === undefined ? "" : many.format(n);
}

// Three digits: 0.123, 12.3, 1,230.
function shortText(x) {
  if (x === null || x === undefined) return "";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 100) return many.format(Math.round(x));
  return size >= 10 ? x.toFixed(1) : size >= 0.01 ? x.toFixed(2) : x.toPrecision(2);
}

// For an axis: 1.2k, 30M.
function roundText(x) {
  const units = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  for (const [unit, name] of units) {
    if (Math.abs(x) >= unit) return `${+(x / unit).toFixed(1)}${name}`;
  }
  return `${+x.toFixed(2)}`;
}

function bytesText(n) {
  if (n === null || n === undefined) return "";
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  while (n >= 1000 && unit < units.length - 1) {
    n /= 1000;
    unit += 1;
  }
  return unit === 0 ? `${n} bytes` : `${n >= 100 ? Math.round(n) : +n.toPrecision(3)} ${units[unit]}`;
}

function shareText(part, whole) {
  if (!whole) return "";
  const percent = (100 * part) / whole;
  return percent > 0 && percent < 0.05 ? "<0.1 %" : `${percent.toFixed(1)} %`;
}

// 0.1 %, 2.7 \u00d7 10\u207b\u00b9\u00b9.
function probabilityText(p) {
  if (p === 0) return "0";
  if (p >= 0.001) return `${+(100 * p).toPrecision(3)} %`;
  const [digits, power] = p.toExponential(1).split("e-");
  const raised = Array.from(power, (d) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[d]).join("");
  return `${digits === "1.0" ? "" : `${digits}\u00a0\u00d7\u00a0`}10\u207b${raised}`;
}

const spanUnits = [[604800, "week"], [86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];

// "1 hour", "90 seconds".
function lengthText(seconds) {
  for (const [length, name] of spanUnits) {
    if (seconds >= length && seconds % length === 0) {
      const n = seconds / length;
      return n === 1 ? `1 ${name}` : `${n} ${name}s`;
    }
  }
  return `${seconds} s`;
}

// After "per": "hour", "90 seconds".
function spanText(seconds) {
  return lengthText(seconds).replace(/^1 /, "");
}

// "12 seconds", or of steps of another length "12 ticks".
function ticksText(ticks) {
  return `${countText(ticks)} ${shown.data.tick_seconds === 1 ? "seconds" : "ticks"}`;
}

// -- times, in microseconds since 1970, in the zone of the log -----------------------------------

function zoneMicros() {
  return (shown.data.page.offset_seconds || 0) * 1e6;
}

function local(micros) {
  return new Date(Math.floor((micros + zoneMicros()) / 1000));
}

function dayText(micros) {
  return local(micros).toISOString().slice(0, 10);
}

function clockText(micros, withSeconds = false) {
  return local(micros).toISOString().slice(11, withSeconds ? 19 : 16);
}

function timeText(micros, withSeconds = false) {
  return micros === null || micros === undefined
    ? "" : `${dayText(micros)} ${clockText(micros, withSeconds)}`;
}

// Milliseconds since 1970. Date.UTC would take the years 0 to 99 for 1900 to 1999.
function startOfDay(year, month, day) {
  return new Date(0).setUTCFullYear(year, month, day);
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// -- names ---------------------------------------------------------------------------------------

// Characters that do not show or that change the direction of the text.
const oddCharacters =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\ufff9-\uffff]/g;

function codeOf(character) {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

// What stands for a name that cannot be seen at all.
function blankText(name) {
  return name === "" ? "empty" : `${name.length} blank${name.length === 1 ? "" : "s"}`;
}

// The name as plain text, for labels.
function plainName(name) {
  return /^ *$/.test(name) ? blankText(name) : name.replace(oddCharacters, codeOf);
}

// The name as nodes: odd characters as their codes, the end of a long one as dots.
function nameNodes(name, most = 160) {
  if (/^ *$/.test(name)) return [make("span", { class: "odd" }, blankText(name))];
  const characters = Array.from(name);
  const text = characters.length > most ? characters.slice(0, most).join("") : name;
  const nodes = [];
  let begin = 0;
  for (const match of text.matchAll(oddCharacters)) {
    nodes.push(text.slice(begin, match.index), make("span", { class: "odd" }, codeOf(match[0])));
    begin = match.index + 1;
  }
  nodes.push(text.slice(begin));
  if (characters.length > most) nodes.push("\u2026");
  return nodes.filter((node) => node !== "");
}
