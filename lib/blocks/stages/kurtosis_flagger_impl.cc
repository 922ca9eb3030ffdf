/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/kurtosis_flagger_impl.h"
#include "blocks/compute/ring_sizes.h"
#include "blocks/ports/stream_kinds.h"
#include "kernels/xengine/tiles.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/io_signature.h>
#include <utility>

namespace gr::fringe {

namespace {

const std::string me = "kurtosis_flagger";
int bytes_of_spectra(const kernels::kurtosis_params& p)
{
    return item_bytes(
        me, p.inputs * p.channels * p.block_spectra * 2 * kernels::component_bytes(p.in));
}

} // namespace

kurtosis_flagger_impl::kurtosis_flagger_impl(const kernels::kurtosis_params& p,
                                             int clip,
                                             std::shared_ptr<shared_decisions> decisions,
                                             std::size_t part,
                                             std::size_t window_items,
                                             bool zero,
                                             const kernels::compute_target& backend)
    : gr::block(
          "fringe_kurtosis_flagger",
          gr::io_signature::make(1, 1, bytes_of_spectra(p)),
          gr::io_signature::make2(
              1, 2, bytes_of_spectra(p), item_bytes(me, p.channels * sizeof(float)))),
      compute_block(device_of(backend), false, 1),
      d_p(p),
      d_cells(p.inputs * p.channels),
      d_item_bytes(d_cells * p.block_spectra * 2 * kernels::component_bytes(p.in)),
      d_window_items(window_items),
      d_zero(zero),
      d_sums(d_on, backend, p, windows_ahead(window_items)),
      d_decisions(std::move(decisions)),
      d_part(part),
      d_windows(p.inputs, p.block_spectra)
{
    set_tag_propagation_policy(TPP_DONT); // by hand: not to output 1
    // Room for the window under way, whatever has not been read yet of the last one.
    set_output_multiple(static_cast<int>(window_items));
    const std::size_t ring = d_on ? window_ring_items(window_items) : 2 * window_items;
    use_whole_pages(*this, 0, d_item_bytes, ring);
    use_whole_pages(*this, 1, p.channels * sizeof(float), ring);
    message_port_register_out(occupancy_port());
    const stream_fields spectra{{"inputs", p.inputs},
                                {"channels", p.channels},
                                {"block_spectra", p.block_spectra},
                                {"component", kernels::component_name(p.in)},
                                {"requantize",
                                 p.in == kernels::component::f32 ? "none"
                                 : clip > 7                      ? "8"
                                                                 : "4"}};
    d_streams.expect(0, stream_kind::spectra, spectra);
    d_streams.send(0, stream_kind::spectra, spectra);
    d_streams.send(1, stream_kind::fractions, {{"channels", p.channels}});
}

// The rings are empty. No device must fail here: GNU Radio would wait for ever.
bool kurtosis_flagger_impl::start()
{
    d_windows.clear();
    d_forget = true;
    d_decisions->enter(d_part);
    return compute_block::start();
}

bool kurtosis_flagger_impl::stop()
{
    d_decisions->leave(d_part);
    return compute_block::stop();
}

// What comes in tiles goes out in them.
void kurtosis_flagger_impl::open()
{
    d_in.open();
    open_ports();
}

std::size_t kurtosis_flagger_impl::item_bytes_in(kernels::spectra_layout layout) const
{
    return layout == d_in.layout() && layout == kernels::spectra_layout::tensor_tiles
               ? kernels::tile_layout{d_p.inputs, d_p.channels, d_p.block_spectra}.bytes()
               : 0;
}

void kurtosis_flagger_impl::opened()
{
    if (d_in.layout() != d_out[0].layout()) {
        throw kernels::device_error(
            "kurtosis_flagger: a block was connected while the spectra lay on the device "
            "in a form it cannot read; connect it before the flowgraph starts");
    }
    d_sums.set_layout(d_in.layout());
}

// Zeroes flagged cells of the items of a window, and says so in their tag.
void kurtosis_flagger_impl::zero_cells(const std::vector<std::uint8_t>& causes,
                                       const std::vector<void*>& items)
{
    const auto runs = runs_of(causes);
    if (runs.empty()) {
        return;
    }
    d_sums.zero(items, runs);
    const pmt::pmt_t value = from_flagged(runs);
    for (std::size_t n = 0; n < items.size(); ++n) {
        add_item_tag(0, nitems_written(0) + n, tag::flagged(), value);
    }
}

// Decides on the oldest window that has ended, and sends it.
void kurtosis_flagger_impl::send_window(const gr_vector_void_star& out)
{
    const held_window w = d_windows.take();
    const auto first_item = static_cast<char*>(out[0]);
    const auto sums = d_sums.take();
    std::vector<void*> items;
    for (std::size_t n = 0; n < w.items; ++n) {
        items.push_back(d_out[0].item(first_item + n * d_item_bytes));
    }
    if (w.count.spectra > 0) {
        const auto& causes =
            d_decisions->decide(d_part, sums.s1, sums.s2, w.count, w.start, w.rate);
        if (d_zero) {
            zero_cells(causes, items);
        }
        if (out.size() > 1) {
            write_fractions(causes, d_p.inputs, static_cast<float*>(out[1]));
            const double seconds = static_cast<double>(w.count.spectra) / w.rate;
            add_item_tag(1, nitems_written(1), tag::rx_time(), tag::from_epoch(w.start));
            add_item_tag(
                1, nitems_written(1), tag::interval(), pmt::from_double(seconds));
            produce(1, 1);
        }
        publish(false);
    }
    for (std::size_t n = 0; n < w.items; ++n) {
        d_out[0].done(first_item + n * d_item_bytes);
    }
    d_out[0].wait();
    produce(0, static_cast<int>(w.items));
}

// Holds what has come while there is room. False when there was nothing.
bool kurtosis_flagger_impl::hold_items(std::size_t space,
                                       std::size_t available,
                                       const void* in,
                                       char* out)
{
    bool taken = false;
    while (!d_sums.full() && d_windows.items() < space && d_in.ready(available)) {
        const std::uint64_t item = nitems_read(0) + d_in.in_flight();
        std::vector<tag_t> found;
        get_tags_in_range(found, 0, item, item + 1);
        const item_tags tags(found);
        if (!tags.lost.empty()) {
            throw std::runtime_error(
                "kurtosis_flagger: packets with some of the channels were lost, and the "
                "search needs whole spectra; leave it out, or receive packets that hold "
                "all channels");
        }
        if (d_windows.under_way() > 0 && d_windows.starts_anew(tags)) {
            end_window();
            continue;
        }
        const std::size_t place = d_windows.items();
        for (const tag_t& t : found) {
            if (!pmt::eq(t.key, tag::stream())) { // the output has its own
                add_item_tag(0, nitems_written(0) + place, t.key, t.value, t.srcid);
            }
        }
        const auto spectra = static_cast<std::size_t>(d_windows.add(tags));
        char* const to = out + place * d_item_bytes;
        const void* const from = d_in.item(in);
        if (d_in.moves()) {
            d_sums.add(from, spectra, nullptr);
            d_in.move(in, d_out[0], to);
        } else {
            d_sums.add(from, spectra, d_out[0].item(to));
        }
        d_in.done();
        taken = true;
        if (d_windows.under_way() == d_window_items) {
            end_window();
        }
    }
    return taken;
}

int kurtosis_flagger_impl::hold_and_send(int space,
                                         int available,
                                         const void* in,
                                         const gr_vector_void_star& out)
{
    if (std::exchange(d_forget, false)) {
        d_sums.clear();
    }
    if (available > 0) { // else the block before may not have said where its items are
        open();
    }
    const bool taken = hold_items(space, available, in, static_cast<char*>(out[0]));
    const bool ended = available == 0 && input_ended(*this);
    if (ended && d_windows.under_way() > 0 && !d_sums.full()) {
        end_window();
    }
    consume_each(d_in.release(!taken && !d_windows.any_ended()));
    if (!d_windows.any_ended()) {
        if (ended) {
            publish(true);
            return WORK_DONE;
        }
        return 0;
    }
    if (!d_sums.full() && !d_sums.arrived_after(!taken)) {
        return 0; // more items may come before the sums do
    }
    send_window(out); // one a call: produce() moves what tags and items are counted from
    return WORK_CALLED_PRODUCE;
}

} // namespace gr::fringe
