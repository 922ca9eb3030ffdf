#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What libraries raise about damaged files becomes a sentence."""

import contextlib
import struct

#: What reading a file that is not as its format has it ends in.
FAULTS = (KeyError, IndexError, OSError, TypeError, AttributeError, ValueError, RuntimeError,
          ArithmeticError, MemoryError, AssertionError, struct.error)


@contextlib.contextmanager
def damage_reported(path, kind, *more):
    """Errors of the body become ValueErrors with a sentence, if they are none.

    kind: "UVFITS file". more: other exceptions of the library.
    """
    try:
        yield
    except (*FAULTS, *more) as error:
        words = ' '.join(str(error).split())
        if isinstance(error, ValueError) and words.startswith(str(path)):
            raise
        if isinstance(error, KeyError):
            words = str(error.args[0]) if error.args else ''
        raise ValueError(f'{path}: damaged, or no {kind}: '
                         f'{words or type(error).__name__}') from error
