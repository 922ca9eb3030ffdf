#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What each of several GPUs gets of the inputs and channels of one correlator."""
from .. import fringe_python as fp


def parts_of(count, parts, unit=1):
    """`count` things in `parts` parts that differ by one `unit` at most, the larger ones first."""
    units = -(-count // unit)
    sizes = []
    for k in range(parts):
        some = (units // parts + (k < units % parts)) * unit
        sizes.append(min(some, count - sum(sizes)))
    return sizes


def shares_of(sizes, count):
    """Inputs and channels of each of `count` GPUs, and the channels in an item of their dumps.
    ValueError where there are fewer inputs or channels than GPUs; sizes: block_sizes."""
    inputs, channels, per_item = sizes.inputs, sizes.channels, sizes.channels_per_item
    for what, number in (("inputs", inputs), ("channels", channels)):
        if number < count:
            raise ValueError(f"devices: {count} GPUs for {number} {what}: name {number} at "
                             "the most")
    # Whole groups of 8 inputs, as tensor cores read them, and whole items of dumps.
    parts = parts_of(inputs, count, 8 if inputs >= 8 * count else 1)
    ranges = parts_of(channels, count, per_item if channels >= per_item * count else 1)
    return parts, ranges, fp.dump_join.joined_channels(ranges, per_item)


def blocks_ahead(item):
    """Blocks of `item` bytes in a ring between the stages of several GPUs, at least. The threads of
    the host follow one another, and short blocks would wait for them; where blocks are long, rings
    keep the length that they have anyway."""
    return min(8, (512 << 20) // item)


def raw_blocks_ahead(sizes, channels, component):
    """Raw blocks in the ring on each GPU, at least: they go on coming while an X-engine of so many
    channels works, which adds several blocks to large sums at a time. sizes: block_sizes"""
    together = fp._blocks_together(sizes.inputs, channels, sizes.block_spectra, component)
    return max(blocks_ahead(sizes.raw_bytes), min(8, together))
