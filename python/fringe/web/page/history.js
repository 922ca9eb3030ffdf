/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What has come of the inputs so far: the fringe in time, spectra for the waterfall, closure phases.

const POINTS = 8000, ROWS = 512;   // that are kept

export class history {
  constructor() { this.clear(); }

  clear() {
    this.points = [];   // {start, interval, mean: [re, im], coefficient: [re, im]}
    this.rows = [];     // {start, interval, re, im, i, j}
    this.closures = []; // {start, interval, value: [re, im]}
  }

  add_points(arrays) {
    const { times, mean_re, mean_im, coefficient_re, coefficient_im } = arrays;
    for (let k = 0; 2 * k < times.length; k++)
      this.points.push({ start: times[2 * k], interval: times[2 * k + 1],
                         mean: [mean_re[k], mean_im[k]],
                         coefficient: [coefficient_re[k], coefficient_im[k]] });
    if (this.points.length > POINTS) this.points.splice(0, this.points.length - POINTS);
  }

  // The closure phases of a message, where it has any; a frame may bring some once more.
  add_closures({ closure_times: times, closure_mean_re: re, closure_mean_im: im }) {
    for (let k = 0; times && 2 * k < times.length; k++)
      this.closures.push({ start: times[2 * k], interval: times[2 * k + 1],
                           value: [re[k], im[k]] });
    if (this.closures.length > POINTS) this.closures.splice(0, this.closures.length - POINTS);
  }

  add_rows(times, arrays, bins) {
    for (let k = 0; 2 * k < times.length; k++) {
      const part = (name) => arrays[name].subarray(k * bins, (k + 1) * bins);
      this.rows.push({ start: times[2 * k], interval: times[2 * k + 1], re: part("cross_re"),
                       im: part("cross_im"), i: part("auto_i"), j: part("auto_j") });
    }
    if (this.rows.length > ROWS) this.rows.splice(0, this.rows.length - ROWS);
  }

  // Where the axis of time ends: the end of the newest dump.
  end() {
    const last = this.points[this.points.length - 1];
    return last ? last.start + last.interval : 0;
  }

  // Times before the end, amplitudes and phases (degrees) of the last `seconds`.
  fringe(seconds, shown) {
    const end = this.end(), name = shown === "power" ? "mean" : "coefficient";
    const part = this.points.filter((point) => point.start + point.interval > end - seconds);
    return {
      times: part.map((point) => point.start + point.interval / 2 - end),
      amplitude: part.map((point) => Math.hypot(...point[name])),
      phase: part.map((point) => degrees(...point[name])),
      leap: leap(part),
    };
  }

  // Times before the end, and closure phases (degrees) of the last `seconds`.
  closure(seconds) {
    const end = this.end();
    const part = this.closures.filter((one) => one.start + one.interval > end - seconds);
    return { times: part.map((one) => one.start + one.interval / 2 - end),
             phase: part.map((one) => degrees(...one.value)) };
  }

  // Amplitudes and phases [row][bin] of `rows` even times of the last `seconds`, newest first.
  waterfall(seconds, rows, bins, shown) {
    const end = this.end(), longest = leap(this.rows);
    const amplitude = new Float32Array(rows * bins).fill(NaN);
    const phase = new Float32Array(rows * bins).fill(NaN);
    let k = this.rows.length - 1;
    for (let row = 0; row < rows; row++) {
      const time = end - (row + 0.5) / rows * seconds;
      while (k >= 0 && this.rows[k].start > time) k--;
      if (k < 0) break;
      const dumps = this.rows[k], next = this.rows[k + 1];
      const until = next ? Math.min(next.start, dumps.start + longest) : end;
      if (time >= Math.max(until, dumps.start + dumps.interval)) continue;
      const values = spectrum(dumps, shown);
      amplitude.set(values.amplitude, row * bins);
      phase.set(values.phase, row * bins);
    }
    return { amplitude, phase };
  }
}

export function degrees(re, im) { return Math.atan2(im, re) * 180 / Math.PI; }

// The longest time from one to the next that is no gap: dumps that come too fast are not all shown.
function leap(entries) {
  const steps = entries.slice(1).map((entry, k) => entry.start - entries[k].start).sort((a, b) => a - b);
  return steps.length ? 3 * steps[Math.floor(steps.length / 2)] : Infinity;
}

// Amplitude and phase of a row {re, im, i, j}; coefficients V / sqrt(V_ii V_jj) or powers.
export function spectrum(row, shown) {
  const bins = row.re.length;
  const amplitude = new Float32Array(bins), phase = new Float32Array(bins);
  for (let k = 0; k < bins; k++) {
    const power = row.i[k] * row.j[k];
    const scale = shown === "power" ? 1 : power > 0 ? 1 / Math.sqrt(power) : 0;
    amplitude[k] = Math.hypot(row.re[k], row.im[k]) * scale;
    phase[k] = degrees(row.re[k], row.im[k]);
  }
  return { amplitude, phase };
}
