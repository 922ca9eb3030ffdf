/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The sky as seen from below: north up, east to the left, as the Sky Display draws it.

import { colored } from "./plots.js";
import { drawn } from "./readings.js";

const HALF = 1.13;      // half the width of the map: the horizon and the letters around it
const MARK = "#7fe7ff";

export class sky_map {
  constructor(canvas) {
    this.canvas = canvas;
    this.sky = null;
  }

  // header and pixels of a message of kind "sky"; table: 256 colors; limit: of the colors.
  show(header, pixels, table, limit) {
    this.sky = { header, pixels };
    const size = header.size, values = new Float32Array(size * size);
    for (let m = 0; m < size; m++)
      for (let l = 0; l < size; l++) {
        const level = pixels[(size - 1 - m) * size + (size - 1 - l)];
        values[m * size + l] = level === 255 ? NaN : level / 254 * header.high / limit;
      }
    this.picture = colored(values, size, size, table);
    this.table = table;
    this.limit = limit;
    this.draw();
  }

  draw() {
    if (!this.sky) return;
    const box = this.canvas.getBoundingClientRect(), scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(box.width * scale));
    this.canvas.height = Math.max(1, Math.round(box.height * scale));
    const p = this.canvas.getContext("2d");
    p.setTransform(scale, 0, 0, scale, 0, 0);
    p.font = "13px system-ui, sans-serif";
    const style = getComputedStyle(document.documentElement);
    const [ink, gray] = ["--ink", "--gray"].map((name) => style.getPropertyValue(name).trim());
    const side = Math.min(box.width, box.height - 44);
    if (side < 50) return;   // it is not there yet
    this.x = box.width / 2;
    this.y = side / 2;
    this.radius = side / 2 / HALF;
    p.save();
    p.beginPath();
    p.arc(this.x, this.y, this.radius, 0, 2 * Math.PI);
    p.clip();
    p.fillStyle = `rgb(${this.table.slice(0, 3).join(",")})`;
    p.fillRect(this.x - this.radius, this.y - this.radius, 2 * this.radius, 2 * this.radius);
    p.drawImage(this.picture, this.x - this.radius, this.y - this.radius, 2 * this.radius,
                2 * this.radius);
    p.restore();
    this.circles(p, gray);
    for (const mark of this.sky.header.marks) this.mark(p, ...mark);
    p.fillStyle = ink;
    p.textAlign = "center";
    p.textBaseline = "middle";
    for (const [name, l, m] of [["N", 0, 1], ["E", 1, 0], ["S", 0, -1], ["W", -1, 0]])
      p.fillText(name, this.x - 1.065 * l * this.radius, this.y - 1.065 * m * this.radius);
    this.notes(p, ink, box.width, side);
    this.bar(p, ink, box, side);
    drawn(this);
  }

  circles(p, gray) {
    for (const elevation of [0, 30, 60]) {
      p.strokeStyle = gray;
      const radius = Math.cos(elevation * Math.PI / 180) * this.radius;
      p.lineWidth = elevation ? 1 : 2;
      p.setLineDash(elevation ? [4, 4] : []);
      p.beginPath();
      p.arc(this.x, this.y, radius, 0, 2 * Math.PI);
      p.stroke();
      if (elevation) this.word(p, `${elevation}°`, this.x + 3, this.y + radius - 8, "#d0d0d0", "left");
    }
    p.setLineDash([]);
  }

  mark(p, name, l, m, satellite) {
    const x = this.x - l * this.radius, y = this.y - m * this.radius;
    p.strokeStyle = MARK;
    p.lineWidth = 1.6;
    p.beginPath();
    if (satellite) p.rect(x - 7, y - 7, 14, 14);
    else p.arc(x, y, 9, 0, 2 * Math.PI);
    p.stroke();
    if (l < -0.3) this.word(p, name, x - 13, y, MARK, "right");
    else this.word(p, name, x + 13, y, MARK, "left");
  }

  // A word that can be read on any color: it has a dark rim.
  word(p, text, x, y, color, align) {
    p.textAlign = align;
    p.textBaseline = "middle";
    p.lineJoin = "round";
    p.lineWidth = 3;
    p.strokeStyle = "rgba(0,0,0,0.67)";
    p.setLineDash([]);
    p.strokeText(text, x, y);
    p.fillStyle = color;
    p.fillText(text, x, y);
  }

  notes(p, ink, width, side) {
    const { utc, antennas } = this.sky.header;
    p.fillStyle = ink;
    p.textBaseline = "top";
    const [day, clock] = utc ? utc.replace("Z", "").split("T") : ["", ""];
    p.textAlign = "left";
    const left = Math.max(2, this.x - side / 2), right = Math.min(width - 2, this.x + side / 2);
    p.fillText(day, left, 2);
    p.fillText(clock ? `${clock} UTC` : "", left, 18);
    p.textAlign = "right";
    p.fillText(`${antennas} antennas`, right, 2);
  }

  bar(p, ink, box, side) {
    const left = this.x - this.radius, width = 2 * this.radius, y = side + 4;
    for (let x = 0; x < width; x++) {
      const k = 3 * Math.floor(x / width * 255.999);
      p.fillStyle = `rgb(${this.table[k]},${this.table[k + 1]},${this.table[k + 2]})`;
      p.fillRect(left + x, y, 1.5, 9);
    }
    p.fillStyle = ink;
    p.textBaseline = "top";
    p.textAlign = "left";
    p.fillText("0", left, y + 13);
    p.textAlign = "right";
    p.fillText(`${Number(this.limit.toPrecision(3))}`, left + width, y + 13);
    p.textAlign = "center";
    p.fillText("Correlation coefficient", this.x, y + 13);
  }

  // The value of a pixel [row m][column l]; NaN below the horizon.
  value(m, l) {
    const level = this.sky.pixels[m * this.sky.header.size + l];
    return level === 255 ? NaN : level / 254 * this.sky.header.high;
  }

  // Azimuth, elevation and value under the pointer.
  reading(px, py) {
    const l = (this.x - px) / this.radius, m = (this.y - py) / this.radius;
    if (!this.sky || !(l * l + m * m < 1)) return null;
    const at = (c) => Math.round((c + 1) / 2 * (this.sky.header.size - 1));
    const value = this.value(at(m), at(l));
    return horizontal(l, m).map(([name, angle]) => `${name} ${angle.toFixed(1)}°`).join(", ")
      + (Number.isFinite(value) ? `, value ${value.toPrecision(3)}` : "");
  }

  // The numbers shown: a row for each pixel above the horizon.
  tables() {
    if (!this.sky) return [];
    const size = this.sky.header.size, rows = [];
    for (let m = 0; m < size; m++)
      for (let l = 0; l < size; l++)
        if (Number.isFinite(this.value(m, l)))
          rows.push([...horizontal(...[l, m].map((k) => 2 * k / (size - 1) - 1))
            .map(([, angle]) => angle), this.value(m, l)]);
    const column = (k) => rows.map((row) => row[k]);
    return [{ axes: [["Azimuth (degrees)", column(0)], ["Elevation (degrees)", column(1)]],
              values: ["Correlation coefficient", column(2)] }];
  }
}

// Azimuth and elevation in degrees of a direction.
function horizontal(l, m) {
  return [["azimuth", (Math.atan2(l, m) * 180 / Math.PI + 360) % 360],
          ["elevation", Math.acos(Math.min(1, Math.hypot(l, m))) * 180 / Math.PI]];
}
