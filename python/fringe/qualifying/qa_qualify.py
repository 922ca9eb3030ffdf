#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe qualify: the table, the limits, reports, exit codes; a few groups every day, and all of
them with random seeds."""
import contextlib
import io
import json
import math
import os
import unittest
from unittest import mock

from gnuradio.fringe.cli import main
from gnuradio.fringe.qualifying import runner
from gnuradio.fringe.qualifying.report import write_report
from gnuradio.fringe.qualifying.requirement import (at_least, at_most, between, exactly, group,
                                                    measured, near, requirement)
from gnuradio.fringe.qualifying.table import GROUPS, chosen
from qa_scratch import scratch_case, seed_of_tests, times_tried

#: Groups that are measured every day: seconds in all.
DAILY = ("filter", "dynamic", "linearity", "products", "peeling", "beams")


def command(*words):
    """Exit code, what was printed, and what was complained."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(["qualify", *words])
        except SystemExit as stopped:
            code = stopped.code
    return code, out.getvalue(), err.getvalue()


class qa_table(unittest.TestCase):

    def test_there_are_enough_and_each_says_what_it_is(self):
        everything = chosen()
        self.assertGreater(len(everything), 60)
        self.assertEqual(len({required.text for required in everything}), len(everything))
        numbers = [tuple(map(int, required.number.split("."))) for required in everything]
        self.assertEqual(numbers, sorted(set(numbers)))
        for required in everything:
            with self.subTest(required.number):
                self.assertTrue(required.text.endswith(".") and len(required.method) > 15)
                self.assertTrue(required.limit.in_words())
                # None accepts everything.
                self.assertTrue(required.limit.low > -math.inf or required.limit.high < math.inf)
                if required.limit.sigmas:
                    self.assertLess(required.limit.precision, math.inf)

    def test_parts_are_chosen(self):
        numbers = [required.number for required in chosen(only=("4.2", "1.1"))]
        self.assertEqual(numbers, ["1.1", "4.2"])
        self.assertEqual(chosen(("delays",)), chosen((str(GROUPS[4].number),)))
        for words in ({"groups": ("nothing",)}, {"groups": ("99",)}, {"only": ("1.99",)},
                      {"groups": ("",)}):
            with self.assertRaisesRegex(ValueError, "there is no"):
                chosen(**words)

    def test_limits(self):
        for limit, good, bad in (
                (at_most(2), (2, -5), (2.1, math.nan, math.inf, -math.inf)),
                (at_least(2), (2, 9), (1.9, math.nan, math.inf)),
                (between(1, 2), (1, 2), (0.9, 2.1)), (exactly(0), (0,), (1, -1, math.nan))):
            for value in good:
                self.assertTrue(limit.met(measured(value)), (limit, value))
            for value in bad:
                self.assertFalse(limit.met(measured(value)), (limit, value))
        theory = near(1.0, precision=0.1, sigmas=5)
        self.assertTrue(theory.met(measured(1.4, 0.1)))
        for found in (measured(1.6, 0.1), measured(1.0, 0.11), measured(1.0, -0.1),
                      measured(1.0, math.nan), measured(math.nan, 0.1)):
            self.assertFalse(theory.met(found), found)
        self.assertEqual(theory.in_words(), "1 within 5 sigma, sigma at most 0.1")
        computed = near(precision=0, allowance=0.5, sigmas=0)
        self.assertTrue(computed.met(measured(7.4, expected=7)))
        self.assertFalse(computed.met(measured(7.6, expected=7)))
        self.assertEqual(computed.in_words(measured(7.4, expected=7)), "7 within 0.5")
        each = near(precision=1, allowance=0.5, sigmas=1)
        self.assertTrue(each.met(measured(7.4, 0, expected=7)))
        self.assertFalse(each.met(measured(7.6, 0, expected=7)))


class qa_runner(scratch_case):

    def result(self, measure, limit=exactly(0), **more):
        return runner.measure(requirement("1.1", "A test.", "None.", limit, measure, **more))

    def test_verdicts(self):
        self.assertEqual(self.result(lambda work: measured(0)).verdict, runner.PASSED)
        self.assertEqual(self.result(lambda work: measured(1)).verdict, runner.FAILED)
        broken = self.result(lambda work: 1 // 0)
        self.assertEqual((broken.verdict, broken.found), (runner.FAILED, None))
        self.assertIn("ZeroDivisionError", broken.value_in_words())
        absent = self.result(lambda work: measured(0), needs=("no_such_module",))
        self.assertEqual(absent.verdict, runner.NOT_RUN)
        self.assertIn("no_such_module", absent.why)

    def test_what_was_not_run_is_no_success(self):
        absent = self.result(lambda work: measured(0), needs=("no_such_module",))
        for results, passed in (([], False), ([absent], False),
                                ([self.result(lambda work: measured(0)), absent], True),
                                ([self.result(lambda work: measured(1))], False)):
            self.assertEqual(runner.qualification(results, {}, 1, False, 0.0).passed, passed)

    def test_a_seed_says_everything(self):
        draws = [self.result(lambda work: measured(work.rng.random()), at_most(1)).found.value
                 for _ in range(2)]
        self.assertEqual(*draws)
        other = runner.measure(requirement("1.1", "A test.", "None.", at_most(1),
                                           lambda work: measured(work.rng.random())), seed=5)
        self.assertNotEqual(other.found.value, draws[0])

    def test_what_is_shared_is_made_once(self):
        made = []

        def shared(work):
            made.append(1)
            return work.rng.random()
        ours = group(1, "Filter bank")
        for text in ("A.", "B."):
            ours.requires(text, at_most(1), "Shared.")(
                lambda work: measured(work.once(shared)))
        report = runner.qualify(ours.requirements, backends=["cpu"])
        self.assertEqual(len(made), 1)
        self.assertEqual(report.results[0].found.value, report.results[1].found.value)

    def test_each_device(self):
        ours, seen = group(1, "Filter bank"), []
        for devices in (True, False):
            ours.requires(f"{devices}.", exactly(0), "None.", devices=devices)(
                lambda work: seen.append(work.backend) or measured(0))
        runner.qualify(ours.requirements, backends=["cpu", "generic"])
        self.assertEqual(seen, ["cpu", "generic", "cpu"])


class qa_reports(scratch_case):

    @classmethod
    def setUpClass(cls):
        # Curves, a value alone, a limit of theory, and three that fail, one without a value.
        ours = chosen(only=("1.1", "1.2", "1.6"))
        ours += [requirement("1.7", "A <bad> one.", "None.", exactly(0),
                             lambda work: measured(1, note="<i>")),
                 requirement("1.8", "No number.", "None.", at_most(1),
                             lambda work: measured(math.nan)),
                 requirement("1.9", "Broken.", "None.", at_most(1), lambda work: 1 // 0)]
        cls.report = runner.qualify(ours, backends=["cpu"])

    def test_page(self):
        write_report(self.report, self.path("r.html"))
        with open(self.path("r.html"), encoding="utf-8") as file:
            page = file.read()
        for words in ("3 passed, 3 failed", "A &lt;bad&gt; one.", "&lt;i&gt;", "sha256",
                      "ZeroDivisionError", self.report.machine["processor"], "GNU Radio", "seed"):
            self.assertIn(words, page)
        self.assertNotIn("<bad>", page)
        self.assertEqual(page.count("data:image/svg+xml"), 6)
        self.assertNotIn("http://", page)  # it needs no other file

    def test_data(self):
        write_report(self.report, self.path("r.json"))
        with open(self.path("r.json"), encoding="utf-8") as file:
            data = json.load(file)
        self.assertFalse(data["passed"])
        self.assertEqual([result["verdict"] for result in data["results"]],
                         ["passed"] * 3 + ["failed"] * 3)
        first, second, *_, broken = data["results"]
        self.assertLess(first["value"], first["accepted"][1])
        self.assertEqual(len(first["plot"]["curves"]), 5)
        self.assertAlmostEqual(second["value"], sum(second["accepted"]) / 2, delta=1e-3)
        self.assertIn("why", broken)
        self.assertEqual(data["results"][4]["value"], "nan")
        self.assertEqual(data["seed"], runner.SEED)

    def test_pdf(self):
        write_report(self.report, self.path("r.pdf"))
        with open(self.path("r.pdf"), "rb") as file:
            self.assertEqual(file.read(5), b"%PDF-")

    def test_names(self):
        with self.assertRaisesRegex(ValueError, "a report ends with .html, .json, .pdf"):
            write_report(self.report, self.path("r.txt"))
        with open(self.path("r.html"), "w", encoding="utf-8") as file:
            file.write("mine")
        with self.assertRaises((ValueError, FileExistsError)):
            write_report(self.report, self.path("r.html"))


class qa_command(scratch_case):

    def test_exit_codes(self):
        code, out, _ = command("--only", "1.6,1.7", "-o", self.path("r.json"))
        self.assertEqual(code, 0, out)
        self.assertIn("2 passed, 0 failed", out)
        self.assertTrue(os.path.getsize(self.path("r.json")))
        for words in (("--only", "1.99"), ("--group", "nothing"), ("-o", self.path("r.txt")),
                      ("-o", self.path("r.json")), ("--seed", "-1"), ("--seed", "x")):
            code, _, complaint = command(*words)
            self.assertEqual(code, 2, words)
            self.assertEqual(len(complaint.strip().splitlines()), 1, complaint)

    def test_a_failure_is_1(self):
        with mock.patch.object(runner, "measure", lambda required, backend, *rest: (
                runner.result(required, backend, runner.FAILED, measured(1.0), 0.0))):
            code, out, _ = command("--only", "1.6", "-q")
        self.assertEqual(code, 1)
        self.assertIn("1.6", out)

    def test_list(self):
        code, out, _ = command("--list", "--group", "beams")
        self.assertEqual(code, 0)
        self.assertIn("A null is 40 dB deep.", out)
        self.assertNotIn("1.1 ", out)


class qa_requirements(scratch_case):

    def test_a_few_groups(self):
        """All of them with another seed in the random pass, but for speeds of a busy machine."""
        wanted = chosen(DAILY)
        if times_tried(0, 1):
            wanted = [required for required in chosen() if not required.number.startswith("19.")]
        report = runner.qualify(wanted, seed_of_tests(), backends=["cpu"])
        for result in report.results:
            with self.subTest(result.requirement.number):
                self.assertEqual(result.verdict, runner.PASSED, result.in_words())


if __name__ == "__main__":
    unittest.main()
