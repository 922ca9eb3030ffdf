#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the server answers: files of the page, metrics, and the operator's commands."""
import asyncio
import ipaddress
import json

from tornado.web import RequestHandler

from ..operating.commands import CONTROL_HEADER
from ..operating.exposition import CONTENT_TYPE, exposition


class known_host(RequestHandler):
    """What is common to all answers. Methods that a class has not are refused, by Tornado."""

    def set_default_headers(self):
        """Tornado's. The browser itself keeps the page from loading anything from elsewhere."""
        host = self.request.host if self.request.host in self._known() else "localhost"
        self.set_header("Content-Security-Policy",
                        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                        f"connect-src 'self' ws://{host}; frame-ancestors 'none'; "
                        "base-uri 'none'; form-action 'none'")
        for name, value in (("X-Content-Type-Options", "nosniff"), ("Server", "gr-fringe"),
                            ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-cache")):
            self.set_header(name, value)

    def _known(self):
        return self.application.settings["names"]

    def prepare(self):
        if self.request.host not in self._known():
            self.write_text(403, f"{self.request.host}: this computer is not called so; use its "
                            "number, or start fringe web with name=NAME\n")

    def write_error(self, status_code, **_):
        """Tornado's."""
        self.write_text(status_code, f"{status_code}: {self._reason}\n")

    def write_text(self, status, text):
        """Ends the answer with plain text."""
        self.set_status(status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(text)


class page_file(known_host):
    """One file of the page."""

    def initialize(self, files):
        self._files = files

    def get(self, name):
        """Tornado's."""
        found = self._files.get(name or "index.html")
        if found is None:
            self.write_text(404, f"{name}: there is no such page\n")
            return
        self.set_header("Content-Type", found[0])
        self.set_header("Etag", found[2])
        if self.check_etag_header():
            self.set_status(304)
            return
        self.finish(found[1])


class metrics_page(known_host):
    """The metrics, for Prometheus. They are counted when they are asked for."""

    def initialize(self, watch):
        self._watch = watch

    async def get(self):
        """Tornado's."""
        samples = await asyncio.to_thread(self._watch.samples)
        self.set_header("Content-Type", CONTENT_TYPE)
        self.finish(exposition(samples))


class control(known_host):
    """Commands of the operator: a POST of {"do": ...} from this computer, and from no page."""

    def initialize(self, watch):
        self._watch = watch

    def _why_not(self):
        """Why this request may not control anything; "" where it may."""
        headers = self.request.headers
        if not ipaddress.ip_address(self.request.remote_ip.partition("%")[0]).is_loopback:
            return "only programs of this computer control the flowgraph"
        if "X-Forwarded-For" in headers or "Forwarded" in headers:
            return "the request was forwarded; only programs of this computer control the flowgraph"
        if CONTROL_HEADER not in headers or "Origin" in headers or "Cookie" in headers:
            return "no page controls the flowgraph; fringe control does"
        return ""

    async def post(self):
        """Tornado's."""
        why = self._why_not()
        if why:
            self.write_text(403, why + "\n")
            return
        try:
            request = json.loads(self.request.body)
            what = str(request["do"])
        except (ValueError, TypeError, KeyError):
            self.write_text(400, 'the body must be {"do": COMMAND}\n')
            return
        answer = await asyncio.to_thread(self._watch.control, what)
        if answer is None:
            self.write_text(409, "this page was started by itself: it knows no flowgraph; "
                            "--web of fringe correlate, or the block Web Page, starts one that "
                            "does\n")
        elif "refused" in answer:
            self.write_text(409, answer["refused"] + "\n")
        else:
            self.set_header("Content-Type", "application/json")
            self.finish(json.dumps(answer))
