#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Planes that are cleaned side by side: their major cycles read the visibilities together."""

import threading


class joint_residuals:
    """Residuals for threads that each clean one plane.

    A thread that asks for the residual of its model waits until all planes that are still being
    cleaned have asked. Then one pass over the visibilities makes the residuals of all of them.

    together: makes {plane: residual} of {plane: model}.
    """

    def __init__(self, planes, together):
        self._together = together
        self._changed = threading.Condition()
        self._busy = set(planes)  #: planes that are being cleaned
        self._models, self._made = {}, {}
        self._failure = None

    def of(self, plane, model):
        """The residual of a plane."""
        with self._changed:
            self._models[plane] = model
            self._serve()
            self._changed.wait_for(lambda: plane in self._made or self._failure)
            if self._failure:
                raise self._failure
            return self._made.pop(plane)

    def ended(self, plane):
        """A plane asks no more."""
        with self._changed:
            self._busy.discard(plane)
            self._serve()

    def stop(self, failure):
        """Every thread that waits, or asks from now on, gets this exception."""
        with self._changed:
            self._failure = self._failure or failure
            self._changed.notify_all()

    def _serve(self):
        if not self._busy or self._failure or set(self._models) < self._busy:
            return
        models, self._models = self._models, {}
        try:
            self._made.update(self._together(models))
        except BaseException as failure:  # the threads raise it
            self._failure = failure
        self._changed.notify_all()


def side_by_side(planes, together, clean):
    """{plane: clean(plane, residual)}, where residual(model) makes the residual of the plane.

    together: makes {plane: residual} of {plane: model}, for those planes that need one at a time.
    """
    if len(planes) == 1:
        plane = planes[0]
        return {plane: clean(plane, lambda model: together({plane: model})[plane])}
    from concurrent.futures import ThreadPoolExecutor
    joint = joint_residuals(planes, together)

    def clean_plane(plane):
        try:
            return clean(plane, lambda model: joint.of(plane, model))
        except BaseException as failure:
            joint.stop(failure)
            raise
        finally:
            joint.ended(plane)
    with ThreadPoolExecutor(len(planes)) as threads:
        waiting = {plane: threads.submit(clean_plane, plane) for plane in planes}
        try:
            return {plane: result.result() for plane, result in waiting.items()}
        except BaseException as failure:  # Ctrl-C, too
            joint.stop(failure)
            raise
