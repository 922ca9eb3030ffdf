#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Movies of images, made by the program ffmpeg."""

import os
import shutil
import subprocess
import tempfile

import numpy as np

from ..ground.new_file import new_file

#: Seconds that ffmpeg may take to finish a movie.
TIMEOUT = 600
#: Sides of an H.264 movie are even.
EVEN = 'crop=trunc(iw/2)*2:trunc(ih/2)*2'


def require_ffmpeg(path):
    """Raises ValueError where ffmpeg is not installed."""
    if shutil.which('ffmpeg') is None:
        raise ValueError(f'{path}: movies are made by the program ffmpeg, which is not installed: '
                         'apt-get install ffmpeg; x_%04d.png makes single pictures')


class movie_file:
    """A movie of pictures, as MP4 (H.264), with one scale of colors that only grows."""

    by_time = False

    def __init__(self, path, overwrite, rate, content):
        require_ffmpeg(path)
        if not 0.1 <= rate <= 120:
            raise ValueError(f'{path}: {rate:g} images a second; a movie has 0.1 to 120')
        self._path, self._overwrite, self._content = path, overwrite, content
        self._rate, self._count, self._top = rate, 0, 0.0
        self._folder = self._ffmpeg = self._log = None

    def add(self, made, _number=None):
        """Appends an image."""
        if self._ffmpeg is None:
            self._begin()
        values = made.mean()
        self._top = max(self._top, float(np.nanmax(values)))
        try:
            self._ffmpeg.stdin.write(self._content(made, self._top))
        except BrokenPipeError:
            raise RuntimeError(f'{self._path}: ffmpeg ended: {self._last_words()}') from None
        self._count += 1

    def close(self):
        """Gives the movie its name; returns a sentence on what was written."""
        if self._ffmpeg is None:
            return 'wrote nothing'
        try:
            self._ffmpeg.stdin.close()
            if self._ffmpeg.wait(TIMEOUT):
                raise RuntimeError(f'{self._path}: ffmpeg ended: {self._last_words()}')
            with open(self._made(), 'rb') as made, new_file(self._path, self._overwrite) as file:
                shutil.copyfileobj(made, file)
        finally:
            self.discard()
        return f'wrote {self._path}, {self._count} images'

    def discard(self):
        """Leaves nothing of the movie."""
        if self._ffmpeg is not None and self._ffmpeg.poll() is None:
            self._ffmpeg.kill()
            self._ffmpeg.wait()
        if self._folder is not None:
            self._log.close()
            self._folder.cleanup()
        self._folder = self._ffmpeg = None

    def _made(self):
        return os.path.join(self._folder.name, 'movie.mp4')

    def _begin(self):
        self._folder = tempfile.TemporaryDirectory()
        self._log = open(os.path.join(self._folder.name, 'log'), 'w+', encoding='utf-8')
        self._ffmpeg = subprocess.Popen(
            ['ffmpeg', '-nostdin', '-loglevel', 'error', '-f', 'image2pipe', '-framerate',
             f'{self._rate:g}', '-c:v', 'png', '-i', '-', '-vf', EVEN, '-pix_fmt', 'yuv420p',
             '-crf', '20', '-movflags', '+faststart', self._made()],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._log)

    def _last_words(self):
        self._ffmpeg.wait()
        self._log.seek(0)
        return self._log.read()[-500:].strip() or f'status {self._ffmpeg.returncode}'
