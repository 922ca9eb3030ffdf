/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The page: what has been chosen, what has come, and when it is drawn.

import { connection } from "./connection.js";
import { style_button } from "./dark.js";
import { history } from "./history.js";
import { draw_panels, draw_sky, forget_scales } from "./panels.js";
import { measure } from "./readings.js";
import { sky_map } from "./sky.js";

const $ = (id) => document.getElementById(id);

const past = new history();
let stream = null, colors = null, frequencies = null, pair = [0, 1], third = null;
let frozen = false, number = 0, third_chosen = false, newest = null, seconds_chosen = false, drawn = 0, asked = 0, sky = null, waiting = false;

const sky_view = new sky_map($("sky"));
const server = new connection(take, (sentence) => say(`${sentence}; trying again`, "broken"));

function say(sentence, kind) {
  $("state").textContent = sentence;
  $("state").className = kind;
}

function take(header, arrays) {
  if (frozen && ["history", "frame", "sky"].includes(header.kind)) return;
  ({ stream: begin, history: refill, frame, sky: show_sky, state: show_state })[header.kind](
    header, arrays);
}

// Keeps what is shown. The server has what has come in the meantime, and sends it afterwards.
function freeze(on) {
  if (frozen && !on) server.send();
  frozen = on;
  $("freeze").textContent = on ? "Live again" : "Freeze";
  $("freeze").setAttribute("aria-pressed", on);
}

function begin(header, arrays) {
  stream = header;
  colors = Object.fromEntries(Object.entries(header.colors));
  frequencies = Array.from(arrays.frequencies, (f) => f / 1e6);
  const found = /^#(\d+)-(\d+)(?:-(\d+))?$/.exec(location.hash);
  const last = header.names.length - 1;
  if (found) {
    pair = [Number(found[1]), Number(found[2])];
    third_chosen = found[3] !== undefined;
    if (third_chosen) third = Number(found[3]);
  }
  pair = pair.map((input) => Math.min(input, last));
  for (const [input, id] of [[pair[0], "input_i"], [pair[1], "input_j"], [third || 0, "input_k"]]) {
    $(id).replaceChildren(...header.names.map((name, value) => new Option(name, value)));
    $(id).value = Math.min(input, last);
  }
  choose();
}

// The third input of a closure phase: another one than the two; null where there is none.
function choose_third() {
  const inputs = stream.names.length;
  $("third").hidden = inputs < 3 || pair[0] === pair[1];
  if ($("third").hidden) return null;
  const wanted = Number($("input_k").value);
  const free = stream.names.map((_, input) => input).filter((input) => !pair.includes(input));
  for (const option of $("input_k").options) option.disabled = !free.includes(Number(option.value));
  const taken = free.includes(wanted) ? wanted : free[0];
  $("input_k").value = taken;
  return taken;
}

function choose() {
  freeze(false);
  pair = [Number($("input_i").value), Number($("input_j").value)];
  third = choose_third();
  window.history.replaceState(null, "", `#${pair[0]}-${pair[1]}`
    + (third_chosen && third !== null ? `-${third}` : ""));
  forget_scales();
  newest = null;
  past.clear();
  for (const number of document.querySelectorAll("#numbers dd")) number.textContent = "-";
  server.choose(...pair, third);
}

function of_pair(header) {
  return header.pair[0] === pair[0] && header.pair[1] === pair[1] && header.third === third;
}

function refill(header, arrays) {
  if (!of_pair(header)) return;
  past.clear();
  past.add_points(arrays);
  past.add_rows(arrays.row_times, arrays, frequencies.length);
  past.add_closures(arrays);
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
  past.add_closures(arrays);
  if (header.number > number) {
    const last = past.points[past.points.length - 1];
    if (last) past.add_rows([last.start, last.interval], arrays, frequencies.length);
  }
  number = header.number;
  newest = { re: arrays.cross_re, im: arrays.cross_im, i: arrays.auto_i, j: arrays.auto_j,
             delay: header.delay,
             lags: { coefficient: arrays.lags_coefficient, power: arrays.lags_power },
             closure: arrays.closure_re && { re: arrays.closure_re, im: arrays.closure_im } };
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
  show_alerts(header.alerts);
  show_address(header.addresses);
  $("remark").textContent = `${header.viewers} ${header.viewers === 1 ? "viewer" : "viewers"}. `
    + (header.sky || "");
}

// What is wrong with the flowgraph, a line each.
function show_alerts(sentences) {
  $("alerts").hidden = !sentences.length;
  if ([...$("alerts").children].map((line) => line.textContent).join() === sentences.join()) return;
  $("alerts").replaceChildren(...sentences.map((sentence) => {
    const line = document.createElement("li");
    line.textContent = sentence;
    return line;
  }));
}

// The address of this page for others, with its QR code: that by which the viewer came, if it is one.
function show_address(addresses) {
  $("address").hidden = !addresses.length;
  if (!addresses.length) return;
  const [url, code] = addresses.find(([one]) => one.includes(`//${location.host}/`)) || addresses[0];
  $("url").textContent = url;
  if (code && $("code").getAttribute("src") !== code) $("code").src = code;
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
  set("lost", `${header.lost} / ${header.passed}`);
}

function draw_soon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function draw() {
  if (!newest) return;
  draw_panels({ shown: $("shown").value, seconds: Number($("seconds").value), past, newest, colors,
                frequencies, alone: pair[0] === pair[1],
                names: (third === null ? pair : [...pair, third]).map((k) => stream.names[k]) });
  if (sky) draw_sky(sky_view, sky, colors.heat);
  drawn += 1;
  document.body.dataset.drawn = drawn;   // for tests
}

for (const id of ["input_i", "input_j"]) $(id).addEventListener("change", choose);
$("input_k").addEventListener("change", () => { third_chosen = true; choose(); });
for (const id of ["shown", "seconds"])
  $(id).addEventListener("change", () => {
    seconds_chosen = true;
    forget_scales();
    draw_soon();
  });
$("freeze").addEventListener("click", () => freeze(!frozen && newest !== null));
$("choice").addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("resize", draw_soon);
measure(document.querySelectorAll("figure"));
style_button($("style"), draw_soon);
