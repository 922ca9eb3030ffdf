#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Powers of beams into files of filterbanks, while a flowgraph runs."""
from .. import fringe_python as fp
from ..ground.new_file import check_new_file
from ..ground.streams import expected_streams
from .beam_axes import PRODUCTS, beam_axes
from .beam_formats import FORMATS, VOLTAGES, format_of
from .beam_sink import beam_sink, in_words
from .direction_files import paths_of

NAME = "filterbank_sink"


def failure_of(work, *arguments):
    """Calls it; what failed in words, or ""."""
    try:
        work(*arguments)
    except (OSError, RuntimeError, ValueError) as error:
        return in_words(error)
    return ""


class filterbank_sink(beam_sink):
    """Writes the power of beams in time and frequency to files that programs for pulsars read.

    Input 0: means of powers from a beamformer, float32 [beam][channel], or
    [direction][I Q U V][channel] of the products "stokes"; input 1: their weights, float32
    [beam][channel]. Tags read: `rx_time` and `interval`; without a time nothing is written.

    The means of a file lie evenly in time, in multiples of their length since 1970. One that a gap
    cut in two is put together again; where there is none at all stand zeros, of weight 0. Files
    get their names when the flowgraph ends; meanwhile they are called x.partial.fil.

      observation, directions, products, average, channels, complex_samples: as the beamformer's
      path: x.fil (SIGPROC, float32) or x.fits (PSRFITS in search mode, 8 bits), a file for each
        direction, x_1.fil, x_2.fil ..., or x.h5, one with the weights; or a list of paths
      interval: seconds of a mean, as the beamformer's
      overwrite: replaces files that are there

    dumps() counts means so far, gaps those without weight. Raises ValueError for settings that
    cannot be, and files that are there already. What fails later, a full disk say, ends the
    flowgraph with a sentence in the log.
    """

    BLOCK = "fringe_filterbank_sink"

    def __init__(self, observation, directions, path="beams.fil", products="power", interval=0.1,
                 average=1, channels=0, complex_samples=True, overwrite=False):
        paths = [path] if isinstance(path, str) else list(path)
        obs = fp.observation(observation)
        obs.channels = channels or observation.channels
        for name, value, right, what in (
                ("path", path, paths, "give the name of a file"),
                ("directions", directions, len(directions) > 0, "give at least one"),
                ("products", products, products in PRODUCTS,
                 f"it must be one of {', '.join(PRODUCTS)}"),
                ("average", average, average >= 1 and obs.channels % average == 0,
                 f"it must divide the {obs.channels} channels"),
                ("interval", interval, interval > 0, "it must be more than 0 seconds")):
            if not right:
                raise ValueError(f"{NAME}: {name} {value}; {what}")
        axes = beam_axes.of(obs, directions, products, int(average), bool(complex_samples),
                            float(interval))
        makers = [(name, format_of(name)[0]) for name in paths]
        for name, maker in makers:
            if maker in [kind for kind, _ in VOLTAGES.values()]:
                raise ValueError(f"{NAME}: path {name}: is for voltages; means are written to "
                                 f"{', '.join(FORMATS)}")
            for file in [name] if name.endswith(".h5") else paths_of(name, axes):
                check_new_file(file, overwrite, keep_partial=True)
        beam_sink.__init__(self, axes, [])
        self._make = lambda: [maker(name, axes, overwrite) for name, maker in makers]
        kinds = (("powers of beams", axes.rows), ("weights of beams", axes.beams))
        self._streams = expected_streams(*(
            (kind, 4 * rows * len(axes.frequencies), {}) for kind, rows in kinds))

    def start(self):
        """Files are begun when the first means come."""
        self._streams.restart(self)
        self.begin_again()
        return True

    def work(self, input_items, output_items):
        """Takes means."""
        if self._streams.refused(self, [len(items) for items in input_items]):
            return -1
        return beam_sink.work(self, input_items, output_items)

    def stop(self):
        """Writes what is left, and gives the files their names."""
        failed = self._error or failure_of(self.finish)
        error = RuntimeError(failed) if failed else None
        for writer in self.writers:  # where one fails, the others end all the same
            failed = failure_of(writer.close, error) or failed
        self._error = failed
        for line in [f"{NAME}: {failed}"] if failed else self.sentences():
            (self.logger.error if failed else self.logger.info)(line)
        self.writers = []
        return True

    def _write(self):
        if self._filled and not self.writers:
            self.writers = self._make()
        beam_sink._write(self)
