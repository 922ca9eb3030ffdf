# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets that are sent for ever, what is right of them, and a clock that can be moved."""
import contextlib
import os
import socket
import subprocess
import threading
import time

import numpy as np
from gnuradio import fringe
from qa_packets import mwa

GPS = 1400000000
RATE, SAMPLES = 1.28e6, 2048  # of MWA's packets
SLOTS = int(RATE) // SAMPLES  # packets a second
OUTPUTS = (".uvh5", ".ms")


@contextlib.contextmanager
def sending():
    """Sends packets of two inputs, which are the same at all times, to a free port; gives the words
    that receive them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    over, samples = threading.Event(), _samples()

    def send():
        number, began = 0, time.monotonic()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            while not over.is_set():
                if number > (time.monotonic() - began) * SLOTS:
                    time.sleep(0.004)
                    continue
                for k in range(2):
                    packet = mwa(k, GPS + number // SLOTS, number % SLOTS, samples[k])
                    with contextlib.suppress(ConnectionRefusedError):  # nobody listens yet
                        sender.sendto(packet, ("127.0.0.1", port))
                number += 1

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield ["--live", f"udp://127.0.0.1:{port}?preset=mwa&inputs=2&gps_leap_seconds=18"
               "&window=0.2", "--center-frequency", "150e6", "--channels", "32", "--taps", "1",
               "--window", "rectangular", "--spectra", "640"]
    finally:
        over.set()
        sender.join()


def _samples():
    return np.random.default_rng(3).integers(-50, 50, (2, SAMPLES, 2)).astype(np.int8)


def expected():
    """[channel] of the cross-correlation of what is sent: its mean over a packet."""
    samples = _samples().astype(float)
    x = samples[..., 0] + 1j * samples[..., 1]
    spectra = np.fft.fftshift(np.fft.fft(x.reshape(2, -1, 32)), axes=-1)
    return (spectra[0] * spectra[1].conj()).mean(0) / 32


def checked_live(folder):
    """{name: dumps} of what is left of a live run; AssertionError where it is not what was sent."""
    found = {}
    for name in sorted(os.listdir(folder)):
        stem, ending = os.path.splitext(name)
        if ending == ".writing" or name == "offset":
            continue
        if ending not in OUTPUTS or stem not in ("x", "x.partial"):
            raise AssertionError(f"{name}: what is that?")
        whole = stem == "x"
        path = os.path.join(folder, name)
        try:
            vis = fringe.read_visibilities(path)
        except ValueError as error:
            if whole or "\n" in str(error) or path not in str(error):
                raise
            found[name] = None
            continue
        good = vis.weights[:, 1:, 1] == 1
        good[-1] = False  # it may end inside of a packet, as those beside a pause of the sender may
        steps = np.diff(np.asarray(vis.times).astype("datetime64[ns]").astype(np.int64))
        if len(steps):
            pauses = np.flatnonzero(np.abs(steps / np.median(steps) - 1) > 1e-3)
            good[pauses] = good[pauses + 1] = False
        data = np.abs(vis.data[:, 1:, 1] / expected()[1:] - 1)
        if (data[good] > 1e-3).any():
            raise AssertionError(f"{name}: values that nobody sent")
        if (np.diff(vis.times) <= np.timedelta64(0)).any():
            raise AssertionError(f"{name}: times do not ascend: {vis.times}")
        found[name] = len(vis.data)
    return found


class _clock:
    """A library that moves what programs take for the time of day."""
    source = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset(void)
{
    static volatile long* page;
    if (!page) {
        const char* name = getenv("TORTURE_CLOCK");
        const int file = name ? open(name, O_RDONLY) : -1;
        void* at = mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
        close(file);
        if (at == MAP_FAILED) return 0;
        page = at;
    }
    return *page;
}
int clock_gettime(clockid_t which, struct timespec* to)
{
    const int failed = (int)syscall(SYS_clock_gettime, which, to);
    if (!failed && which == CLOCK_REALTIME) to->tv_sec += offset();
    return failed;
}
time_t time(time_t* to)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(struct timeval* restrict to, void* restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    to->tv_sec = now.tv_sec;
    to->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""

    def __init__(self):
        self._lock = threading.Lock()

    def library(self, folder):
        """Its path; it is compiled when it is needed first."""
        path = os.path.join(folder, "clock.so")
        with self._lock:
            if not os.path.exists(path):
                subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", path],
                               input=self.source, text=True, check=True)
        return path


CLOCK = _clock()
