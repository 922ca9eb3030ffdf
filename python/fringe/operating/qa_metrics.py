#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Metrics, their text for Prometheus, their table, and alerts; qa_station has a flowgraph."""
import os
import unittest

import numpy as np
from gnuradio.fringe.operating.alerts import alert_limits, alerts
from gnuradio.fringe.operating.exposition import exposition
from gnuradio.fringe.operating.metrics import METRICS
from gnuradio.fringe.operating.operator import flowgraph_operator
from gnuradio.fringe.operating.system import in_order
from gnuradio.fringe.operating.table import table
from qa_scratch import scratch_case

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None

PAGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../docs",
                    "station_for_months.md")


class qa_metrics(scratch_case):

    def test_names_are_those_that_prometheus_asks_for(self):
        for name, each in METRICS.items():
            with self.subTest(name=name):
                self.assertRegex(name, r"^(fringe|process)_[a-z]+(_[a-z]+)*$")
                self.assertTrue(each.help.endswith("."))
                self.assertEqual(each.kind == "counter", name.endswith("_total"))
                if each.unit in ("s", "bytes"):
                    self.assertRegex(name, "_(seconds|bytes)(_total)?$")
                if each.of:
                    self.assertIn(each.of, METRICS)

    def test_edges_are_read_while_nobody_changes_them(self):
        class flowgraph:
            asked = 0

            def edge_list(self):
                self.asked += 1
                return "one0:0->other0:0\n"

        top = flowgraph()
        operator = flowgraph_operator(top)
        operator.samples()
        self.assertEqual(top.asked, 1)
        operator.note_edges()
        for _ in range(3):
            operator.samples()
        self.assertEqual(top.asked, 2)

    def test_the_page_of_the_documentation_has_them_all(self):
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        for name, each in METRICS.items():
            self.assertIn(f"\n| `{name}` | {each.help} |\n", text)
        for name in alerts.NAMES:
            self.assertIn(f"\n| `{name}` | ", text)

    @unittest.skipIf(text_string_to_metric_families is None,
                     "python3-prometheus-client is not installed")
    def test_prometheus_reads_what_is_written(self):
        nasty = 'a "quoted\\name\nof two lines'
        samples = [("fringe_samples_total", {"block": "source0"}, 2.0 ** 60 + 2 ** 10),
                   ("fringe_packets_total", {"block": nasty, "cause": "good"}, 12345678901),
                   ("fringe_packets_total", {"block": "b", "cause": "late"}, 0),
                   ("fringe_buffer_fill_ratio", {"from": "a:0", "to": "b:1"}, 1 / 3),
                   ("fringe_input_power", {"input": "A1"}, float("nan")),
                   ("fringe_page_viewers", {}, 3)]
        found = [(family.name, family.type, family.documentation, sample)
                 for family in text_string_to_metric_families(exposition(samples))
                 for sample in family.samples]
        read = [(sample.name, sample.labels, sample.value) for *_, sample in found]
        want = sorted(samples, key=lambda sample: list(METRICS).index(sample[0]))
        np.testing.assert_equal(read, want)
        for name, kind, words, sample in found:
            self.assertEqual((kind, words), (METRICS[sample.name].kind, METRICS[sample.name].help))
            self.assertEqual(name, sample.name.removesuffix("_total"))

    def test_the_table_has_shares_units_and_who_is_waited_for(self):
        its = {"block": "rfi_flagger0"}
        lines = "\n".join(table([
            ("fringe_visibilities_searched_total", its, 2000),
            ("fringe_visibilities_flagged_total", {**its, "cause": "any"}, 50),
            ("fringe_dump_age_seconds", {"block": "sink0"}, 1.25),
            ("fringe_disk_free_bytes", {"folder": "/data"}, 2.5e12),
            ("fringe_packets_total", {"block": "source0", "cause": "good"}, 12),
            ("fringe_packets_total", {"block": "source0", "cause": "late"}, 0),
            ("fringe_sample_faults_total", {"block": "u", "cause": "late", "input": "0"}, 0),
            ("fringe_buffer_fill_ratio", {"from": "a:0", "to": "b:0"}, 1.0),
            ("fringe_buffer_fill_ratio", {"from": "b:0", "to": "c:0"}, 0.95),
            ("fringe_buffer_fill_ratio", {"from": "c:0", "to": "d:0"}, 0.0)],
            {"a:0 -> b:0": (0.5, 1.0)}))
        for words in ("any +50 \\(2.5 %\\)$", "1.25 s", "/data +2.5 TB", "source0 good +12$",
                      "a:0 -> b:0 +100 % \\(mean 50 %, highest 100 %\\)",
                      "samples with faults +none",
                      "c:0 is waited for: its buffer from b:0 is full; full in all: 2"):
            self.assertRegex(lines, f"(?m){words}")
        self.assertNotIn("late", lines)
        self.assertEqual(table([]), [])

    def test_alerts(self):
        clock = [0.0]
        watch = alerts(alert_limits.of("silence=20,disk=10"), lambda: clock[0])

        def look(seconds, **more):
            clock[0] += seconds
            return watch.look([
                ("fringe_packets_total", {"block": "s", "cause": "good"}, 1e6 + 1e3 * clock[0]),
                ("fringe_packets_total", {"block": "s", "cause": "missing"},
                 more.get("missing", 0)),
                ("fringe_samples_total", {"block": "s"}, 1e6 * clock[0]),
                ("fringe_sample_faults_total", {"block": "u", "cause": "saturated", "input": "5"},
                 more.get("saturated", 0)),
                ("fringe_dump_age_seconds", {"block": "v"}, more.get("age", 1)),
                ("fringe_dump_interval_seconds", {}, more.get("interval", 1)),
                ("fringe_disk_free_bytes", {"folder": "/x"}, more.get("free", 5e11)),
                ("fringe_disk_size_bytes", {"folder": "/x"}, 1e12),
                ("fringe_writing", {"block": "v"}, more.get("writing", 1)),
                ("fringe_buffer_fill_ratio", {"from": "network", "to": "s"}, more.get("ring", 0)),
                ("fringe_buffer_fill_ratio", {"from": "s:0", "to": "x:0"}, more.get("ring", 0)),
                *(("fringe_input_power", {"input": f"A{k}"}, power)
                  for k, power in enumerate(more.get("powers", (1, 2, 3)))),
                *(("fringe_input_weight_ratio", {"input": f"A{k}"}, weight)
                  for k, weight in enumerate(more.get("weights", (1, 1, 1)))),
                ("fringe_calibrations_total", {"block": "c", "result": "refused"},
                 more.get("refused", 0)),
                ("fringe_calibrations_total", {"block": "c", "result": "used"}, 7)])

        # What was lost before the page began is no alert.
        self.assertEqual(look(5, missing=10 ** 9, saturated=10 ** 9), {})
        self.assertEqual(look(5, missing=10 ** 9 + 4, saturated=10 ** 9 + 40000), {})
        found = look(10, missing=10 ** 9 + 100, saturated=10 ** 9 + 600000, age=21, free=9e10,
                     writing=0, ring=1, powers=(1, 0.001, 0), weights=(1, 1, 0), refused=3)
        self.assertEqual(found, {
            "lost": "0.66 % of the packets of the last minute are lost: 100 missing",
            "saturated": "4 % of the samples of input 5 in the last minute are saturated",
            "silence": "no dump for 21 s",
            "disk": "the disk of /x is nearly full: 90 GB are left",
            "dead": "no samples of A2; no signal on A1",
            "buffer": "x:0 is waited for: its buffer from s:0 is full; full in all: 2",
            "stopped": "dumps are not written: a message has stopped that",
            "calibration": "the Live Calibrator has refused all solutions of the last minute"})
        # Dumps of 10 s may be 30 s old; a minute later the counts are forgotten.
        again = {"missing": 10 ** 9 + 100, "saturated": 10 ** 9 + 600000, "refused": 3}
        self.assertEqual(set(look(40, age=25, interval=10, **again)),
                         {"lost", "saturated", "calibration"})
        look(30, **again)
        self.assertEqual(look(61, **again), {})

    def test_a_look_without_an_answer(self):
        """What was lost before is none of the last minute's."""
        clock = [0.0]
        watch = alerts(alert_limits(), lambda: clock[0])
        for k in range(50):
            clock[0] = 2.0 * k
            packets = [("fringe_packets_total", {"block": "s", "cause": cause}, count)
                       for cause, count in (("good", 1e6 + 100 * k), ("missing", 1e5))]
            self.assertEqual(watch.look(packets if k not in (0, 3, 4, 40) else []), {})

    def test_no_samples_since_the_start(self):
        clock = [0.0]
        watch = alerts(alert_limits(), lambda: clock[0])
        for clock[0], read, found in ((10, 0, {}), (40, 7, {}), (40, 0, {
                "silence": "no samples have come yet, for 40 s"})):
            self.assertEqual(watch.look([("fringe_samples_total", {"block": "s"}, read)]), found)

    def test_buffers_stand_in_the_order_of_the_data(self):
        pairs = [("network", "udp0"), ("udp0:0", "x0:0"), ("x0:0", "sum0:0"), ("sum0:0", "rfi0:0"),
                 ("sum0:1", "rfi0:1"), ("rfi0:0", "sink0:0"), ("sink0", "files")]
        for _ in range(10):
            mixed = [("fringe_buffer_fill_ratio", dict(zip(("from", "to"), pairs[k])), 0.5)
                     for k in self.rng.permutation(len(pairs))]
            found = [(labels["from"], labels["to"]) for _, labels, _ in in_order(mixed)]
            self.assertEqual([pair for pair in found if pair[0] != "sum0:1"],
                             [pair for pair in pairs if pair[0] != "sum0:1"])
            self.assertIn(found.index(("sum0:1", "rfi0:1")), (3, 4))
        # A loop of messages is no stream, but nothing may hang.
        self.assertEqual(len(in_order([("x", {"from": "a:0", "to": "b:0"}, 0),
                                       ("x", {"from": "b:0", "to": "a:0"}, 0)])), 2)

    def test_saturation_of_samples_that_nobody_counts_is_no_alert(self):
        watch = alerts(alert_limits(), lambda: 0.0)
        for count in (1, 1000):
            self.assertEqual(watch.look([("fringe_sample_faults_total", {
                "block": "u", "cause": "saturated", "input": "0"}, count)]), {})

    def test_limits_that_cannot_be(self):
        for text in ("silence", "silence=", "silence=0", "quiet=3", "silence=inf", "lost=x", ","):
            with self.subTest(text=text), self.assertRaisesRegex(
                    ValueError, "alerts: .*must be NAME=NUMBER .* lost, saturated, silence, disk"):
                alert_limits.of(text)


if __name__ == "__main__":
    unittest.main()
