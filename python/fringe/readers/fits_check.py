#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""FITS files of unknown origin: their headers claim no more than there is."""
import os
import re

BLOCK, CARD = 2880, 80  # bytes
MAX_HEADER = 1 << 20  # bytes
MAX_UNITS = 1000
#: Cards that say how long the data of a unit are.
SIZES = re.compile(rb"(BITPIX|NAXIS\d{0,3}|PCOUNT|GCOUNT) *= +([+-]?\d{1,19}) *(?:/.*)?", re.S)


def check_fits(path, kind="UVFITS file"):
    """Raises ValueError where a header has no end or claims data that the file does not hold."""
    size, at = os.path.getsize(path), 0
    with open(path, "rb") as file:
        for unit in range(MAX_UNITS):
            if at >= size:
                return
            file.seek(at)
            cards = _header(file, path, unit, kind)
            length = data_bytes(cards)
            if at + len(cards) * CARD + length > size:
                raise ValueError(f"{path}: damaged, or no whole {kind}: the header at byte "
                                 f"{at} claims {length} bytes of data, the file ends at byte "
                                 f"{size}")
            at += len(cards) * CARD + -(-length // BLOCK) * BLOCK
    raise ValueError(f"{path}: has more than {MAX_UNITS} headers, which no {kind} has")


def _header(file, path, unit, kind):
    """The cards of a header, those behind its end too."""
    begin = file.tell()
    cards = []
    while len(cards) * CARD < MAX_HEADER:
        block = file.read(BLOCK)
        if len(block) < BLOCK or (not cards and not block.startswith((b"SIMPLE", b"XTENSION"))):
            break
        new = [block[k:k + CARD] for k in range(0, BLOCK, CARD)]
        cards += new
        if any(card.rstrip() == b"END" for card in new):
            return cards
    raise ValueError(f"{path}: damaged, or no {kind}: no whole FITS header at byte {begin}"
                     + ("" if unit else ", where the file begins"))


def sizes_of(cards):
    """What a header says of the size of its data, by keyword."""
    sizes = {}
    for card in cards:
        found = SIZES.fullmatch(card.rstrip())
        if found:
            sizes.setdefault(found[1].decode(), int(found[2]))
    return sizes


def data_bytes(cards):
    """How long the data of a header are, without what fills their last block."""
    sizes = sizes_of(cards)
    axes = [sizes.get(f"NAXIS{k + 1}", 0) for k in range(min(sizes.get("NAXIS", 0), 999))]
    if not axes:
        return 0
    values = 1
    for length in axes[1:] if axes[0] == 0 else axes:  # random groups have NAXIS1 = 0
        values *= max(length, 0)
    return (abs(sizes.get("BITPIX", 8)) // 8 * max(sizes.get("GCOUNT", 1), 0)
            * (max(sizes.get("PCOUNT", 0), 0) + values))
