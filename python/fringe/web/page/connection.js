/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The connection to the server: messages in, the choice of two inputs out. It comes back by itself.

const TIMEOUT = 5000;   // ms without a message after which the server is taken for gone
const PAUSE = 1500;      // ms until another try

const TYPES = { f4: [Float32Array, 4], f8: [Float64Array, 8], u1: [Uint8Array, 1] };

// The header and the arrays of a message: see messages.py.
export function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  let at = 4 + length;
  for (const [name, kind, count] of header.arrays) {
    const [type, size] = TYPES[kind];
    arrays[name] = new type(buffer, at, count);
    at += Math.ceil(count * size / 8) * 8;
  }
  return [header, arrays];
}

export class connection {
  // take(header, arrays) gets each message; lost() is called when there is no server.
  constructor(take, lost) {
    this.take = take;
    this.lost = lost;
    this.inputs = null;
    this.came = 0;
    this.open();
    setInterval(() => this.look(), 1000);
  }

  open() {
    const socket = new WebSocket(`ws://${location.host}/live`);
    this.socket = socket;
    this.came = performance.now();
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.send();
    socket.onmessage = (event) => {
      this.came = performance.now();
      this.take(...decode(event.data));
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.lost(event.code === 1001 ? "the server has ended" : "no connection to the server");
      setTimeout(() => { if (!this.socket) this.open(); }, PAUSE);
    };
  }

  // A connection that has died says nothing.
  look() {
    if (this.socket && performance.now() - this.came > TIMEOUT) this.socket.close();
  }

  // Asks for all that there is of these two inputs, and for what comes; third: for the closure
  // phase, or null.
  choose(i, j, third) {
    this.inputs = { pair: [i, j], third };
    this.send();
  }

  send() {
    if (this.inputs && this.socket && this.socket.readyState === WebSocket.OPEN)
      this.socket.send(JSON.stringify(this.inputs));
  }
}
