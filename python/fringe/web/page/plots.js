/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// A plot on a canvas: axes with round numbers, labels with units, a color bar.

import { ticks, words } from "./numbers.js";
import { drawn } from "./readings.js";
import { series } from "./series.js";

const TOP = 10, BOTTOM = 42, LEFT = 62, RIGHT = 12, BAR = 74;
const FONT = "13px system-ui, sans-serif";

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class plot extends series {
  // x, y: [left, right], [bottom, top]; their labels; bar: {table, low, high, label} or null;
  // whole_turn: y are degrees.
  constructor(canvas, { x, y, x_label, y_label, bar = null, whole_turn = false }) {
    super(canvas);
    Object.assign(this, { x, y, x_label, y_label, bar, whole_turn });
    const scale = window.devicePixelRatio || 1;
    const box = canvas.getBoundingClientRect();
    canvas.width = Math.max(1, Math.round(box.width * scale));
    canvas.height = Math.max(1, Math.round(box.height * scale));
    this.pen = canvas.getContext("2d");
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.pen.font = FONT;
    this.ink = color("--ink");
    this.left = LEFT;
    this.right = Math.max(LEFT + 10, box.width - (bar ? BAR : RIGHT));
    this.top = TOP;
    this.bottom = Math.max(TOP + 10, box.height - BOTTOM);
    this.grid();
    drawn(this);
  }

  at_x(value) {
    return this.left + (value - this.x[0]) / (this.x[1] - this.x[0]) * (this.right - this.left);
  }

  at_y(value) {
    return this.bottom - (value - this.y[0]) / (this.y[1] - this.y[0]) * (this.bottom - this.top);
  }

  numbers(ends, room, turn = false) {
    if (turn) return [-180, -90, 0, 90, 180].map((value) => [value, String(value)]);
    const values = ticks(Math.min(...ends), Math.max(...ends), Math.max(2, Math.min(room, 8)));
    const texts = words(values);
    return values.map((value, k) => [value, texts[k]]);
  }

  // Numbers along x that do not touch: fewer of them where they are long.
  x_numbers() {
    const width = this.right - this.left;
    for (let room = Math.floor(width / 48); ; room--) {
      const found = this.numbers(this.x, room);
      const widest = Math.max(...found.map(([, text]) => this.pen.measureText(text).width));
      if (room <= 2 || found.length * (widest + 14) < width) return found;
    }
  }

  grid() {
    const p = this.pen;
    p.strokeStyle = color("--faint");
    p.fillStyle = this.ink;
    p.lineWidth = 1;
    p.textAlign = "center";
    p.textBaseline = "top";
    for (const [value, text] of this.x_numbers()) {
      const x = this.at_x(value);
      this.line(x, this.top, x, this.bottom + 4);
      const half = p.measureText(text).width / 2;
      p.fillText(text, Math.min(x, this.right + (this.bar ? BAR : RIGHT) - half - 1),
                 this.bottom + 6);
    }
    p.textAlign = "right";
    p.textBaseline = "middle";
    const high = (this.bottom - this.top) / 34;
    for (const [value, text] of this.numbers(this.y, high, this.whole_turn)) {
      const y = this.at_y(value);
      this.line(this.left - 4, y, this.right, y);
      p.fillText(text, this.left - 7, y);
    }
    p.textAlign = "center";
    p.textBaseline = "bottom";
    p.fillText(this.x_label, (this.left + this.right) / 2, this.bottom + BOTTOM - 2);
    this.upright(11, this.y_label);
    if (this.bar) this.color_bar();
    p.strokeStyle = color("--gray");
    p.strokeRect(this.left, this.top, this.right - this.left, this.bottom - this.top);
  }

  line(x1, y1, x2, y2) {
    this.pen.beginPath();
    this.pen.moveTo(x1, y1);
    this.pen.lineTo(x2, y2);
    this.pen.stroke();
  }

  upright(x, text) {
    const p = this.pen;
    p.save();
    p.translate(x, (this.top + this.bottom) / 2);
    p.rotate(-Math.PI / 2);
    p.textAlign = "center";
    p.textBaseline = "middle";
    p.fillText(text, 0, 0, this.bottom - this.top + 16);
    p.restore();
  }

  color_bar() {
    const p = this.pen, { table, low, high, label, turn } = this.bar, x = this.right + 8;
    for (let y = Math.floor(this.top); y < this.bottom; y++) {
      const part = (this.bottom - y) / (this.bottom - this.top);
      const k = 3 * Math.max(0, Math.min(255, Math.floor(part * 255.999)));
      p.fillStyle = `rgb(${table[k]},${table[k + 1]},${table[k + 2]})`;
      p.fillRect(x, y, 10, Math.min(1.5, this.bottom - y));
    }
    p.fillStyle = this.ink;
    p.textAlign = "left";
    p.textBaseline = "middle";
    for (const [value, text] of this.numbers([low, high], (this.bottom - this.top) / 34, turn)) {
      const y = this.bottom - (value - low) / (high - low) * (this.bottom - this.top);
      p.fillText(text, x + 14, y);
    }
    this.upright(this.right + BAR - 9, label);
  }

  // Calls draw(pen) with what is drawn kept inside the axes.
  inside(draw) {
    const p = this.pen;
    p.save();
    p.beginPath();
    p.rect(this.left, this.top, this.right - this.left, this.bottom - this.top);
    p.clip();
    draw(p);
    p.restore();
  }

  // A line through the points, broken where a value is none and where x leaps by more than `leap`.
  curve(xs, ys, name, leap = Infinity, of = "") {
    this.add({ xs, ys, name: of });
    this.inside((p) => {
      p.strokeStyle = color(name);
      p.lineWidth = 1.6;
      p.lineJoin = "round";
      p.beginPath();
      let begun = false;
      for (let k = 0; k < xs.length; k++) {
        if (!Number.isFinite(ys[k])) { begun = false; continue; }
        const x = this.at_x(xs[k]), y = this.at_y(ys[k]);
        begun = begun && Math.abs(xs[k] - xs[k - 1]) <= leap;
        if (begun) p.lineTo(x, y);
        else { p.moveTo(x - 0.8, y); p.lineTo(x + 0.8, y); }
        begun = true;
      }
      p.stroke();
    });
  }

  // Dots: for phases, which jump from one end to the other, where a line would only confuse.
  dots(xs, ys, name) {
    this.add({ xs, ys });
    this.inside((p) => {
      p.fillStyle = color(name);
      for (let k = 0; k < xs.length; k++)
        if (Number.isFinite(ys[k])) p.fillRect(this.at_x(xs[k]) - 1.5, this.at_y(ys[k]) - 1.5, 3, 3);
    });
  }

  // Names of curves with their colors.
  legend(entries) {
    this.inside((p) => {
      p.textAlign = "right";
      p.textBaseline = "top";
      entries.forEach(([name, of], k) => {
        p.fillStyle = color(of);
        p.fillText(name, this.right - 8, this.top + 6 + 17 * k);
      });
    });
  }

  // Values [row][column], the first row at the top, as an image over all of the axes.
  image(values, columns, rows) {
    const { low, high, table } = this.bar;
    this.add({ values, columns, rows });
    const picture = colored(values.map((v) => (v - low) / (high - low)), columns, rows, table);
    this.inside((p) => {
      p.imageSmoothingEnabled = false;
      p.drawImage(picture, this.left, this.top, this.right - this.left, this.bottom - this.top);
    });
  }
}

// A canvas of values 0 ... 1 [row][column], the first row at the top; NaN is transparent.
export function colored(values, columns, rows, table) {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const pen = canvas.getContext("2d"), picture = pen.createImageData(columns, rows);
  for (let k = 0; k < columns * rows; k++) {
    if (!Number.isFinite(values[k])) continue;
    const c = 3 * Math.max(0, Math.min(255, Math.floor(values[k] * 255.999)));
    picture.data.set([table[c], table[c + 1], table[c + 2], 255], 4 * k);
  }
  pen.putImageData(picture, 0, 0);
  return canvas;
}
