/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/timeline.h"
#include "blocks/block_checks.h"
#include "blocks/cell_occupancy.h"
#include "blocks/guarded_block.h"
#include "blocks/stream_tags.h"
#include "kernels/kurtosis/detector.h"
#include "kernels/kurtosis/kurtosis.h"
#include <algorithm>
#include <cstring>
#include <gnuradio/fringe/kurtosis_flagger.h>
#include <gnuradio/io_signature.h>

namespace gr {
namespace fringe {

namespace {

const std::string me = "kurtosis_flagger";

const pmt::pmt_t& occupancy_port()
{
    static const pmt::pmt_t name = pmt::mp("occupancy");
    return name;
}

/*!
 * Items are copied to the output as they come, in the pass that adds them up, and are
 * produced when their window is complete: what is flagged is zeroed in the output's ring,
 * which is long enough for two windows. Little besides moves, and the ring of the block
 * before stays short.
 */
class kurtosis_flagger_impl : public kurtosis_flagger, public guarded_block
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
        required[0] = input_closed(*this) ? 0 : 1;
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
    item_tags read_tags(std::uint64_t item, std::vector<tag_t>& found) const;
    bool starts_anew(const item_tags& tags) const;
    void hold(const item_tags& tags, const void* in, void* out);
    void judge(char* first_item, float* fractions);
    void zero_cells(const std::vector<std::uint8_t>& causes, char* first_item);
    void tell();

    const kernels::kurtosis_params d_p;
    const std::size_t d_cells, d_row_bytes, d_item_bytes;
    const std::size_t d_window_items;
    const bool d_zero;
    const double d_period;
    const std::unique_ptr<kernels::kurtosis> d_sums;
    kernels::detector d_detector;
    cell_occupancy d_occupancy;

    array::timeline d_time;             // of spectra
    std::uint64_t d_next = 0;           // next spectrum to come
    std::uint64_t d_window = 0;         // first of the window under way
    std::uint64_t d_untold = 0;         // first of what no message has told of
    std::size_t d_held = 0;             // items of the window under way
    std::uint64_t d_in_window = 0;      // spectra of it
    std::vector<std::uint32_t> d_valid; // [input], of the window under way
    std::vector<float> d_s1, d_s2;
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
      d_p(p),
      d_cells(p.inputs * p.channels),
      d_row_bytes(p.block_spectra * 2 * kernels::component_bytes(p.in)),
      d_item_bytes(d_cells * d_row_bytes),
      d_window_items(window_items),
      d_zero(zero),
      d_period(period),
      d_sums(kernels::make_kurtosis(backend, p)),
      d_detector(detect),
      d_occupancy(p.inputs, p.channels),
      d_valid(p.inputs),
      d_s1(d_cells),
      d_s2(d_cells)
{
    set_tag_propagation_policy(TPP_DONT); // by hand: not to output 1
    // Room for the window under way, whatever has not been read yet of the last one.
    set_output_multiple(static_cast<int>(window_items));
    use_whole_pages(*this, 0, d_item_bytes, 2 * window_items);
    use_whole_pages(*this, 1, p.channels * sizeof(float), 2 * window_items);
    message_port_register_out(occupancy_port());
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
    if (d_held == 0) {
        d_window = d_next;
    }
    const std::uint64_t count = std::min<std::uint64_t>(
        tags.spectra.value_or(d_p.block_spectra), d_p.block_spectra);
    d_sums->add(in, count, out);
    std::vector<std::vector<char>> lost(tags.invalid.empty() ? 0 : d_p.inputs);
    for (const invalid_run& r : tags.invalid) { // runs may overlap
        if (r.input < d_p.inputs && r.first < count) {
            auto& spectra = lost[r.input];
            spectra.resize(count, 0);
            std::fill_n(spectra.begin() + static_cast<std::ptrdiff_t>(r.first),
                        std::min(r.count, count - r.first),
                        1);
        }
    }
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        d_valid[i] += static_cast<std::uint32_t>(count);
        if (!lost.empty()) {
            d_valid[i] -=
                static_cast<std::uint32_t>(std::count(lost[i].begin(), lost[i].end(), 1));
        }
    }
    d_next += count;
    d_in_window += count;
    ++d_held;
}

// Zeroes flagged cells of the items held, and says so in their tag.
void kurtosis_flagger_impl::zero_cells(const std::vector<std::uint8_t>& causes,
                                       char* first_item)
{
    std::vector<cell_run> runs;
    for (std::size_t k = 0; k < d_cells; ++k) {
        if (!causes[k]) {
            continue;
        }
        if (!runs.empty() && runs.back().first + runs.back().count == k) {
            ++runs.back().count;
        } else {
            runs.push_back({static_cast<std::uint32_t>(k), 1});
        }
    }
    if (runs.empty()) {
        return;
    }
    const pmt::pmt_t value = from_flagged(runs);
    for (std::size_t n = 0; n < d_held; ++n) {
        for (const cell_run& r : runs) {
            std::memset(first_item + n * d_item_bytes + r.first * d_row_bytes,
                        0,
                        r.count * d_row_bytes);
        }
        add_item_tag(0, nitems_written(0) + n, tag::flagged(), value);
    }
}

// The window is complete: judges it. `fractions` may be null.
void kurtosis_flagger_impl::judge(char* first_item, float* fractions)
{
    d_sums->read(d_s1.data(), d_s2.data());
    if (d_in_window > 0) {
        const auto& causes = d_detector.judge(d_s1.data(), d_s2.data(), d_valid);
        if (d_zero) {
            zero_cells(causes, first_item);
        }
        d_occupancy.add(causes, d_valid, d_in_window);
        if (fractions) {
            std::copy(d_occupancy.last().begin(), d_occupancy.last().end(), fractions);
            add_item_tag(1,
                         nitems_written(1),
                         tag::rx_time(),
                         tag::from_epoch(d_time.at(d_window)));
            produce(1, 1);
        }
        if (static_cast<double>(d_next - d_untold) >= d_period * d_time.rate()) {
            tell();
        }
    }
    d_sums->clear();
    std::fill(d_valid.begin(), d_valid.end(), 0);
    d_in_window = 0;
}

void kurtosis_flagger_impl::tell()
{
    if (d_occupancy.new_spectra() > 0) {
        const double seconds = static_cast<double>(d_next - d_untold) / d_time.rate();
        message_port_pub(occupancy_port(),
                         d_occupancy.message(d_time.at(d_untold), seconds));
        d_untold = d_next;
    }
}

int kurtosis_flagger_impl::hold_and_send(int space,
                                         int available,
                                         const void* in,
                                         const gr_vector_void_star& out)
{
    // One window a call: produce() moves what tags and items are counted from.
    char* const first_item = static_cast<char*>(out[0]);
    float* const fractions = out.size() > 1 ? static_cast<float*>(out[1]) : nullptr;
    const auto room = std::min<std::size_t>(space, d_window_items);
    int taken = 0;
    bool complete = false;
    while (!complete && d_held < room && taken < available) {
        std::vector<tag_t> found;
        const item_tags tags = read_tags(nitems_read(0) + taken, found);
        if (d_held > 0 && starts_anew(tags)) {
            complete = true;
            break;
        }
        for (const tag_t& t : found) {
            add_item_tag(0, nitems_written(0) + d_held, t.key, t.value, t.srcid);
        }
        hold(tags,
             static_cast<const char*>(in) + taken * d_item_bytes,
             first_item + d_held * d_item_bytes);
        ++taken;
        complete = d_held == d_window_items;
    }
    const bool ended = available == 0 && input_ended(*this);
    if (!complete && !(ended && d_held > 0)) {
        if (ended) {
            tell();
            return WORK_DONE;
        }
        consume_each(taken);
        return 0;
    }
    judge(first_item, fractions);
    consume_each(taken);
    produce(0, static_cast<int>(d_held));
    d_held = 0;
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
    require(window >= 16 && window <= 65536, me, "window", window, "must be 16 to 65536");
    require(false_alarm >= 1e-6 && false_alarm <= 0.1,
            me,
            "false_alarm",
            false_alarm,
            "must be 1e-6 to 0.1");
    require(bits == 8 || bits == 4, me, "bits", bits, "must be 8 or 4");
    require(period > 0, me, "period", period, "must be more than 0 s");
    kernels::kurtosis_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = block_spectra;
    p.in = kernels::component_from_name(component);
    kernels::detector_params d;
    d.inputs = inputs;
    d.channels = channels;
    d.false_alarm = false_alarm;
    d.per_input = per_input;
    d.combined = combined;
    d.power = power;
    d.clip = p.in == kernels::component::f32 ? 0 : bits == 8 ? 127 : 7;
    const auto mark = [](const std::vector<std::size_t>& list,
                         std::size_t size,
                         const std::string& name) {
        std::vector<char> marked(list.empty() ? 0 : size);
        for (const std::size_t k : list) {
            require(k < size,
                    me,
                    name,
                    k,
                    "they are numbered 0 ... " + std::to_string(size - 1));
            marked[k] = 1;
        }
        return marked;
    };
    d.mask = mark(mask, channels, "mask");
    d.bad_input = mark(bad_inputs, inputs, "bad_inputs");
    const std::size_t items =
        std::max<std::size_t>(1, (window + block_spectra / 2) / block_spectra);
    const auto which = kernels::backend_from_name(backend);
    return gnuradio::make_block_sptr<kurtosis_flagger_impl>(
        p, d, items, zero, period, which);
}

} // namespace fringe
} // namespace gr
