/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The page: what has been chosen, what has come, and when it is drawn.

import { connection } from "./connection.js";
import { history, spectrum } from "./history.js";
import { auto_scale, coloured, plot } from "./plots.js";
import { sky_map } from "./sky.js";

const ROWS = 160;   // of a waterfall
const DEGREES = "Phase (degrees)";
const TURN = { y: [-180, 180], y_label: DEGREES, whole_turn: true };
// For colours, of which those that nothing reaches are lost: patience and steps of the scale.
const FINE = [8, [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]];
const $ = (id) => document.getElementById(id);

const past = new history();
const scales = {};
let stream = null, colours = null, frequencies = null, pair = [0, 1];
let number = 0, newest = null, seconds_chosen = false, drawn = 0, asked = 0, sky = null, waiting = false;

const sky_view = new sky_map($("sky"), $("sky_under"));
const server = new connection(take, (sentence) => say(`${sentence}; trying again`, "broken"));

function say(sentence, kind) {
  $("state").textContent = sentence;
  $("state").className = kind;
}

function take(header, arrays) {
  ({ stream: begin, history: refill, frame, sky: show_sky, state: show_state })[header.kind](
    header, arrays);
}

function begin(header, arrays) {
  stream = header;
  colours = Object.fromEntries(Object.entries(header.colours));
  frequencies = Array.from(arrays.frequencies, (f) => f / 1e6);
  const found = /^#(\d+)-(\d+)$/.exec(location.hash);
  if (found) pair = [Number(found[1]), Number(found[2])];
  const last = header.names.length - 1;
  pair = pair.map((input) => Math.min(input, last));
  for (const [k, id] of [[0, "input_i"], [1, "input_j"]]) {
    $(id).replaceChildren(...header.names.map((name, value) => new Option(name, value)));
    $(id).value = pair[k];
  }
  choose();
}

function choose() {
  pair = [Number($("input_i").value), Number($("input_j").value)];
  window.history.replaceState(null, "", `#${pair[0]}-${pair[1]}`);
  for (const name of Object.keys(scales)) delete scales[name];
  newest = null;
  past.clear();
  for (const number of document.querySelectorAll("#numbers dd")) number.textContent = "-";
  server.choose(...pair);
}

function of_pair(header) {
  return header.pair[0] === pair[0] && header.pair[1] === pair[1];
}

function refill(header, arrays) {
  if (!of_pair(header)) return;
  past.clear();
  past.add_points(arrays);
  past.add_rows(arrays.row_times, arrays, frequencies.length);
  number = header.number;
  newest = null;
}

function frame(header, arrays) {
  if (!of_pair(header) || !frequencies) return;
  if (header.number > number + 1) {
    // Frames were lost on the way: once more what there is, but not all the time.
    if (performance.now() - asked > 3000) {
      asked = performance.now();
      server.send();
    }
  }
  past.add_points(arrays);
  if (header.number > number) {
    const last = past.points[past.points.length - 1];
    if (last) past.add_rows([last.start, last.interval], arrays, frequencies.length);
  }
  number = header.number;
  newest = { re: arrays.cross_re, im: arrays.cross_im, i: arrays.auto_i, j: arrays.auto_j };
  if (!seconds_chosen && header.interval > 0) {
    // As long as some hundred dumps, until the viewer wants another length.
    seconds_chosen = true;
    const options = [...$("seconds").options].map((option) => Number(option.value));
    $("seconds").value = options.find((option) => option >= 200 * header.interval) || 3600;
  }
  show_numbers(header);
  draw_soon();
}

function show_sky(header, arrays) {
  sky = [header, arrays.pixels];
  $("card_sky").hidden = false;
  draw_soon();
}

function show_state(header) {
  say(header.sentence || "live", header.sentence ? "" : "live");
  if (!header.has_sky) {
    sky = null;
    $("card_sky").hidden = true;
  }
  $("remark").textContent = `${header.viewers} ${header.viewers === 1 ? "viewer" : "viewers"}. `
    + (header.sky || "");
}

function show_numbers(header) {
  const shown = $("shown").value, last = past.points[past.points.length - 1];
  const value = last ? last[shown === "power" ? "mean" : "coefficient"] : [NaN, NaN];
  const amplitude = Math.hypot(...value);
  const set = (id, text) => { $(id).textContent = text; };
  const [i, j] = pair.map((input) => stream.names[input]);
  set("title", pair[0] === pair[1] ? `Power of ${i}` : `Fringes ${i} - ${j}`);
  document.title = $("title").textContent;
  set("utc", header.utc ? header.utc.replace("T", " ").replace("Z", "") : "no time");
  set("amplitude", Number.isFinite(amplitude) ? amplitude.toPrecision(4) : "no data");
  set("phase", Number.isFinite(amplitude) && pair[0] !== pair[1]
    ? `${(Math.atan2(value[1], value[0]) * 180 / Math.PI).toFixed(1)}°` : "-");
  set("weight", `${(100 * header.weight).toFixed(1)} %`);
  set("dump", header.dump);
  set("interval", header.interval > 0 ? `${Number(header.interval.toPrecision(4))} s` : "-");
  set("rate", header.rate === null ? "-" : header.rate.toPrecision(3));
  set("lost", header.passed ? `${header.lost}, ${header.passed} not shown` : header.lost);
}

function scale(name, values, how = []) {
  return (scales[name] = scales[name] || new auto_scale(...how)).of(values);
}

function draw_soon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function draw() {
  if (!newest) return;
  const shown = $("shown").value, seconds = Number($("seconds").value);
  const what = shown === "power" ? "Amplitude (power)" : "Correlation coefficient";
  const alone = pair[0] === pair[1];
  for (const canvas of document.querySelectorAll("canvas.cross")) canvas.hidden = alone;
  draw_fringe(shown, seconds, what, alone);
  draw_spectrum(shown, what, alone);
  draw_waterfall(shown, seconds, what, alone);
  draw_autos(alone);
  if (sky) draw_sky();
  drawn += 1;
  document.body.dataset.drawn = drawn;   // for tests
}

function draw_fringe(shown, seconds, what, alone) {
  const { times, amplitude, phase, leap } = past.fringe(seconds, shown);
  const [unit, long] = unit_of(seconds);
  const axis = { x: [-seconds / long, 0], x_label: `Time before the newest dump (${unit})` };
  for (let k = 0; k < times.length; k++) times[k] /= long;
  new plot($("fringe_amplitude"), { ...axis, y: [0, scale("fringe", amplitude)], y_label: what })
    .curve(times, amplitude, "--blue", leap / long);
  if (!alone)
    new plot($("fringe_phase"), { ...axis, ...TURN })
      .dots(times, phase, "--blue");
}

// The unit of an axis of time, and how many seconds it has.
function unit_of(seconds) { return seconds > 300 ? ["min", 60] : ["s", 1]; }

// The ends of the band.
function band() {
  const n = frequencies.length;
  const half = n > 1 ? (frequencies[1] - frequencies[0]) / 2 : 0.5;
  return [frequencies[0] - half, frequencies[n - 1] + half];
}

function draw_spectrum(shown, what, alone) {
  const { amplitude, phase } = spectrum(newest, shown);
  const axis = { x: band(), x_label: "Sky frequency (MHz)" };
  new plot($("spectrum_amplitude"), { ...axis, y: [0, scale("spectrum", amplitude)], y_label: what })
    .curve(frequencies, amplitude, "--blue");
  if (!alone)
    new plot($("spectrum_phase"), { ...axis, ...TURN })
      .dots(frequencies, phase, "--blue");
}

function draw_waterfall(shown, seconds, what, alone) {
  const bins = frequencies.length;
  const { amplitude, phase } = past.waterfall(seconds, ROWS, bins, shown);
  const high = scale("waterfall", amplitude);
  const [unit, long] = unit_of(seconds);
  const axis = { x: band(), y: [-seconds / long, 0], x_label: "Sky frequency (MHz)",
                 y_label: `Time (${unit})` };
  const draw_one = (id, values, low, top, table, label) =>
    new plot($(id), { ...axis, bar: { table, low, high: top, label, turn: low < 0 } })
      .image(coloured(values.map((v) => (v - low) / (top - low)), bins, ROWS, table));
  draw_one("waterfall_amplitude", amplitude, 0, high, colours.heat,
           shown === "power" ? "Power" : "Coefficient");
  if (!alone) draw_one("waterfall_phase", phase, -180, 180, colours.phase, DEGREES);
}

function draw_autos(alone) {
  const decibels = (values) => Array.from(values, (v) => v > 0 ? 10 * Math.log10(v) : NaN);
  const [i, j] = [decibels(newest.i), decibels(newest.j)];
  const there = i.concat(j).filter(Number.isFinite);
  const low = Math.floor((Math.min(...there, Infinity) - 0.5) / 5) * 5;
  const high = Math.ceil((Math.max(...there, -Infinity) + 0.5) / 5) * 5;
  const drawing = new plot($("autos"), {
    x: band(), y: there.length ? [low, high] : [0, 1], x_label: "Sky frequency (MHz)",
    y_label: "Power (dB)" });
  drawing.curve(frequencies, i, "--blue");
  if (!alone) drawing.curve(frequencies, j, "--orange");
  drawing.legend(alone ? [[stream.names[pair[0]], "--blue"]] :
    [[stream.names[pair[0]], "--blue"], [stream.names[pair[1]], "--orange"]]);
}

function draw_sky() {
  const [header, pixels] = sky;
  const name = header.title ? `${header.title}: the sky` : "The sky";
  $("sky_title").textContent = `${name} at ${Number((header.frequency / 1e6).toPrecision(6))} MHz`;
  sky_view.show(header, pixels, colours.heat, scale("sky", [header.high], FINE));
}

for (const id of ["input_i", "input_j"]) $(id).addEventListener("change", choose);
for (const id of ["shown", "seconds"])
  $(id).addEventListener("change", () => {
    seconds_chosen = true;
    for (const name of Object.keys(scales)) delete scales[name];
    draw_soon();
  });
$("choice").addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("resize", draw_soon);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw_soon);
