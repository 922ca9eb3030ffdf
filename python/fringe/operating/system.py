#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the system knows of this process: threads, memory, packets that wait in the kernel. All of
it is read when it is asked for (proc(5))."""
import glob
import os
import time

from .. import fringe_python as fp

PAGE, TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
NANO = 1e-9


def _words(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().split()


def _socket_bytes(ports):
    """{port: bytes that wait in the kernel} of UDP sockets."""
    waiting = {}
    for path in ("/proc/net/udp", "/proc/net/udp6"):
        try:
            with open(path, encoding="ascii") as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except OSError:  # no IPv6
            continue
        for row in rows:
            port = int(row[1].rpartition(":")[2], 16)
            if port in ports:
                waiting[port] = waiting.get(port, 0) + int(row[4].partition(":")[2], 16)
    return waiting


def socket_samples(ports):
    """(name, labels, value) of UDP ports that are received on."""
    for port, waiting in _socket_bytes(set(ports)).items():
        yield "fringe_socket_waiting_bytes", {"port": str(port)}, waiting


def edges_of(flowgraph):
    """The text of a flowgraph's edges. GNU Radio reads them without a lock: to be asked for while
    nobody changes the flowgraph."""
    edges = getattr(flowgraph, "edge_list", None)
    return edges() if edges else ""


def buffer_samples(edges):
    """(name, labels, value) of the buffers between blocks that run, by edges_of()."""
    for fill in fp._buffer_fills(edges):
        labels = {"from": fill.from_, "to": fill.to}
        yield "fringe_buffer_fill_ratio", labels, fill.waiting / max(fill.room, 1)
        yield "fringe_buffer_items_total", labels, fill.taken


def kernel_samples(edges):
    """(name, labels, value) of the kernels of blocks on GPUs that run, by edges_of()."""
    for name, seconds in fp._kernel_seconds(edges):
        yield "fringe_gpu_kernel_seconds_total", {"block": name}, seconds


def ring_samples(block):
    """(name, labels, value) of a buffer that a block has for itself: that of packets, of files."""
    if callable(getattr(block, "fill", None)):
        waiting, room = block.fill()
        its = block.alias()
        labels = ({"from": its, "to": "files"} if hasattr(block, "files") else
                  {"from": "network", "to": its})
        yield "fringe_buffer_fill_ratio", labels, waiting / max(room, 1)
    if callable(getattr(block, "ports", None)):
        yield from socket_samples(block.ports())


def in_order(samples):
    """Fills of buffers in the order in which the data pass them, for those who ask which is the
    last full one."""
    pairs = [[labels[end].partition(":")[0] for end in ("from", "to")] for _, labels, _ in samples]
    depths = {name: 0 for pair in pairs for name in pair}
    for _ in pairs:  # no way is longer
        for before, other in pairs:
            depths[other] = max(depths[other], min(depths[before] + 1, len(pairs)))
    return [sample for _, sample in sorted(zip(pairs, samples), key=lambda row: (
        depths[row[0][0]], depths[row[0][1]]))]


def thread_samples():
    """(name, labels, value) of the threads of this process, by their names."""
    times = {}
    for folder in glob.glob("/proc/self/task/*"):
        try:
            with open(f"{folder}/comm", encoding="utf-8", errors="replace") as file:
                name = file.read().strip()
            used, waited = map(int, _words(f"{folder}/schedstat")[:2])
        except (OSError, ValueError):  # it has ended, or the kernel does not count
            continue
        before = times.get(name, (0, 0))
        times[name] = before[0] + used, before[1] + waited
    for name, (used, waited) in sorted(times.items()):
        yield "fringe_thread_cpu_seconds_total", {"thread": name}, NANO * used
        yield "fringe_thread_wait_seconds_total", {"thread": name}, NANO * waited


def process_samples():
    """(name, labels, value) of this process."""
    yield "process_cpu_seconds_total", {}, time.process_time()
    yield "process_resident_memory_bytes", {}, PAGE * int(_words("/proc/self/statm")[1])
    yield "process_open_fds", {}, len(os.listdir("/proc/self/fd"))
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        began = int(file.read().rpartition(")")[2].split()[19]) / TICKS
    with open("/proc/stat", encoding="ascii") as file:
        boot = next(int(line.split()[1]) for line in file if line.startswith("btime"))
    yield "process_start_time_seconds", {}, boot + began
