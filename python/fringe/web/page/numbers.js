/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Numbers along axes, and the ends of axes that follow the data.

// Round numbers from low to high: 1, 2 or 5 times a power of ten apart.
export function ticks(low, high, most) {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, most);
  const ten = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= raw * (1 - 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; k++) found.push(k * step);
  return found;
}

// The numbers of an axis, all with as many decimals.
export function words(values) {
  const step = values.length > 1 ? values[1] - values[0] : Math.abs(values[0]) || 1;
  const decimals = Math.min(12, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return values.map((v) => (Math.abs(v) < step / 1e6 ? 0 : v).toFixed(decimals));
}

// The upper end of an axis that follows the largest value: it grows at once, and shrinks when
// nothing has come near a third of it for a while. As auto_scale of the displays.
export class auto_scale {
  constructor(patience = 40, steps = [1, 2, 5, 10]) {
    Object.assign(this, { limit: 0, idle: 0, patience, steps });
  }

  of(values) {
    let top = 0;
    for (const v of values) if (Number.isFinite(v) && Math.abs(v) > top) top = Math.abs(v);
    if (top > 0) {
      this.idle = top > this.limit / 3 ? 0 : this.idle + 1;
      if (top > this.limit || this.idle >= this.patience) {
        const ten = 10 ** Math.floor(Math.log10(1.05 * top));
        this.limit = this.steps.map((m) => m * ten).find((s) => s >= 1.05 * top);
        this.idle = 0;
      }
    }
    return this.limit || 1;
  }
}
