#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The Live Calibrator keeps an array coherent, and bad data do no harm."""
import unittest

import numpy as np
from gnuradio import fringe, gr
from qa_live_stations import SKY, observation, stations
from qa_scratch import scratch_case, times_tried

GOOD = 0.98


class qa_live_calibrator(scratch_case):
    def catalogue(self, sky=SKY):
        path = self.path("sky.yml")
        with open(path, "w", encoding="utf-8") as file:
            for k, text in enumerate(sky):
                az, el, *flux = text.split(",")
                file.write(f"- {{name: S{k}, az: {az}, el: {el}"
                           + (f", flux: {flux[0]}" if flux else "") + "}\n")
        return path

    def run_loop(self, source, sky=SKY, **words):
        """Lets stations and the block run until the dumps are over."""
        block = fringe.live_calibrator(source.obs, self.catalogue(sky), source.channels,
                                       channels_per_item=source.channels, **words)
        source.solved = lambda: block.sent() + block.refused()
        top = gr.top_block()
        top.connect(source, block)
        top.msg_connect(block, "corrections", source, "corrections")
        top.msg_connect(block, "state", source, "state")
        top.run()
        return block

    def drifting(self, count=times_tried(12, 64), dumps=8, hands="X", **words):
        obs = observation(self.rng, count // len(hands), hands=hands)
        return stations(obs, self.rng, dumps, **words)

    def test_coherence_within_three_dumps(self):
        """Unknown delays, and phases that drift by up to 30 degrees a minute."""
        for hands in ("X", "XY"):
            source = self.drifting(hands=hands)
            if hands == "XY":  # the phase between X and Y is not known of unpolarized sources
                source.counted = np.arange(source.count) % 2 == 0
            block = self.run_loop(source)
            self.assertLess(source.coherence[0], 0.5)
            self.assertGreater(min(source.coherence[3:]), GOOD, source.coherence)
            self.assertEqual(block.refused(), 0, source.states)
            self.assertGreater(source.states[-1]["coherence"], GOOD)


if __name__ == "__main__":
    unittest.main()
