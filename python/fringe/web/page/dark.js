/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Light or dark: as the browser wants it, until the viewer wants it otherwise.

const KEPT = "fringe-style";
const wanted = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

function is_dark() { return (root.dataset.style || (wanted.matches ? "dark" : "light")) === "dark"; }

// The button changes the style; changed() is called when it is another.
export function style_button(button, changed) {
  const kept = recall();
  if (kept === "dark" || kept === "light") root.dataset.style = kept;
  const update = () => {
    button.textContent = is_dark() ? "Light" : "Dark";
    changed();
  };
  button.addEventListener("click", () => {
    root.dataset.style = is_dark() ? "light" : "dark";
    try { localStorage.setItem(KEPT, root.dataset.style); } catch { /* it is forgotten */ }
    update();
  });
  wanted.addEventListener("change", update);
  button.textContent = is_dark() ? "Light" : "Dark";
}

function recall() {
  try { return localStorage.getItem(KEPT); } catch { return null; }
}
