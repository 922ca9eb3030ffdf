#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""QR codes of addresses, for the page and for a terminal, by the package python3-qrcode."""
import numpy as np

#: Dark above, dark below: a character of a terminal is twice as high as it is wide.
HALVES = {(True, True): "\u2588", (True, False): "\u2580", (False, True): "\u2584",
          (False, False): " "}
#: Black on white, whatever the terminal's colors are, and back.
BLACK_ON_WHITE, BACK = "\033[30;107m", "\033[0m"


def qr_code(text):
    """Dark squares [row][column] of the QR code of a text, with the light rim that it needs; None
    where the package is not installed."""
    try:
        import qrcode  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_M, border=4)
    code.add_data(text)
    code.make(fit=True)
    return np.array(code.get_matrix(), bool)


def as_svg(dark):
    """The bytes of a picture of it: black on white."""
    rows, columns = dark.shape
    squares = "".join(f"M{x} {y}h1v1h-1z" for y, x in np.argwhere(dark))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns} {rows}" '
            f'shape-rendering="crispEdges"><rect width="{columns}" height="{rows}" fill="#fff"/>'
            f'<path d="{squares}" fill="#000"/></svg>').encode()


def as_lines(dark):
    """Lines for a terminal."""
    even = np.vstack([dark, np.zeros((len(dark) % 2, dark.shape[1]), bool)])
    return [BLACK_ON_WHITE + "".join(HALVES[bool(a), bool(b)] for a, b in zip(*pair)) + BACK
            for pair in zip(even[::2], even[1::2])]
