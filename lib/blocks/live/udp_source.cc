/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The parameters of udp_source.
#include "blocks/base/block_checks.h"
#include "blocks/live/udp_source_impl.h"
#include "io/packets/packet_presets.h"
#include <thread>

namespace gr::fringe {

namespace {

const std::string me = "udp_source";

// What the sources' packets bring must be the inputs.
void check_inputs(const io::packet_layout& layout,
                  std::size_t inputs,
                  std::size_t block_samples)
{
    require(inputs > 0 && inputs % layout.streams == 0 && inputs <= 65536,
            me,
            "inputs",
            inputs,
            layout.streams == 1
                ? "must be 1 ... 65536"
                : "must be a multiple of the " + std::to_string(layout.streams) +
                      " inputs that a packet of layout " + layout.name + " holds");
    require(layout.sources.empty() || layout.sources.size() * layout.streams == inputs,
            me,
            "inputs",
            inputs,
            "but the setting sources names " + std::to_string(layout.sources.size()) +
                ", with " + std::to_string(layout.streams) +
                (layout.streams == 1 ? " input each" : " inputs each"));
    require(block_samples > 0 && block_samples <= std::size_t(1) << 31,
            me,
            "block_samples",
            block_samples,
            "must be 1 ... 2^31");
    const std::size_t row = layout.stream_major ? 1 : layout.streams;
    require(layout.spectra() || block_samples * row * layout.wire->raw_bits % 8 == 0,
            me,
            "block_samples",
            block_samples,
            "must fill whole bytes with samples of code " + layout.wire->name);
}

} // namespace

udp_source::sptr udp_source::make(const std::vector<std::string>& addresses,
                                  std::size_t inputs,
                                  std::size_t block_samples,
                                  const std::string& preset,
                                  const std::map<std::string, std::string>& settings,
                                  double center_frequency,
                                  const std::string& interface,
                                  const std::vector<std::string>& senders,
                                  std::uint64_t samples,
                                  double window_seconds,
                                  double buffer_seconds,
                                  std::size_t socket_bytes,
                                  const std::string& engine,
                                  std::size_t threads,
                                  const std::vector<unsigned>& cores)
{
    const io::packet_layout layout = io::packet_layout_of(preset, settings);
    check_inputs(layout, inputs, block_samples);
    require(socket_bytes >= 4096 && socket_bytes <= std::size_t(1) << 30,
            me,
            "socket_bytes",
            socket_bytes,
            "must be 4096 ... 2^30");
    require(threads >= 1 && threads <= io::udp_settings::max_threads,
            me,
            "threads",
            threads,
            "must be 1 ... " + std::to_string(io::udp_settings::max_threads));
    for (const unsigned core : cores) {
        require(core < std::thread::hardware_concurrency(),
                me,
                "cores",
                core,
                "this computer has the cores 0 ... " +
                    std::to_string(std::thread::hardware_concurrency() - 1));
    }
    io::udp_settings where;
    where.addresses = addresses;
    where.interface = interface;
    where.senders = {senders.begin(), senders.end()};
    where.buffer_bytes = socket_bytes;
    where.engine = engine;
    where.threads = threads;
    io::capture_sizes sizes;
    sizes.window_seconds = window_seconds;
    sizes.buffer_seconds = buffer_seconds;
    return gnuradio::make_block_sptr<udp_source_impl>(
        layout, where, inputs, block_samples, center_frequency, samples, sizes, cores);
}

} // namespace gr::fringe
