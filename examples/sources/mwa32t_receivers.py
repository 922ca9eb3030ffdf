#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Four receivers of the MWA's 32-tile system that are not there: recordings, and live streams.

    mwa32t_receivers.py record [--folder F] [--seconds 0.2]    F/receiver0.mwa ... receiver3.mwa
    mwa32t_receivers.py send [--folder F] [--speed 0.1]        the same, round and round, by TCP

A stream is groups of 17 little-endian 16-bit words: a counter, and a sample of 16 inputs.
"""
import argparse
import os
import socket
import time

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.ground.quantize import default_level, quantize

RECEIVERS, INPUTS, PIECE = 4, 16, 8192
here = os.path.dirname(os.path.abspath(__file__))
obs = fringe.observation.from_file(os.path.join(here, "mwa32t.yml"))


def paths(folder):
    """The recordings, one of each receiver."""
    return [os.path.join(folder, f"receiver{k}.mwa") for k in range(RECEIVERS)]


def groups(words, first):
    """[time][17]: words [time][16] behind their counters, from sample `first` on."""
    counters = (first + np.arange(len(words))) % 65536
    return np.column_stack((counters, words)).astype("<u2")


def record(folder, samples):
    """Simulates the sky and writes what each receiver would have recorded."""
    sky = fringe.simulator(obs)
    level = default_level("mwa16", sky.power())
    os.makedirs(folder, exist_ok=True)
    files = [open(path, "wb") for path in paths(folder)]
    for first in range(0, samples, PIECE):
        voltages = sky.read(min(PIECE, samples - first))
        words = quantize(voltages, "mwa16", level).data.view("<u2")
        words = words.reshape(-1, RECEIVERS, INPUTS)
        for k, file in enumerate(files):
            file.write(groups(words[:, k], first).tobytes())
    for file in files:
        file.close()


def connected(address):
    """A socket to the flowgraph; waits half a minute for it to listen."""
    for _ in range(300):
        try:
            return socket.create_connection(address)
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise SystemExit(f"mwa32t_receivers: nobody listens on {address[0]}:{address[1]}")


def send(folder, host, port, speed):
    """Sends the recordings to ports `port` ... `port` + 3 until the connections are closed."""
    words = [np.fromfile(path, "<u2").reshape(-1, 1 + INPUTS)[:, 1:] for path in paths(folder)]
    sockets = [connected((host, port + k)) for k in range(RECEIVERS)]
    began, sent = time.monotonic(), 0
    while True:
        for start in range(0, len(words[0]) - PIECE + 1, PIECE):
            for k, connection in enumerate(sockets):
                connection.sendall(groups(words[k][start:start + PIECE], sent).tobytes())
            sent += PIECE
            ahead = began + sent / (speed * obs.sample_rate) - time.monotonic()
            time.sleep(max(0.0, ahead))


def main():
    """Records or sends."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("record", "send"))
    parser.add_argument("--folder", default="mwa32t")
    parser.add_argument("--seconds", type=float, default=0.2, help="to record")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=5001, help="of the first receiver")
    parser.add_argument("--speed", type=float, default=0.1, help="1 is as fast as the sky")
    args = parser.parse_args()
    if args.action == "record":
        record(args.folder, round(args.seconds * obs.sample_rate))
        return
    try:
        send(args.folder, args.host, args.port, args.speed)
    except (ConnectionResetError, BrokenPipeError, KeyboardInterrupt):
        pass  # the flowgraph has ended


if __name__ == "__main__":
    main()
