#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A web page of the dumps of a flowgraph, as a block."""
import socket
import subprocess
import sys
import weakref

from ..operating.alerts import alert_limits
from ..operating.link import begin_answering
from ..operating.operator import flowgraph_operator
from ..publishing.dump_publisher import dump_publisher
from .addresses import HOST, PORT, listening_address

PROGRAM = "import sys; from gnuradio.fringe.cli import main; sys.exit(main(sys.argv[1:]))"


def _end(process, link):
    """Ends the program, which does so when its input ends."""
    try:
        link.shutdown(socket.SHUT_RDWR)
    except OSError:  # the program has ended before
        pass
    process.wait()


def no_flowgraph(_):
    """The answer to every request where the block was not given its flowgraph."""
    return {"refused": "the block Web Page does not know its flowgraph: give it flowgraph=self"}


class web_page(dump_publisher):
    """Shows dumps on a web page, which phones can see, too: `fringe web` in a process of its own.

    Inputs: as dump_publisher's, visibilities [channel][baseline] and weights (optional). The dumps
    are published for this computer alone; the program begins with the flowgraph, prints the
    address of the page, and ends with the program that the block is in. The flowgraph never waits
    for it. What the page cannot do (a port that is in use) the program says on stderr.

      observation, channels, complex_samples, channels_per_item: as dump_publisher's
      listen: HOST:PORT of the page; with 127.0.0.1 only this computer sees it, with 0.0.0.0
        everyone in its network
      sources: marked in the image of the sky, names such as "Sun,CasA" or a catalogue
      flowgraph: the top_block, whose blocks are counted at /metrics of the page and obey `fringe
        control`; None: the page knows of the dumps only
      alerts: from where on something is an alert, "silence=60,disk=2", see
        docs/station_for_months.md

    Raises ValueError for an address that is none and as dump_publisher does; ImportError, naming
    the package, where ZeroMQ is not installed.
    """

    def __init__(self, observation, channels, listen=f"{HOST}:{PORT}", sources="",
                 complex_samples=True, channels_per_item=0, flowgraph=None, alerts=""):
        listening_address(listen, "web_page: listen")
        alert_limits.of(alerts)
        dump_publisher.__init__(self, observation, channels, "tcp://127.0.0.1:*",
                                complex_samples, channels_per_item)
        self._options = ["--listen", listen, "--sources", sources, "--alerts", alerts]
        self._operator = flowgraph_operator(flowgraph) if flowgraph is not None else None
        #: the program, a subprocess.Popen; None before the start
        self.process = None

    def start(self):
        """Begins the program, if it does not run."""
        if self._operator:
            self._operator.note_edges()
        if self.process is None or self.process.poll() is not None:
            answer = self._operator.answer if self._operator else no_flowgraph
            theirs, ours = begin_answering(answer)
            # In a session of its own: Ctrl-C is for the flowgraph, whose end it sees.
            with theirs:
                self.process = subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, "web", self.address, *self._options,
                     "--end-with-input"], stdin=theirs, start_new_session=True)
            weakref.finalize(self, _end, self.process, ours)
        return dump_publisher.start(self)
