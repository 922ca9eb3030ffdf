/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What is measured on the page: the value under the pointer, pictures and numbers of a card.

const HINT = "Point at a plot to read its values";
const shown = new Map();   // a canvas, and the plot that was drawn there last
let pointed = null;        // {canvas, x, y}: where the pointer is, in pixels of the canvas

// The plots of a card that are seen.
function plots(card) {
  return [...card.querySelectorAll("canvas")].filter((canvas) => !canvas.hidden)
    .map((canvas) => shown.get(canvas)).filter((plot) => plot);
}

// A plot has been drawn; the words under its card follow the data.
export function drawn(plot) {
  shown.set(plot.canvas, plot);
  if (pointed && pointed.canvas === plot.canvas) say();
}

function say() {
  const plot = shown.get(pointed.canvas);
  const words = plot ? plot.reading(pointed.x, pointed.y) : null;
  pointed.canvas.closest("figure").querySelector(".under").textContent = words || HINT;
}

// "Sky frequency (MHz)" is a name and a unit; "power" is none.
export function in_words(label, value, digits) {
  const [, name, unit] = /^(.*?)(?: \((.*)\))?$/.exec(label);
  const number = Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : "no value";
  return `${name} ${number}${unit && unit !== "power" ? ` ${unit}` : ""}`;
}

// Columns [name, values] of a card: plots with the same axes share them.
export function columns(card) {
  const found = [], known = [];
  for (const { axes, values } of plots(card).flatMap((plot) => plot.tables())) {
    const same = (one) => one.length === axes.length && one.every(
      ([name, entries], k) => name === axes[k][0] && entries.length === axes[k][1].length
        && entries.every((entry, n) => entry === axes[k][1][n]));
    if (!known.some(same)) {
      known.push(axes);
      found.push(...axes);
    }
    found.push(values);
  }
  return found;
}

function field(value) {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

// Comma-separated values: a row of names with units, and a row for each place on the axes.
export function csv(card) {
  const all = columns(card), rows = Math.max(0, ...all.map(([, values]) => values.length));
  const lines = [all.map(([name]) => field(name)).join(",")];
  for (let k = 0; k < rows; k++)
    lines.push(all.map(([, values]) => (k < values.length ? field(values[k]) : "")).join(","));
  return lines.join("\n") + "\n";
}

// A canvas with the title of a card and its plots, one below the other.
export function picture(card) {
  const canvases = plots(card).map((plot) => plot.canvas);
  const scale = window.devicePixelRatio || 1, top = Math.round(26 * scale);
  const whole = document.createElement("canvas"), pen = whole.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  whole.width = Math.max(...canvases.map((canvas) => canvas.width), 1);
  whole.height = top + canvases.reduce((sum, canvas) => sum + canvas.height, 0);
  pen.fillStyle = style.getPropertyValue("--paper");
  pen.fillRect(0, 0, whole.width, whole.height);
  pen.fillStyle = style.getPropertyValue("--ink");
  pen.font = `600 ${15 * scale}px system-ui, sans-serif`;
  pen.textBaseline = "middle";
  pen.fillText(title(card), 8 * scale, top / 2, whole.width - 16 * scale);
  let y = top;
  for (const canvas of canvases) {
    pen.drawImage(canvas, 0, y);
    y += canvas.height;
  }
  return whole;
}

function title(card) { return card.querySelector(".title").textContent; }

// A browser saves a file under the name of the card and of what it shows.
function save(card, blob, ending) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${title(card).replace(/[^\w.+-]+/g, "_")}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Gives every card its buttons, and a line for what is under the pointer.
export function measure(cards) {
  for (const card of cards) {
    const button = (words, saves) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = words;
      made.title = `Save ${words === "PNG" ? "a picture" : "the numbers shown"} (${words})`;
      made.addEventListener("click", saves);
      return made;
    };
    const tools = document.createElement("span");
    tools.append(
      button("PNG", () => picture(card).toBlob((blob) => save(card, blob, "png"))),
      button("CSV", () => save(card, new Blob([csv(card)], { type: "text/csv" }), "csv")));
    card.querySelector("figcaption").append(tools);
    const under = document.createElement("p");
    under.className = "under";
    under.textContent = HINT;
    card.append(under);
    for (const canvas of card.querySelectorAll("canvas")) {
      for (const name of ["pointermove", "pointerdown"])
        canvas.addEventListener(name, (event) => {
          const box = canvas.getBoundingClientRect();
          pointed = { canvas, x: event.clientX - box.left, y: event.clientY - box.top };
          say();
        });
      canvas.addEventListener("pointerleave", (event) => {
        if (event.pointerType === "touch") return;   // a finger leaves when it is lifted
        pointed = null;
        under.textContent = HINT;
      });
    }
  }
}
