/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/dumps/dump_imager_block.h"
#include "blocks/base/block_checks.h"
#include "blocks/compute/compute_block.h"
#include "blocks/ports/stream_kinds.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

namespace {

const std::string me = "imager";

std::size_t item_values(const kernels::dump_imager_params& p, std::size_t channels)
{
    return channels * kernels::baselines(p.inputs);
}

std::size_t image_values(const kernels::dump_imager_params& p)
{
    return p.planes.size() * p.groups.size() * p.image.rows * p.image.columns;
}

} // namespace

dump_imager_block::dump_imager_block(const kernels::dump_imager_params& p,
                                     std::size_t channels_per_item,
                                     const kernels::compute_target& where,
                                     geometry place,
                                     description describe)
    : gr::block(
          "fringe_gpu_imager",
          gr::io_signature::make2(1,
                                  2,
                                  item_bytes(me, item_values(p, channels_per_item) * 8),
                                  item_bytes(me, item_values(p, channels_per_item) * 4)),
          gr::io_signature::make(1, 1, item_bytes(me, image_values(p) * 4))),
      d_on(device_of(where)),
      d_p(p),
      d_channels_per_item(channels_per_item),
      d_place(std::move(place)),
      d_describe(std::move(describe)),
      d_kernel(kernels::make_dump_imager(where, p)),
      d_in(*this, d_on, item_values(p, channels_per_item)),
      d_out(*this, 0, d_on, image_values(p) * 4, true),
      d_times(d_on)
{
    set_tag_propagation_policy(TPP_DONT);
    use_whole_pages(*this, 0, image_values(p) * 4);
    const auto fields = dump_fields(p.inputs, p.channels, channels_per_item);
    d_streams.expect(0, stream_kind::visibilities, fields);
    d_streams.expect(1, stream_kind::weights, fields);
    d_streams.send(0,
                   "images",
                   {{"planes", p.planes.size()},
                    {"groups", p.groups.size()},
                    {"rows", p.image.rows},
                    {"columns", p.image.columns}});
}

// The rest of a dump that was coming in is gone with its ring.
bool dump_imager_block::start()
{
    begin_run();
    d_in.begin_run();
    d_channel = 0;
    d_dump.first = true;
    return true;
}

bool dump_imager_block::stop()
{
    if (d_on && d_open) {
        // GNU Radio may free its rings, and memory of ours, once this returns.
        try {
            d_on->synchronize();
        } catch (const kernels::device_error& e) {
            d_logger->error("{:s}", e.what());
        }
        d_in.close();
        d_out.close();
    }
    d_open = false;
    return true;
}

void dump_imager_block::open_ports()
{
    if (d_open) {
        return;
    }
    d_in.open(static_cast<std::size_t>(detail()->ninputs()));
    d_out.open(*d_logger, [](kernels::spectra_layout) { return std::size_t(0); });
    d_open = true;
}

void dump_imager_block::forecast(int, gr_vector_int& required)
{
    std::fill(required.begin(), required.end(), 1);
}

int dump_imager_block::general_work(int noutput_items,
                                    gr_vector_int& ninput_items,
                                    gr_vector_const_void_star& input_items,
                                    gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        return take_and_send(noutput_items, ninput_items, input_items, output_items[0]);
    });
}

// Takes the next item of each input.
void dump_imager_block::take_item(const gr_vector_const_void_star& in)
{
    if (d_channel == 0) {
        const std::uint64_t item = nitems_read(0) + d_in.in_flight();
        static_cast<dump_tags&>(d_dump.tags) =
            d_dump.tags.next(item_tags(tags_of(*this, 0, item)));
        d_dump.edge_channel = d_streams.received("edge_channel");
        d_dump.complex_samples = d_streams.received("complex_samples");
        d_kernel->begin(d_place(d_dump));
        d_dump.first = false;
    }
    d_in.take(in, [&](const auto* visibilities, const auto* weights) {
        const auto measured = d_times.measure();
        d_kernel->take(d_channel, d_channels_per_item, visibilities, weights);
    });
    d_channel += d_channels_per_item;
}

// Makes the images of the dump; false where it has no weight, or no length.
bool dump_imager_block::send(void* out)
{
    d_channel = 0;
    if (d_dump.tags.timed && d_dump.tags.interval == 0) {
        return false; // only its tags were sent
    }
    auto* const images = static_cast<float*>(d_out.item(out));
    {
        const auto measured = d_times.measure(kernels::device_stream::background);
        d_kernel->finish(images);
    }
    const auto weights = d_kernel->weights();
    if (weights.visibilities == 0) {
        ++d_empty;
        return false;
    }
    d_out.done(out);
    d_out.wait();
    const std::uint64_t item = nitems_written(0);
    add_item_tag(0, item, tag::rx_time(), tag::from_epoch(d_dump.tags.start));
    add_item_tag(0, item, tag::interval(), pmt::from_double(d_dump.tags.interval));
    const std::string text = d_describe(d_dump, weights);
    add_item_tag(0,
                 item,
                 pmt::intern("image"),
                 pmt::init_u8vector(text.size(),
                                    reinterpret_cast<const std::uint8_t*>(text.data())));
    ++d_images;
    return true;
}

// One image at most.
int dump_imager_block::take_and_send(int space,
                                     const gr_vector_int& available,
                                     const gr_vector_const_void_star& in,
                                     void* out)
{
    if (space == 0) {
        return 0;
    }
    open_ports();
    bool sent = false, taken = false;
    while (!sent && d_in.ready(available)) {
        take_item(in);
        taken = true;
        sent = d_channel == d_p.channels && send(out);
    }
    d_in.consume(in.size(), !taken);
    return sent ? 1 : 0;
}

dump_imager_block::sptr dump_imager_block::make(const kernels::dump_imager_params& p,
                                                std::size_t channels_per_item,
                                                const kernels::compute_target& where,
                                                geometry place,
                                                description describe)
{
    require(p.inputs > 0, me, "inputs", p.inputs, "must be at least 1");
    const std::size_t per_item =
        item_channels(me, channels_per_item, p.inputs, p.channels);
    return gnuradio::make_block_sptr<dump_imager_block>(
        p, per_item, where, std::move(place), std::move(describe));
}

} // namespace gr::fringe
