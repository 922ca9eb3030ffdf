/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/device_block.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/rfi/cell_judge.h"
#include "blocks/rfi/held_windows.h"
#include "blocks/rfi/occupancy_port.h"
#include "blocks/rfi/window_sums.h"
#include "kernels/xengine/tiles.h"
#include "stages/choose_target.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/fringe/kurtosis_flagger.h>
#include <gnuradio/io_signature.h>

namespace gr {
namespace fringe {

namespace {

const std::string me = "kurtosis_flagger";

// Windows that a device adds up before the first of them is judged. What it is given waits
// for all copies to it that were asked for before: the sums of a window come as late.
std::size_t windows_ahead(std::size_t window_items)
{
    return 2 + device_input::max_copies / window_items;
}

/*!
 * Items are copied to the output as they come, in the pass that adds them up, and are
 * produced when their window is judged: what is flagged is zeroed in the output's ring,
 * which is long enough for two windows. Little besides moves, and the ring of the block
 * before stays short. On a device the next windows are added up while the sums of one that
 * has ended come back, and the ring has room for all of them and for the one that is read.
 */
class kurtosis_flagger_impl : public kurtosis_flagger, public device_block
{
public:
    kurtosis_flagger_impl(const kernels::kurtosis_params& p,
                          const kernels::detector_params& detect,
                          std::size_t window_items,
                          bool zero,
                          double period,
                          const kernels::compute_target& backend);

    bool start() override;
    void forecast(int, gr_vector_int& required) override
    {
        required[0] = input_closed(*this) || d_windows.any_ended() ? 0 : 1;
    }
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override
    {
        return guard(*this, *d_logger, ninput_items, [&] {
            return hold_and_send(
                noutput_items, ninput_items[0], input_items[0], output_items);
        });
    }
    //! What is behind has the copies, and so the say.
    kernels::spectra_layout wanted_layout() const override
    {
        return d_p.in == kernels::component::i8 ? d_out[0].wanted_layout()
                                                : kernels::spectra_layout::rows;
    }

    std::size_t window() const override { return d_window_items * d_p.block_spectra; }
    std::uint64_t spectra() const override { return d_judge.occupancy().spectra(); }
    std::vector<std::uint64_t> flagged() const override
    {
        return d_judge.occupancy().flagged();
    }
    std::map<std::string, std::vector<std::uint64_t>> cells() const override
    {
        return d_judge.occupancy().cells();
    }

private:
    int hold_and_send(int space,
                      int available,
                      const void* in,
                      const gr_vector_void_star& out);
    void open();
    std::size_t item_bytes_in(kernels::spectra_layout layout) const override;
    void opened() override;
    bool hold_items(std::size_t space, std::size_t available, const void* in, char* out);
    void end_window();
    void send_window(const gr_vector_void_star& out);
    void zero_cells(const std::vector<std::uint8_t>& causes,
                    const std::vector<void*>& items);
    void send_fractions(const epoch& start, float* out);
    void tell(bool at_the_end);

    const kernels::kurtosis_params d_p;
    const std::size_t d_cells, d_item_bytes;
    const std::size_t d_window_items;
    const bool d_zero;
    window_sums d_sums;
    cell_judge d_judge;
    held_windows d_windows;
};

kurtosis_flagger_impl::kurtosis_flagger_impl(const kernels::kurtosis_params& p,
                                             const kernels::detector_params& detect,
                                             std::size_t window_items,
                                             bool zero,
                                             double period,
                                             const kernels::compute_target& backend)
    : gr::block(
          "fringe_kurtosis_flagger",
          gr::io_signature::make(1,
                                 1,
                                 item_bytes(me,
                                            p.inputs * p.channels * p.block_spectra * 2 *
                                                kernels::component_bytes(p.in))),
          gr::io_signature::make2(1,
                                  2,
                                  item_bytes(me,
                                             p.inputs * p.channels * p.block_spectra * 2 *
                                                 kernels::component_bytes(p.in)),
                                  item_bytes(me, p.channels * sizeof(float)))),
      device_block(device_of(backend), false, 1),
      d_p(p),
      d_cells(p.inputs * p.channels),
      d_item_bytes(d_cells * p.block_spectra * 2 * kernels::component_bytes(p.in)),
      d_window_items(window_items),
      d_zero(zero),
      d_sums(d_on, backend, p, windows_ahead(window_items)),
      d_judge(detect, period),
      d_windows(p.inputs, p.block_spectra)
{
    set_tag_propagation_policy(TPP_DONT); // by hand: not to output 1
    // Room for the window under way, whatever has not been read yet of the last one; a
    // ring is full with one item less.
    set_output_multiple(static_cast<int>(window_items));
    const std::size_t windows = windows_ahead(window_items) + 1;
    const std::size_t ring = d_on ? windows * window_items + 1 : 2 * window_items;
    use_whole_pages(*this, 0, d_item_bytes, ring);
    use_whole_pages(*this, 1, p.channels * sizeof(float), ring);
    message_port_register_out(occupancy_port());
    const stream_fields spectra{{"inputs", p.inputs},
                                {"channels", p.channels},
                                {"block_spectra", p.block_spectra},
                                {"component", kernels::component_name(p.in)},
                                {"requantize",
                                 p.in == kernels::component::f32 ? "none"
                                 : detect.clip > 7               ? "8"
                                                                 : "4"}};
    d_streams.expect(0, stream_kind::spectra, spectra);
    d_streams.send(0, stream_kind::spectra, spectra);
    d_streams.send(1, stream_kind::fractions, {{"channels", p.channels}});
}

// What was held is gone: the rings are empty.
bool kurtosis_flagger_impl::start()
{
    d_windows.clear();
    d_sums.clear();
    return device_block::start();
}

// What comes in tiles goes out in them.
void kurtosis_flagger_impl::open()
{
    d_in.open();
    open_ports();
}

std::size_t kurtosis_flagger_impl::item_bytes_in(kernels::spectra_layout layout) const
{
    return layout == d_in.layout() && layout == kernels::spectra_layout::tiles
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

void kurtosis_flagger_impl::end_window()
{
    d_windows.end();
    d_sums.end_window();
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

// Of the window that was judged last.
void kurtosis_flagger_impl::send_fractions(const epoch& start, float* out)
{
    const auto& last = d_judge.occupancy().last();
    std::copy(last.begin(), last.end(), out);
    add_item_tag(1, nitems_written(1), tag::rx_time(), tag::from_epoch(start));
    produce(1, 1);
}

void kurtosis_flagger_impl::tell(bool at_the_end)
{
    if (const auto told = d_judge.message(at_the_end)) {
        message_port_pub(occupancy_port(), told);
    }
}

// Judges the oldest window that has ended, and sends it.
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
        const auto& causes = d_judge.judge(sums.s1, sums.s2, w.count, w.start, w.rate);
        if (d_zero) {
            zero_cells(causes, items);
        }
        if (out.size() > 1) {
            send_fractions(w.start, static_cast<float*>(out[1]));
        }
        tell(false);
    }
    for (std::size_t n = 0; n < w.items; ++n) {
        d_out[0].done(first_item + n * d_item_bytes);
    }
    d_out[0].wait();
    produce(0, static_cast<int>(w.items));
}

// Holds what has come, as far as there is room and no window waits for its verdict.
// False when there was nothing.
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
        d_sums.add(d_in.item(in), spectra, d_out[0].item(out + place * d_item_bytes));
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
            tell(true);
            return WORK_DONE;
        }
        return 0;
    }
    if (taken && !d_sums.full() && !d_sums.arrived()) {
        return 0; // there may be more to do than to wait
    }
    send_window(out); // one a call: produce() moves what tags and items are counted from
    return WORK_CALLED_PRODUCE;
}

} // namespace

kurtosis_flagger::sptr kurtosis_flagger::make(std::size_t inputs,
                                              std::size_t channels,
                                              std::size_t block_spectra,
                                              const std::string& component,
                                              std::size_t window,
                                              double false_alarm,
                                              bool per_input,
                                              bool combined,
                                              bool power,
                                              bool zero,
                                              const std::vector<std::size_t>& mask,
                                              const std::vector<std::size_t>& bad_inputs,
                                              unsigned bits,
                                              double period,
                                              const std::string& backend)
{
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    require(component == "f32" || component == "i8",
            me,
            "component",
            component,
            "must be f32 or i8, as the X-engine's");
    require(bits == 8 || bits == 4, me, "bits", bits, "must be 8 or 4");
    kernels::kurtosis_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = item_spectra(block_spectra, inputs, channels);
    p.in = kernels::component_from_name(component);
    const kurtosis_search search{
        window, false_alarm, per_input, combined, power, zero, mask, bad_inputs, period};
    auto d = detector_of(me, search, inputs, channels);
    d.clip = p.in == kernels::component::f32 ? 0 : bits == 8 ? 127 : 7;
    const std::size_t items = std::max<std::size_t>(
        1, (search.window_of(inputs) + p.block_spectra / 2) / p.block_spectra);
    const auto which = choose_target(backend);
    return gnuradio::make_block_sptr<kurtosis_flagger_impl>(
        p, d, items, zero, period, which);
}

} // namespace fringe
} // namespace gr
