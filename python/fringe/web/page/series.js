/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The numbers that a plot shows: read under the pointer, and as a table.

import { drawn, in_words } from "./readings.js";

export class series {
  constructor(canvas) {
    this.canvas = canvas;
    this.drawn_series = [];   // {xs, ys, name} of curves, {values, columns, rows} of an image
  }

  add(one) {
    this.drawn_series.push(one);
    drawn(this);
  }

  // Words for what is under the pointer: the nearest value along x of each curve, or that of an
  // image. As the displays say it.
  reading(px, py) {
    if (px < this.left || px > this.right || py < this.top || py > this.bottom) return null;
    const x = this.x[0] + (px - this.left) / (this.right - this.left) * (this.x[1] - this.x[0]);
    const words = [];
    for (const one of this.drawn_series) {
      if (one.values) {
        const { values, columns, rows } = one;
        const part = (py - this.top) / (this.bottom - this.top);
        const row = Math.min(rows - 1, Math.floor(part * rows));
        const column = Math.max(0, Math.min(columns - 1, Math.floor(
          (px - this.left) / (this.right - this.left) * columns)));
        const [xs, ys] = this.middles(columns, rows);
        words.push(in_words(this.bar.label, values[row * columns + column], 4),
                   in_words(this.x_label, xs[column], 8), in_words(this.y_label, ys[row], 4));
      } else if (one.xs.length) {
        let best = 0;
        for (let k = 1; k < one.xs.length; k++)
          if (Math.abs(one.xs[k] - x) < Math.abs(one.xs[best] - x)) best = k;
        words.push(`${one.name ? `${one.name}: ` : ""}${in_words(this.y_label, one.ys[best], 4)}`);
        if (one === this.drawn_series[this.drawn_series.length - 1])
          words.push(in_words(this.x_label, one.xs[best], 8));
      }
    }
    return words.join("   ");
  }

  // Places of the columns and rows of an image, of their middles.
  middles(columns, rows) {
    const [[left, right], [bottom, top]] = [this.x, this.y];
    return [Array.from({ length: columns }, (_, k) => left + (k + 0.5) / columns * (right - left)),
            Array.from({ length: rows }, (_, k) => top + (k + 0.5) / rows * (bottom - top))];
  }

  // The numbers shown: axes [[name, values]] and [name, values] there.
  tables() {
    return this.drawn_series.map((one) => {
      const of = (label) => (one.name ? `${label}, ${one.name}` : label);
      if (!one.values)
        return { axes: [[this.x_label, Array.from(one.xs)]],
                 values: [of(this.y_label), Array.from(one.ys)] };
      const { values, columns, rows } = one, [xs, ys] = this.middles(columns, rows);
      const spread = (entry) => Array.from({ length: rows * columns }, (_, k) => entry(k));
      return { axes: [[this.x_label, spread((k) => xs[k % columns])],
                      [this.y_label, spread((k) => ys[Math.floor(k / columns)])]],
               values: [of(this.bar.label), Array.from(values)] };
    });
  }
}
