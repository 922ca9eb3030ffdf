#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Headers of FITS files, whose cards HISTORY hold the certificate."""
import os

from .. import fringe_python as fp
from ..readers.fits_check import BLOCK, CARD
from .pieces import MEMORY
from .text import MARK, certificate_in

#: Cards that do not count: what grows, and what says how many groups there are.
OTHERS = (b'HISTORY ', b'COMMENT ', b'GCOUNT  ', b'END     ', b'        ')
#: Empty cards in which a certificate has room.
ROOM = 24


def header_of(file):
    """The bytes of the header that begins where an open file is."""
    header = b''
    while part := file.read(BLOCK):
        header += part
        if any(part[at:at + 8] == b'END     ' for at in range(0, BLOCK, CARD)):
            break
    return header


def cards_of(header):
    """The cards of a header, those behind its end too."""
    return [header[at:at + CARD] for at in range(0, len(header), CARD)]


def crc_of_header(header):
    """CRC-32C of its cards but for its history, and what grows."""
    return fp.crc32c(b''.join(card for card in cards_of(header) if card[:8] not in OTHERS))


def history_of_fits(path):
    """The text of all cards of the first header: a certificate goes over several."""
    with open(path, 'rb') as file:
        cards = cards_of(header_of(file))
    return ''.join(card[8:].decode('ascii', 'replace').rstrip() for card in cards
                   if card[:8] == b'HISTORY ')


def put_certificate(path, line):
    """Puts a certificate into the history of a file, in the place of an older one."""
    with open(path, 'r+b') as file:
        put_line(file, line)


def put_line(file, line):
    """The same in a file that is open to be read and written."""
    file.seek(0)
    header = header_of(file)
    cards = cards_of(header)
    cards = _without_certificate([card for card in cards[:_end(cards)] if card.strip()])
    new = filled([*cards, *(b'HISTORY ' + part for part in split(line))], len(header))
    if len(new) > len(header):
        _move(file, len(header), len(new) - len(header))
    file.seek(0)
    file.write(new)


def filled(cards, size=0):
    """A header of these cards, of at least `size` bytes, with END as its last card."""
    text = b''.join(card.ljust(CARD) for card in cards)
    size = -(-max(size, len(text) + CARD) // BLOCK) * BLOCK
    return text.ljust(size - CARD) + b'END'.ljust(CARD)


def with_room(header):
    """A header with empty cards, so that a certificate moves none of the data behind it."""
    cards = cards_of(header)
    cards = cards[:_end(cards)]
    return filled(cards, (len(cards) + ROOM) * CARD)


def _end(cards):
    return next((k for k, card in enumerate(cards) if card[:8] == b'END     '), len(cards))


def _without_certificate(cards):
    """Without the cards of certificates, each from the one that begins it to the one in which its
    JSON ends."""
    kept, text = [], ''
    for card in cards:
        begins = card.startswith(b'HISTORY ' + MARK.encode() + b'{')
        if card[:8] != b'HISTORY ' or not (begins or text):
            kept.append(card)
            continue
        text = ('' if begins else text) + card[8:].decode('ascii', 'replace').rstrip()
        if certificate_in(text):
            text = ''
    return kept


def split(line, width=72):
    """Parts of a line for cards, none of which ends with a blank, which readers take away."""
    text, parts = line.encode('ascii', 'backslashreplace'), []
    while text:
        end = min(width, len(text))
        while 1 < end < len(text) and text[end - 1:end] == b' ':
            end -= 1
        parts.append(text[:end])
        text = text[end:]
    return parts


def _move(file, begin, by):
    """Moves the bytes from `begin` to the end of a file towards the end."""
    end = file.seek(0, os.SEEK_END)
    while end > begin:
        start = max(begin, end - MEMORY)
        file.seek(start)
        part = file.read(end - start)
        file.seek(start + by)
        file.write(part)
        end = start
