#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The descriptions of the blocks for GNU Radio Companion."""

import ast
import glob
import importlib.util
import inspect
import itertools
import os
import re
import shutil
import unittest

from qa_home import FOLDER  # before GNU Radio, whose settings are in HOME

import numpy as np  # noqa: E402
import yaml  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from gnuradio.fringe.ground.quantize import RAW_FORMATS  # noqa: E402
from qa_scratch import random_numbers

try:
    from gnuradio.grc.core.platform import Platform
    from gnuradio.grc.core.schema_checker import BLOCK_SCHEME, Validator
except ImportError:
    Platform = None

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
BLOCKS = os.path.join(ROOT, "grc")
STOCK_BLOCKS = os.path.join(gr.prefix(), "share", "gnuradio", "grc", "blocks")
STAGES = ("raw_sky_source", "unpack", "channelizer", "xengine", "integrator", "visibility_sink")


def tearDownModule():
    """Removes everything that was written."""
    shutil.rmtree(FOLDER)


def descriptions():
    """(name, content) of every file in grc/."""
    for path in sorted(glob.glob(os.path.join(BLOCKS, "*", "*.block.yml"))):
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path), yaml.safe_load(file)


def python_defaults(name):
    """{parameter: default} of a block as Python has it."""
    method = getattr(fringe, name).__init__
    if inspect.isfunction(method):
        return {name: parameter.default
                for name, parameter in inspect.signature(method).parameters.items()
                if parameter.default is not parameter.empty}
    # pybind11 writes the signature into the first line: (self: x, a: int, b: float = 1.0) -> None
    pairs = re.findall(r"[(,] ?(\w+): [\w.\[\]]+ = (.+?)(?=, \w+: |\) ->)",
                       method.__doc__.splitlines()[0])
    return {key: value if value.startswith("<") else ast.literal_eval(value)
            for key, value in pairs}


class qa_defaults(unittest.TestCase):
    """A block does the same from Companion and from Python, where nothing else is asked for."""

    #: Companion must know the type of a wire: that of a recording of 8-bit numbers.
    WIRES = {("unpack", "component"), ("channelizer", "component")}

    def test_they_are_those_of_python(self):
        compared = set()
        for name, content in descriptions():
            made = re.search(r"fringe\.(\w+)\(", content["templates"].get("make", ""))
            if not made or not hasattr(fringe, made[1]):
                continue  # displays: they need windows
            defaults = python_defaults(made[1])
            for parameter in content["parameters"]:
                pair = made[1], parameter["id"]
                if parameter["id"] not in defaults or pair in self.WIRES:
                    continue
                with self.subTest(block=name, parameter=parameter["id"]):
                    compared.add(pair)
                    value = self.value(parameter, defaults[parameter["id"]])
                    if parameter["id"] == "channels" and value == 0 != defaults["channels"]:
                        # as in the observation
                        value = fringe.observation.example().channels
                    self.assertEqual(value, defaults[parameter["id"]])
        for pair in (("xengine", "dump_seconds"), ("xengine", "block_spectra"),
                     ("channelizer", "block_spectra"), ("integrator", "seconds"),
                     ("stack", "start_time"), ("fx_correlator", "seconds")):
            self.assertIn(pair, compared)

    @unittest.skipUnless(importlib.util.find_spec("PyQt5"), "python3-pyqt5 is not installed")
    def test_displays_have_a_title(self):
        from gnuradio.fringe import displays
        found = set()
        for name, content in descriptions():
            made = re.search(r"fringe_displays\.(\w+)\((.*?)\)\n",
                             content["templates"].get("make", ""), re.DOTALL)
            if not made:
                continue
            found.add(made[1])
            with self.subTest(block=name):
                known = inspect.signature(getattr(displays, made[1]).__init__).parameters
                given = re.findall(r"(\w+)=\$\{(\w+)\}", made[2])
                self.assertIn(("title", "title"), given)
                self.assertIn("observation", known)
                self.assertIn("observation", [key for key, _ in given])
                for key, text in given:
                    self.assertIn(key, known)
                    default = next(p["default"] for p in content["parameters"] if p["id"] == text)
                    if (text in ("title", "observation")
                            and known[key].default is not inspect._empty):
                        self.assertEqual(default, str(known[key].default))
        self.assertEqual(found, {key for key, member in vars(displays).items()
                                 if inspect.isclass(member)})

    @staticmethod
    def value(written, like):
        """The default of Companion, as a value of the type of Python's."""
        text = str(written.get("default", ""))
        if isinstance(like, str):
            return text
        value = ast.literal_eval(text)
        return type(like)(value) if isinstance(like, (list, tuple)) else value


class qa_choices(unittest.TestCase):
    """Companion offers what the C++ tables have; it cannot ask them for lists of choices."""

    def test_windows(self):
        with_windows = 0
        for name, content in descriptions():
            for parameter in content["parameters"]:
                # The window of a flagger is a length.
                if parameter["id"] == "window" and parameter["dtype"] == "string":
                    with_windows += 1
                    with self.subTest(block=name):
                        self.assertEqual(parameter["options"], fringe.window_names())
                        self.assertEqual([label.lower() for label in parameter["option_labels"]],
                                         fringe.window_names())
        self.assertEqual(with_windows, 3)

    def test_recording_formats(self):
        """Those whose name says how samples are packed; others may be typed in."""
        plain = [form.name for form in fringe.recording_formats() if self.is_encoding(form.name)]
        wanted = {"fringe_file_source": plain,
                  "fringe_fx_correlator": [*plain, *fringe.item_sizes.VOLTAGES],
                  "fringe_unpack": plain, "fringe_all_sky_imager": plain,
                  "fringe_voltage_ring": plain,
                  "fringe_raw_sky_source": list(RAW_FORMATS)}
        for name, content in descriptions():
            for parameter in content["parameters"]:
                if parameter["id"] == "format":
                    with self.subTest(block=name):
                        self.assertEqual(parameter["options"], wanted.pop(name.split(".")[0]))
                        labels = [label.split(":")[0] for label in parameter["option_labels"]]
                        self.assertEqual(labels, parameter["options"])
        self.assertFalse(wanted)

    @staticmethod
    def is_encoding(name):
        try:
            fringe.encoding_by_name(name)
        except ValueError:
            return False
        return True

    def test_endings_of_visibility_files(self):
        text = dict(descriptions())["fringe_visibility_sink.block.yml"]["documentation"]
        named = re.search(r"File: (.*)\.$", text, re.MULTILINE)[1]
        endings = {ending for ending, _ in fringe.visibility_formats()}
        # The two files of a pair have one name in the block's text.
        self.assertEqual(set(re.findall(r"\.\w+", named)), endings - {".LACSPC"})


class qa_words(unittest.TestCase):
    """What a student reads in Companion: choices in words, and texts that flow."""

    #: Texts of Python that are no words for a choice.
    RAW = {"None", "True", "False", "[]", "()", "{}", "''", '""', ""}

    def test_choices_have_names(self):
        for name, content in descriptions():
            for parameter in content["parameters"]:
                with self.subTest(block=name, parameter=parameter["id"]):
                    options = [str(option) for option in parameter.get("options", [])]
                    labels = parameter.get("option_labels", [])
                    self.assertEqual(len(labels), len(options))
                    self.assertFalse(self.RAW & set(labels))
                    if parameter["dtype"] in ("bool", "enum"):
                        self.assertGreaterEqual(len(options), 2)
                    if parameter["dtype"] == "bool":
                        self.assertEqual(set(options), {"True", "False"})
                    default = str(parameter.get("default", "")) or (options or [""])[0]
                    shown = dict(zip(options, labels)).get(default, default)
                    # An empty field for text is no choice.
                    self.assertNotIn(shown, self.RAW - {""})

    def test_an_observation_is_named_where_it_can_be_left_out(self):
        for name, content in descriptions():
            ids = [parameter["id"] for parameter in content["parameters"]]
            if "inputs" in ids:
                with self.subTest(block=name):
                    parameter = content["parameters"][ids.index("observation")]
                    self.assertEqual((parameter["options"], parameter["option_labels"]),
                                     (["None"], ["No observation"]))
                    self.assertLess(ids.index("observation"), ids.index("inputs"))

    def test_documentation_flows(self):
        """One line a paragraph or item of a list; the first is one sentence."""
        for name, content in descriptions():
            with self.subTest(block=name):
                first, *paragraphs = content["documentation"].split("\n\n")
                self.assertRegex(first, r"^[A-Z][^\n]*\.$")
                self.assertNotRegex(first, r"[.?!] [A-Z]")
                for paragraph in paragraphs:
                    line, *items = paragraph.split("\n")
                    if items:
                        self.assertIn(line, ("Input:", "Output:", "Parameters:"))
                    for item in items:
                        self.assertRegex(item, r"^- .*[.)]$")


@unittest.skipIf(Platform is None, "GNU Radio Companion is not installed")
class qa_grc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.platform = Platform(
            version=gr.version(), prefs=gr.prefs(),
            version_parts=(gr.major_version(), gr.api_version(), gr.minor_version()))
        cls.platform.build_library([BLOCKS, STOCK_BLOCKS])

    def setUp(self):
        self.flowgraph = self.platform.make_flow_graph()
        self.flowgraph.options_block.params["id"].set_value("test")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(FOLDER)

    def add(self, block_id, **values):
        """A block in the flowgraph, with these parameters and defaults for the others."""
        block = self.flowgraph.new_block(block_id)
        block.params["id"].set_value(f"block_{len(self.flowgraph.blocks)}")
        for name, value in values.items():
            block.params[name].set_value(value)
        return block

    def chain(self, *chain):
        """Connects blocks one to the next."""
        for before, after in zip(chain, chain[1:]):
            self.flowgraph.connect(before.sources[0], after.sinks[0])

    def errors(self):
        """What GNU Radio Companion says in red, loose ends apart."""
        for _ in range(2):  # types of ports settle in the second round
            self.flowgraph.rewrite()
        self.flowgraph.validate()
        return [message for _, message in self.flowgraph.iter_error_messages()
                if message != "Port is not connected."]

    def make(self, block, **variables):
        """The block that generated code would make; its items have the sizes of the ports."""
        made = eval(block.templates.render("make"), {"fringe": fringe, **variables})
        for ports, signature in ((block.sinks, made.input_signature()),
                                 (block.sources, made.output_signature())):
            sizes = [port.item_size for port in ports if port.domain == "stream"]
            self.assertEqual(sizes, [signature.sizeof_stream_item(k) for k in range(len(sizes))],
                             block.key)
        return made

    def test_descriptions_pass_the_check(self):
        for name, content in descriptions():
            with self.subTest(block=name):
                validator = Validator(BLOCK_SCHEME)
                self.assertTrue(validator.run(content))
                self.assertEqual([str(message) for message in validator.messages], [])
                self.assertEqual(name, content["id"] + ".block.yml")

    def test_every_parameter_is_documented(self):
        for name, content in descriptions():
            sections = dict.fromkeys(("Input:", "Output:", "Parameters:"), "")
            section = ""
            for line in content["documentation"].splitlines():
                section = line if line in sections else section
                sections[section] = sections.get(section, "") + line + " "
            for parameter in content["parameters"]:
                with self.subTest(block=name, parameter=parameter["id"]):
                    self.assertIn(parameter["label"], sections["Parameters:"])
            with self.subTest(block=name):
                self.assertEqual(bool(sections["Input:"]), "inputs" in content)
                self.assertEqual(bool(sections["Output:"]), "outputs" in content)

    def test_defaults_fit_together_and_run(self):
        chain = [self.add(f"fringe_{name}") for name in STAGES]
        self.chain(*chain)
        self.flowgraph.connect(chain[-2].sources[1], chain[-1].sinks[1])
        self.assertEqual(self.errors(), [])
        stages = [self.make(block) for block in chain]
        top = gr.top_block()
        sky = fringe.observation.example(2)
        bytes_per_second = 2 * len(sky.inputs) * sky.sample_rate
        head = blocks.head(stages[0].block_bytes,
                           int(1.3 * bytes_per_second / stages[0].block_bytes))
        top.connect(stages[0], head, *stages[1:])
        top.connect((stages[-2], 1), (stages[-1], 1))
        top.run()
        self.assertEqual(stages[-1].error(), "")
        self.assertEqual(stages[-1].dumps(), 2)
        self.assertTrue(os.path.isdir("visibilities.ms"))

    def test_a_recording_with_defaults(self):
        np.random.default_rng(1).integers(-50, 51, 1 << 20, np.int8).tofile("recording.ci8")
        chain = [self.add("fringe_file_source", path="recording.ci8", sample_rate="1e6"),
                 self.add("fringe_fx_correlator", format="ci8"), self.add("fringe_baseline_select")]
        chain[-1].params["i"].set_value("1")
        self.chain(*chain)
        self.assertEqual(self.errors(), [])
        top, sink = gr.top_block(), blocks.vector_sink_c(128)
        top.connect(*(self.make(block) for block in chain), sink)
        top.run()
        spectra = np.reshape(sink.data(), (-1, 128))
        self.assertEqual(len(spectra), 1)
        # Power of two components, each uniform over 101 numbers.
        self.assertAlmostEqual(spectra.mean().real / (2 * (101 ** 2 - 1) / 12), 1, 2)

    def test_a_stack_and_a_correlator_with_defaults(self):
        self.chain(self.add("fringe_stack"), self.add("fringe_fx_correlator"))
        self.assertEqual(self.errors(), [])

    def test_the_simulated_sky_with_defaults(self):
        source = self.add("fringe_sky_source")
        self.assertEqual(self.errors(), [])
        made = self.make(source)
        top, sinks = gr.top_block(), [blocks.vector_sink_c(), blocks.vector_sink_c()]
        for port, sink in enumerate(sinks):
            top.connect((made, port), blocks.head(gr.sizeof_gr_complex, 1000), sink)
        top.run()
        self.assertEqual([len(sink.data()) for sink in sinks], [1000, 1000])

    def test_stacked_streams_with_defaults(self):
        for values, kind in (({}, "complex"), ({"complex_samples": "False"}, "float")):
            with self.subTest(**values):
                self.setUp()
                source = self.add("blocks_null_source", type=kind, num_outputs="2")
                stack = self.add("fringe_stack", **values)
                channelizer = self.add("fringe_channelizer", component="f32", **values)
                self.flowgraph.rewrite()
                for port in range(2):
                    self.flowgraph.connect(source.sources[port], stack.sinks[port])
                self.chain(stack, channelizer)
                self.assertEqual(self.errors(), [])
                self.make(stack)

    def test_streams_to_a_file_with_defaults(self):
        stack, sink = self.add("fringe_stack"), self.add("fringe_visibility_sink")
        correlator = self.add("fringe_fx_correlator", format="voltages")
        self.flowgraph.rewrite()
        self.chain(stack, correlator, sink)
        self.flowgraph.connect(correlator.sources[1], sink.sinks[1])
        self.chain(correlator, self.add("fringe_display_fringes"))
        self.assertEqual(self.errors(), [])

    def test_numbers_are_typed_once(self):
        """Inputs, channels, rate and dump length stand in the observation variable alone."""
        obs = self.add("variable_fringe_observation", antennas="3")
        name = obs.name
        sky = self.add("fringe_sky_source", observation=name)
        stack = self.add("fringe_stack", observation=name)
        correlator = self.add("fringe_fx_correlator", format="voltages", observation=name,
                              seconds=f"{name}.integration")
        display = self.add("fringe_display_fringes", observation=name)
        sink = self.add("fringe_visibility_sink", observation=name, path="once.ms")
        self.errors()  # the number of ports, and what is hidden, is known then
        for hidden in (("part", "all"), ("all",)):  # on the block, and on the page that opens first
            shown = [key for key, parameter in correlator.params.items()
                     if parameter.hide not in hidden and parameter.category == "General"]
            self.assertLessEqual(len(shown), 8, shown)
        for port in range(3):
            self.flowgraph.connect(sky.sources[port], stack.sinks[port])
        self.chain(stack, correlator, display)
        self.chain(correlator, sink)
        self.flowgraph.connect(correlator.sources[1], sink.sinks[1])
        rng = random_numbers()
        for _ in range(3):
            channels, rate = int(rng.integers(8, 300)), float(rng.integers(10 ** 5, 10 ** 6))
            length = float(rng.uniform(0.01, 0.02))
            for key, value in (("channels", channels), ("sample_rate", rate),
                               ("integration", length), ("center_frequency", 1.4e9)):
                obs.params[key].set_value(repr(value))
            with self.subTest(channels=channels, rate=rate, length=length):
                self.assertEqual(self.errors(), [])
        made = {"fringe": fringe, "self": obs}
        exec(obs.get_var_make(), made)
        self.assertEqual(made[name].integration, length)
        self.assertEqual(made[name].center_frequency, 1.4e9)
        made = {name: made[name]}
        blocks_ = [self.make(block, **made) for block in (sky, stack, correlator, sink)]
        top = gr.top_block()
        for port in range(3):
            top.connect((blocks_[0], port),
                        blocks.head(gr.sizeof_gr_complex, int(0.1 * rate)), (blocks_[1], port))
        top.connect(*blocks_[1:])
        top.connect((blocks_[2], 1), (blocks_[3], 1))
        top.run()
        self.assertEqual(blocks_[3].error(), "")
        self.assertGreater(blocks_[3].dumps(), 2)

    def test_a_correlator_of_an_observation_shows_what_a_course_needs(self):
        """At most eight parameters on all tabs; what has another value than usual is shown."""
        rows = {name: content for name, content in descriptions()}[
            "fringe_fx_correlator.block.yml"]["parameters"]
        obs = self.add("variable_fringe_observation", antennas="3")
        correlator = self.add("fringe_fx_correlator", observation=obs.name)

        def shown():
            self.errors()  # what is hidden is known then
            return {row["id"] for row in rows if correlator.params[row["id"]].hide != "all"}
        few = shown()
        self.assertLessEqual(len(few), 8, few)
        for key, value in (("files", "2"), ("remove_mean", "True"), ("devices", "'all'"),
                           ("spectra", "1000"), ("block_spectra", "64"),
                           ("channels_per_item", "8"), ("more", "True")):
            usual = correlator.params[key].get_value()
            correlator.params[key].set_value(value)
            with self.subTest(key):
                self.assertIn(key, shown())
            if key != "more":
                correlator.params[key].set_value(usual)
        self.assertEqual({row["id"] for row in rows} - shown(), {
            "inputs", "channels", "taps", "window", "gains", "streams", "conjugate", "corrections",
            "split"})

    def test_an_observation_replaces_what_is_typed(self):
        """Its parameters are hidden, sizes are its own, and so is what the code makes."""
        obs = self.add("variable_fringe_observation", antennas="3", channels="96",
                       sample_rate="2e6", center_frequency="1.4e9", text=(
                           "antennas: [[0, 0, 0], [9, 0, 0], [0, 9, 0]]\ntaps: 7\n"
                           "window: kaiser\ninputs: [{antenna: ant0, phase: 90, stream: 1}, "
                           "{antenna: ant1, stream: 0}, {antenna: ant2, stream: 2}]\n"))
        values = {"inputs": 3, "channels": 96, "taps": 7, "window": "kaiser", "sample_rate": 2e6,
                  "center_frequency": 1.4e9, "streams": [1, 0, 2], "conjugate": [False] * 3,
                  "frequencies": ()}
        self.errors()
        made = {"fringe": fringe, "self": obs}
        exec(obs.get_var_make(), made)
        connected, seen = made[obs.name], set()
        for name, content in descriptions():
            ids = [parameter["id"] for parameter in content["parameters"]]
            if "observation" not in ids or "inputs" not in ids:
                continue
            with self.subTest(block=name):
                block = self.add(content["id"])
                block.params["observation"].set_value(obs.name)
                self.flowgraph.rewrite()
                block.validate()
                self.assertEqual([message for _, message in block.iter_error_messages()
                                  if message != "Port is not connected."], [])
                hidden = {key for key in ids if block.params[key].hide == "all"}
                self.assertLessEqual({"inputs"}, hidden)
                self.assertEqual(block.params["observation"].hide, "none")
                if "complex_samples" not in ids and "corrections" in ids:
                    continue  # fx_correlator.of knows from the format what the samples are
                templates = {key: param.template_arg for key, param in block.params.items()}
                its = vars(fringe.item_sizes.observed(
                    templates["observation"], *(templates[key] for key in ids)))
                for key in {*values, "corrections"} & set(ids) & hidden:
                    found = eval(its[key], {"fringe": fringe, obs.name: connected})
                    if key == "corrections":
                        values[key] = fringe.item_sizes.corrections(connected, 96).tolist()
                        self.assertEqual(len(found), 3 * 96)
                    self.assertEqual(list(found) if key in ("corrections", "conjugate", "streams")
                                     else found, values[key])
                    seen.add(key)
        self.assertEqual(seen, set(values))

    def test_channels_are_those_of_the_observation_unless_typed(self):
        obs = self.add("variable_fringe_observation", channels="64")
        correlator = self.add("fringe_fx_correlator", observation=obs.name)
        sink = self.add("fringe_visibility_sink", observation=obs.name, path="channels.ms")
        self.chain(correlator, sink)
        self.assertEqual(self.errors(), [])
        self.assertEqual(sink.params["channels"].hide, "part")
        sink.params["channels"].set_value("32")
        self.assertNotEqual(self.errors(), [])
        self.assertEqual(sink.params["channels"].hide, "none")

    def test_live_receivers_and_published_dumps(self):
        source = self.add("fringe_tcp_source", addresses="['127.0.0.1:0', '127.0.0.1:0']")
        sink = self.add("fringe_dump_publisher", address="tcp://127.0.0.1:*")
        correlators = [self.add("fringe_fx_correlator", format="mwa16", inputs="32"),
                       self.add("fringe_fx_correlator")]
        self.flowgraph.rewrite()
        self.chain(source, correlators[0])
        self.chain(correlators[1], sink)
        self.assertEqual(self.errors(), [])
        self.make(source)
        try:
            self.make(sink)
        except ImportError as error:
            self.assertIn("python3-zmq", str(error))

    def test_gates_of_a_pulsar(self):
        """Ports are as many as bins, or gates, and the code makes what the ports say."""
        obs = self.add("variable_fringe_observation", channels="16")
        gates = self.add("variable_fringe_pulse_gates", observation=obs.name, bins="3", dm="2.5")
        correlator = self.add("fringe_fx_correlator", observation=obs.name, gates=gates.name)
        display = self.add("fringe_display_pulse_profile", observation=obs.name, gates=gates.name)
        self.errors()
        for port in range(3):
            self.flowgraph.connect(correlator.sources[port], display.sinks[port])
        self.assertEqual(self.errors(), [])
        made = {"fringe": fringe, "self": obs}
        exec(obs.get_var_make() + "\n" + gates.get_var_make(), made)
        self.assertEqual((len(made[gates.name]), made[gates.name].dm), (3, 2.5))
        self.make(correlator, **{key: made[key] for key in (obs.name, gates.name)})
        correlator.params["devices"].set_value("[0]")
        self.assertNotEqual(self.errors(), [])
        correlator.params["devices"].set_value("None")
        gates.params["gate"].set_value("[(0.9, 1.1), (0.3, 0.5)]")
        display.params["gates"].set_value("2")  # a Dump Binner's
        self.errors()
        self.assertEqual((len(correlator.sources), len(display.sinks)), (4 + 2, 2))
        exec(gates.get_var_make(), made)
        self.assertEqual(made[gates.name].gates, [(0.9, 1.1), (0.3, 0.5)])

    def test_a_kraken(self):
        for version, form in (("1", "cf32"), ("2", "cu8")):
            source = self.add("fringe_kraken_source", version=version, address="127.0.0.1:1")
            correlator = self.add("fringe_fx_correlator", format=form, inputs="5", files="5")
            self.flowgraph.rewrite()
            self.chain(source, correlator)
            self.assertEqual(self.errors(), [])
            with self.assertRaisesRegex(ValueError, "no KrakenSDR answers"):
                self.make(source)

    def test_a_calibrator_behind_its_correlator(self):
        correlator = self.add("fringe_fx_correlator")
        calibrator = self.add("fringe_calibrator")
        self.chain(correlator, calibrator)
        self.assertEqual(self.errors(), [])
        made = self.make(calibrator)
        self.assertTrue(hasattr(made, calibrator.get_callbacks()[0].split("(")[0].split(".")[-1]))

    def test_a_format_with_a_header_has_the_size_of_its_samples(self):
        paths = [f"receiver{k}.mwa" for k in range(2)]
        for path in paths:
            words = np.zeros((9000, 17), "<u2")
            words[:, 0] = np.arange(9000)
            words.tofile(path)
        source = self.add("fringe_file_source", path=paths[0], more_paths=repr(paths[1:]),
                          format="mwa32t", encoding="mwa16", inputs="32", sample_rate="1.28e6")
        correlator = self.add("fringe_fx_correlator", format="mwa16", inputs="32", files="2")
        self.flowgraph.rewrite()
        self.chain(source, correlator)
        self.assertEqual(self.errors(), [])
        self.make(source)
        self.make(correlator)

    def test_sizes_of_ports_follow_the_parameters(self):
        for name, inputs, requantize, spectra in itertools.product(
                ("i8", "u16", "f32", "ci8", "cf32", "mwa8", "tart"), (1, 3),
                ("none", "8", "4"), (0, 32)):
            encoding = fringe.encoding_by_name(name)
            sizes = {"inputs": inputs, "channels": 96, "block_spectra": spectra}
            engine = "f32" if requantize == "none" else "i8"
            with self.subTest(format=name, inputs=inputs, requantize=requantize):
                self.setUp()
                chain = [self.add("fringe_unpack", format=name, component=encoding.component,
                                  **sizes),
                         self.add("fringe_channelizer", component=encoding.component,
                                  complex_samples=encoding.complex_samples, requantize=requantize,
                                  **sizes),
                         self.add("fringe_xengine", component=engine, **sizes),
                         self.add("fringe_integrator", component=engine, inputs=inputs,
                                  channels=96)]
                self.flowgraph.rewrite()
                self.chain(*chain)
                correlator = self.add("fringe_fx_correlator", format=name, requantize=requantize,
                                      **sizes)
                self.assertEqual(self.errors(), [])
                for block in chain + [correlator]:
                    self.make(block)

    def test_the_observation_variable(self):
        text = "antennas: [[0, 0, 0], [20, 5, 1], [3, 9, 0]]\nchannels: 64"
        with open("three.yml", "w", encoding="utf-8") as file:
            file.write(text)
        for values, count in (({}, 2), ({"antennas": "4"}, 4), ({"text": text}, 3),
                              ({"file": "three.yml"}, 3)):
            with self.subTest(**values):
                self.setUp()
                variable = self.add("variable_fringe_observation", **values)
                source = self.add("fringe_sky_source", observation=variable.name)
                self.errors()
                self.assertEqual(len(source.sources), count)
                made = {"fringe": fringe, "self": variable}
                exec(variable.get_var_make(), made)
                self.assertEqual(len(made[variable.name].inputs), count)

    def test_reduced_dumps_in_a_file(self):
        axes = self.add("variable_fringe_dump_axes", average="4", products="crosses")
        correlator = self.add("fringe_fx_correlator")
        reducer = self.add("fringe_visibility_reducer", axes=axes.name)
        sink = self.add("fringe_visibility_sink", observation=f"{axes.name}.observation",
                        path="reduced.uvh5", products=f"{axes.name}.products")
        self.chain(correlator, reducer, sink)
        for before, after in ((correlator, reducer), (reducer, sink)):
            self.flowgraph.connect(before.sources[1], after.sinks[1])
        self.assertEqual(self.errors(), [])
        made = {"fringe": fringe, "self": axes}
        exec(axes.get_var_make(), made)
        self.assertEqual((made[axes.name].channels, made[axes.name].baselines), (32, [(0, 1)]))
        for block in (reducer, sink):
            self.make(block, **{axes.name: made[axes.name]})

    def test_every_bin_has_its_outputs(self):
        for values, count in (({}, 2), ({"bins": "5"}, 5), ({"gates": "[0.1, 0.4, 0.6, 0.9]"}, 2)):
            with self.subTest(**values):
                self.setUp()
                correlator = self.add("fringe_fx_correlator", seconds="0.01")
                binner = self.add("fringe_dump_binner", **values)
                self.chain(correlator, binner)
                self.assertEqual(self.errors(), [])
                self.assertEqual(len(binner.sources), 2 * count)
                self.assertEqual(self.make(binner).bins(), count)

    def test_mistakes_are_refused(self):
        for block, name, value, words in (
                ("fx_correlator", "inputs", "0", "1 <= inputs <= 8192"),
                ("fx_correlator", "format", "ci7", "format in"),
                ("fx_correlator", "spectra", "100", "(seconds == 0) != (spectra == 0)"),
                ("channelizer", "taps", "33", "1 <= taps <= 32"),
                ("unpack", "format", "cf32", "component in"),
                ("baseline_select", "j", "2", "0 <= j < "),
                ("visibility_sink", "path", "vis.fits", "path")):
            with self.subTest(block=block, parameter=name):
                self.setUp()
                self.add(f"fringe_{block}", **{name: value})
                self.assertTrue(any(words in error for error in self.errors()))

    def test_the_integration_time_is_a_callback(self):
        for block, made in (("fx_correlator", fringe.fx_correlator),
                            ("xengine", fringe.xengine), ("integrator", fringe.integrator),
                            ("baseline_select", fringe.baseline_select)):
            with self.subTest(block=block):
                callbacks = self.add(f"fringe_{block}").get_callbacks()
                self.assertEqual(len(callbacks), 1)
                self.assertTrue(hasattr(made, callbacks[0].split("(")[0].split(".")[-1]))


if __name__ == "__main__":
    unittest.main()
