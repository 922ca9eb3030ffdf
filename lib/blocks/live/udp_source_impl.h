/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_UDP_SOURCE_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_UDP_SOURCE_IMPL_H

#include "blocks/base/guarded_block.h"
#include "blocks/live/packet_losses.h"
#include "blocks/live/packet_tags.h"
#include "blocks/live/packet_watch.h"
#include "blocks/ports/data_watch.h"
#include <atomic>
#include <gnuradio/fringe/udp_source.h>
#include <optional>

namespace gr::fringe {

class udp_source_impl : public udp_source, public watched_source, public guarded_block
{
public:
    udp_source_impl(const io::packet_layout& layout,
                    const io::udp_settings& where,
                    std::size_t inputs,
                    std::size_t block_samples,
                    double center_frequency,
                    std::uint64_t samples,
                    const io::capture_sizes& sizes,
                    const std::vector<unsigned>& cores);
    ~udp_source_impl() override { d_capture.stop(); }

    std::size_t inputs() const override { return d_inputs; }
    std::string encoding() const override
    {
        return d_layout.spectra() ? "ci8" : d_layout.wire->encoding;
    }
    std::size_t channels() const override
    {
        return d_layout.spectra() ? d_layout.all_channels : 0;
    }
    std::size_t parts() const override
    {
        return d_layout.spectra()      ? 1
               : d_layout.stream_major ? d_inputs
                                       : d_capture.parts();
    }
    double sample_rate() const override { return d_layout.sample_rate(); }
    std::vector<unsigned> ports() const override { return d_capture.sockets().ports(); }
    std::uint64_t samples_read() const override { return d_read; }
    std::uint64_t total_samples() const override { return d_limit; }
    std::map<std::string, std::uint64_t> packets() const override
    {
        return d_losses.packets();
    }
    std::pair<std::uint64_t, std::uint64_t> fill() const override;
    std::uint64_t stretches() const override { return d_capture.stretches(); }
    loss_counter::counts losses() const override { return d_losses.samples(); }
    std::string error() const override { return ""; }
    std::vector<std::string> warnings() override;
    void finish() override { d_capture.finish(); }

    bool start() override;
    bool stop() override;
    int general_work(int,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star&,
                     gr_vector_void_star& output_items) override
    {
        return guard(*this, *d_logger, ninput_items, [&] {
            return send_block(static_cast<std::uint8_t*>(output_items[0]));
        });
    }

private:
    std::size_t items_of_window(std::size_t bytes);
    void offer(std::uint8_t* out);
    int send_block(std::uint8_t* out);

    const io::packet_layout d_layout;
    const std::size_t d_inputs;
    const std::size_t d_block;
    const std::uint64_t d_limit;
    io::udp_capture d_capture;
    packet_losses d_losses;
    packet_tags d_tags;
    // Of a run, and of what it has warned of; asked by other threads.
    std::shared_ptr<packet_watch> d_watch;
    bool d_watching = false;
    std::atomic<std::uint64_t> d_read{0};
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_UDP_SOURCE_IMPL_H */
