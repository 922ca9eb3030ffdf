#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What is shown can be frozen, while data come on behind it."""

import threading


class held_changes:
    """Takes what is to be shown: at once, or, while it is frozen, when it is no longer.

    Attributes that are shown are set by change() alone, from any thread, and replaced as a whole;
    changed() is called when there is something new.
    """

    def __init__(self):
        self._guard, self._held = threading.Lock(), None

    def change(self, **new):
        """Sets attributes that are shown."""
        with self._guard:
            if self._held is not None:
                self._held.update(new)
                return
            vars(self).update(new)
        self.changed()

    def freeze(self, frozen):
        """Keeps what is shown, or shows what has come meanwhile."""
        with self._guard:
            held = self._held or {}
            self._held = held if frozen else None
            if not frozen:
                vars(self).update(held)
        self.changed()

    def changed(self):
        """There is something new to draw."""
