/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/timeline.h"
#include "blocks/block_checks.h"
#include "blocks/cell_occupancy.h"
#include "blocks/device_block.h"
#include "blocks/occupancy_port.h"
#include "blocks/spectra_judge.h"
#include "blocks/stream_tags.h"
#include "blocks/window_sums.h"
#include "kernels/kurtosis/detector.h"
#include "kernels/xengine/tiles.h"
#include <algorithm>
#include <deque>
#include <gnuradio/block_detail.h>
#include <gnuradio/fringe/kurtosis_flagger.h>
#include <gnuradio/io_signature.h>

namespace gr {
namespace fringe {

namespace {

const std::string me = "kurtosis_flagger";

//! Items that are judged together.
struct held_window {
    std::size_t items = 0;
    std::uint64_t first = 0, end = 0; //!< its first spectrum, the first behind it
    std::uint64_t spectra = 0;
    std::vector<std::uint32_t> valid; //!< [input]
    array::timeline time;             //!< of spectra, at its end
};

/*!
 * Items are copied to the output as they come, in the pass that adds them up, and are
 * produced when their window is judged: what is flagged is zeroed in the output's ring,
 * which is long enough for two windows. Little besides moves, and the ring of the block
 * before stays short. On a device the next window is added up while the sums of one that
 * has ended come back, and the ring has room for both and for the one that is read.
 */
class kurtosis_flagger_impl : public kurtosis_flagger, public device_block
{
public:
    kurtosis_flagger_impl(const kernels::kurtosis_params& p,
                          const kernels::detector_params& detect,
                          std::size_t window_items,
                          bool zero,
                          double period,
                          kernels::backend backend);

    void forecast(int, gr_vector_int& required) override
    {
        required[0] = input_closed(*this) || !d_ended.empty() ? 0 : 1;
    }
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override
    {
        return guard(*this, *d_logger, [&] {
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
    std::uint64_t spectra() const override { return d_occupancy.spectra(); }
    std::vector<std::uint64_t> flagged() const override { return d_occupancy.flagged(); }
    std::map<std::string, std::vector<std::uint64_t>> cells() const override
    {
        return d_occupancy.cells();
    }

private:
    int hold_and_send(int space,
                      int available,
                      const void* in,
                      const gr_vector_void_star& out);
    void forget_lost();
    void open();
    void opened() override;
    bool hold_items(std::size_t space, std::size_t available, const void* in, char* out);
    item_tags read_tags(std::uint64_t item, std::vector<tag_t>& found) const;
    bool starts_anew(const item_tags& tags) const;
    void hold(const item_tags& tags, const void* in, void* out);
    void end_window();
    std::size_t held() const;
    void judge(const held_window& w, char* first_item, float* fractions);
    void zero_cells(const std::vector<std::uint8_t>& causes,
                    const std::vector<void*>& items);
    void tell(const array::timeline& time, std::uint64_t until);

    const kernels::kurtosis_params d_p;
    const std::size_t d_cells, d_item_bytes;
    const std::size_t d_window_items;
    const bool d_zero;
    const double d_period;
    window_sums d_sums;
    kernels::detector d_detector;
    cell_occupancy d_occupancy;

    array::timeline d_time;           // of spectra
    std::uint64_t d_next = 0;         // next spectrum to come
    std::uint64_t d_untold = 0;       // first of what no message has told of
    held_window d_now;                // under way
    std::vector<char> d_ok;           // [input][spectrum of an item]
    std::deque<held_window> d_ended;  // not judged yet
    std::weak_ptr<gr::buffer> d_ring; // where they are
};

kurtosis_flagger_impl::kurtosis_flagger_impl(const kernels::kurtosis_params& p,
                                             const kernels::detector_params& detect,
                                             std::size_t window_items,
                                             bool zero,
                                             double period,
                                             kernels::backend backend)
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
      d_period(period),
      d_sums(d_on, backend, p),
      d_detector(detect),
      d_occupancy(p.inputs, p.channels)
{
    set_tag_propagation_policy(TPP_DONT); // by hand: not to output 1
    // Room for the window under way, whatever has not been read yet of the last one; a
    // ring is full with one item less.
    set_output_multiple(static_cast<int>(window_items));
    const std::size_t ring = d_on ? 3 * window_items + 1 : 2 * window_items;
    use_whole_pages(*this, 0, d_item_bytes, ring);
    use_whole_pages(*this, 1, p.channels * sizeof(float), ring);
    message_port_register_out(occupancy_port());
}

// After a stop what was held is gone, with its ring.
void kurtosis_flagger_impl::forget_lost()
{
    const auto ring = detail()->output(0);
    if (d_ring.lock() != ring) {
        d_now = {};
        d_ended.clear();
        d_sums.clear();
        d_ring = ring;
    }
}

// What comes in tiles goes out in them.
void kurtosis_flagger_impl::open()
{
    d_in.open();
    const bool tiles = d_in.layout() == kernels::spectra_layout::tiles;
    open_ports(
        tiles ? kernels::tile_layout{d_p.inputs, d_p.channels, d_p.block_spectra}.bytes()
              : 0);
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

item_tags kurtosis_flagger_impl::read_tags(std::uint64_t item,
                                           std::vector<tag_t>& found) const
{
    const_cast<kurtosis_flagger_impl*>(this)->get_tags_in_range(found, 0, item, item + 1);
    return item_tags(found);
}

// Behind a gap: windows do not reach across.
bool kurtosis_flagger_impl::starts_anew(const item_tags& tags) const
{
    if (!tags.rx_time || !d_time.started()) {
        return false;
    }
    array::timeline time = d_time;
    return time.begin(*tags.rx_time, tags.rx_rate.value_or(d_time.rate()), d_next) !=
           d_next;
}

// Copies an item to its place in the output and adds it to the sums.
void kurtosis_flagger_impl::hold(const item_tags& tags, const void* in, void* out)
{
    if (tags.rx_time || !d_time.started()) {
        const double rate = tags.rx_rate.value_or(d_time.started() ? d_time.rate() : 1.0);
        const bool first = !d_time.started();
        d_next = d_time.begin(tags.rx_time.value_or(epoch()), rate, d_next);
        d_untold = first ? d_next : d_untold;
    }
    if (d_now.items == 0) {
        d_now.first = d_next;
        d_now.valid.assign(d_p.inputs, 0);
    }
    const std::uint64_t count = std::min<std::uint64_t>(
        tags.spectra.value_or(d_p.block_spectra), d_p.block_spectra);
    d_sums.add(in, count, out);
    count_valid_spectra(tags.invalid, count, d_p.block_spectra, d_ok, d_now.valid);
    d_next += count;
    d_now.spectra += count;
    ++d_now.items;
}

void kurtosis_flagger_impl::end_window()
{
    d_now.end = d_next;
    d_now.time = d_time; // an item behind a gap changes it
    d_sums.end_window();
    d_ended.push_back(std::move(d_now));
    d_now = {};
}

// Items in the output's ring that have not been produced.
std::size_t kurtosis_flagger_impl::held() const
{
    std::size_t items = d_now.items;
    for (const held_window& w : d_ended) {
        items += w.items;
    }
    return items;
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

// Judges the oldest window that has ended. `fractions` may be null.
void kurtosis_flagger_impl::judge(const held_window& w,
                                  char* first_item,
                                  float* fractions)
{
    const auto sums = d_sums.take();
    std::vector<void*> items;
    for (std::size_t n = 0; n < w.items; ++n) {
        items.push_back(d_out[0].item(first_item + n * d_item_bytes));
    }
    if (w.spectra > 0) {
        const auto& causes = d_detector.judge(sums.s1, sums.s2, w.valid);
        if (d_zero) {
            zero_cells(causes, items);
        }
        d_occupancy.add(causes, w.valid, w.spectra);
        if (fractions) {
            std::copy(d_occupancy.last().begin(), d_occupancy.last().end(), fractions);
            add_item_tag(1,
                         nitems_written(1),
                         tag::rx_time(),
                         tag::from_epoch(w.time.at(w.first)));
            produce(1, 1);
        }
        if (static_cast<double>(w.end - d_untold) >= d_period * w.time.rate()) {
            tell(w.time, w.end);
        }
    }
    for (std::size_t n = 0; n < w.items; ++n) {
        d_out[0].done(first_item + n * d_item_bytes);
    }
    d_out[0].wait();
}

// Of what no message has told of, to spectrum `until`.
void kurtosis_flagger_impl::tell(const array::timeline& time, std::uint64_t until)
{
    if (d_occupancy.new_spectra() > 0) {
        const double seconds = static_cast<double>(until - d_untold) / time.rate();
        message_port_pub(occupancy_port(),
                         d_occupancy.message(time.at(d_untold), seconds));
        d_untold = until;
    }
}

// Holds what has come, as far as there is room and no window waits for its verdict.
// False when there was nothing.
bool kurtosis_flagger_impl::hold_items(std::size_t space,
                                       std::size_t available,
                                       const void* in,
                                       char* out)
{
    bool taken = false;
    while (!d_sums.full() && held() < space && d_in.ready(available)) {
        std::vector<tag_t> found;
        const item_tags tags = read_tags(nitems_read(0) + d_in.in_flight(), found);
        if (d_now.items > 0 && starts_anew(tags)) {
            end_window();
            continue;
        }
        const std::size_t place = held();
        for (const tag_t& t : found) {
            add_item_tag(0, nitems_written(0) + place, t.key, t.value, t.srcid);
        }
        hold(tags, d_in.item(in), d_out[0].item(out + place * d_item_bytes));
        d_in.done();
        taken = true;
        if (d_now.items == d_window_items) {
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
    forget_lost();
    if (available > 0) { // else the block before may not have said where its items are
        open();
    }
    const auto first_item = static_cast<char*>(out[0]);
    const bool taken = hold_items(space, available, in, first_item);
    const bool ended = available == 0 && input_ended(*this);
    if (ended && d_now.items > 0 && !d_sums.full()) {
        end_window();
    }
    consume_each(d_in.release(!taken && d_ended.empty()));
    if (d_ended.empty()) {
        if (ended) {
            tell(d_time, d_next);
            return WORK_DONE;
        }
        return 0;
    }
    if (taken && !d_sums.full() && !d_sums.arrived()) {
        return 0; // there may be more to do than to wait
    }
    // One window a call: produce() moves what tags and items are counted from.
    const held_window w = std::move(d_ended.front());
    d_ended.pop_front();
    judge(w, first_item, out.size() > 1 ? static_cast<float*>(out[1]) : nullptr);
    produce(0, static_cast<int>(w.items));
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
    require(block_spectra > 0, me, "block_spectra", block_spectra, "must be at least 1");
    require(component == "f32" || component == "i8",
            me,
            "component",
            component,
            "must be f32 or i8, as the X-engine's");
    require(bits == 8 || bits == 4, me, "bits", bits, "must be 8 or 4");
    kernels::kurtosis_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = block_spectra;
    p.in = kernels::component_from_name(component);
    const kurtosis_search search{
        window, false_alarm, per_input, combined, power, zero, mask, bad_inputs, period};
    auto d = detector_of(me, search, inputs, channels);
    d.clip = p.in == kernels::component::f32 ? 0 : bits == 8 ? 127 : 7;
    const std::size_t items = std::max<std::size_t>(
        1, (search.window_of(inputs) + block_spectra / 2) / block_spectra);
    const auto which = kernels::backend_from_name(backend);
    return gnuradio::make_block_sptr<kurtosis_flagger_impl>(
        p, d, items, zero, period, which);
}

} // namespace fringe
} // namespace gr
