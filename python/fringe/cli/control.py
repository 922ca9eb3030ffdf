#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe control: what an operator asks of a flowgraph that runs."""
import http.client
import json

from ..operating.commands import COMMANDS, CONTROL_HEADER
from ..operating.table import table
from ..web.addresses import HOST, PORT, is_loopback, listening_address

TIMEOUT = 30  # seconds for an answer

DESCRIPTION = """\
Asks a flowgraph that runs: fringe correlate --web, or one with the block Web Page. The web page's
server passes the command on, and obeys programs of this computer only.

""" + "\n".join(f"  {name:10}{what}" for name, what in COMMANDS.items())

EXAMPLES = """\
examples:
  fringe control status
  fringe control new-file
  fringe control stop --at 127.0.0.1:8081

exit codes: 0 done, 1 no flowgraph answers, or it refuses, 2 usage
"""


def add_parser(commands):
    p = commands.add_parser("control", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("what", choices=COMMANDS, metavar="COMMAND", help="see above")
    p.add_argument("--at", default=f"{HOST}:{PORT}", metavar="HOST:PORT",
                   help=f"where the web page is (default {HOST}:{PORT})")


def run(options):
    host, port = listening_address(options.at, "--at")
    host = HOST if host == "0.0.0.0" else host
    if not is_loopback(host):
        raise ValueError(f"--at: {options.at}: only this computer's flowgraphs are controlled; use "
                         f"{HOST}:{port}, on their computer")
    answer = ask(host, port, options.what)
    for line in table(answer["samples"]) if "samples" in answer else [answer["done"]]:
        print(line)


def ask(host, port, what):
    """The answer of the page there, a dictionary; RuntimeError where there is none."""
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
    try:
        connection.request("POST", "/control", json.dumps({"do": what}), {CONTROL_HEADER: "1"})
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        raise RuntimeError(f"{where}: no web page of a flowgraph answers there: "
                           f"{getattr(error, 'strerror', None) or error}; fringe correlate --web "
                           "starts one, and --at says where it is") from None
    finally:
        connection.close()
    if response.headers["Server"] != "gr-fringe":
        raise RuntimeError(f"{where}: another program answers there, not the web page of a "
                           "flowgraph; --at says where that is")
    if response.status != 200:
        raise RuntimeError(f"{where}: {text.strip() or response.reason}")
    return json.loads(text)
