#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The web page in Chromium: what it draws, says and asks for."""
import importlib.util
import unittest

import numpy as np

from qa_browser import PROGRAM, browser
from qa_published import known_dumps, product, published, wait_until, web_page
from qa_scratch import scratch_case

MISSING = [name for name, there in (
    ("chromium", PROGRAM), ("python3-tornado", importlib.util.find_spec("tornado")),
    ("python3-zmq", importlib.util.find_spec("zmq"))) if not there]
DRAWN = "Number(document.body.dataset.drawn) > 2"
#: Counts pixels of a canvas that a colour test is true for.
COUNT = """((id, test) => {
  const canvas = document.getElementById(id), pen = canvas.getContext("2d");
  const data = pen.getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let k = 0; k < data.length; k += 4)
    if (data[k + 3] === 255 && test(data[k], data[k + 1], data[k + 2])) count++;
  return count;
})"""


def text(page, name):
    return page.value(f"document.getElementById('{name}').textContent")


def choose(page, name, value):
    page.value(f"(() => {{ const one = document.getElementById('{name}'); one.value = '{value}';"
               " one.dispatchEvent(new Event('change')); })()")


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
class qa_web_browser(scratch_case):

    def setUp(self):
        super().setUp()
        self.dumps = known_dumps(4, 32, int(self.rng.integers(1 << 30)))

    def begin(self, address="tcp://127.0.0.1:*", **options):
        graph = published(self.dumps, address, rate=8, **options)
        self.addCleanup(graph.end)
        graph.start()
        return graph

    def shown(self, page, i, j):
        """Waits until the page shows one dump of the pair, and compares its numbers."""
        page.wait_for(f"location.hash === '#{i}-{j}' && {DRAWN} && "
                      "document.getElementById('amplitude').textContent !== '-'")
        dump, amplitude, phase = page.value(
            "['dump', 'amplitude', 'phase'].map((id) => document.getElementById(id).textContent)")
        x, weights = self.dumps(int(dump))
        x = np.where(weights > 0, x, np.nan)
        cross, a, b = (x[:, product(*pair, 4)] for pair in ((i, j), (i, i), (j, j)))
        power = np.nan_to_num(a.real) * np.nan_to_num(b.real)
        mean = np.nanmean((cross.conj() if i > j else cross)
                          * np.where(power > 0, 1 / np.sqrt(np.where(power > 0, power, 1)), 0))
        self.assertAlmostEqual(float(amplitude), abs(mean), delta=2e-4 * max(1, abs(mean)))
        if i != j:
            off = float(phase.rstrip("°")) - np.degrees(np.angle(mean))
            self.assertLess(abs((off + 180) % 360 - 180), 0.2)

    def test_it_draws_what_comes_and_asks_nobody_else(self):
        graph = self.begin()
        with web_page(graph.address) as server, browser() as page:
            page.go(server.url + "#0-2")
            page.wait_for(DRAWN)
            self.shown(page, 0, 2)
            self.assertEqual(text(page, "state"), "live")
            blue = "(r, g, b) => b > r + 80 && b > g + 40"
            for name in ("fringe_amplitude", "fringe_phase", "spectrum_amplitude",
                         "spectrum_phase", "autos"):
                self.assertGreater(page.value(f"{COUNT}('{name}', {blue})"), 20, name)
            self.assertGreater(page.value(
                f"{COUNT}('autos', (r, g, b) => r > 180 && b < 90 && g < 140)"), 20)
            bright = "(r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 60"
            page.wait_for("!document.getElementById('card_sky').hidden")
            page.wait_for(f"{COUNT}('sky', {bright}) > 500")
            for name in ("waterfall_amplitude", "waterfall_phase"):
                self.assertGreater(page.value(f"{COUNT}('{name}', {bright})"), 100, name)
            # Another pair, one input alone, powers.
            choose(page, "input_i", 3)
            self.shown(page, 3, 2)
            self.assertIn(" - ", text(page, "title"))
            choose(page, "input_j", 3)
            self.shown(page, 3, 3)
            page.wait_for("document.getElementById('fringe_phase').hidden")
            choose(page, "shown", "power")
            page.wait_for("Number(document.getElementById('amplitude').textContent) > 1.5")
            self.assertEqual(page.messages, [])
            own = (server.url, server.url.replace("http", "ws"))
            self.assertEqual([address for address in page.asked if not address.startswith(own)], [])

    def test_it_says_when_dumps_stop_and_goes_on_by_itself(self):
        graph = self.begin()
        address = graph.address
        server = web_page(address)
        self.addCleanup(lambda: server.close())
        with browser() as page:
            page.go(server.url)
            page.wait_for(DRAWN)
            graph.end()
            page.wait_for("document.getElementById('state').textContent.includes('ended')")
            graph = self.begin(address, first=1000)
            page.wait_for("document.getElementById('state').textContent === 'live'")
            port = server.port
            server.close()
            page.wait_for("document.getElementById('state').textContent.includes('trying again')")
            server = web_page(address, port)
            page.wait_for("document.getElementById('state').textContent === 'live'")
            graph.source.paused.set()  # dumps stop, and nobody says that they have ended
            page.wait_for(
                "/no dumps for \\d+ s/.test(document.getElementById('state').textContent)")
            graph.source.paused.clear()
            page.wait_for("document.getElementById('state').textContent === 'live'")

    def test_it_fits_a_phone_and_is_readable_in_the_dark(self):
        graph = self.begin()
        with web_page(graph.address) as server:
            for width, dark in ((360, False), (1366, True)):
                with self.subTest(width=width, dark=dark), browser(width, 740,
                                                                   dark=dark) as page:
                    page.go(server.url)
                    page.wait_for(DRAWN)
                    self.assertLessEqual(page.value("document.documentElement.scrollWidth"),
                                         width)
                    # Nothing is wider than its place.
                    self.assertEqual(page.value(
                        "[...document.querySelectorAll('dd')].filter("
                        "(one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.id)"),
                        [])
                    ink, paper = page.value(
                        "((style) => ['--ink', '--paper'].map((name) => parseInt("
                        "style.getPropertyValue(name).trim().slice(1, 3), 16)))"
                        "(getComputedStyle(document.documentElement))")
                    self.assertGreater(abs(ink - paper), 150)
                    self.assertEqual(ink > paper, dark)
                    self.assertEqual(page.messages, [])


if __name__ == "__main__":
    unittest.main()
