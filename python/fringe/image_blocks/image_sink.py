#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images into files, while a flowgraph runs."""

import queue
import threading

import numpy as np
from gnuradio import gr

from ..images.items import TAG, image_of
from ..images.known import read_known
from ..images.outputs import image_output
from ..ground.streams import expected_streams, tags_of

#: Images that wait for the disk.
WAITING = 8
#: Seconds after which work() looks whether the writing thread still lives.
LOOK = 0.5


class image_sink(gr.sync_block):
    """Writes images to FITS cubes, numbered files, pictures and movies.

    Input: images, float32 [value], with the tags of an imager.

    path: of the output, or a list of them; the name says what it is.
      x.fits: a cube with an axis TIME;  x_%04d.fits, x_%04d.png: a file for each image;
      x.png: the newest image, replaced each time;  x.mp4: a movie (ffmpeg must be installed)
    Files get their names when they are whole.

    A thread of its own writes. Where it does not keep up, the flowgraph waits; with `drop` images
    are left out instead, and counted: visibilities are not lost to a slow disk.

      values: numbers in one image, fringe.item_sizes.image()
      unit: of the values, for FITS files and pictures
      sky: names such as "Sun,CasA", an observation file or a catalogue, whose sources are marked
        in pictures; "" = none
      rate: images of a movie in a second
      every: seconds from one image of a cube to the next; 0 = as long as the longer one of the
        first two is
      overwrite: replaces files that are there
      history: lines for FITS files

    Raises ValueError for names that are none, files that are there already, and movies without
    ffmpeg. What fails later, a full disk say, ends the flowgraph with a sentence in the log.
    """

    def __init__(self, path, values, unit="count/beam", sky="", drop=False, rate=10.0, every=0.0,
                 overwrite=False, history=()):
        paths = [path] if isinstance(path, str) else list(path)
        if not paths or int(values) != values or values < 1:
            raise ValueError(f"image_sink: path {path}, values {values}; there must be a name at "
                             "least, and one number or more in an image")
        known = read_known(sky) if sky else None
        self._make = lambda: [image_output(path, unit, list(history), overwrite, known, None, rate,
                                           every or None) for path in paths]
        for output in self._make():
            output.discard()
        gr.sync_block.__init__(self, name="fringe_image_sink",
                               in_sig=[(np.float32, int(values))], out_sig=None)
        self._streams = expected_streams(("images", 4 * int(values), {}))
        self._drop, self._last, self._thread = bool(drop), None, None
        self._images = self._dropped = 0
        self._error, self._sentences = "", []

    def images(self):
        """Images written so far."""
        return self._images

    def dropped(self):
        """Images that were left out, as the disk was too slow."""
        return self._dropped

    def error(self):
        """Why writing ended early; "" where it did not."""
        return self._error

    def sentences(self):
        """What was written, after the end."""
        return list(self._sentences)

    def set_last(self, last):
        """`last` is called at the end of the data for the images, a list, that are to follow: an
        imager's rest."""
        self._last = last

    def start(self):
        """Opens the files."""
        self._streams.restart(self)
        self._waiting = queue.Queue(WAITING)
        self._images = self._dropped = self._number = 0
        self._error, self._sentences = "", []
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()
        return True

    def work(self, input_items, output_items):
        """Hands images to the thread that writes them."""
        if self._streams.refused(self, [len(input_items[0])]):
            return -1
        for k, item in enumerate(input_items[0]):
            found = tags_of(self, 0, self.nitems_read(0) + k)
            if TAG not in found:
                expected_streams.refuse(self, "image_sink: this image has no tag `image`, which "
                                        "says where it looks; connect an imager")
                return -1
            if not self._hand(image_of(item, found[TAG])):
                expected_streams.refuse(self, f"image_sink: {self._error}")
                return -1
        return len(input_items[0])

    def stop(self):
        """Writes what is left, and gives the files their names."""
        if self._thread is not None:
            for made in self._last() if self._last else ():
                self._hand(made, drop=False)
            self._hand(None, drop=False)
            self._thread.join()
            self._thread = None
            for sentence in self._sentences:
                self.logger.info(sentence)
            if self._error:
                self.logger.error(self._error)
        return True

    def _hand(self, made, drop=None):
        """Puts an image into the queue; False where nobody takes them any more."""
        drop = self._drop if drop is None else drop
        number, self._number = self._number, self._number + 1
        while not self._error:
            try:
                self._waiting.put((number, made), block=not drop, timeout=LOOK)
                return True
            except queue.Full:
                if drop:
                    self._dropped += 1
                    return True
        return False

    def _write(self):
        outputs = []
        try:
            outputs = self._make()
            while True:
                number, made = self._waiting.get()
                if made is None:
                    break
                for output in outputs:
                    output.add(made, None if output.by_time else number)
                self._images += 1
            self._sentences = [output.close() for output in outputs]
        except Exception as error:  # the thread's last words
            self._error = str(error) or repr(error)
            for output in outputs:
                output.discard()
