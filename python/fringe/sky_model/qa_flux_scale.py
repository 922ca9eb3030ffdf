#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Standard sources have the fluxes that other publications give."""
import unittest

import numpy as np
from gnuradio.fringe.sky_model.flux_scale import (STANDARDS, standard_flux, standard_named,
                                                  standard_stokes)

#: Perley & Butler, ApJS 204, 19 (2013): polynomials from 1 to 50 GHz.
OF_2013 = {"3C123": (1.8077, -0.8018, -0.1157), "3C196": (1.2969, -0.8690, -0.1788, 0.0305),
           "3C286": (1.2515, -0.4605, -0.1715, 0.0336), "3C295": (1.4866, -0.7871, -0.3440, 0.0749)}
#: Scaife & Heald, MNRAS 423, L30 (2012): Jy at 150 MHz.
AT_150_MHZ = {"3C48": 64.768, "3C147": 66.738, "3C196": 83.084, "3C286": 27.477, "3C295": 97.763}


class qa_flux_scale(unittest.TestCase):
    def test_the_scale_of_2013(self):
        f = np.geomspace(2e9, 40e9, 30)
        for name, coefficients in OF_2013.items():
            then = 10 ** sum(a * np.log10(f / 1e9) ** k for k, a in enumerate(coefficients))
            with self.subTest(name):
                np.testing.assert_allclose(standard_flux(standard_named(name), f), then, rtol=0.03)

    def test_low_frequencies(self):
        for name, flux in AT_150_MHZ.items():
            with self.subTest(name):
                self.assertLess(abs(standard_flux(standard_named(name), [150e6])[0] / flux - 1),
                                0.1)

    def test_names(self):
        self.assertEqual(standard_named("3c 286").name, "3C286")
        self.assertEqual(standard_named("J0137+3309").name, "3C48")
        self.assertIsNone(standard_named("CygA"))
        names = [name for known in STANDARDS for name in (known.name, *known.others)]
        self.assertEqual(len(names), len(set(names)))

    def test_polarization(self):
        """3C 286 at 1.45 GHz: 9.5 % at 33 degrees."""
        i, q, u, v = standard_stokes(standard_named("3C286"), [1.45e9])[:, 0]
        self.assertAlmostEqual(np.hypot(q, u) / i, 0.095)
        self.assertAlmostEqual(np.degrees(np.arctan2(u, q)) / 2, 33)
        self.assertEqual(v, 0)
        self.assertFalse(standard_stokes(standard_named("3C48"), [1.45e9])[1:].any())

    def test_out_of_range(self):
        with self.assertRaisesRegex(ValueError, "3C138: 0.15 to 0.15 GHz; its flux is known from "
                                                "0.2 to 50 GHz"):
            standard_flux(standard_named("3C138"), [150e6])
        with self.assertRaisesRegex(ValueError, "polarization is known from 1.05 to 43.5 GHz"):
            standard_stokes(standard_named("3C286"), [0.5e9])


if __name__ == "__main__":
    unittest.main()
