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
    """result: FITS, WRONG, or UNKNOWN where the file does not say enough."""
    check: str
    result: str
    words: str

    def line(self):
        return f"{self.result:10}{self.check}: {self.words}"
