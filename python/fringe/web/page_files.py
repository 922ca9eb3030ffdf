#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The files of the page, and those that are made for it: its colors, QR codes of its addresses."""
import hashlib
import mimetypes
import pathlib

from ..ground.colors import THEMES
from .qr_code import as_svg, qr_code

PAGE = pathlib.Path(__file__).parent / "page"
TEXTS = {".html", ".css", ".js", ".svg"}


def page_files(urls=()):
    """({name: (type, bytes, etag)} of the files of the page, [[address, name of the picture of its
    QR code, or ""]])."""
    contents = {path.name: path.read_bytes() for path in PAGE.iterdir() if path.suffix in TEXTS}
    contents["theme.css"], codes = theme_css().encode(), []
    for url in urls:
        code, name = qr_code(url), f"address_{len(codes)}.svg"
        codes.append([url, name if code is not None else ""])
        if code is not None:
            contents[name] = as_svg(code)
    files = {}
    for name, content in contents.items():
        kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
        files[name] = (kind + "; charset=utf-8", content,
                       f'"{hashlib.sha1(content).hexdigest()}"')
    return files, codes


def theme_css():
    """The colors of the page: those of displays; dark where the browser wants it, or the user."""
    light, dark = ("".join(f"--{part}: {color}; " for part, color in THEMES[name].items())
                   + f"color-scheme: {name};" for name in ("light", "dark"))
    return (f":root {{ {light} }}\n:root[data-style=dark] {{ {dark} }}\n"
            f"@media (prefers-color-scheme: dark) {{ "
            f":root:not([data-style=light]) {{ {dark} }} }}\n")
