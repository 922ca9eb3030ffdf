#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The correlator behind F-engines: spectra to dumps."""
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.message_wires import message_wires
from ..observing.sizes import block_sizes
from .stage_maker import SUM_SPECTRA


class spectra_correlator(message_wires, gr.hier_block2):
    """Spectra to dumps: X-engine and integrator in one block, and a search for interference.

    Input: spectra [channel][input][time] of complex int8, `block_spectra` an item, as a
    udp_source sends them that receives F-engines, or a channelizer that requantizes.
    Output 0: visibilities, complex float32 [channel][baseline]; output 1: weights, float32.

    Message port `integration`: a new dump length, see integrator.
    Message port `occupancy`: what share of the spectra was flagged, see kurtosis_flagger.

      inputs, channels: how many of each
      seconds, spectra: dump length, one of the two
      block_spectra, channels_per_item: 0 = chosen for you
      bits: of the spectra, 8 or 4
      flag: interference is looked for in the spectra, and left out: True, or a dict of the
        parameters of kurtosis_flagger. Packets must have all channels then
      backend: "auto" is the first GPU that works, else the CPU; "cuda", "cuda:1", "cpu" or
        "generic". The attribute `backend` tells what it became

    The attribute `flagger` is the kurtosis_flagger, or None. Raises ValueError as the stages do.
    """

    def __init__(self, inputs, channels, seconds=1.0, spectra=0, block_spectra=0,
                 channels_per_item=0, bits=8, flag=False, backend="auto"):
        self.target = fp.compute_target(backend)
        sizes = block_sizes("ci8", inputs, channels, block_spectra, channels_per_item,
                            self.backend)
        block_spectra, per_item = sizes.block_spectra, sizes.channels_per_item
        search = {} if flag is True else flag
        self.flagger = fp.kurtosis_flagger(
            inputs, channels, block_spectra, "i8", bits=bits, backend=self.backend,
            **search) if flag else None
        self._sums = fp.xengine(inputs, channels, block_spectra, "i8", SUM_SPECTRA["i8"], seconds,
                                spectra, per_item, self.backend)
        self.integrator = fp.integrator(inputs, channels, "i8", seconds, spectra, per_item,
                                        self.backend)
        values = sizes.visibilities
        gr.hier_block2.__init__(
            self, "fringe_spectra_correlator",
            gr.io_signature(1, 1, sizes.components),
            gr.io_signature2(2, 2, values * gr.sizeof_gr_complex, values * gr.sizeof_float))
        self.connect(self, *([self.flagger] if self.flagger else []), self._sums, self.integrator)
        for port in (0, 1):
            self.connect((self.integrator, port), (self, port))
        self.message_port_register_hier_in("integration")
        for stage in (self._sums, self.integrator):
            self.connect_messages(self, "integration", stage, "integration")
        self.message_port_register_hier_out("occupancy")
        if self.flagger:
            self.connect_messages(self.flagger, "occupancy", self, "occupancy")

    #: It has an input, whatever it runs on.
    reads = False

    @property
    def backend(self):
        """What it runs on: "cpu", "generic", "cuda:0", "cuda:1", ..."""
        return str(self.target)

    def set_integration(self, seconds=0.0, spectra=0):
        """A new dump length while running: seconds, or spectra."""
        self._sums.set_integration(seconds, spectra)
        self.integrator.set_integration(seconds, spectra)

    @staticmethod
    def losses():
        """Nothing is lost here; the source counts what is."""
        return {}

    @staticmethod
    def saturated():
        """What the F-engines clipped is not known here."""
        return []

    def dumps(self):
        """Dumps sent so far."""
        return self.integrator.dumps()

    def spectra_lost(self):
        """Spectra that were expected and never came (gaps)."""
        return self.integrator.spectra_lost()
