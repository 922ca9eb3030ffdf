#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""QR codes: a decoder reads the address in them, from the picture and from a terminal."""
import importlib.util
import re
import sys
import unittest
from unittest import mock

import numpy as np

from gnuradio.fringe.web.addresses import network_urls
from gnuradio.fringe.web.qr_code import BACK, BLACK_ON_WHITE, HALVES, as_lines, as_svg, qr_code

URLS = ("http://192.168.1.17:8080/", "http://[2001:db8::17]:65535/", "http://10.0.0.1:80/")


def decoder():
    """(name of a package, function of a picture [row][column] 0 ... 255 that returns the text)."""
    if importlib.util.find_spec("cv2"):
        import cv2
        return "python3-opencv", lambda picture: cv2.QRCodeDetector().detectAndDecode(picture)[0]
    if importlib.util.find_spec("zbar"):
        return "python3-zbar", read_by_zbar
    return None


def read_by_zbar(picture):
    """The text of the code in a picture [row][column] of 0 ... 255."""
    import zbar
    image = zbar.Image(picture.shape[1], picture.shape[0], "Y800", picture.tobytes())
    zbar.ImageScanner().scan(image)
    return next(iter(image)).data


def as_picture(dark):
    """A picture of squares of 8 pixels."""
    return np.kron(np.where(dark, 0, 255), np.ones((8, 8))).astype(np.uint8)


HAVE_QRCODE = importlib.util.find_spec("qrcode") is not None


class qa_qr_code(unittest.TestCase):

    @unittest.skipUnless(HAVE_QRCODE, "python3-qrcode is not installed")
    def test_a_picture_and_a_terminal_show_the_same(self):
        for url in URLS:
            dark = qr_code(url)
            self.assertFalse(dark[:4].any() or dark[-4:].any() or dark[:, :4].any())
            svg = as_svg(dark).decode()
            drawn = np.zeros_like(dark)
            for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", svg):
                drawn[int(y), int(x)] = True
            np.testing.assert_array_equal(drawn, dark)
            self.assertIn(f'viewBox="0 0 {len(dark)} {len(dark)}"', svg)
            halves, rows = {word: pair for pair, word in HALVES.items()}, []
            for line in as_lines(dark):
                self.assertTrue(line.startswith(BLACK_ON_WHITE) and line.endswith(BACK))
                words = line[len(BLACK_ON_WHITE):-len(BACK)]
                rows += list(zip(*(halves[word] for word in words)))
            np.testing.assert_array_equal(np.array(rows)[:len(dark)], dark)

    @unittest.skipUnless(HAVE_QRCODE, "python3-qrcode is not installed")
    @unittest.skipUnless(decoder(), "neither python3-opencv nor python3-zbar is installed")
    def test_a_decoder_reads_the_address(self):
        for url in URLS:
            self.assertEqual(decoder()[1](as_picture(qr_code(url))), url)

    def test_without_the_package_there_is_the_address_alone(self):
        from gnuradio.fringe.web.page_files import page_files
        with mock.patch.dict(sys.modules, {"qrcode": None}):
            self.assertIsNone(qr_code(URLS[0]))
            files, codes = page_files(URLS[:1])
        self.assertEqual(codes, [[URLS[0], ""]])
        self.assertNotIn("address_0.svg", files)

    def test_there_are_addresses_in_a_network_only(self):
        self.assertEqual(network_urls("127.0.0.1", 8080), [])
        self.assertEqual(network_urls("localhost", 8080), [])
        self.assertEqual(network_urls("192.168.1.2", 81), ["http://192.168.1.2:81/"])
        with mock.patch("gnuradio.fringe.web.addresses.own_addresses",
                        return_value=["10.1.2.3", "172.17.0.1"]):
            self.assertEqual(network_urls("0.0.0.0", 80),
                             ["http://10.1.2.3:80/", "http://172.17.0.1:80/"])

    @unittest.skipUnless(HAVE_QRCODE, "python3-qrcode is not installed")
    @unittest.skipUnless(importlib.util.find_spec("tornado") and importlib.util.find_spec("zmq"),
                         "python3-tornado or python3-zmq is not installed")
    def test_the_program_shows_it_on_a_terminal_in_a_network(self):
        from gnuradio.fringe.web.run import serve
        for host, terminal, shown in (("127.0.0.1", True, False), ("127.0.0.2", True, False),
                                      ("0.0.0.0", False, False), ("0.0.0.0", True, True)):
            printed = []
            with self.subTest(host=host, terminal=terminal), mock.patch(
                    "gnuradio.fringe.web.addresses.own_addresses", return_value=["10.1.2.3"]):
                serve("tcp://127.0.0.1:9", host, 0, lambda: True, tell=printed.append,
                      terminal=terminal)
                lines = [line for line in printed if line.startswith(BLACK_ON_WHITE)]
                self.assertEqual(len(lines) > 10, shown)
                if shown:
                    url = printed[2].strip()
                    self.assertRegex(url, r"^http://10\.1\.2\.3:\d+/$")
                    self.assertEqual(lines, as_lines(qr_code(url)))


if __name__ == "__main__":
    unittest.main()
