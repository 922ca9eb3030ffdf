#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""From dumps to files: few bits, flagging, reducing, sinks."""
from .. import fringe_python as fp
from ..observing import item_sizes
from ..observing.sizes import bits_of
from .output_settings import LEAST_LEFT


def write_dumps(flowgraph, dumps, obs, encoding, paths, settings, overwrite, history,
                satellite="", images=(), real_time=False):
    """Connects what stands between a block of dumps, or (block, its port of visibilities, how many
    ports further the weights are), and the files; returns the sinks of visibilities, (imager,
    sink) of images, and the flagger or None. satellite: the table of what was tracked, if that is
    one; images: files of images; real_time: the data do not wait."""
    ports, channels, flagger = 2, obs.channels, None
    products, complex_samples = "all", encoding.complex_samples
    if settings.van_vleck:
        correction = fp.van_vleck(len(obs.inputs), channels, complex_samples, bits_of(encoding),
                                  obs.taps, obs.window)
        _connect(flowgraph, dumps, correction, ports)
        dumps = correction
    if settings.flags_dumps:
        flagger = fp.rfi_flagger(obs, channels, complex_samples,
                                 false_alarm_rate=settings.dumps_rate(),
                                 mask_frequencies=settings.masked_bands(obs, complex_samples),
                                 least_left=LEAST_LEFT if settings.flags_spectra else 0)
        _connect(flowgraph, dumps, flagger, ports)
        dumps, ports = flagger, 3
    if settings.web:
        from ..web.web_page import web_page
        try:
            page = web_page(obs, channels, settings.web, "", complex_samples,
                            flowgraph=flowgraph, alerts=settings.alerts)
        except ImportError as error:
            raise RuntimeError(f"web: {error}") from None
        _connect(flowgraph, dumps, page, 2)
        flowgraph.web_page = page  # GNU Radio keeps no reference to a block written in Python
    pictures = [write_images(flowgraph, dumps, ports, obs, complex_samples, images, settings,
                             overwrite, history, real_time)] if images else []
    if settings.reduces:
        axes = fp.dump_axes(obs, channels, complex_samples, average=settings.average_channels,
                            products=settings.products, keep_edge=settings.keep_edge,
                            flag_dc=settings.flag_dc)
        reducer = fp.visibility_reducer(axes)
        _connect(flowgraph, dumps, reducer, ports)
        dumps, obs, channels, products = reducer, axes.observation, axes.channels, axes.products
    sinks = []
    for path in paths:
        sink = fp.visibility_sink(
            obs, path, channels, complex_samples, 0, overwrite, history,
            roll_seconds=settings.new_file_every, products=products,
            smearing_loss=settings.smearing_loss, field_radius=settings.field_radius,
            longest_average=settings.longest_average, satellite=satellite,
            keep_edge=settings.keep_edge, flag_dc=settings.flag_dc)
        _connect(flowgraph, dumps, sink, ports)
        sinks.append(sink)
    return sinks, pictures, flagger


def write_images(flowgraph, dumps, ports, obs, complex_samples, paths, settings, overwrite,
                 history, real_time):
    """Connects what stands between a block of dumps and files of images; returns imager and sink.
    Images, and never visibilities, are lost where the data do not wait for them."""
    # Here, as all that makes images takes a third of the time in which `fringe correlate` starts.
    from ..image_blocks.deconvolver import deconvolver
    from ..image_blocks.image_sink import image_sink
    from ..image_blocks.imager import imager
    words = {"every": settings.every, "complex_samples": complex_samples,
             "band": settings.image_band, "drop": real_time}
    if settings.image_clean:
        made = deconvolver(obs, obs.channels, settings.image_size, iterations=settings.image_clean,
                           **words)
    else:
        made = imager(obs, obs.channels, settings.image_size, **words)
    sink = image_sink(paths, item_sizes.image(settings.image_size), overwrite=overwrite,
                      history=history.splitlines(), drop=real_time, every=settings.every)
    sink.set_last(made.rest)
    _connect(flowgraph, dumps, made, ports)
    flowgraph.connect(made, sink)
    return made, sink


def image_sentences(made, sink):
    """What became of the images of write_images(), after the end."""
    left_out = [f"{count} {what}" for count, what in (
        (made.dropped(), "dumps are in no image: images take longer to make than dumps to come"),
        (sink.dropped(), "images were left out: the disk was too slow for them")) if count]
    return sink.sentences() + left_out


def _connect(flowgraph, source, other, ports):
    block, first, step = source if isinstance(source, tuple) else (source, 0, 1)
    for port in range(ports):
        flowgraph.connect((block, first + port * step), (other, port))


def flagged_sentence(flagger):
    """How much of the dumps was flagged, by cause; "" without a flagger."""
    return _shares(flagger.totals() if flagger else {}, "all", "visibilities flagged")


def flagged_spectra_sentence(blocks):
    """How much of the spectra was zeroed, by cause; "" where nothing looked."""
    cells = {}
    for block in blocks:
        for cause, counts in block.cells().items():
            cells[cause] = cells.get(cause, 0) + sum(counts)
    return _shares(cells, "searched", "spectra left out as RFI")


def _shares(counts, whole, what):
    """counts: cause -> how many; `whole` has all there were, "any" those of any cause."""
    if not counts.get(whole):
        return ""
    causes = ", ".join(f"{cause} {100 * n / counts[whole]:.2g} %" for cause, n in counts.items()
                       if n and cause not in (whole, "any"))
    share = 100 * counts.get("any", 0) / counts[whole]
    return f"{share:.2g} % of the {what}" + (f" ({causes})" if causes else "")
