#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The page of solutions shows their values and errors, against time and frequency."""
import contextlib
import io
import os
import unittest

import numpy as np
from gnuradio.fringe.calibration.solutions import solutions
from gnuradio.fringe.cli import main
from gnuradio.fringe.plots.solutions import solutions_figure
from gnuradio.fringe.solution_tables.tables import write_solutions
from qa_scratch import scratch_case
from qa_solutions import ANTENNAS, made_term


def curve(panel, label):
    """(y, half the length of the bars) of a curve with errors."""
    for bars in panel.containers:
        if bars.get_label() == label:
            y = bars.lines[0].get_ydata()
            return y, np.array([np.ptp(segment[:, 1]) / 2 if len(segment) else np.nan
                                for segment in bars.lines[2][0].get_segments()])
    raise AssertionError(f"{label} is not drawn; there are "
                         + str([bars.get_label() for bars in panel.containers]))


class qa_plot_solutions(scratch_case):
    seed = 306

    def drawn(self, *terms, **more):
        found = solutions(ANTENNAS, "XY", list(terms), "north")
        return solutions_figure(found, "night.h5", **more).axes

    def assert_drawn(self, panel, label, values, errors, flags):
        y, bars = curve(panel, label)
        np.testing.assert_allclose(y, np.where(flags, np.nan, values))
        np.testing.assert_allclose(bars[~flags], errors[~flags], rtol=1e-6)

    def test_against_time_and_frequency(self):
        late, gain, band = (made_term("K", self.rng, 5), made_term("G", self.rng, 4),
                            made_term("B", self.rng, 1, 6))
        gain.phase_errors = self.rng.random(gain.values.shape)
        panels = self.drawn(late, gain, band)
        self.assertEqual([panel.get_ylabel() for panel in panels], [
            "delay (ns)", "amplitude", "phase (degrees)", "amplitude", "phase (degrees)"])
        self.assertIn("UTC, 2023-11-14", panels[0].get_xlabel())
        self.assertIn("sky frequency (MHz)", panels[3].get_xlabel())
        at = np.s_[:, 0, 1, 1]
        self.assert_drawn(panels[0], "east Y", 1e9 * late.values[at], 1e9 * late.errors[at],
                          late.flags[at])
        self.assert_drawn(panels[1], "east Y", np.abs(gain.values[at]), gain.errors[at],
                          gain.flags[at])
        self.assert_drawn(panels[2], "east Y", np.degrees(np.angle(gain.values[at])),
                          np.degrees(gain.phase_errors[at]), gain.flags[at])
        at = np.s_[0, :, 2, 0]
        self.assert_drawn(panels[4], "west X", np.degrees(np.angle(band.values[at])),
                          np.degrees(band.errors[at] / np.abs(band.values[at])), band.flags[at])
        share = 100 * gain.flags.mean()
        self.assertIn(f"{share:.3g} % flagged", panels[1].get_title(loc="left"))

    def test_one_value_an_antenna(self):
        leak = made_term("D", self.rng)
        panels = self.drawn(leak, antennas=["west", "north"])
        self.assertEqual([panel.get_ylabel() for panel in panels],
                         ["leakage (%)", "phase (degrees)"])
        self.assert_drawn(panels[0], "Y", 100 * np.abs(leak.values[0, 0, [2, 0], 1]),
                          100 * leak.errors[0, 0, [2, 0], 1], leak.flags[0, 0, [2, 0], 1])
        self.assertEqual([text.get_text() for text in panels[0].get_xticklabels()],
                         ["west", "north"])

    def test_a_term_of_both_axes_has_a_row_for_each(self):
        panels = self.drawn(made_term("B", self.rng, 3, 4))
        self.assertEqual(len(panels), 4)
        self.assertIn("at 1.422 GHz", panels[0].get_title(loc="left"))
        self.assertIn("at 22:14:20 UTC", panels[2].get_title(loc="left"))

    def test_the_command(self):
        path = self.path("night.h5")
        write_solutions(path, solutions(ANTENNAS, "XY", [made_term("G", self.rng, 3)], "north"))
        for words, arguments in (
                ("wrote " + self.path("night.png"), []),
                ("--antennas: south: has no solutions; there are north", ["--antennas", "south"]),
                ("--band: " + path + " is a table of solutions", ["--band", "1,2"]),
                ("the page ends in", ["-o", self.path("x.txt")])):
            out = io.StringIO()
            with self.subTest(words), contextlib.redirect_stdout(out):
                with contextlib.redirect_stderr(out):
                    code = main(["plot", path, *arguments])
                self.assertEqual(code, 2 if arguments else 0)
                self.assertIn(words, out.getvalue())
        self.assertGreater(os.path.getsize(self.path("night.png")), 10000)


if __name__ == "__main__":
    unittest.main()
