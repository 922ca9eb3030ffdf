#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The web page in Chromium: what it draws, says and asks for."""
import base64
import csv
import importlib.util
import io
import re
import unittest

import numpy as np

from gnuradio.fringe.ground.colors import THEMES
from gnuradio.fringe.web.qr_code import qr_code
from qa_browser import PROGRAM, browser
from qa_published import known_dumps, product, published, wait_until, web_page
from qa_qr_code import decoder
from qa_scratch import scratch_case

MISSING = [name for name, there in (
    ("chromium", PROGRAM), ("python3-tornado", importlib.util.find_spec("tornado")),
    ("python3-zmq", importlib.util.find_spec("zmq"))) if not there]
DRAWN = "Number(document.body.dataset.drawn) > 2"
#: Counts pixels of a canvas that a color test is true for.
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

    def shown(self, page, i, j, place=None):
        """Waits until the page shows one dump of the pair, and compares its numbers."""
        page.wait_for(f"location.hash === '{place or f'#{i}-{j}'}' && {DRAWN} && "
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
                         "spectrum_phase", "autos", "delay", "closure_spectrum", "closure_time"):
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

    def test_it_shows_alerts_while_something_is_wrong(self):
        graph = self.begin()
        with web_page(graph.address, alerts="silence=1") as server, browser() as page:
            page.go(server.url)
            page.wait_for(DRAWN)
            page.wait_for("document.getElementById('alerts').hidden")
            graph.source.paused.set()
            page.wait_for("!document.getElementById('alerts').hidden && "
                          "document.querySelectorAll('#alerts li').length === 1")
            self.assertRegex(text(page, "alerts"), "^no dump for [0-9]+ s$")
            graph.source.paused.clear()
            page.wait_for("document.getElementById('alerts').hidden")
            self.assertEqual(page.messages, [])

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
                    # Nothing is wider than its place, nor are the counts of days.
                    self.assertEqual(page.value(
                        "document.getElementById('lost').textContent = '12345 / 123456', "
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

    @staticmethod
    def stop_dumps(graph, page):
        """The page keeps what it shows."""
        graph.source.paused.set()
        page.wait_for("/no dumps for/.test(document.getElementById('state').textContent)")

    def csv(self, page, card):
        """The numbers of a card as its button saves them: (names, rows of numbers)."""
        saved = page.value("import('./readings.js').then((one) => one.csv("
                           f"document.getElementById('card_{card}')))")
        head, *rows = csv.reader(io.StringIO(saved))
        return head, np.array([[float(field) if field else np.nan for field in row]
                               for row in rows])

    def test_numbers_and_pictures_are_those_shown(self):
        graph = self.begin()
        names = [antenna.name for antenna in graph.obs.antennas]
        with web_page(graph.address) as server, browser() as page:
            page.go(server.url + "#0-2-3")
            self.shown(page, 0, 2, "#0-2-3")
            self.stop_dumps(graph, page)
            number = int(text(page, "dump"))
            x, weights = self.dumps(number)
            x = np.where(weights > 0, x, np.nan)
            of = {pair: x[:, product(*pair, 4)] for pair in ((0, 2), (2, 3), (0, 3), (0, 0), (2, 2),
                                                            (3, 3))}
            power = of[0, 0].real * of[2, 2].real
            head, rows = self.csv(page, "spectrum")
            self.assertEqual(head, ["Sky frequency (MHz)", "Correlation coefficient",
                                    "Phase (degrees)"])
            np.testing.assert_allclose(rows[:, 0], np.array(
                graph.obs.channel_frequencies(32, True)) / 1e6, rtol=1e-12)
            there = np.isfinite(of[0, 2]) & np.isfinite(power)
            np.testing.assert_allclose(rows[there, 1], (abs(of[0, 2]) / np.sqrt(power))[there],
                                       rtol=1e-5)
            np.testing.assert_allclose(rows[there, 2], np.degrees(np.angle(of[0, 2][there])),
                                       atol=1e-3)
            head, rows = self.csv(page, "closure")
            self.assertEqual(len(head), 4)
            closure = np.angle(of[0, 2] * of[2, 3] * of[0, 3].conj())
            there = np.isfinite(closure) & np.isfinite(of[3, 3]) & np.isfinite(power)
            np.testing.assert_allclose(rows[:32, 1][there], np.degrees(closure[there]), atol=0.01)
            self.assertEqual(page.value("document.querySelector('#card_closure .title')"
                                        ".textContent"),
                             f"Closure phase, {names[0]} - {names[2]} - {names[3]}")
            self.assertEqual(self.csv(page, "autos")[0][1:],
                             [f"Power (dB), {names[0]}", f"Power (dB), {names[2]}"])
            for card in ("fringe", "delay", "waterfall"):
                self.assertGreater(len(self.csv(page, card)[1]), 3, card)
            # What the button saves, under which name.
            page.value("""(() => { window.kept = [];
                HTMLAnchorElement.prototype.click = function () {
                  window.kept.push([this.download, this.href]); }; })()""")
            for words in ("PNG", "CSV"):
                page.value("[...document.querySelectorAll('#card_spectrum button')].find("
                           f"(one) => one.textContent === '{words}').click()")
            page.wait_for("window.kept.length === 2")
            saved = dict(page.value("window.kept"))
            title = f"Cross_spectrum_{names[0]}_-_{names[2]}"
            self.assertEqual(set(saved), {f"{title}.png", f"{title}.csv"})
            self.assertTrue(all(href.startswith("blob:") for href in saved.values()))
            picture = page.value("import('./readings.js').then((one) => one.picture("
                                 "document.getElementById('card_spectrum')).toDataURL())")
            self.assertEqual(base64.b64decode(picture.partition(",")[2])[:8],
                             b"\x89PNG\r\n\x1a\n")
            self.assertEqual(page.messages, [])

    def test_it_says_what_is_under_the_pointer(self):
        graph = self.begin()
        with web_page(graph.address) as server, browser() as page:
            page.go(server.url + "#0-1")
            self.shown(page, 0, 1)
            self.stop_dumps(graph, page)
            rows = self.csv(page, "spectrum")[1]
            middle = page.value("(() => { const box = document.getElementById("
                                "'spectrum_amplitude').getBoundingClientRect();"
                                "return [box.left + box.width / 2, box.top + 60]; })()")
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=middle[0], y=middle[1])
            output = page.value("document.querySelector('#card_spectrum .under').textContent")
            found = re.fullmatch(r"Correlation coefficient (no value|[\d.e-]+)   "
                                 r"Sky frequency ([\d.]+) MHz", output)
            self.assertIsNotNone(found, output)
            k = int(np.abs(rows[:, 0] - float(found[2])).argmin())
            self.assertLess(abs(rows[k, 0] - float(found[2])), 1e-4)
            self.assertIn(k, range(13, 20))
            if np.isfinite(rows[k, 1]):
                self.assertAlmostEqual(float(found[1]), rows[k, 1], delta=1e-3 * abs(rows[k, 1]))
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
            self.assertIn("Point at a plot", page.value(
                "document.querySelector('#card_spectrum .under').textContent"))

    def test_what_is_frozen_stays_and_what_came_is_shown_afterwards(self):
        graph = self.begin()
        click = "document.getElementById('freeze').click()"
        with web_page(graph.address) as server, browser() as page:
            page.go(server.url + "#0-2")
            page.wait_for(DRAWN)
            page.value(click)
            count = "document.body.dataset.drawn"
            dump, drawn = int(text(page, "dump")), page.value(count)
            self.assertEqual(text(page, "freeze"), "Live again")
            asked = graph.source.sent() + 5
            wait_until(lambda: graph.source.sent() >= asked)
            choose(page, "shown", "power")  # is drawn anew, of the same dump
            page.wait_for(f"{count} !== '{drawn}'")
            self.assertEqual(int(text(page, "dump")), dump)
            page.value(click)
            page.wait_for(f"Number(document.getElementById('dump').textContent) >= {asked - 1}")
            self.assertEqual(text(page, "freeze"), "Freeze")
            # Another pair is live.
            page.value(click)
            choose(page, "input_i", 3)
            choose(page, "shown", "coefficient")
            self.shown(page, 3, 2)
            self.assertEqual(text(page, "freeze"), "Freeze")

    def test_the_viewer_chooses_light_or_dark(self):
        graph = self.begin()
        paper = "getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()"
        with web_page(graph.address) as server, browser(dark=True) as page:
            page.go(server.url)
            page.wait_for(DRAWN)
            self.assertEqual(page.value(paper), THEMES["dark"]["paper"])
            self.assertEqual(text(page, "style"), "Light")
            page.value("document.getElementById('style').click()")
            self.assertEqual(page.value(paper), THEMES["light"]["paper"])
            page.go(server.url + "?again")  # it is remembered
            page.wait_for(DRAWN)
            self.assertEqual(page.value(paper), THEMES["light"]["paper"])
            self.assertEqual(text(page, "style"), "Dark")

    def test_in_a_network_it_shows_the_code_of_its_address(self):
        graph = self.begin()
        for urls in ((), ("http://192.168.1.17:8080/",)):
            with self.subTest(urls=urls), web_page(graph.address, urls=urls) as server, \
                    browser() as page:
                page.go(server.url)
                page.wait_for(DRAWN)
                self.assertEqual(page.value("document.getElementById('address').hidden"), not urls)
                if not urls:
                    continue
                self.assertEqual(text(page, "url"), urls[0])
                if qr_code(urls[0]) is None or (decoder() or [""])[0] != "python3-opencv":
                    continue
                page.value("document.getElementById('address').open = true")
                page.wait_for("document.getElementById('code').complete")
                import cv2
                seen = cv2.imdecode(np.frombuffer(page.picture(), np.uint8), cv2.IMREAD_GRAYSCALE)
                self.assertEqual(cv2.QRCodeDetector().detectAndDecode(seen)[0], urls[0])


if __name__ == "__main__":
    unittest.main()
