#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Wires of the message ports of a hierarchical block."""
import contextlib


class message_wires:
    """For a gr.hier_block2 with message ports of its own: makes their wires, and takes them out.

    With such a wire GNU Radio 3.10 gives the block a pointer to itself. So the block, its stages
    and their buffers stay when nobody has them any more, each buffer with a segment of shared
    memory, of which Linux has 4096.
    """

    def connect_messages(self, source, out, target, port):
        """Connects a message port; source or target is the block itself."""
        self.msg_connect(source, out, target, port)
        self.__dict__.setdefault("_message_wires", []).append((source, out, target, port))

    def release(self):
        """Takes all wires out when the flowgraph has ended and is not run again, so that its
        memory is free once nobody has it."""
        for wire in self.__dict__.pop("_message_wires", ()):
            # The wire is gone when GNU Radio misses the port, which such a block has in name only.
            with contextlib.suppress(RuntimeError):
                self.msg_disconnect(*wire)
        self.disconnect_all()
