/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/packet_losses.h"

namespace gr::fringe {

namespace {

const std::string missing = "missing", late = "late", garbled = "garbled",
                  dropped = "dropped", invalid = "invalid";

} // namespace

packet_losses::packet_losses(gr::block& block,
                             const io::udp_capture& capture,
                             const io::packet_layout& layout)
    : d_capture(capture),
      d_streams(layout.streams),
      d_packet_samples(layout.samples * (layout.spectra() ? layout.channels : 1)),
      d_blocks(layout.channel_blocks()),
      d_channels(layout.spectra() ? layout.all_channels : 1),
      d_losses(block,
               {missing, late, garbled, dropped, invalid},
               capture.parts() / d_blocks * layout.streams)
{
}

std::map<std::string, std::uint64_t> packet_losses::packets() const
{
    const io::packet_counts c = d_capture.counts();
    return {{"good", c.good},
            {missing, c.missing},
            {late, c.late},
            {"duplicate", c.duplicate},
            {garbled, c.garbled},
            {dropped, c.dropped},
            {"foreign", c.foreign},
            {"kernel_dropped", c.kernel_dropped}};
}

loss_counter::counts packet_losses::samples() const
{
    loss_counter::counts all;
    for (std::size_t part = 0; part < d_capture.parts(); ++part) {
        const io::part_counts c = d_capture.counts_of(part);
        const auto add = [&](const std::string& cause, std::uint64_t packets) {
            auto& list = all[cause];
            if (part % d_blocks == 0) {
                list.insert(list.end(), d_streams, 0);
            }
            for (auto input = list.end() - static_cast<std::ptrdiff_t>(d_streams);
                 input != list.end();
                 ++input) {
                *input += packets * d_packet_samples;
            }
        };
        add(missing, c.missing);
        add(late, c.late);
        add(garbled, c.garbled);
        add(dropped, c.dropped);
        add(invalid, c.invalid);
    }
    return all;
}

void packet_losses::count()
{
    for (auto& [cause, lost] : samples()) {
        d_losses.set(cause, lost);
    }
}

void packet_losses::tell(std::uint64_t read)
{
    count();
    d_losses.tell(read * d_channels);
}

void packet_losses::tell_end(std::uint64_t read)
{
    count();
    d_losses.tell_end(read * d_channels);
}

} // namespace gr::fringe
