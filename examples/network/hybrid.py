#!/usr/bin/env python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A hybrid correlator on one computer: two F-engines send spectra as UDP packets to two X-engines,
each of which correlates half of the channels. Then the two files are joined, and compared with a
direct correlation of the same voltages.

    python3 hybrid.py FOLDER

The four processes have a network namespace each, joined by a bridge, if you are root; otherwise
they use ports of the loopback interface. docs/hybrid.md has the same for several hosts.
"""
import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pmt
from gnuradio import fringe, gr

CHANNELS, RATE, CENTER = 64, 65536, 150e6
HALF, BLOCK = CHANNELS // 2, 128  # channels of an X-engine, spectra of an item
SPECTRA, DUMP = 32, 512  # of a packet, of a dump
TAPS = 4
START = "2026-06-12T22:00:00Z"  # of the simulated voltages
SECONDS = 2.5  # that are correlated
WINDOW = 1  # seconds that one F-engine may be behind the other
PORT = 7148
TIMEOUT = 100  # seconds after which a process that does not end is given up
GAIN = 0.4  # of the requantizer

OBSERVATION = f"""
telescope: hybrid
site: {{latitude: -30.7, longitude: 21.4, height: 1050}}
antennas: [[0, 0, 0], [14, 2, 0]]
inputs:
  - {{antenna: ant0, polarization: X}}
  - {{antenna: ant0, polarization: Y}}
  - {{antenna: ant1, polarization: X}}
  - {{antenna: ant1, polarization: Y}}
format: ci8
sample_rate: {RATE}
center_frequency: {CENTER}
start_time: {START}
channels: {CHANNELS}
integration: {DUMP * CHANNELS / RATE}
sky:
  sources:
    - {{name: one, l: 0.2, m: 0.1, flux: 1}}
"""


class digitizer_clock(gr.sync_block):
    """Lets an item pass when a digitizer would have taken its samples: item k ends at `start` +
    (k + 1) x `seconds`. So F-engines with the same start stay together, and one that starts later
    has the time of the others."""

    def __init__(self, item_bytes, start, seconds, first):
        item = [(np.uint8, (item_bytes,))]
        gr.sync_block.__init__(self, "digitizer_clock", item, item)
        self.begin, self.seconds, self.first, self.next = start, seconds, first, first

    def work(self, input_items, output_items):
        self.next += 1
        wait = self.begin + self.next * self.seconds - time.time()
        if wait > 0:
            time.sleep(min(wait, TIMEOUT))
        if self.next == self.first + 1:
            print(f"begins {self.first * self.seconds:g} s behind the start", flush=True)
        output_items[0][0] = input_items[0][0]
        return 1


def channelized(path, inputs, first=0, clock=None):
    """A flowgraph, and its channelizer: spectra of a recording from item `first` on, as fast as
    can be or as fast as a digitizer that began at `clock`."""
    flowgraph = gr.top_block()
    samples = BLOCK * CHANNELS
    stages = [fringe.file_source([path], "ci8", inputs, samples, RATE, CENTER, START,
                                 [first * samples])]
    if clock is not None:
        stages.append(digitizer_clock(2 * inputs * samples, clock, samples / RATE, first))
    stages += [fringe.unpack("ci8", inputs, samples),
               fringe.channelizer(inputs, CHANNELS, BLOCK, component="i8", taps=TAPS,
                                  requantize="8", gains=[GAIN] * inputs)]
    flowgraph.connect(*stages)
    flowgraph.stages = stages  # which keeps the Python block alive
    return flowgraph, stages[-1]


def f_engine(folder, number, start, addresses):
    """Sends the spectra of the two inputs of an antenna to both X-engines. The first sample was
    taken at `start`; what was taken before now is not sent."""
    first = max(0, int(np.ceil((time.time() - start) * RATE / CHANNELS / BLOCK)))
    flowgraph, channelizer = channelized(os.path.join(folder, f"f{number}.ci8"), 2, first, start)
    sink = fringe.packet_sink(addresses, 2, CHANNELS, BLOCK, "spead", "8", spectra=SPECTRA,
                              first_input=2 * number, all_inputs=4, sync_time=START, speed=2)
    flowgraph.connect(channelizer, sink)
    flowgraph.run()


def f_command(folder, number, start, addresses):
    """The command of an F-engine."""
    return [sys.executable, os.path.realpath(__file__), folder, "--f", str(number), "--start",
            str(start), "--to", *addresses]


def x_command(folder, number, address, seconds=SECONDS):
    """The command of an X-engine: half of the channels of all inputs to a file."""
    url = (f"udp://{address}?preset=spead&inputs=4&channels={HALF}&first_channel={number * HALF}"
           f"&packet_channels={HALF}&spectra={SPECTRA}&sample_rate={RATE}&points={CHANNELS}"
           f"&channel_zero={CENTER - RATE / 2}&sync_time={START}&wraps=0"
           f"&window={WINDOW}&buffer={3 * WINDOW}")
    output = os.path.join(folder, f"x{number}")
    return [*os.environ.get("FRINGE", "fringe").split(), "correlate", "--live", url,
            "--obs", output + ".yml", "--overwrite", "--quiet", "-o", output + ".uvh5",
            *(["--seconds", str(seconds)] if seconds else []), *["--keep-edge"] * number]


def observation_of(number):
    """The observation of an X-engine: its half of the band."""
    band = fringe.observation.from_text(OBSERVATION)
    band.channels, band.sample_rate = HALF, RATE / 2
    band.center_frequency = CENTER - RATE / 2 + (number + 0.5) * RATE / 2
    return band


def prepare(folder, seconds=SECONDS + 2 * WINDOW):
    """A simulated sky, as a recording of each antenna, and the observation of each band."""
    # The X-engines need a window more to know that nothing of the last dump is still to come.
    sky = os.path.join(folder, "sky.ci8")
    fringe.simulate(fringe.observation.from_text(OBSERVATION), sky, int(seconds * RATE),
                    overwrite=True)
    samples = np.fromfile(sky, np.int8).reshape(-1, 4, 2)
    for number in range(2):
        samples[:, 2 * number:2 * number + 2].tofile(os.path.join(folder, f"f{number}.ci8"))
    write_observations(folder)


def write_observations(folder):
    for number in range(2):
        with open(os.path.join(folder, f"x{number}.yml"), "w", encoding="utf-8") as file:
            file.write(observation_of(number).to_text())


class hosts:
    """Where F0, F1, X0 and X1 run: `enter` are the words before a command, `address` is where
    the X-engines listen. Network namespaces on a bridge, or this computer's loopback."""

    NAMES = ("f0", "f1", "x0", "x1")

    def __init__(self, stack, namespaces=True):
        self.enter = {name: [] for name in self.NAMES}
        self.separate = namespaces and self._bridge(stack)
        if self.separate:
            self.address = {f"x{k}": f"10.77.0.{3 + k}:{PORT}" for k in range(2)}
        else:
            self.address = {f"x{k}": f"127.0.0.1:{port}" for k, port in enumerate(free_ports(2))}

    def _bridge(self, stack):
        """Whether there are namespaces now. The bridge has one of its own, too, so that the network
        of this computer stays as it is; all of it goes when `stack` is left."""
        prefix = f"hybrid{os.getpid()}"
        switch = prefix + "switch"
        try:
            with contextlib.ExitStack() as made:
                for name in ("switch", *self.NAMES):
                    made.callback(self._ip, "netns", "del", prefix + name, check=False)
                    self._ip("netns", "add", prefix + name)
                self._ip("-n", switch, "link", "add", "bridge0", "mtu", "9000", "type", "bridge")
                self._ip("-n", switch, "link", "set", "bridge0", "up")
                for k, name in enumerate(self.NAMES):
                    self._join(prefix + name, switch, name, f"10.77.0.{1 + k}/24")
                stack.push(made.pop_all())
        except (OSError, subprocess.SubprocessError):
            return False
        self.enter = {name: ["ip", "netns", "exec", prefix + name] for name in self.NAMES}
        return True

    def _join(self, namespace, switch, name, address):
        """A cable from a host to the bridge."""
        self._ip("link", "add", "eth0", "mtu", "9000", "netns", namespace, "type", "veth",
                 "peer", "name", name, "mtu", "9000", "netns", switch)
        self._ip("-n", switch, "link", "set", name, "master", "bridge0", "up")
        self._ip("-n", namespace, "addr", "add", address, "dev", "eth0")
        for link in ("lo", "eth0"):
            self._ip("-n", namespace, "link", "set", link, "up")

    @staticmethod
    def _ip(*words, check=True):
        subprocess.run(["ip", *words], check=check, capture_output=True, timeout=TIMEOUT)


def free_ports(count):
    """Ports of the loopback interface that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                   for _ in range(count)]
        for bound in sockets:
            bound.bind(("127.0.0.1", 0))
        return [bound.getsockname()[1] for bound in sockets]


class processes:
    """The running processes of the correlator by their names; they are killed when it is left. What
    they say is in f0.log, f1.log, x0.log and x1.log."""

    def __init__(self, folder, where, seconds=SECONDS):
        self.folder, self.where, self.seconds = folder, where, seconds
        self.running, self.start = {}, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running.values():
            process.kill()
            process.wait()

    def log(self, name):
        """What a process has said."""
        with open(os.path.join(self.folder, f"{name}.log"), encoding="utf-8") as file:
            return file.read()

    def _launch(self, name, command):
        with open(os.path.join(self.folder, f"{name}.log"), "w", encoding="utf-8") as log:
            self.running[name] = subprocess.Popen(self.where.enter[name] + command, stdout=log,
                                                  stderr=subprocess.STDOUT)

    def start_x(self):
        """Starts the X-engines, and waits until they listen. Returns how many seconds that took."""
        before = time.monotonic()
        for number in range(2):
            name = f"x{number}"
            self._launch(name, x_command(self.folder, number, self.where.address[name],
                                         self.seconds))
        for name in ("x0", "x1"):
            self._wait_until_listening(name)
        return time.monotonic() - before

    def _wait_until_listening(self, name):
        """Returns when the network of a process has a socket with its port."""
        process, address = self.running[name], self.where.address[name]
        port = f":{int(address.rpartition(':')[2]):04X}"
        for _ in range(10 * TIMEOUT):
            if process.poll() is not None:
                break
            with open(f"/proc/{process.pid}/net/udp", encoding="ascii") as file:
                if any(line.split()[1].endswith(port) for line in file):
                    return
            time.sleep(0.1)
        raise SystemExit(f"hybrid.py: {name} does not listen at {address}:\n{self.log(name)}")

    def start_f(self, number):
        """Starts an F-engine, for the first time or again."""
        addresses = [self.where.address[f"x{k}"] for k in range(2)]
        self._launch(f"f{number}", f_command(self.folder, number, self.start, addresses))

    def wait(self, name, timeout=TIMEOUT):
        """Waits for the end of a process, and raises SystemExit where it has failed."""
        try:
            code = self.running[name].wait(timeout)
        except subprocess.TimeoutExpired:
            code = f"no end within {timeout} s"
        if code not in (0, 130):
            raise SystemExit(f"hybrid.py: {name} failed ({code}):\n{self.log(name)}")

    def stop_x(self, timeout=0):
        """Waits for the X-engines; those that run on are stopped as by Ctrl-C, which write what
        they have."""
        for name in ("x0", "x1"):
            try:
                self.running[name].wait(timeout)
            except subprocess.TimeoutExpired:
                self.running[name].send_signal(signal.SIGINT)
            self.wait(name)


def run(folder, where):
    """All processes from start to end, and one file of the whole band."""
    with processes(folder, where) as correlator:
        took = correlator.start_x()
        # An F-engine is there about as fast as an X-engine, also on a busy computer.
        correlator.start = int(np.ceil(time.time() + took)) + 2
        for number in range(2):
            correlator.start_f(number)
        for name in ("f0", "f1"):
            correlator.wait(name)
        correlator.stop_x(timeout=5)
    join(folder)


def join(folder):
    """One file of the whole band."""
    parts = [os.path.join(folder, name) for name in ("x0.uvh5", "x1.uvh5")]
    # Where packets were lost, the files may begin and end with other dumps.
    subprocess.run([*os.environ.get("FRINGE", "fringe").split(), "join", *parts, "--common-times",
                    "--overwrite", "-o", os.path.join(folder, "joined.uvh5")], check=True,
                   timeout=TIMEOUT)


class recorder(gr.sync_block):
    """Keeps items of spectra, and how many spectra each of them holds."""

    def __init__(self, item_bytes):
        gr.sync_block.__init__(self, "recorder", [(np.uint8, (item_bytes,))], [])
        self.items, self.counts = [], {}

    def work(self, input_items, output_items):
        for tag in self.get_tags_in_window(0, 0, len(input_items[0])):
            if pmt.symbol_to_string(tag.key) == "spectra":
                self.counts[tag.offset] = pmt.to_uint64(tag.value)
        self.items += list(np.array(input_items[0]))
        return len(input_items[0])


def direct_spectra(folder):
    """Spectra [time][channel][input] of all inputs, complex: the integers of the F-engines."""
    flowgraph, channelizer = channelized(os.path.join(folder, "sky.ci8"), 4)
    sink = recorder(2 * 4 * CHANNELS * BLOCK)
    flowgraph.connect(channelizer, sink)
    flowgraph.run()
    values = np.array(sink.items).view(np.int8).reshape(-1, CHANNELS, 4, BLOCK, 2)
    # An item may hold fewer spectra than it has room for, as the first one does.
    values = np.concatenate([item[:, :, :sink.counts.get(k, BLOCK)]
                             for k, item in enumerate(values)],
                            axis=2, dtype=float).transpose(2, 0, 1, 3)
    return values[..., 0] + 1j * values[..., 1]


def compare(folder):
    """Compares every visibility of which all spectra came with the mean over the products of the
    spectra, and says the result. Returns whether they agree."""
    vis = fringe.read_visibilities(os.path.join(folder, "joined.uvh5"))
    spectra = direct_spectra(folder)
    i, j = vis.products
    lengths = np.round(vis.intervals * RATE / CHANNELS).astype(int)
    since = (vis.times - np.datetime64(START[:-1])) / np.timedelta64(1, "s")
    # The first spectrum has TAPS transforms of samples, and the time of the middle of them.
    firsts = np.round((since - vis.intervals / 2) * RATE / CHANNELS - (TAPS - 1) / 2).astype(int)
    sums = np.array([(spectra[n:n + length, :, i] * spectra[n:n + length, :, j].conj()).sum(0)
                     for n, length in zip(firsts, lengths)])
    lengths = lengths[:, None, None]
    # The file is phased to the zenith; of two inputs of an antenna that changes nothing.
    w = vis.uvw[:, [antenna for antenna, _ in vis.inputs], 2]
    turns = (w[:, i] - w[:, j])[:, None] * vis.frequencies[:, None] / 299792458
    direct = sums / lengths * np.exp(-2j * np.pi * turns)
    whole = vis.weights == 1
    print(f"{len(vis.seconds)} dumps x {CHANNELS} channels x {len(i)} products, "
          f"{100 * np.mean(whole):.1f} % of them without a lost packet")
    if not whole.any(axis=0).all():
        print("too many packets were lost for a comparison")
        return False
    error = np.abs(vis.data - direct)[whole].max() / np.abs(direct[whole]).max()
    within = whole & (i // 2 == j // 2)
    same = np.rint(vis.data * lengths)[within] == sums[within]
    agrees = bool(error < 1e-6 and same.all())
    print(f"{'agrees with' if agrees else 'differs from'} the direct correlation: greatest "
          f"difference {error:.1e}; within an antenna {100 * same.mean():.6g} % of the sums are "
          "the same integers")
    return agrees


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="for all files; it is made")
    parser.add_argument("--loopback", action="store_true", help="no network namespaces")
    parser.add_argument("--prepare", type=float, metavar="SECONDS",
                        help="only make the recordings, so long (for hybrid_f.grc)")
    parser.add_argument("--join", action="store_true",
                        help="only join and compare the files (of hybrid_x.grc)")
    parser.add_argument("--f", type=int, choices=(0, 1), help="be this F-engine")
    parser.add_argument("--start", type=float, help="of it: UNIX time of the first sample")
    parser.add_argument("--to", nargs="+", help="of it: host:port of the X-engines, by channels")
    options = parser.parse_args()
    if options.f is not None:
        f_engine(options.folder, options.f, options.start, options.to)
        return 0
    os.makedirs(options.folder, exist_ok=True)
    if options.prepare:
        prepare(options.folder, options.prepare)
        return 0
    if options.join:
        join(options.folder)
        return 0 if compare(options.folder) else 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    prepare(options.folder)
    with contextlib.ExitStack() as stack:
        where = hosts(stack, not options.loopback)
        print("F0, F1, X0 and X1 " + (
            "have a network namespace each, joined by a bridge" if where.separate else
            "use loopback ports" + ("" if options.loopback else " (network namespaces need root)")),
              flush=True)
        run(options.folder, where)
    return 0 if compare(options.folder) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
