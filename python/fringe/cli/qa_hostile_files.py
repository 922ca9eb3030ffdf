#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Files and messages that were made to do harm: a sentence each, soon and in little memory."""
import base64
import contextlib
import importlib.util
import json
import os
import resource
import subprocess
import sys
import unittest
import zlib

import numpy as np
import yaml
from gnuradio import fringe
from gnuradio.fringe.observing import gains
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.images.known import read_known
from gnuradio.fringe.primary_beams.table import table
from gnuradio.fringe.runs.plan import make_plan, read_plan
from gnuradio.fringe.ground.yaml_text import load_yaml
from qa_cli import FRINGE
from qa_scratch import TIMEOUT, scratch_case

try:
    import h5py
except ImportError:
    h5py = None

MEMORY = 3 << 29  # bytes of address space for a command, its libraries and threads among them
#: TART files with a few bytes changed, which libhdf5 1.10 does not survive; found by a fuzzer.
CRAFTED = {
    "crash": (
        "c-rgqaB<`1lHy_j0S*oZ76t(ZWbhvfF36zrVe$!3nh{EOK<O1sFmXn(oCH){5NbZUx{x4OSCH!eXaHu90SkndU>F"
        "4>5qP*d27u@YC|?6gpI|~&my%eL2%?ko^U^ZYA^hT!#M}b3bZS7Py^IX35Iu}AKE!55CWrtVRNW0I4db7H(#*j04"
        "pJ!qH-ZC9vI1!kpNR=#5C=46Gc!UJFl=B!bxFgZh=*W5e-}ouuOOg;6~B6@XBZTi@vDR7>khUdm^fKU*Mga@I8f3"
        "jGcZIzY)M8&a9HC`KMbhpXSApo1*2dTjDk@x3g`v|P@9(-P`X;F7})mA$;?ZSPb*3-EKSWzu2iy8Ff=nZvoJ6)&@"
        "<3cQ1UTAl`}OrG&X|EqDh&W7#YB%@)C1Xfuc$!O0}?7uoRRwGB7gJH89gPGzu{=u`)8XGBMLLG_f?WFhgrr^N&W|"
        "C>RA;fW~MLjDk@x3P!;w7zLwX6oA3#OwA}5JOI?;J-`EDgF3+g<GgN7"),
    "gigabytes": (
        "c-rgqaB<`1lHy_j0S*oZ76t(ZWbhvfF36zrVe$!3nh{EOK<O1sFmXn(oCH){5NbZUx{x4OSCH!eXaHu90SkndU?2"
        "k=VnlJ{C>VOc!__eWL`OjR8c_NK6RNtD#F9i1ot&SSmYELW7ndaF7NDh510wBZWMGBpVTAD^HZw9o1lXYJZa`@m{"
        "{)m~2BvqAN&&bL9AJ_aNQ3xHOb~-OpedV~5vqV;0}HB48U{r?1pE2BFoJyr0TrzH)k8hQpumh@9V}mWunob)$x6B"
        "w%yh+pl0KP%Ap&AcGBSe08h83(KubRxcpxSSpxHQMPzNEk!($YTf>AIEM!}#c+y`;zU=)mkQ7{Td!6+C7qhJ(_f>"
        "AIE1~E{hreUL<u~9H|ffNuQfR1>B5-0#AxMP9"),
    "for ever": (
        "c-rgqaB<`1lHy_j0S*oZ76t(ZWbhvfHt3`BVe$!3nh{EOK<O1sFmXn(oCH){5NbZUx{x4OSCH!eXaHu90SkndU>F"
        "4>5qP*d27u@YC|?6gpI|~&my%eL2%?ko^U^ZY85l}3b5n~;5_1dC(y0NF_A)ZCLG&=f_z;^JnIHntWXa$FrP2A!!"
        "1NAMDF8Qu15C04X%L@@86wQhpa5nt!tLPz=bV((w4B6}RJgeu&>X<b#9YA&5dwvP0>Xt6G>wN~KYtfSu&*FsgE)T"
        "m98g+;8NWJMzCJKQGB~KbV+6)3dU@wfK;H&_2#u~z0ge9~O&t>s^V|fmt3x+$B5JjOp^kC1h#Cc>U=)mkQ7{Td!6"
        "={!sEA{9VA%g($iT*m|KO3CX1ROU?^L`$`>dy<X6R?v{=iUsKYNy>ms#sYPqC|fKe}4-M8;8_c3au{&4ErgA2o|L"
        "Y~R)%)-T@MCvydARDkuOLy>8fQ|8Bg-r((TlISUOa9gERY)B~Ej2l;Gy-BcmaHshhFWbb-xZ^efC5mfyZWX+nqRt"
        "a2WA!yJTt0W>8CF?Ys8KfaT%y)Yu2gf{e#4hx8{48Eu_1HsCaZpQXB1o^-JEu;b(cwL{s*qM$-X<2!d?9?+JwuPZ"
        ")h#Qup&<4+{)=~-Ak{^ra_JB$vXEzmvx`Hm77Fr?7OB^#k4+Av8^TQDx6X?KHYn;Q80sN=bu9<FRg-aZTC*Pl<M%"
        "%iRb)%gSfv__dm|5D&4)TNM5>HDXl2AurxI<xl+kW!BEdM)lx@6sTkN9%*o74k4KSAHLDc{HLvAIo3o=}6pVsVFb"
        "W1CU}RuL8;|5bsj!%#<BGyS0yJa~A7^BO3|PX)4;k-3M|AYjY*;bO!b1YgmSkiEk6Gdzhh<_w3m<MlhzV!|Uko!w"
        "6X7Tr1*2dTi~_m?cV~YeMr_s6C>RB!U=)n@7)E;xqhJ(_f>AIEM!_f;1*2ft00540@b~")}
ARRAY = "antennas: [[0, 0, 0], [9, 0, 0]]\nsample_rate: 1e6\nformat: ci8\nchannels: 8\n"


class harm_case(scratch_case):

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return self.path(name)

    def refusal(self, *words):
        """The command, in little memory and time: one sentence and exit code 1 or 2."""
        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        done = subprocess.run(
            [sys.executable, FRINGE, *words], cwd=self.folder, timeout=TIMEOUT, check=False,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=limits,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertRegex(done.stderr, r"\Afringe \w+: [^\n]+\n\Z")
        return done.stderr

    def refused(self, words, function, *arguments, **options):
        with self.assertRaisesRegex((ValueError, RuntimeError), words) as caught:
            function(*arguments, **options)
        self.assertNotIn("\n", str(caught.exception))


class qa_hdf5(harm_case):

    def test_found_by_a_fuzzer(self):
        for name, packed in CRAFTED.items():
            with self.subTest(name):
                self.write("x.hdf", zlib.decompress(base64.b85decode(packed)))
                self.refusal("info", "x.hdf", "--format", "tart")

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_claims(self):
        self.write("other", b"x" * 100)
        makers = {
            "claims to hold": lambda f: f.create_dataset(
                "data", (24, 10 ** 13), "u1", chunks=(1, 4096)),
            "claims to hold 18446744073709551615": lambda f: f.create_dataset(
                "data", (2 ** 33, 2 ** 33), "u1", chunks=(1, 4096)),
            "has pieces of": lambda f: f.create_dataset(
                "data", (1, 1), "u1", chunks=(2 ** 15, 2 ** 15), maxshape=(None, None)),
            "packed more than once": self.packed_twice,
            "lies in other files": lambda f: f.create_dataset(
                "data", (10, 10), "u1", external=[("other", 0, 100)]),
            "link to another file": lambda f: f.__setitem__(
                "data", h5py.ExternalLink("other", "data")),
            "'data' has numbers of 8 bytes in a form that is not IEEE's": lambda f: h5py.h5d.create(
                f.id, b"data", self.unusual_number(), h5py.h5s.create_simple((4,))),
            "attribute 'data' has numbers of 8 bytes in a form": lambda f: h5py.h5a.create(
                f.id, b"data", self.unusual_bias(), h5py.h5s.create_simple((4,)))}
        for words, make in makers.items():
            with self.subTest(words):
                with h5py.File(self.path("x.hdf"), "w") as file:
                    make(file)
                self.refused(words, describe, self.path("x.hdf"), "tart")
                os.rename(self.path("x.hdf"), self.path("x.uvh5"))
                self.refused(words, describe, self.path("x.uvh5"))

    @staticmethod
    def unusual_number():
        number = h5py.h5t.IEEE_F64LE.copy()
        number.set_fields(63, 53, 10, 0, 53)
        return number

    @staticmethod
    def unusual_bias():
        number = h5py.h5t.IEEE_F64LE.copy()
        number.set_ebias(255)
        return number

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_values_behind_their_end(self):
        """libhdf5 makes no such file; a changed byte does. From 1.14 on it does not open it."""
        with h5py.File(self.path("x.uvh5"), "w") as file:
            file["data"] = np.zeros(3, complex)
        with open(self.path("x.uvh5"), "rb") as file:
            bad = bytearray(file.read())
        bad[bad.find(b"i" + bytes(7) + b"\x08") + 8] = 9  # the place of the imaginary part
        self.write("x.uvh5", bytes(bad))
        opened = h5py.version.hdf5_version_tuple < (1, 14)
        self.refused("x.uvh5: " + (".*'data' has values that lie behind their end" if opened
                                   else "is no UVH5 file"), describe, self.path("x.uvh5"))

    @staticmethod
    def packed_twice(file):
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_chunk((1, 64))
        how.set_deflate(9)
        how.set_shuffle()
        how.set_deflate(9)
        h5py.h5d.create(file.id, b"data", h5py.h5t.NATIVE_UINT8, h5py.h5s.create_simple((4, 64)),
                        how)

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_attributes(self):
        """A text in the global heap whose length is almost 2^64 ends the process that reads it."""
        for group in ("/", "/Header"):
            with h5py.File(self.path("x.h5"), "w") as file:
                file["Header/a"] = file["Data/visdata"] = 1
                file[group].attrs["format"] = "gr-fringe calibration solutions"
            with open(self.path("x.h5"), "rb") as file:
                bad = bytearray(file.read())
            at = bad.find(b"GCOL") + 24
            bad[at:at + 8] = (2**64 - 8).to_bytes(8, "little")
            self.write("x.uvh5", bytes(bad))
            self.refused("x.uvh5: .*heap of texts at byte", fringe.read_visibilities,
                         self.path("x.uvh5"))
            self.refused("x.uvh5: .*heap of texts at byte", fringe.read_solutions,
                         self.path("x.uvh5"))
        with h5py.File(self.path("x.uvh5"), "w") as file:
            file.attrs.create("large", np.zeros(5000))
            file.attrs["text"], file.attrs["many"] = "a", ["b", "c" * 1000]
        self.refused("x.uvh5: is no UVH5 file", fringe.read_visibilities, self.path("x.uvh5"))

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_another_thread_reads_by_h5py(self):
        """The process that checks a file is doubled while another thread is in libhdf5."""
        with h5py.File(self.path("x.h5"), "w") as file:
            file["a"] = np.zeros(10 ** 6)
        text = """
import sys, threading, h5py
from gnuradio.fringe import fringe_python as fp
over = threading.Event()
def read():
    with h5py.File(sys.argv[1]) as file:
        while not over.is_set():
            file["a"][()]
thread = threading.Thread(target=read)
thread.start()
for _ in range(15):
    fp.check_hdf5_file(sys.argv[1])
over.set()
thread.join()
"""
        subprocess.run([sys.executable, "-c", text, self.path("x.h5")], check=True,
                       timeout=TIMEOUT)

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_good_files_are_read(self):
        """Packed ones, too, with texts of any length."""
        data = np.zeros((4, 10 ** 6), np.uint8)
        for more in ({}, {"chunks": True, "compression": "gzip", "compression_opts": 9},
                     {"chunks": True, "compression": "lzf", "shuffle": True}):
            with h5py.File(self.path("x.hdf"), "w") as file:
                file.create_dataset("data", data=data, **more)
                file["config"] = json.dumps({"sampling_frequency": 16.368e6})
                file["timestamp"] = "2026-06-12T11:20:40"
                file["again"] = h5py.SoftLink("/data")
            self.assertIn("8000000 of each input", describe(self.path("x.hdf"), "tart"))

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_changed_bytes(self):
        """What the child finds harmless this process survives."""
        with h5py.File(self.path("x.hdf"), "w") as file:
            file.create_dataset("data", data=np.arange(4096, dtype=np.uint8).reshape(4, 1024),
                                chunks=(1, 256), compression="gzip")
            file["config"], file["timestamp"] = "{}", "2026-06-12T11:20:40"
        with open(self.path("x.hdf"), "rb") as file:
            good = file.read()
        used = np.flatnonzero(np.frombuffer(good, np.uint8))
        for _ in range(60):
            bad = bytearray(good)
            for place in self.rng.choice(used[used > 8], 3):
                bad[place] = self.rng.integers(256)
            self.write("y.hdf", bytes(bad))
            with contextlib.suppress(ValueError, RuntimeError):
                describe(self.path("y.hdf"), "tart")


class qa_no_plain_files(harm_case):

    def test_pipes_and_devices(self):
        for name in ("p.ACC", "p.uvh5", "p.uvfits", "p.LCCSPC", "p.LACSPC", "p.npy", "p.yml"):
            os.mkfifo(self.path(name))
        self.write("x.ci8", bytes(4000))
        self.write("x.yml", ARRAY)
        read = [(describe, self.path(name)) for name in ("p.ACC", "p.uvh5", "p.uvfits", "p.LCCSPC",
                                                         "p.yml")]
        read += [(function, name) for name in (self.path("p.yml"), "/dev/zero")
                 for function in (fringe.observation.from_file, fringe.satellite_track.from_file,
                                  fringe.pulse_phase.from_polyco, fringe.read_catalogue,
                                  lambda name: gains.read_gains(name, 2, 8))]
        read.append((lambda name: gains.read_gains(name, 2, 8), self.path("p.npy")))
        for function, name in read:
            with self.subTest(name, function=function):
                self.refused("(plain|ordinary) file", function, name)
        self.write("table.yml", ARRAY + f"earth_orientation: {self.path('p.yml')}\n")
        self.refused("plain file", fringe.observation.from_file, self.path("table.yml"))

    def test_pipes_as_plan_layout_model(self):
        for name in ("p.json", "p.yml", "p.fits"):
            os.mkfifo(self.path(name))
        obs = fringe.observation.example(2)
        for function, name in ((read_plan, "p.json"), (fringe.packet_layout, "p.yml"),
                               (lambda name: fringe.degridder(obs, name), "p.fits"),
                               (lambda name: fringe.degridder(obs, name), "p.yml")):
            with self.subTest(name, function=function):
                self.refused("p.*: is not a plain file", function, self.path(name))
        for command in ("work p.json 0", "merge p.json -o x.ms",
                        "record --live udp://127.0.0.1:1?preset=./p.yml -o x.vdif"):
            with self.subTest(command):
                self.assertIn("is not a plain file", self.refusal(*command.split()))

    def test_a_pipe_as_description(self):
        self.write("x.ACC", bytes(640))
        os.mkfifo(self.path("x.ACC.yml"))
        self.refused("plain file", describe, self.path("x.ACC"))

    def test_a_text_that_is_too_long(self):
        with open(self.path("x.yml"), "wb") as file:
            file.truncate(2 ** 40)
        self.refused("bytes, too many", fringe.observation.from_file, self.path("x.yml"))


class qa_visibility_files(harm_case):

    def correlated(self, name):
        self.write("x.ci8", self.rng.bytes(40000))
        fringe.correlate(self.path("x.ci8"), self.path(name), fringe.observation.from_text(
            ARRAY + "start_time: 2026-01-01\n"), spectra=100, overwrite=True)
        return self.path(name)

    @unittest.skipUnless(importlib.util.find_spec("casacore"), "python3-casacore is not installed")
    def test_pipes_and_devices_in_a_measurement_set(self):
        path = self.correlated("x.ms")
        describe(path)
        for name in ("table.dat", "table.f0", "ANTENNA/table.dat", "table.lock", "other"):
            with self.subTest(name):
                member = os.path.join(path, name)
                if os.path.exists(member):
                    os.rename(member, self.path("kept"))
                for make in (os.mkfifo, lambda name: os.symlink("/dev/zero", name)):
                    make(member)
                    text = self.refusal("info", path)
                    if name != "table.dat":
                        self.assertIn(f"{member}: is not a plain file", text)
                    os.remove(member)
                if os.path.exists(self.path("kept")):
                    os.rename(self.path("kept"), member)
        describe(path)

    @unittest.skipUnless(importlib.util.find_spec("astropy"), "python3-astropy is not installed")
    def test_uvfits_that_claim_more_than_they_hold(self):
        path = self.correlated("x.uvfits")
        describe(path)
        with open(path, "rb") as file:
            good = file.read()
        cards = [good[k:k + 80] for k in range(0, len(good) - 79, 80)]
        for key in ("GCOUNT", "NAXIS4", "NAXIS2", "PCOUNT"):
            for k, card in enumerate(cards):
                if not card.startswith(f"{key:8}=".encode()):
                    continue
                for value in (10 ** 9, 10 ** 15, 10 ** 18):
                    with self.subTest(f"{key} {value} in card {k}"):
                        new = f"{key:8}= {value:>20}".ljust(80).encode()
                        self.write("y.uvfits", good[:80 * k] + new + good[80 * k + 80:])
                        self.refused("y.uvfits: ", describe, self.path("y.uvfits"))
        self.assertIn("claims", self.refusal("info", self.write(
            "y.uvfits", good[:-2880])))
        # A header without an end, of a terabyte.
        with open(self.write("y.uvfits", good[:80]), "ab") as file:
            file.truncate(2 ** 40)
        self.assertIn("header", self.refusal("info", self.path("y.uvfits")))


class qa_yaml(harm_case):

    @staticmethod
    def bomb(levels):
        lines = ["a0: &a0 [" + ",".join(["1.0"] * 10) + "]"]
        lines += [f"a{k}: &a{k} [" + ",".join([f"*a{k - 1}"] * 10) + "]" for k in range(1, levels)]
        return "\n".join(lines + [f"frequencies: *a{levels - 1}\n"])

    def test_aliases(self):
        self.assertEqual(load_yaml("[&a [1, 2], *a, '*']"), [[1, 2], [1, 2], "*"])
        load_yaml(self.bomb(5))
        for text in (self.bomb(7), self.bomb(30), "&a [*a]", "&a {b: [*a]}", "[" * 10 ** 5,
                     "{a: " * 10 ** 5, "- " * 10 ** 5, "? " * 10 ** 5, "[ ']'," * 10 ** 5):
            with self.subTest(text[:20]), self.assertRaises(yaml.YAMLError):
                load_yaml(text)

    def test_files_with_aliases(self):
        text = f"inputs: 2\nchannels: 8\n{self.bomb(9)}byte_order: little\ndumps: []\n" \
               f"observation: {json.dumps(ARRAY)}\n"
        self.write("x.ACC", bytes(640))
        self.write("x.ACC.yml", text)
        self.assertIn("aliases", self.refusal("info", "x.ACC"))
        self.write("sources.yml", self.bomb(9))
        self.refused("aliases", fringe.read_catalogue, self.path("sources.yml"))

    def test_aliases_in_observations(self):
        antennas = "b0: &b0 [" + ",".join(["[0, 0, 0]"] * 10) + "]\n"
        antennas += "".join(f"b{k}: &b{k} [" + ",".join([f"*b{k - 1}"] * 10) + "]\n"
                            for k in range(1, 9))
        for text in (antennas + "antennas: *b8\n", self.bomb(9) + ARRAY):
            self.refused("aliases.* unfold to more than", fringe.observation.from_text, text)
        self.refused("inside of what it names", fringe.observation.from_text,
                     ARRAY + "inputs: &a [*a]\n")
        obs = fringe.observation.from_text(
            "antennas: [&a [1, 2, 3], *a]\nsample_rate: 1e6\nformat: ci8\nchannels: 8\n")
        self.assertEqual(list(obs.antennas[1].enu), [1, 2, 3])
        self.write("s.sigmf-data", bytes(4000))
        self.write("s.sigmf-meta", "global: {'core:datatype': ci8, 'core:sample_rate': 1e6}\n"
                   + self.bomb(9))
        self.refused("is not JSON", describe, self.path("s.sigmf-meta"))

    def test_observations(self):
        for text in (self.bomb(9).replace("frequencies", "antennas"), "[" * 10 ** 5,
                     ARRAY + "inputs: &a [*a]\n"):
            with self.subTest(text[:20]):
                self.refused("", fringe.observation.from_text, text)


class qa_gains(harm_case):

    def read(self, name):
        return gains.read_gains(self.path(name), 2, 8)

    def test_numpy_files(self):
        good = np.arange(1, 17).reshape(2, 8) * (1 + 0.5j)
        for values in (good, np.asfortranarray(good), good.astype(np.complex64), good.real + 1):
            np.save(self.path("x.npy"), values)
            np.testing.assert_allclose(self.read("x.npy"), values)
        np.savez(self.path("x.npz"), good)
        self.refused("x.npz: is a collection of numpy arrays", self.read, "x.npz")
        os.rename(self.path("x.npz"), self.path("x.npy"))
        self.refused("x.npy: is not a whole numpy file", self.read, "x.npy")
        np.save(self.path("x.npy"), np.array([{}], object))
        self.refused("type object; gains are complex", self.read, "x.npy")
        for shape in ((2, 9), (16,), (10 ** 9, 10 ** 9)):
            with open(self.path("x.npy"), "wb") as file:
                np.lib.format.write_array_header_1_0(
                    file, {"descr": "<c16", "fortran_order": False, "shape": shape})
            self.refused("2 inputs x 8 channels are needed", self.read, "x.npy")
        with open(self.path("x.npy"), "wb") as file:
            np.save(file, good)
            file.truncate(200)
        self.refused("x.npy: is not a whole numpy file", self.read, "x.npy")


class qa_found_by_changed_inputs(harm_case):
    """Faults that scripts/fuzz has found."""

    def test_bytes_that_are_no_text(self):
        path = self.write("x.yml", b"- {name: \xff\xfe, ra: 1, dec: 2}\n")
        for read in (fringe.read_catalogue, read_known, lambda path: gains.read_gains(path, 2, 8),
                     table, read_plan):
            self.refused("x.yml: is not text", read, path)
        self.refused("x.yml: is not text", fringe.observation.from_file, path)
        self.write("x.dada", b"HEADER DADA\nHDR_SIZE 512\nNBIT \xff".ljust(4096, b"\0"))
        self.refused("x.dada: .*NBIT", describe, self.path("x.dada"), "dada")

    def test_yaml_that_is_none(self):
        for text in ("- 2026-13-45\n", "- {name: 2026-02-31T25:00:00, ra: 1, dec: 2}\n"):
            self.refused("x.yml: is no YAML file", fringe.read_catalogue, self.write("x.yml", text))
        self.refused("x.yml: source 1: there is no field", fringe.read_catalogue,
                     self.write("x.yml", "- {null: 1, size: 2, ra: 1, dec: 2}\n"))

    def test_gains_that_are_no_numbers(self):
        self.refused("x.txt, line 1: '1 inf': gain and phase", gains.read_gains,
                     self.write("x.txt", "0 * 1 inf\n"), 2, 8)
        np.save(self.path("x.npy"), np.ones((2, 8), complex))
        with open(self.path("x.npy"), "rb") as file:
            good = file.read()
        for old, new in ((b"'fortran_order': False", b"('fortran_order': False"), (b"}", b" ")):
            self.write("x.npy", good.replace(old, new))
            self.refused("x.npy: is not a whole numpy file", gains.read_gains,
                         self.path("x.npy"), 2, 8)

    def test_plans(self):
        self.write("raw", bytes(64000))
        obs = fringe.observation.from_text(ARRAY + "spectra: 50\n")
        make_plan([self.path("raw")], obs, parts=2, format="ci8").write(self.path("x.json"))
        with open(self.path("x.json"), encoding="utf-8") as file:
            good = json.load(file)
        for wrong in ({"observations": {"a": 1}}, {"observations": []}, {"observations": ["["]},
                      {"parts": [{"first": 0, "end": 1, "centers": [7]}]}, {"notes": [3]},
                      {"parts": [{"first": "0", "end": 1, "centers": [0]}]}, {"gains": [None]},
                      {"files": [["a", 1]]}, {"recordings": [["a"]]}, {"sizes": []}):
            with self.subTest(str(wrong)):
                self.refused("x.json: is no plan", read_plan,
                             self.write("x.json", json.dumps({**good, **wrong})))

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_a_group_that_is_damaged(self):
        with h5py.File(self.path("x.uvh5"), "w") as file:
            file["Header/a"] = file["Data/visdata"] = 1
        with open(self.path("x.uvh5"), "rb") as file:
            good = file.read()
        self.write("x.uvh5", good.replace(b"SNOD", b"SNOB"))
        self.refused("x.uvh5: ", fringe.read_visibilities, self.path("x.uvh5"))

    def test_a_terminal_gets_no_commands(self):
        name = "\\x1b]0;owned\\x07\\n"
        self.write("x.yml", ARRAY + f'window: "{name}"\n')
        self.assertIn("?]0;owned? ", self.refusal("info", "x.yml"))

    def test_no_thread_is_left(self):
        if os.getuid() == 0:
            self.skipTest("root has as many threads as it likes; scripts/torture runs without")
        done = subprocess.run(
            [sys.executable, FRINGE, "info", "--formats"], timeout=TIMEOUT, check=False,
            capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Afringe: the system gives no more threads[^\n]*\n\Z")


class qa_messages(unittest.TestCase):

    def test_headers_that_claim_much(self):
        try:
            import zmq
        except ImportError:
            self.skipTest("python3-zmq is not installed")
        good = {"products": "i<=j row-major", "channels": 2, "inputs": 1, "names": ["a"],
                "first_frequency": 1.0, "channel_width": 1.0, "dump": 0, "seconds": 0,
                "fraction": 0.0, "interval": 1.0, "exposure": 1.0}
        with zmq.Context.instance().socket(zmq.PUB) as publisher:
            port = publisher.bind_to_random_port("tcp://127.0.0.1")
            for wrong in ({"channels": 10 ** 12}, {"inputs": 10 ** 9}, {"inputs": 10 ** 400},
                          {"channels": -2}, {"channels": 2.0}, {"channels": "x" * (1 << 24)},
                          {"names": ["a"] * 9}, {"names": 7}):
                with self.subTest(str(wrong)[:40]):
                    self.check(publisher, port, json.dumps({**good, **wrong}).encode())
            self.check(publisher, port, b"[" * 10 ** 6)

    def check(self, publisher, port, header):
        with fringe.dump_reader(f"tcp://127.0.0.1:{port}", timeout=0.2) as reader:
            for _ in range(300):  # the first are lost until the reader is connected
                publisher.send_multipart([header, bytes(16), bytes(8)])
                try:
                    with self.assertRaisesRegex(ValueError, "sends something else than dumps"):
                        next(reader)
                    return
                except TimeoutError:
                    continue
        self.fail("nothing was received")


if __name__ == "__main__":
    unittest.main()
