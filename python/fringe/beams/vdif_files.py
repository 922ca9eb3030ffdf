#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Voltages of beams in VDIF files: of each channel, or of the whole band again."""
import numpy as np

from ..receiving.vdif_frames import vdif_frames, vdif_writer
from .direction_files import direction_files
from .few_bits import LEVELS, codes_of, packed
from .inverse_filter_bank import inverse_filter_bank
from .voltage_sink import voltage_sink

FRAME_BYTES, FRAME_SECONDS = 8192, 0.01  #: of a frame, where that can be
ROUNDING = 1e-10  #: of the highest power: what a filter makes of 0 beside a signal
LEVEL_SAMPLES, LEAST_SAMPLES = 2**18, 1024  #: of all channels and of each, that set the levels
OFF_SAMPLE = 1e-3  #: of a sample: less is no time
CHANGED = 1.0  #: dB of the power after the levels were set, worth a sentence


class vdif_files(voltage_sink):
    """Writes x.vdif, a file for each direction; the polarizations are threads.

      path, axes, overwrite: as for other files of beams; shape: of an item [channel][beam][time];
      complex_samples: of the recording
      bits: of a component, 2, 4 or 8
      channelized: True writes the channels of the filter bank as channels of VDIF, each at its own
      rate; False makes the samples of the whole band of them, with an inverse_filter_bank

    Samples lie on VDIF's grid of time, whole numbers of samples after each second. Those of the
    band are moved there by phases of the channels. Those of channels are to be within half a
    sample of the receivers; else a ValueError says which sample to begin with.
    """

    LEAST = "VDIF frame beyond what the filters take"  #: that a recording must hold

    def __init__(self, path, axes, shape, complex_samples, overwrite=False, bits=8,
                 channelized=False):
        super().__init__("vdif_files", shape)
        if bits not in LEVELS:
            raise ValueError(f"bits: {bits}: must be 2, 4 or 8")
        obs = axes.obs
        self._axes, self._bits, self._channelized = axes, bits, channelized
        self._complex = complex_samples or channelized
        self._points = obs.channels if complex_samples else 2 * obs.channels
        streams = obs.channels if channelized else 1
        rate = obs.sample_rate / self._points if channelized else obs.sample_rate
        bits_a_second = rate * bits * streams * (2 if self._complex else 1)
        encoding = {8: "cu8_128" if self._complex else "u8"}.get(
            bits, f"{'c' if self._complex else ''}vdif{bits}")
        self.frames = vdif_frames(path, encoding, streams, rate, round(rate),
                                  min(FRAME_BYTES, bits_a_second * FRAME_SECONDS / 8))
        self._bank = None if channelized else inverse_filter_bank(
            obs.channels, obs.taps, obs.window, complex_samples)
        self._files = direction_files(path, axes, overwrite)
        threads = len(axes.polarizations)
        self._writers = [vdif_writer(file, self.frames, threads) for file in self._files.files]
        self._start, self._ramp = 0, None  #: of a stretch: number of sample 0 since 1970; phases
        self._held, self._held_samples, self._sigma = [], 0, None
        self._codes, self._usable_codes, self._at = None, None, None  #: of a frame under way
        self._power, self._powers, self.invalid = 0.0, 0, 0

    def files(self):
        """Names of the files."""
        return self._files.paths

    @property
    def written(self):
        """Frames of each thread."""
        return self._writers[0].written

    def make_filter(self):
        return self._bank

    def begin_stretch(self):
        frames, taps = self.frames, self._axes.obs.taps
        first = ((self._points - 1) / (2 * self._points) if self._channelized else
                 -(taps - 1) * self._points / 2)  # its middle; the begin of its window
        after = self._origin.fraction() * frames.rate + first
        late = after - round(after)
        self._start, self._ramp = self._origin.seconds * frames.rate + round(after), None
        if self._channelized:
            if abs(late) * self._points > 0.5 + OFF_SAMPLE:
                raise ValueError(
                    f"spectra come {late:.3g} of their length beside VDIF's grid of time; begin "
                    f"{round(-late * self._points) % self._points} samples later (start_sample)")
        elif abs(late) > OFF_SAMPLE:
            f = self._axes.frequencies
            middle = self._axes.obs.center_frequency if self._complex else f[0]
            self._ramp = np.exp(-2j * np.pi * (f - middle) / frames.rate * late).astype(
                np.complex64)[:, None, None]

    def prepare(self, spectra):
        return spectra if self._ramp is None else spectra * self._ramp

    def use(self, voltages, usable):
        each = 1 if self._channelized else self._points
        first, count = self._start + self._out * each, voltages.shape[2]
        self._out += count
        values = voltages.transpose(1, 2, 0)  # [beam][time][channel], or [beam][row][sample]
        if not self._channelized:
            values = values.reshape(len(values), -1, 1)
            usable = np.repeat(usable, self._points, axis=1)
        values = values if self._complex else values.real
        if self._sigma is not None:
            if not self._sigma.all():  # the first samples were 0
                own = self._levels([(first, values, usable)])
                self._sigma = np.where(self._sigma > 0, self._sigma, own)
            self._put(first, values, usable)
            return
        self._held.append((first, values, usable))
        self._held_samples += count * each
        if self._held_samples >= max(LEAST_SAMPLES, LEVEL_SAMPLES // self.frames.streams):
            self._set_levels()

    def _levels(self, parts):
        """The r.m.s. of a component, [beam][1][channel], of what is not 0; 0 where all is: before
        the signal is there nothing can be said of it."""
        total = count = 0
        for _, values, usable in parts:
            power = np.abs(values)**2 * usable[..., None]
            there = power > ROUNDING * power.max(axis=1, keepdims=True, initial=0)
            count = count + there.sum(axis=1)
            total = total + np.where(there, power, 0).sum(axis=1)
        return np.sqrt(total / np.maximum(count, 1) / (2 if self._complex else 1))[:, None]

    def _set_levels(self):
        """By what is held, which is written."""
        held, self._held = self._held, []
        self._sigma = self._levels(held)
        for part in held:
            self._put(*part)

    def _put(self, first, values, usable):
        """Writes the frames that are whole, and keeps the rest."""
        size = self.frames.samples
        scaled = values / np.where(self._sigma > 0, self._sigma, 1)
        self._power += float((np.abs(scaled[usable])**2).sum())
        self._powers += int(usable.sum()) * values.shape[2]
        parts = (np.ascontiguousarray(scaled, np.complex64).view(np.float32) if self._complex
                 else scaled)
        codes = codes_of(parts, 1, self._bits)
        if self._codes is not None and self._at + self._codes.shape[1] == first:
            codes = np.concatenate([self._codes, codes], axis=1)
            usable = np.concatenate([self._usable_codes, usable], axis=1)
            first = self._at
        else:  # frames begin at whole numbers of them after a second
            skip = -first % size
            codes, usable, first = codes[:, skip:], usable[:, skip:], first + skip
        count = codes.shape[1] // size
        if count:
            self._write(first, codes[:, :count * size], usable[:, :count * size])
        self._at = first + count * size
        self._codes, self._usable_codes = codes[:, count * size:], usable[:, count * size:]
        if not self._codes.shape[1] and not count:  # nothing has begun
            self._codes = None

    def _write(self, first, codes, usable):
        frames, beams = self.frames, len(codes)
        data = packed(codes.reshape(beams, -1, codes[0, :frames.samples].size), self._bits)
        bad = ~usable.reshape(beams, -1, frames.samples).all(axis=2)
        self.invalid += int(bad.sum())
        second, frame = divmod(first // frames.samples, frames.a_second)
        threads = len(self._axes.polarizations)
        for number, writer in enumerate(self._writers):
            mine = slice(number * threads, (number + 1) * threads)
            writer.begin(second, frame)
            writer.write(data[mine].swapaxes(0, 1), bad[mine].T)

    def finish(self):
        super().finish()
        if self._held:
            self._set_levels()

    def seconds(self):
        """Of samples that were written."""
        return self._writers[0].written * self.frames.samples / self.frames.rate

    def sentences(self):
        """What was written, and what to know of it."""
        frames, (step, kept) = self.frames, LEVELS[self._bits]
        kind = "complex" if self._complex else "real"
        what = (f"{frames.streams} channels of {frames.rate} {kind}" if self._channelized else
                f"the band as {frames.rate} {kind}")
        level = "the threshold is" if self._bits == 2 else "steps are"
        lines = [f"{self.seconds():.6g} s, {what} samples a second, {self._bits} bits: {level} "
                 f"{step:.3g} sigma, which keeps {100 * kept:.4g} % of the signal to noise"]
        notes = []
        if self._channelized:
            notes.append("each channel has levels of its own, so the bandpass is gone")
        else:
            lost = 100 * self._bank.error()
            notes.append(f"the inverse filter bank of {self._axes.obs.taps} taps leaves an error "
                         f"of {lost:.2g} % of the power")
        changed = 10 * np.log10(max(self._power, 1e-30) / max(
            self._powers * (2 if self._complex else 1), 1))
        if self._powers and abs(changed) > CHANGED:
            notes.append(f"the mean power is {changed:+.1f} dB off that of the first "
                         f"{self._held_samples} samples, by which levels are set")
        if self.invalid:
            notes.append(f"{self.invalid} frames have invalid samples, and are marked")
        return lines + [f"note: {sentence}" for sentence in notes]

    def note(self, sentences):
        """VDIF has no place for what was lost."""

    def close(self, error=None):
        """Gives the files their names; with an exception they stay partial."""
        self._files.close(error)
