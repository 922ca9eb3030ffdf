/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What is drawn in each card of the page.

import { degrees, spectrum } from "./history.js";
import { auto_scale } from "./numbers.js";
import { plot } from "./plots.js";

const ROWS = 160;   // of a waterfall
const DEGREES = "Phase (degrees)", CLOSURE = "Closure phase (degrees)", SKY = "Sky frequency (MHz)";
const TURN = { y: [-180, 180], y_label: DEGREES, whole_turn: true };
// For colors, of which those that nothing reaches are lost: patience and steps of the scale.
const FINE = [8, [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]];
const UNITS = [[1e9, "ns"], [1e6, "\u00b5s"], [1e3, "ms"], [1, "s"]];
const $ = (id) => document.getElementById(id);
const scales = {};

// Axes follow other data from now on.
export function forget_scales() {
  for (const name of Object.keys(scales)) delete scales[name];
}

function scale(name, values, how = []) {
  return (scales[name] = scales[name] || new auto_scale(...how)).of(values);
}

function title(id, words) { $(id).querySelector(".title").textContent = words; }

// Draws all cards of two inputs (equal for one alone). shown: "coefficient" or "power"; seconds: of
// the axes of time; names: of i, j and the third; frequencies: MHz; newest: the newest frame's
// {re, im, i, j, lags, delay, closure}; past: a history; colors: tables.
export function draw_panels(now) {
  const { shown, names, alone } = now;
  const what = shown === "power" ? "Amplitude (power)" : "Correlation coefficient";
  for (const canvas of document.querySelectorAll("canvas.cross")) canvas.hidden = alone;
  const of = alone ? `input ${names[0]}` : `${names[0]} - ${names[1]}`;
  title("card_fringe", `${alone ? "Power" : "Fringe"} in time, ${of}`);
  title("card_spectrum", `${alone ? "Spectrum" : "Cross spectrum"}, ${of}`);
  title("card_waterfall", `Waterfall, ${of}`);
  draw_fringe(now, what);
  draw_spectrum(now, what);
  draw_delay(now, what, of);
  draw_closure(now);
  draw_waterfall(now);
  draw_autos(now);
}

// The axis of the last seconds, and how many seconds its unit has.
function time_axis(seconds) {
  const [unit, long] = seconds > 300 ? ["min", 60] : ["s", 1];
  return [{ x: [-seconds / long, 0], x_label: `Time before the newest dump (${unit})` }, long];
}

function draw_fringe({ past, shown, seconds, alone }, what) {
  const { times, amplitude, phase, leap } = past.fringe(seconds, shown);
  const [axis, long] = time_axis(seconds);
  for (let k = 0; k < times.length; k++) times[k] /= long;
  new plot($("fringe_amplitude"), { ...axis, y: [0, scale("fringe", amplitude)], y_label: what })
    .curve(times, amplitude, "--blue", leap / long);
  if (!alone) new plot($("fringe_phase"), { ...axis, ...TURN }).dots(times, phase, "--blue");
}

// The ends of the band.
function band(frequencies) {
  const n = frequencies.length;
  const half = n > 1 ? (frequencies[1] - frequencies[0]) / 2 : 0.5;
  return [frequencies[0] - half, frequencies[n - 1] + half];
}

function draw_spectrum({ newest, shown, frequencies, alone }, what) {
  const { amplitude, phase } = spectrum(newest, shown);
  const axis = { x: band(frequencies), x_label: SKY };
  new plot($("spectrum_amplitude"), { ...axis, y: [0, scale("spectrum", amplitude)], y_label: what })
    .curve(frequencies, amplitude, "--blue");
  if (!alone)
    new plot($("spectrum_phase"), { ...axis, ...TURN }).dots(frequencies, phase, "--blue");
}

function draw_delay({ newest, shown }, what, of) {
  const { delay, lags } = newest;
  $("card_delay").hidden = !delay;
  if (!delay) return;
  const end = -delay.first, [factor, unit] = UNITS.find(([f]) => end * f < 2000 || f === 1);
  const places = Array.from(lags[shown], (_, k) => factor * (delay.first + k * delay.step));
  const [at, height] = delay.peaks[shown];
  const decimals = Math.max(0, 5 - Math.ceil(Math.log10(end * factor)));
  title("card_delay", `Delay spectrum, ${of}: ${Number(height.toPrecision(3))} at `
    + `${(factor * at).toFixed(decimals)} ${unit}`);
  new plot($("delay"), { x: [places[0], places[places.length - 1]], x_label: `Delay (${unit})`,
                         y: [0, scale("delay", lags[shown])], y_label: what })
    .curve(places, lags[shown], "--blue");
}

function draw_closure({ newest, past, names, frequencies, seconds }) {
  const bispectrum = newest.closure;
  $("card_closure").hidden = !bispectrum;
  if (!bispectrum) return;
  title("card_closure", `Closure phase, ${names.join(" - ")}`);
  const phase = Array.from(bispectrum.re, (re, k) => degrees(re, bispectrum.im[k]));
  const [axis, long] = time_axis(seconds), turn = { ...TURN, y_label: CLOSURE };
  const in_time = past.closure(seconds);
  new plot($("closure_spectrum"), { x: band(frequencies), x_label: SKY, ...turn })
    .dots(frequencies, phase, "--blue");
  new plot($("closure_time"), { ...axis, ...turn })
    .dots(in_time.times.map((time) => time / long), in_time.phase, "--blue");
}

function draw_waterfall({ past, shown, seconds, frequencies, colors, alone }) {
  const bins = frequencies.length;
  const { amplitude, phase } = past.waterfall(seconds, ROWS, bins, shown);
  const [{ x: y, x_label }] = time_axis(seconds);
  const axis = { x: band(frequencies), y, x_label: SKY,
                 y_label: x_label.replace(" before the newest dump", "") };
  const draw_one = (id, values, low, high, table, label) =>
    new plot($(id), { ...axis, bar: { table, low, high, label, turn: low < 0 } })
      .image(values, bins, ROWS);
  draw_one("waterfall_amplitude", amplitude, 0, scale("waterfall", amplitude), colors.heat,
           shown === "power" ? "Power" : "Coefficient");
  if (!alone) draw_one("waterfall_phase", phase, -180, 180, colors.phase, DEGREES);
}

function draw_autos({ newest, names, frequencies, alone }) {
  const decibels = (values) => Array.from(values, (v) => v > 0 ? 10 * Math.log10(v) : NaN);
  const [i, j] = [decibels(newest.i), decibels(newest.j)];
  const there = i.concat(j).filter(Number.isFinite);
  const low = Math.floor((Math.min(...there, Infinity) - 0.5) / 5) * 5;
  const high = Math.ceil((Math.max(...there, -Infinity) + 0.5) / 5) * 5;
  const drawing = new plot($("autos"), {
    x: band(frequencies), y: there.length ? [low, high] : [0, 1], x_label: SKY,
    y_label: "Power (dB)" });
  drawing.curve(frequencies, i, "--blue", Infinity, names[0]);
  if (!alone) drawing.curve(frequencies, j, "--orange", Infinity, names[1]);
  drawing.legend(alone ? [[names[0], "--blue"]] : [[names[0], "--blue"], [names[1], "--orange"]]);
}

// The image of the sky; view: a sky_map.
export function draw_sky(view, [header, pixels], table) {
  const name = header.title ? `${header.title}: the sky` : "The sky";
  title("card_sky", `${name} at ${Number((header.frequency / 1e6).toPrecision(6))} MHz`);
  view.show(header, pixels, table, scale("sky", [header.high], FINE));
}
