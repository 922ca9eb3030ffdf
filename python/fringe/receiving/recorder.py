#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the blocks that record have in common."""
import numpy as np
from gnuradio import gr

from ..ground.streams import tags_of


class recorder(gr.sync_block):
    """A block that writes each item with its tags. A class derived from it has write(item, tags)
    and samples(); without a flowgraph these and finish() are called by themselves."""

    def __init__(self, name, item_bytes):
        gr.sync_block.__init__(self, name=f"fringe_{name}", in_sig=[(np.uint8, item_bytes)],
                               out_sig=None)
        self._error = ""
        #: of its files; "" = not known
        self.folder = ""
        #: (second, fraction) of the first sample, or None
        self.began = None

    def error(self):
        """Why writing ended, "" if it did not."""
        return self._error

    def write(self, item, tags):
        """Writes an item (an array of uint8) with its tags, {name: value}. Raises OSError,
        RuntimeError or ValueError."""
        raise NotImplementedError

    def finish(self):
        """No more items come."""

    def work(self, input_items, output_items):
        """Writes items."""
        try:
            for k, item in enumerate(input_items[0]):
                self.write(item, tags_of(self, 0, self.nitems_read(0) + k))
        except (OSError, RuntimeError, ValueError) as error:
            self._error = str(error)
            return -1
        return len(input_items[0])

    def stop(self):
        """Ends the file, when all items have come."""
        try:
            self.finish()
        except RuntimeError as error:
            self._error = self._error or str(error)
        return True
