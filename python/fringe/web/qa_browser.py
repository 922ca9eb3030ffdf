# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""A browser without a window, which tests and scripts/web_picture look at the page with."""
import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from qa_scratch import TIMEOUT

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")


class browser:
    """Chromium with one page of `width` x `height` pixels, told what to do by its DevTools
    protocol. `messages` are what the page's scripts wrote to the console, and errors.
    `asked` are the addresses that the page asked for."""

    def __init__(self, width=1366, height=900, scale=1.0, dark=False):
        from tornado.websocket import websocket_connect
        self._folder = tempfile.mkdtemp()
        self.messages, self.asked, self._number = [], [], 0
        options = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                   "--remote-debugging-port=0", f"--user-data-dir={self._folder}",
                   "--disable-dev-shm-usage", "--disable-background-networking",
                   "--remote-allow-origins=*"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # it does not run as root otherwise
        self._process = subprocess.Popen(
            [PROGRAM, *options, "about:blank"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        self._loop = asyncio.new_event_loop()
        try:
            port = self._port()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json",
                                        timeout=TIMEOUT) as answer:
                page = next(tab for tab in json.load(answer) if tab["type"] == "page")

            async def connect():
                return await websocket_connect(page["webSocketDebuggerUrl"],
                                               max_message_size=1 << 28)

            self._socket = self._loop.run_until_complete(connect())
            self.call("Runtime.enable")
            self.call("Network.enable")
            self.call("Page.enable")
            self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=scale, mobile=width < 600)
            self.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _port(self):
        path, end = os.path.join(self._folder, "DevToolsActivePort"), time.monotonic() + TIMEOUT
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with open(path, encoding="ascii") as file:
                    lines = file.read().split()
                if len(lines) >= 2:
                    return int(lines[0])
            except FileNotFoundError:
                pass
            time.sleep(0.05)
        raise RuntimeError(f"{PROGRAM} did not start (exit code {self._process.poll()})")

    def close(self):
        """Ends the browser."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def call(self, method, **parameters):
        """One call of the protocol; its result."""
        self._number += 1
        number = self._number

        async def ask():
            await self._socket.write_message(json.dumps(
                {"id": number, "method": method, "params": parameters}))
            while True:
                answer = json.loads(await asyncio.wait_for(self._socket.read_message(), TIMEOUT))
                self._note(answer)
                if answer.get("id") == number:
                    return answer

        answer = self._loop.run_until_complete(ask())
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _note(self, answer):
        """Keeps what an event says."""
        parameters = answer.get("params", {})
        if answer.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            self.messages.append(json.dumps(parameters)[:1000])
        elif answer.get("method") == "Network.requestWillBeSent":
            self.asked.append(parameters["request"]["url"])
        elif answer.get("method") == "Network.webSocketCreated":
            self.asked.append(parameters["url"])

    def go(self, url):
        """Loads a page."""
        self.call("Page.navigate", url=url)
        self.wait_for("document.body !== null && location.href !== 'about:blank'")

    def value(self, script):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def wait_for(self, script):
        """Waits until an expression is true; AssertionError with the page's text when it does not
        become so."""
        end = time.monotonic() + TIMEOUT
        while not self.value(script):
            if time.monotonic() > end or self.messages:
                raise AssertionError(f"{script} did not become true; {self.messages[:1]}; the page "
                                     f"says: {self.value('document.body.innerText')[:2000]}")
            time.sleep(0.05)

    def picture(self, path=None, whole=False):
        """PNG of what is shown, or of the whole page; also written to `path`."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png",
                                          captureBeyondViewport=whole)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data
