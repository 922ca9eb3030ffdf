#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The documentation: every block has its page, links lead somewhere, and the Python in it runs."""

import glob
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from code import InteractiveConsole
from concurrent.futures import ThreadPoolExecutor

from qa_home import FOLDER  # before GNU Radio, whose settings are in HOME

# Windows and plots need no screen.
os.environ["QT_QPA_PLATFORM"], os.environ["MPLBACKEND"] = "offscreen", "agg"

import yaml  # noqa: E402
from gnuradio import fringe  # noqa: E402
from qa_scratch import TIMEOUT  # noqa: E402

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
DOCS = os.path.join(ROOT, "docs")
PAGES = sorted(glob.glob(os.path.join(DOCS, "**", "*.md"), recursive=True)
               + glob.glob(os.path.join(ROOT, "*.md"))
               + glob.glob(os.path.join(ROOT, "bench", "*.md"))
               + glob.glob(os.path.join(ROOT, "examples", "*.md"))
               + glob.glob(os.path.join(ROOT, "scripts", "*", "*.md")))
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def tearDownModule():
    """Removes everything that was written."""
    shutil.rmtree(FOLDER)


def script(name):
    """A script of that name, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(ROOT, "scripts", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def read(page):
    with open(page, encoding="utf-8") as file:
        return file.read()


def anchors(page):
    """The anchors that a page's headings have on GitHub."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", CODE.sub(lambda m: m[0].strip("`"), read(page)),
                              re.MULTILINE):
        text = re.sub(r"[^\w\- ]", "", heading.lower().replace("`", ""))
        found.add(text.strip().replace(" ", "-"))
    return found


def broken_links(page):
    """Relative links of a page that lead nowhere."""
    for link in LINK.findall(CODE.sub("", read(page))):
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if "://" in link:
            continue
        if not os.path.exists(target):
            yield f"{link}: there is no such file"
        elif anchor and target.endswith(".md") and anchor not in anchors(target):
            yield f"{link}: there is no such heading"


def descriptions():
    """(page, description) of every block for GNU Radio Companion."""
    for path in sorted(glob.glob(os.path.join(ROOT, "grc", "*", "*.block.yml"))):
        with open(path, encoding="utf-8") as file:
            content = yaml.safe_load(file)
        name = re.sub("^(variable_)?fringe_", "", content["id"])
        yield os.path.join(DOCS, "blocks", f"{name}.md"), content


class pasted(InteractiveConsole):
    """A prompt of Python that notes what it cannot read, and runs nothing."""

    def __init__(self):
        super().__init__()
        self.errors = []

    def runcode(self, code):
        """Runs nothing."""

    def showsyntaxerror(self, filename=None, **_):
        """Notes what is wrong."""
        self.errors.append(str(sys.exc_info()[1]))


class qa_docs(unittest.TestCase):
    runner = script("tutorial_pictures")

    def test_every_block_has_its_page(self):
        index = read(os.path.join(DOCS, "blocks", "index.md"))
        # A row that many pages would have alike is in one of these, and its label in the page.
        shared = (index, index + read(os.path.join(DOCS, "displays.md")))
        for page, content in descriptions():
            name = os.path.basename(page)
            with self.subTest(block=content["id"]):
                self.assertTrue(os.path.exists(page), f"docs/blocks/{name} is missing")
                text = read(page)
                self.assertIn(f"# {content['label']}\n", text)
                self.assertIn(f"]({name})", index)
                self.assertIn(f"pictures/blocks/{name[:-3]}.png", text)
                for parameter in content["parameters"]:
                    self.assertIn(parameter["label"], " ".join(text.split()))
                    row = r"\| %s \| `%s` \| " % (re.escape(parameter["label"]),
                                                   re.escape(parameter["id"]))
                    rows = text if re.search(row, text) else shared[name.startswith("display_")]
                    self.assertRegex(rows, row)
                    if parameter.get("default"):
                        self.assertIn(f"| `{parameter['id']}` | `{parameter['default']}` |", rows)
                for port in content.get("inputs", []) + content.get("outputs", []):
                    self.assertIn(f"`{port.get('label', port.get('id'))}", text)

    def test_every_block_has_a_small_flowgraph(self):
        pages = {os.path.basename(page)[:-3] for page, _ in descriptions()}
        self.assertEqual(pages, set(script("block_pictures").FLOWGRAPHS))

    def test_links_lead_somewhere(self):
        for page in PAGES:
            with self.subTest(page=os.path.relpath(page, ROOT)):
                self.assertEqual(list(broken_links(page)), [])

    def check_page(self, page):
        """Runs it, and compares every complaint that it quotes."""
        for line, asked, stated, says in self.runner.run(page):
            self.assertEqual(stated, says, f"{page}, line {line}: {asked}")

    def test_the_python_of_the_blocks_runs(self):
        for page, content in descriptions():
            if "display_" in page:
                continue
            with self.subTest(block=content["id"]):
                if "publisher" in page and not importlib.util.find_spec("zmq"):
                    self.skipTest("python3-zmq is not installed")
                self.check_page(page)

    @unittest.skipUnless(importlib.util.find_spec("PyQt5"), "python3-pyqt5 is not installed")
    def test_the_python_of_the_displays_runs(self):
        pages = [page for page, _ in descriptions() if "display_" in page]
        script_path = os.path.join(ROOT, "scripts", "tutorial_pictures")

        def run(page):  # windows of flowgraphs that have ended stand in the way of others
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, "-B", script_path, page, "-o", folder],
                                      capture_output=True, text=True, timeout=TIMEOUT, check=False)
                return done, os.listdir(folder)

        with ThreadPoolExecutor(4) as several:
            for page, (done, made) in zip(pages, several.map(run, pages)):
                with self.subTest(page=os.path.relpath(page, ROOT)):
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertEqual(made, [os.path.basename(page)[:-3] + "_window.png"])

    def test_the_tutorial_runs(self):
        for page in ("tutorial", "signs", "tracking", "course", "jupyter", "search"):
            with self.subTest(page=page):
                self.check_page(os.path.join(DOCS, f"{page}.md"))

    def test_the_errors_are_those_of_the_sources(self):
        text = ""
        for path in glob.glob(os.path.join(ROOT, "lib", "**", "*.cc"), recursive=True) + glob.glob(
                os.path.join(ROOT, "lib", "**", "*.h"), recursive=True) + glob.glob(
                os.path.join(ROOT, "python", "fringe", "**", "*.py"), recursive=True):
            if not os.path.basename(path).startswith("qa_"):
                text += read(path)
        text = re.sub(r'"\s*f?"|\'\s*f?\'', "", text)  # strings that go on in the next line
        ours = read(os.path.join(DOCS, "errors.md")).partition("## From GNU Radio")[0]
        rows = re.findall(r"^\| `([^`|]+)`[^|]*\|", ours, re.MULTILINE)
        rows = [row for row in rows if " " in row]
        self.assertGreater(len(rows), 20)
        for sentence in rows:
            with self.subTest(message=sentence):
                # Names and numbers are put in: some words in a row are those of the sources.
                words = sentence.split()
                size = 3 if len(words) > 5 else 2
                self.assertTrue(any(" ".join(words[k:k + size]) in text
                                    for k in range(len(words) - size + 1)))

    def test_pages_can_be_pasted_into_a_prompt(self):
        for page in ("tutorial", "signs", "tracking", "course", "jupyter"):
            prompt = pasted()
            for line, kind, code in self.runner.snippets(os.path.join(DOCS, f"{page}.md")):
                if kind == "python":
                    with self.subTest(page=page, line=line):
                        unfinished = [prompt.push(line) for line in code.splitlines()]
                        self.assertEqual(prompt.errors, [])
                        self.assertFalse(unfinished[-1], "the prompt waits for more lines")

    def test_the_notebooks_are_those_of_the_pages(self):
        maker = script("notebook")
        for page in ("tutorial", "course", "jupyter"):
            path = os.path.join(DOCS, "notebooks", f"{page}.ipynb")
            with self.subTest(page=page):
                made = maker.notebook(os.path.join(DOCS, f"{page}.md"))
                self.assertEqual(json.loads(read(path)), made,
                                 f"scripts/notebook makes docs/notebooks/{page}.ipynb again")
                code = "".join("".join(cell["source"]) + "\n" for cell in made["cells"]
                               if cell["cell_type"] == "code")
                compile(code, path, "exec")
                pictures = {link for cell in made["cells"] if cell["cell_type"] == "markdown"
                            for link in LINK.findall("".join(cell["source"]))}
                for link in pictures:
                    if "://" not in link and not link.startswith("#"):
                        self.assertTrue(os.path.exists(os.path.join(
                            os.path.dirname(path), link.partition("#")[0])), link)

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_seeded_faults_fit_the_source(self):
        """And each was tried: its row says what caught it."""
        mutate = script("mutate")
        faults = mutate.faults_named()
        self.assertGreaterEqual(len(faults), 60)
        self.assertEqual(mutate.unfit(faults), [], "make these patches of scripts/mutations anew")
        table = read(os.path.join(ROOT, "scripts", "mutations", "README.md"))
        for fault in faults:
            self.assertIn(f"| {fault.name} | {fault.kind} | {fault.what} |", table,
                          f"scripts/mutate {fault.name} writes its row")
        self.assertNotIn("nothing**", table)

    def test_public_blocks_have_a_docstring(self):
        for _, content in descriptions():
            name = re.sub("^(variable_)?fringe_", "", content["id"])
            if name.startswith("display_"):
                continue
            with self.subTest(block=name):
                text = getattr(fringe, name).__doc__ or ""
                self.assertGreater(len(text), 200)


if __name__ == "__main__":
    unittest.main()
