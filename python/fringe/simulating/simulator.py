#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A sky of point sources over an array: voltages with exact broadband delays."""

import collections
import os

import numpy as np

from ..fringe_python import delays, observation, source_direction
from ..ground.new_file import new_file
from ..observing.phase_centers import moves_over_the_array
from ..ground.quantize import RAW_FORMATS, default_level, quantize, raw_format_by_name
from .received import received_power

FRAME = 1 << 14  # samples: its spectra fit into a core's cache
HOP = FRAME // 2
COLUMNS = 128  # a phase ramp is the outer product of two short ones
SPEED_OF_LIGHT = 299792458.0
SKY, RECEIVER = 0, 1  # kinds of noise, for the seeds

simulated = collections.namedtuple("simulated", "path samples level clipped")


class simulator:
    """The voltages of every input of an observation.

    Each source sends band-limited Gaussian noise s(t) of power `flux`, and input i hears

        v_i(t) = g_i exp(i phase_i) s(t - tau_i) exp(-2 pi i f_LO tau_i) + receiver noise,
        tau_i = -(r_i - r_0).s/c + cable_delay_i

    evaluated exactly: s is a sum of half-overlapping frames w(t) n(t) of periodic noise n
    given by its Fourier series, w^2 adding up to one; so n and w are known at every t - tau,
    every frequency gets its own phase, and nothing is interpolated. Directions are taken at
    each frame's middle: sources move with the sky.

    Complex samples are centered on center_frequency (f_LO); real ones are sqrt(2) Re of the
    band f_LO ... f_LO + fs/2, f_LO = center_frequency - fs/4, so that a source's power is its
    flux in both. Two polarizations hear independent noise of the same power. An inverted
    input or the lower sideband has its spectrum mirrored, last of all. Receiver noise is white
    and multiplied by the gain too.

    The stream depends on the observation and the seed alone, not on how it is cut into reads.

    obs: needs sample_rate; and start_time, where the phase center is given by right
    ascension and declination. complex_samples: complex64, else float32. seed: not negative.
    beam: a primary beam of beam_of() by which all antennas receive the sources: the fluxes of X
    and of Y are multiplied by its power, in the middle of the band; None: 1.
    Raises ValueError where the observation does not fit together.
    """

    def __init__(self, obs, complex_samples=True, seed=1, beam=None):
        obs = observation(obs)
        obs.check()
        if obs.sample_rate <= 0:
            raise ValueError("simulator: the observation has no sample_rate; it must be given "
                             "in Hz")
        if moves_over_the_array(obs) and not obs.has_start_time:
            raise ValueError("simulator: the observation has no start_time; a phase center in "
                             "right ascension and declination, or one of the solar system, needs "
                             "it")
        if int(seed) != seed or seed < 0:
            raise ValueError(f"simulator: seed {seed}; it must be a whole number, not negative")
        self.observation = obs
        self.complex_samples = bool(complex_samples)
        self.samples_read = 0
        self._seed, self._beam = int(seed), beam
        self._rate = obs.sample_rate
        self._lo = obs.center_frequency - (0 if complex_samples else obs.sample_rate / 4)
        self._mirrored = np.flatnonzero(obs.conjugated())
        self._inputs = obs.inputs
        self._antenna = np.array([i.antenna for i in self._inputs])
        self._cable = np.array([i.cable_delay for i in self._inputs])
        self._gain = np.array([i.gain for i in self._inputs])
        self._receiver = self._gain * np.exp(1j * np.radians([i.phase for i in self._inputs]))
        self._prepare_frames()

    def _prepare_frames(self):
        itrf = np.array([a.itrf for a in self.observation.antennas])
        reach = np.max(np.linalg.norm(itrf - itrf[0], axis=1)) / SPEED_OF_LIGHT
        # No delay in samples ever lies outside earliest ... latest.
        self._earliest = int(np.floor((self._cable.min() - reach) * self._rate)) - 1
        self._latest = int(np.ceil((self._cable.max() + reach) * self._rate)) + 1
        self._next_frame = -((FRAME + self._latest) // HOP) - 1
        self._next_hop = 0
        length = FRAME + HOP + self._latest - self._earliest
        self._dtype = np.complex64 if self.complex_samples else np.float32
        self._sum = np.zeros((len(self._inputs), length), self._dtype)
        self._ready = self._sum[:, :0]
        x = np.pi * np.arange(FRAME) / FRAME
        self._sine, self._cosine = np.sin(x), np.cos(x)
        # Frequencies in cycles per frame, split into rows and columns.
        self._columns = np.arange(COLUMNS)
        self._rows = np.arange(0, FRAME if self.complex_samples else HOP, COLUMNS)
        self._rows[self._rows >= HOP] -= FRAME

    def power(self):
        """Mean power of the strongest input at the start, gain included."""
        obs = self.observation
        power = np.full(len(self._inputs), obs.receiver_noise)
        for source in obs.sky:
            _, received = self._source(source, obs.start_time)
            power += [source.flux * received[i.polarization] for i in self._inputs]
        return float(np.max(self._gain ** 2 * power))

    def _source(self, source, instant):
        """Its direction, and the part of its flux that polarizations receive."""
        direction = source_direction(self.observation, source, instant)
        return direction, received_power(self._beam, self.observation, direction, instant)

    def read(self, samples):
        """The next samples of every input: [input][time], complex64 or float32."""
        out = np.empty((len(self._inputs), samples), self._dtype)
        filled = 0
        while filled < samples:
            if self._ready.shape[1] == 0:
                self._ready = self._next_block()
            n = min(samples - filled, self._ready.shape[1])
            out[:, filled:filled + n] = self._ready[:, :n]
            self._ready = self._ready[:, n:]
            filled += n
        self.samples_read += samples
        return out

    def _random(self, count, *key):
        # A generator for every frame of every source: any frame can be made alone.
        seeds = np.random.SeedSequence(self._seed, spawn_key=key)
        generator = np.random.Generator(np.random.SFC64(seeds))
        return generator.standard_normal(count, dtype=np.float32)

    def _next_block(self):
        """HOP finished samples of every input."""
        while self._next_frame * HOP + self._earliest < (self._next_hop + 1) * HOP:
            self._add_frame(self._next_frame)
            self._next_frame += 1
        block = self._sum[:, :HOP].copy()
        self._sum[:, :-HOP] = self._sum[:, HOP:]
        self._sum[:, -HOP:] = 0
        self._add_noise(block)
        if self.complex_samples:
            block[self._mirrored] = block[self._mirrored].conj()
        else:  # (-1)^n mirrors the positive half of a real spectrum; HOP is even
            block[np.ix_(self._mirrored, np.arange(1, HOP, 2))] *= -1
        self._next_hop += 1
        return block

    def _add_noise(self, block):
        parts = 2 if self.complex_samples else 1
        noise = self._random((len(block), HOP * parts), RECEIVER, self._next_hop)
        scale = self._gain * np.sqrt(self.observation.receiver_noise / parts)
        block += noise.view(self._dtype) * scale.astype(np.float32)[:, None]

    def _add_frame(self, frame):
        obs = self.observation
        middle = obs.start_time.plus_samples(max(frame * HOP + HOP, 0), self._rate)
        for number, source in enumerate(obs.sky):
            direction, received = self._source(source, middle)
            tau = delays(obs, direction)[self._antenna] + self._cable
            for polarization in sorted({i.polarization for i in self._inputs}):
                # Frames before the recording have negative numbers, and seeds have not.
                key = (SKY, number, ord(polarization), frame + (1 << 40))
                spectrum = self._spectrum(source.flux * received[polarization], key)
                for i, delay in enumerate(tau):
                    if self._inputs[i].polarization == polarization:
                        self._add_delayed(i, frame, delay, spectrum)

    def _spectrum(self, flux, key):
        """Fourier coefficients of a frame of noise, as numpy's ifft or irfft takes them."""
        bins = FRAME if self.complex_samples else HOP
        c = self._random(2 * bins, *key).view(np.complex64) * np.float32(np.sqrt(flux * HOP))
        if not self.complex_samples:
            c[0] = 0  # a real signal has no phase there
        return c.reshape(-1, COLUMNS)

    def _add_delayed(self, i, frame, delay, spectrum):
        shift = delay * self._rate
        whole = int(np.ceil(shift))
        early = whole - shift  # 0 ... 1: the series is evaluated at n + early
        turn = 2j * np.pi * early / FRAME
        carrier = np.exp(-2j * np.pi * np.remainder(self._lo * delay, 1.0)) * self._receiver[i]
        rows = (carrier * np.exp(turn * self._rows)).astype(np.complex64)
        ramp = rows[:, None] * np.exp(turn * self._columns).astype(np.complex64)
        ramp *= spectrum
        if self.complex_samples:
            noise = np.fft.ifft(ramp.reshape(-1))
        else:
            noise = np.fft.irfft(ramp.reshape(-1), FRAME)
        angle = np.pi * early / FRAME
        noise *= self._sine * np.cos(angle) + self._cosine * np.sin(angle)
        first = (frame - self._next_hop) * HOP + whole
        skipped = max(0, -first)  # what lies before the first sample
        if skipped < FRAME:
            self._sum[i, first + skipped:first + FRAME] += noise[skipped:].astype(self._dtype)


def by_stream(obs, voltages):
    """Voltages [input][time] in the order of the recording: [stream][time].

    Streams that belong to no input are zero.
    """
    streams = obs.streams()
    out = np.zeros((max(streams) + 1, voltages.shape[1]), voltages.dtype)
    out[streams] = voltages
    return out


def simulate(obs, path, samples, format=None, seed=1, level=None, overwrite=False,
             progress=None, beam=None):
    """Writes a recording of the simulated sky, and its observation beside it.

    obs: an observation, or the path of an observation file.
    path: the recording, [time][stream] in a headerless format (see quantize); path + '.yml' is
    the observation file, with the format and, as a remark, level and seed. Both are written
    as new_file does it. samples: of each stream. format: None takes the observation's, or else
    the one that the ending of the path names. level: factor from voltages to the numbers of the
    format, None for the default, so a source's visibility is measured as level^2 * flux.
    progress(done): called with the number of samples written so far. beam: a primary beam of
    beam_of(), as simulator() has it.

    Returns (path, samples, level, clipped). Raises ValueError for wrong arguments,
    FileExistsError where a file is in the way and overwrite is false, OSError or RuntimeError
    where it cannot be written.
    """
    if isinstance(obs, (str, os.PathLike)):
        obs = observation.from_file(os.fspath(obs))
    ending = os.path.splitext(os.fspath(path))[1][1:]
    format = format or obs.format or (ending if ending in RAW_FORMATS else "")
    if not format:
        raise ValueError(f"simulate: format: not given, and neither the observation nor the "
                         f"ending of {os.fspath(path)} says one; it must be one of "
                         f"{', '.join(RAW_FORMATS)}")
    fmt = raw_format_by_name(format)
    if int(samples) != samples or samples <= 0:
        raise ValueError(f"simulate: samples {samples}; it must be a positive whole number")
    if level is not None and not 0 < level < np.inf:
        raise ValueError(f"simulate: level {level}; it must be positive")
    path = os.fspath(path)
    for name in (path, path + ".yml"):
        if os.path.lexists(name) and not overwrite:
            raise FileExistsError(f"{name} exists already; it is replaced only when asked to")
    sky = simulator(obs, fmt.is_complex, seed, beam)
    level = default_level(format, sky.power()) if level is None else float(level)
    with new_file(path, overwrite) as file, new_file(path + ".yml", overwrite, True) as side:
        clipped = _write_samples(file, sky, int(samples), format, level, progress)
        side.write(_described(sky.observation, format, seed, level, beam))
    return simulated(path, int(samples), level, clipped)


def _write_samples(file, sky, samples, format, level, progress):
    clipped = done = 0
    while done < samples:
        n = min(HOP, samples - done)
        block = quantize(by_stream(sky.observation, sky.read(n)), format, level)
        file.write(block.data)
        clipped += block.clipped
        done += n
        if progress is not None:
            progress(done)
    return clipped


def _described(obs, format, seed, level, beam):
    described = observation(obs)
    described.format = format
    return (f"# Simulated with seed {seed}. Voltages were multiplied by level = {level!r},\n"
            f"# so a source's visibility is level^2 flux = {level ** 2!r} flux"
            + ("" if beam is None else f"\n# times the primary beam, {beam.words}") + ".\n"
            + described.to_text())
