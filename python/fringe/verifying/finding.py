#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a check of a file found."""
import dataclasses

FITS, WRONG, UNKNOWN = "fits", "wrong", "not known"


@dataclasses.dataclass
class finding:
    """verdict: FITS, WRONG, or UNKNOWN where the file does not say enough."""
    check: str
    verdict: str
    words: str

    def line(self):
        return f"{self.verdict:10}{self.check}: {self.words}"
