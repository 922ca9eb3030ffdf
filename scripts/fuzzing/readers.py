# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers that are written in Python: how a good input is made by gr-fringe itself, and read."""
import dataclasses
import os
import typing

import files
import messages


@dataclasses.dataclass
class reader:
    """A reader for guarded.fuzz()."""
    name: str
    make: typing.Callable  #: writes a good input into a folder
    take: typing.Callable  #: reads it, from the folder
    changed: tuple = ()    #: names of the files that are changed; none: all that are there
    trees: bool = False    #: they are JSON or YAML, whose values may be exchanged
    named: tuple = ()      #: of these words or the name of the changed file one is in a sentence

    def files(self, folder):
        """The files that are changed, relative to the folder."""
        if self.changed:
            return list(self.changed)
        return sorted(os.path.relpath(os.path.join(where, name), folder)
                      for where, _, names in os.walk(folder) for name in names)


READERS = (
    *(reader(f"visibilities_{ending.lower()}", files.visibilities(f"x.{ending}"),
             files.read_visibilities(f"x.{ending}"), changed, named=("x.",))
      for ending, changed in (("uvfits", ()), ("uvh5", ()), ("ms", ()), ("ACC", ("x.ACC",)),
                              ("LCCSPC", ("x.LCCSPC", "x.LACSPC")))),
    reader("description_of_acc", files.visibilities("x.ACC"), files.read_visibilities("x.ACC"),
           ("x.ACC.yml",), trees=True, named=("x.ACC",)),
    reader("solutions_hdf5", files.solutions("x.h5"), files.read_solutions("x.h5")),
    reader("solutions_uvcal", files.solutions("x.calh5", kinds="G"),
           files.read_solutions("x.calh5")),
    reader("solutions_casa", files.solutions("x.cal", kinds="G"), files.read_solutions("x.cal"),
           named=("x.cal",)),
    reader("fits_model", files.model("x.fits"), files.read_model),
    reader("fits_mask", files.model("x.fits"), files.read_mask),
    reader("catalog", files.text("x.yml", files.CATALOG), files.read_catalog, trees=True),
    reader("known_sources", files.text("x.yml", files.KNOWN), files.read_known, trees=True),
    reader("beam_table", files.text("x.txt", files.BEAM), files.read_beam),
    reader("gains_text", files.text("x.txt", files.GAINS), files.read_gains("x.txt")),
    reader("gains_numpy", files.numpy_gains, files.read_gains("x.npy")),
    reader("plan", files.plan, files.read_plan, ("plan.json",), trees=True),
    reader("reports_of_parts", files.done_plan, files.merge_parts, files.REPORTS, trees=True,
           named=("plan.json",)),
    reader("dumps_of_parts", files.done_plan, files.merge_parts, files.DUMPS,
           named=("plan.json",)),
    reader("published_dumps", messages.dump_parts, messages.read_dump, ("header",), trees=True,
           named=("dump_reader: ",)),
    reader("kraken_frames", messages.kraken_frame, messages.read_kraken, named=("host:1",)),
    reader("kraken_answers", messages.kraken_answer, messages.read_answer, trees=True,
           named=("host:1",)),
    reader("rtl_tcp", messages.rtl_tcp_hello, messages.read_rtl_tcp, named=("host:1",)),
    reader("http", messages.request, messages.ask_server),
    reader("websocket", messages.frames, messages.ask_server, ("frames",)),
)
