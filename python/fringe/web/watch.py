#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the page knows of the flowgraph whose dumps it shows: metrics, and alerts."""
import math

from ..operating.alerts import alert_limits, alerts

EVERY = 2.0  #: seconds between two looks for alerts


class flowgraph_watch:
    """Metrics of the flowgraph that has started this program, over an operator_link, and of the
    dumps that a dump_taker takes. link: None where no flowgraph has; limits: an alert_limits."""

    def __init__(self, taker, link=None, limits=None):
        self._taker, self._link = taker, link
        self._alerts = alerts(limits or alert_limits())
        #: {name: sentence}, of the last look
        self.found = {}
        #: how many viewers the page has
        self.viewers = 0

    def samples(self):
        """All metrics now, (name, labels, value); waits for the other program."""
        return [*self._measured(), *(("fringe_alert", {"alert": name}, name in self.found)
                                     for name in alerts.NAMES)]

    def _measured(self):
        answer = self.control("status") or {}
        own = [("fringe_page_viewers", {}, self.viewers), *self._taker.samples()]
        return [*map(tuple, answer.get("samples", ())), *own]

    def control(self, what):
        """The answer to a command, see operating/operator.py; None where no flowgraph answers."""
        return self._link.ask({"do": what}) if self._link else None

    def look(self):
        """Finds the alerts of now."""
        self.found = self._alerts.look(
            [sample for sample in self._measured() if math.isfinite(sample[2])])
