#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What PSRFITS files of both kinds have: headers, and a table that grows.

FD_HAND is 1 where A and B are X and Y or L and R, and -1 where they are Y and X or R and L. FD_SANG
is the angle of the electric field that makes equal, in-phase signals in A and B: 45 degrees for X
at 0 and Y at 90, and 0 for circular feeds. BE_PHASE is 1 where the cross-phase is not reversed.
Stokes parameters are those of FD_HAND 1 already: Stokes V is L less R, the convention PSR/IEEE, and
not R less L, that of the IAU. EPOCHS says what the times of rows are: MIDTIME, that of the middle,
or VALID, that at which the phase is 0. (A. W. Hotan, W. van Straten, R. N. Manchester, "PSRCHIVE
and PSRFITS", PASA 21, 302, 2004; W. van Straten, R. N. Manchester, S. Johnston, J. Reynolds,
"PSRCHIVE and PSRFITS: Definition of the Stokes Parameters and Instrumental Basis Conventions", PASA
27, 104, 2010, arXiv:0912.1662; www.atnf.csiro.au/research/pulsar/psrfits_definition. PSRCHIVE reads
these keys in load_Receiver.C, BackendCorrection.C and load_Integration.C.)
"""
import numpy as np

from .. import fringe_python as fp
from ..certificates.fits import certify_fits
from ..certificates.fits_cards import filled, with_room
from ..certificates.sums import row_sums
from ..ground.dates import DAY, MJD_OF_1970
from ..readers.fits_check import BLOCK, CARD

LETTERS = {"u1": "B", "i2": "I", "f4": "E", "f8": "D"}
#: POL_TYPE of the planes of a direction.
POL_TYPES = {("X",): "AA", ("Y",): "BB", ("R",): "AA", ("L",): "BB", ("X", "Y"): "AABB",
             ("R", "L"): "AABB", ("I", "Q", "U", "V"): "IQUV"}
#: POL_TYPE of others -> planes that are powers, to be added up.
POWERS = {"AABB": 2, "AABBCRCI": 2, "XXYY": 2, "LLRR": 2, "XXYYCRCI": 2, "LLRRCRCI": 2}
#: POL_TYPE whose first plane is the power.
SINGLE = ("AA+BB", "INTEN", "AA", "BB", "IQUV", "STOKES", "I")


def is_psrfits(path):
    """True for a PSRFITS file, by its content."""
    try:
        with open(path, "rb") as file:
            start = file.read(2 * BLOCK)
    except OSError:
        return False
    return start.startswith(b"SIMPLE  =") and b"FITSTYPE= 'PSRFITS" in start


def fits_module(path):
    """The module astropy.io.fits. Raises ValueError where it is not installed."""
    try:
        from astropy.io import fits
    except ImportError:
        raise ValueError(f"{path}: reading a PSRFITS file needs python3-astropy "
                         "(apt install python3-astropy)") from None
    return fits


def header_bytes(entries):
    """A FITS header of (key, value, comment). Texts are cut to 68 characters of ASCII."""
    cards = []
    for key, value, comment in entries:
        if isinstance(value, str):
            text = value.encode("ascii", "replace").decode()
            text = "".join(c if c.isprintable() else " " for c in text)
            while len(text.replace("'", "''")) > 68:
                text = text[:-1]
            text = "'" + text.replace("'", "''").ljust(8) + "'"
        elif isinstance(value, (bool, np.bool_)):
            text = ("T" if value else "F").rjust(20)
        elif isinstance(value, (int, np.integer)):
            text = str(value).rjust(20)
        else:
            text = repr(float(value)).upper().rjust(20)
        card = f"{key:8}= {text:20}" + (f" / {comment}" if comment else "")
        cards.append(card[:CARD].encode("ascii"))
    return filled(cards)


def _sexagesimal(value, digits, sign=""):
    """value in hours or degrees as [sign]dd:mm:ss.s."""
    units = round(abs(value) * 3600 * 10**digits)
    whole, part = divmod(units, 3600 * 10**digits)
    minutes, seconds = divmod(part, 60 * 10**digits)
    lead = "-" if value < 0 else sign
    return f"{lead}{whole:02d}:{minutes:02d}:{seconds / 10**digits:0{3 + digits}.{digits}f}"


def primary(axes, number, start, mode):
    """The first header, of direction `number`; mode: SEARCH or PSR. start: an epoch."""
    direction = axes.directions[number]
    ra, dec = np.degrees(axes.radec(direction, start))
    x, y, z = fp.itrf_from_enu(axes.obs, [0, 0, 0])
    days, seconds = divmod(start.seconds, DAY)
    f = axes.frequencies
    circular = axes.polarizations in ("R", "L", "RL")
    stokes = axes.products == "stokes"
    hand = -1 if axes.polarizations.startswith("R") and not stokes else 1
    return with_room(header_bytes([
        ("SIMPLE", True, ""), ("BITPIX", 8, ""), ("NAXIS", 0, ""), ("EXTEND", True, ""),
        ("HDRVER", "6.1", "of the header"), ("FITSTYPE", "PSRFITS", "FITS for pulsars"),
        ("DATE", start.iso(0), "of the data"), ("OBSERVER", "", ""), ("PROJID", "", ""),
        ("TELESCOP", axes.obs.telescope, ""), ("ANT_X", x, "[m] ITRF"), ("ANT_Y", y, "[m]"),
        ("ANT_Z", z, "[m]"), ("FRONTEND", "", ""), ("NRCVR", len(axes.polarizations), ""),
        ("FD_POLN", "CIRC" if circular else "LIN", ""), ("FD_HAND", hand, ""),
        ("FD_SANG", 0.0 if circular else 45.0, "[deg]"), ("FD_XYPH", 0.0, "[deg]"),
        ("BACKEND", "gr-fringe", ""), ("BE_PHASE", 1, ""), ("BE_DCC", 0, ""),
        ("BE_DELAY", 0.0, ""), ("TCYCLE", 0.0, ""),
        ("OBS_MODE", mode, ""), ("DATE-OBS", start.iso(3), "UTC"),
        ("OBSFREQ", f.mean() / 1e6, "[MHz]"), ("OBSBW", axes.width * len(f) / 1e6, "[MHz]"),
        ("OBSNCHAN", len(f), ""), ("CHAN_DM", axes.dispersion, "[pc/cm3] taken out"),
        ("SRC_NAME", direction, ""), ("COORD_MD", "J2000", ""), ("EQUINOX", 2000.0, ""),
        ("RA", _sexagesimal(ra % 360 / 15, 4), ""), ("DEC", _sexagesimal(dec, 3, "+"), ""),
        ("BMAJ", 0.0, "[deg] not known"), ("BMIN", 0.0, "[deg] not known"), ("BPA", 0.0, "[deg]"),
        ("TRK_MODE", "TRACK", ""), ("FD_MODE", "FA", ""), ("FA_REQ", 0.0, ""),
        ("CAL_MODE", "OFF", ""),
        ("STT_IMJD", MJD_OF_1970 + days, "[d]"), ("STT_SMJD", seconds, "[s]"),
        ("STT_OFFS", start.fraction(), "[s]")]))


class table:
    """The table SUBINT, whose rows are written one by one.

      columns: (name, numpy type, shape with the fastest index last, unit)
      cards: more of its header
    """

    def __init__(self, file, columns, cards):
        self._file, self._at, self.rows = file, file.tell(), 0
        self._columns, self._cards, self._sums = columns, cards, row_sums()
        self.type = np.dtype([(name, ">" + kind, shape) for name, kind, shape, _ in columns])
        file.write(self._header(cards))

    def _header(self, cards):
        all_cards = [("XTENSION", "BINTABLE", ""), ("BITPIX", 8, ""), ("NAXIS", 2, ""),
                     ("NAXIS1", self.type.itemsize, ""), ("NAXIS2", self.rows, ""),
                     ("PCOUNT", 0, ""), ("GCOUNT", 1, ""), ("TFIELDS", len(self._columns), "")]
        for n, (name, kind, shape, unit) in enumerate(self._columns, 1):
            all_cards += [(f"TTYPE{n}", name, ""),
                          (f"TFORM{n}", f"{int(np.prod(shape))}{LETTERS[kind]}", "")]
            all_cards += [(f"TUNIT{n}", unit, "")] if unit else []
            if len(shape) > 1:
                all_cards.append((f"TDIM{n}", f"({','.join(map(str, shape[::-1]))})", ""))
        return header_bytes([*all_cards, ("EXTNAME", "SUBINT", ""), *cards])

    def add(self, **values):
        """Writes a row."""
        row = np.zeros(1, self.type)
        for name, value in values.items():
            row[name][0] = value
        self._sums.add("SUBINT", self.rows, row)
        self._file.write(row.tobytes())
        self.rows += 1

    def finish(self, cards=(), command=""):
        """Says how many rows there are, fills the last block, and puts a certificate into the first
        header. cards: of these keys, others; command: what made the file."""
        new = {key: (key, *rest) for key, *rest in cards}
        self._file.write(b"\0" * (-self.rows * self.type.itemsize % BLOCK))
        end = self._file.tell()
        self._file.seek(self._at)
        self._file.write(self._header([new.get(card[0], card) for card in self._cards]))
        self._file.seek(end)
        certify_fits(self._file, command, self._sums)
