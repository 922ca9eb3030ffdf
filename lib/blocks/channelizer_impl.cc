/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/timeline.h"
#include "blocks/block_checks.h"
#include "blocks/channelizer_params.h"
#include "blocks/device_counters.h"
#include "blocks/map_block.h"
#include "blocks/planned_corrections.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/rfi/occupancy_port.h"
#include "blocks/rfi/spectra_judge.h"
#include "blocks/zero_item.h"
#include "kernels/channelizer/backends.h"
#include "stages/spectra_mask.h"
#include "stages/window_steering.h"
#include <algorithm>
#include <gnuradio/fringe/channelizer.h>
#include <gnuradio/io_signature.h>

namespace gr {
namespace fringe {

namespace {

const std::string me = "channelizer";

class channelizer_impl : public channelizer, public map_block
{
public:
    channelizer_impl(const kernels::channelizer_params& p,
                     kernels::backend backend,
                     const tracking::sptr& towards,
                     const std::optional<kurtosis_search>& flag)
        : gr::block(
              "fringe_channelizer",
              gr::io_signature::make(1,
                                     1,
                                     item_bytes(me,
                                                p.inputs * p.points() * p.block_spectra *
                                                    kernels::component_bytes(p.in) *
                                                    (p.complex_samples ? 2 : 1))),
              gr::io_signature::make(1,
                                     1,
                                     item_bytes(me,
                                                p.inputs * p.channels * p.block_spectra *
                                                    (p.requantize_bits ? 2 : 8)))),
          map_block(device_of(backend)),
          d_p(p),
          d_backend(backend),
          d_kernel(kernels::make_channelizer(backend, p)),
          d_mask(p.inputs, p.points(), p.taps),
          d_steering(towards, p),
          d_zeros(d_on,
                  static_cast<std::size_t>(input_signature()->sizeof_stream_item(0))),
          d_saturated(d_on, p.inputs)
    {
        d_streams.expect(0,
                         stream_kind::voltages,
                         {{"inputs", p.inputs},
                          {"block_samples", p.points() * p.block_spectra},
                          {"component", kernels::component_name(p.in)},
                          {"complex_samples", p.complex_samples},
                          {"coarse_channels", 1}});
        d_streams.send(0,
                       stream_kind::spectra,
                       {{"inputs", p.inputs},
                        {"channels", p.channels},
                        {"block_spectra", p.block_spectra},
                        {"component", p.requantize_bits ? "i8" : "f32"},
                        {"requantize",
                         p.requantize_bits ? std::to_string(p.requantize_bits) : "none"},
                        {"complex_samples", p.complex_samples},
                        {"taps", p.taps},
                        {"window", p.window}});
        d_freq = towards ? towards->frequency() : 0;
        if (flag) {
            require(!d_on,
                    me,
                    "flag",
                    "on a GPU",
                    "put a kurtosis_flagger behind the channelizer there");
            d_judge.emplace(*flag, p.inputs, p.channels, p.block_spectra);
            message_port_register_out(occupancy_port());
        }
        add_corrections_port(*this, d_logger, [this](planned_corrections::change c) {
            set_corrections(c.factors, c.from);
        });
    }

    bool start() override
    {
        d_new_time = d_first_item =
            true; // what was said may have been lost with its item
        if (d_judge) {
            d_judge->announce();
        }
        return map_block::start();
    }

    std::vector<std::uint64_t> saturated() const override { return d_saturated.read(); }
    void set_corrections(const std::vector<std::complex<float>>& corrections,
                         const epoch& from) override;
    std::uint64_t judged() const override
    {
        return d_judge ? d_judge->occupancy().spectra() : 0;
    }
    std::vector<std::uint64_t> flagged() const override
    {
        return d_judge ? d_judge->occupancy().flagged() : std::vector<std::uint64_t>();
    }
    std::map<std::string, std::vector<std::uint64_t>> cells() const override
    {
        return d_judge ? d_judge->occupancy().cells()
                       : std::map<std::string, std::vector<std::uint64_t>>();
    }

private:
    bool
    map(const void* in, std::uint64_t item, void* out, std::uint64_t out_item) override;
    bool has_last_item() const override { return d_judge || d_steering; }
    bool map_end(void* out, std::uint64_t out_item) override;
    std::size_t item_bytes_in(kernels::spectra_layout layout) const override;
    void opened() override;
    std::size_t rows_of(const item_tags& tags) const;
    std::size_t fill() const;
    std::vector<invalid_run> lost_spectra(std::size_t spectra);
    void judge_window();
    void process(std::size_t rows, const void* in, void* out);
    std::size_t
    run(std::size_t first, std::size_t rows, std::size_t made, const void* in, void* out);
    std::optional<std::size_t> rows_before(const epoch& t) const;
    void begin(const array::beginning& start);
    void restart(std::uint64_t n);
    bool make_spectra(const item_tags& tags,
                      std::size_t rows,
                      const void* in,
                      void* out,
                      std::uint64_t out_item);
    std::size_t rows_behind_the_end() const;
    void end_data(std::size_t zero_rows);
    bool make_last_spectra(void* out, std::uint64_t out_item);
    void tag_output(std::uint64_t item, const item_tags& tags, std::size_t spectra);

    kernels::channelizer_params d_p;
    const kernels::backend d_backend;
    std::unique_ptr<kernels::channelizer> d_kernel;
    array::timeline d_time;       // of samples
    std::uint64_t d_sample = 0;   // next sample to come
    std::uint64_t d_spectrum = 0; // first sample of the next spectrum's window
    std::uint64_t d_begin = 0;    // first sample since the start or the last gap
    spectra_mask d_mask;
    const window_steering d_steering;
    window_delays d_delays; // of the item at hand
    planned_corrections d_planned;
    std::optional<spectra_judge> d_judge;
    kernels::valid_spectra d_valid{nullptr, 0}; // of the item at hand
    std::uint64_t d_window = 0; // first sample of the window that is judged next
    double d_freq = 0;
    bool d_new_time = false;  // the next spectra start a run or follow on a gap
    bool d_first_item = true; // nothing was sent yet in this run
    bool d_ended = false;     // what comes now does not follow on the data
    std::optional<std::size_t> d_zero_rows; // that the filter has still to take in
    std::uint64_t d_end = 0;                // first sample behind the data, then
    zero_item d_zeros;
    device_counters d_saturated; // [input]
};

std::size_t channelizer_impl::item_bytes_in(kernels::spectra_layout layout) const
{
    if (layout == kernels::spectra_layout::tiles && d_p.requantize_bits == 0) {
        return 0;
    }
    kernels::channelizer_params p = d_p;
    p.layout = layout;
    return kernels::block_bytes(p);
}

// The X-engine behind says which layout it wants, once the flowgraph is there.
void channelizer_impl::opened()
{
    if (d_out[0].layout() != d_p.layout) {
        d_p.layout = d_out[0].layout();
        d_kernel = kernels::make_channelizer(d_backend, d_p);
    }
}

// A new rx_time: the start, or a gap when it does not follow on the samples before.
void channelizer_impl::begin(const array::beginning& start)
{
    const bool started = d_time.started();
    d_sample = d_ended ? d_end : d_sample;
    const std::uint64_t n = d_time.begin(start.time, start.rate, d_sample);
    if (started && n == d_sample && !d_ended) {
        return;
    }
    if (started && n != d_sample) {
        d_logger->warn("gap: {:d} samples of every input are missing", n - d_sample);
    }
    judge_window(); // none reaches across a gap
    restart(n);
}

// The filter begins anew with sample n.
void channelizer_impl::restart(std::uint64_t n)
{
    d_kernel->reset();
    d_mask.reset(n);
    d_sample = d_spectrum = d_begin = d_window = n;
    d_new_time = true;
    d_ended = false;
    d_zero_rows.reset();
}

void channelizer_impl::set_corrections(
    const std::vector<std::complex<float>>& corrections, const epoch& from)
{
    kernels::check_corrections(d_p, corrections);
    d_planned.plan({corrections, from});
}

// Rows of the item to be worked on before corrections that count from t: 0 at once, none
// when t lies behind its spectra.
std::optional<std::size_t> channelizer_impl::rows_before(const epoch& t) const
{
    if (!d_time.started()) {
        return 0;
    }
    // A middle within a femtosecond of t is on it.
    const double seconds =
        t.seconds_since(window_middle(d_time, d_spectrum, d_p.taps * d_p.points())) -
        1e-15;
    const double spectra = std::ceil(seconds * d_time.rate() / d_p.points());
    if (spectra >= d_p.block_spectra) {
        return std::nullopt;
    }
    return spectra > 0 ? static_cast<std::size_t>(spectra) + fill() : 0;
}

// Rows that the filter takes in before it makes the next spectrum.
std::size_t channelizer_impl::fill() const
{
    return d_p.taps - 1 + kernels::reach_rows(d_p) -
           (d_sample - d_spectrum) / d_p.points();
}

// Whole rows of the item.
std::size_t channelizer_impl::rows_of(const item_tags& tags) const
{
    const std::size_t whole = d_p.block_spectra * d_p.points();
    return std::min<std::size_t>(tags.samples.value_or(whole), whole) / d_p.points();
}

// Rows first ... first + rows - 1 of the item, after `made` spectra of it.
std::size_t channelizer_impl::run(
    std::size_t first, std::size_t rows, std::size_t made, const void* in, void* out)
{
    const std::size_t points = d_p.points();
    if (d_steering && rows > 0) {
        d_kernel->steer(d_delays.steering(made, d_freq));
    }
    if (d_valid.valid) {
        d_kernel->set_valid({d_valid.valid + made, d_valid.stride});
    }
    const std::size_t sample =
        kernels::component_bytes(d_p.in) * (d_p.complex_samples ? 2 : 1);
    return d_kernel->process(static_cast<const char*>(in) + first * points * sample,
                             d_p.block_spectra * points,
                             rows * points,
                             static_cast<char*>(out) + made * spectrum_stride(d_p),
                             d_saturated.lock().data());
}

// Which of the next spectra are lost.
std::vector<invalid_run> channelizer_impl::lost_spectra(std::size_t spectra)
{
    auto runs = d_mask.take(spectra);
    for (const invalid_run& r : d_delays.before(d_begin, d_spectrum, 0, spectra)) {
        runs.push_back(r);
    }
    return runs;
}

// Makes the spectra of so many rows.
void channelizer_impl::process(std::size_t rows, const void* in, void* out)
{
    std::size_t done = 0, made = 0;
    if (const auto change = d_planned.next()) {
        const auto until = rows_before(*change);
        if (until && (*until == 0 || *until < rows)) {
            d_p.corrections = d_planned.take().factors;
            if (d_on) { // a block of tiles is not cut
                d_kernel->set_corrections_from(*until > 0 ? *until - fill() : 0,
                                               d_p.corrections);
            } else {
                done = *until;
                made = run(0, done, 0, in, out);
                d_kernel->set_corrections(d_p.corrections);
            }
        }
    }
    run(done, rows - done, made, in, out);
    d_sample += rows * d_p.points();
}

// Ends the window of the interference search.
void channelizer_impl::judge_window()
{
    if (!d_judge) {
        return;
    }
    const auto points = static_cast<double>(d_p.points());
    if (d_time.started()) {
        // As in rx_time: the middle N samples of the window.
        const auto halves = static_cast<std::int64_t>((d_p.taps - 1) * d_p.points());
        d_judge->end_window(*d_kernel,
                            d_time.at(d_window).plus_half_samples(halves, d_time.rate()),
                            d_time.rate() / points);
    } else { // without times a spectrum takes a second
        d_judge->end_window(
            *d_kernel, epoch().plus_seconds(static_cast<double>(d_window) / points), 1);
    }
    d_window = d_spectrum;
    if (const auto told = d_judge->message(false)) {
        message_port_pub(occupancy_port(), told);
    }
}

void channelizer_impl::tag_output(std::uint64_t item,
                                  const item_tags& tags,
                                  std::size_t spectra)
{
    const auto add = [&](const pmt::pmt_t& key, const pmt::pmt_t& value) {
        add_item_tag(0, item, key, value);
    };
    if (d_new_time && d_time.started() && spectra > 0) {
        // The N samples a spectrum stands for begin (L - N) / 2 after its window does.
        const auto halves = static_cast<std::int64_t>((d_p.taps - 1) * d_p.points());
        add(tag::rx_time(),
            tag::from_epoch(
                d_time.at(d_spectrum).plus_half_samples(halves, d_time.rate())));
        add(tag::rx_rate(), pmt::from_double(d_time.rate() / d_p.points()));
        add(tag::rx_freq(), pmt::from_double(d_freq));
        d_new_time = false;
    }
    if (d_first_item && d_p.requantize_bits) {
        std::vector<float> gains = d_p.gains;
        gains.resize(d_p.inputs, 1.0f);
        add(tag::gains(), pmt::init_f32vector(gains.size(), gains));
    }
    d_first_item = false;
    if (spectra < d_p.block_spectra) {
        add(tag::spectra(), pmt::from_uint64(spectra));
    }
    if (tags.damaged) {
        add(tag::damaged(), tags.damaged);
    }
}

bool channelizer_impl::map(const void* in,
                           std::uint64_t item,
                           void* out,
                           std::uint64_t out_item)
{
    if (d_judge && d_judge->complete()) {
        judge_window();
    }
    std::vector<tag_t> found;
    get_tags_in_range(found, 0, item, item + 1);
    const item_tags tags(found);
    if (const auto start = tags.start(d_time)) {
        d_freq = tags.rx_freq.value_or(d_freq);
        begin(*start);
    } else if (d_ended) {
        restart(d_end);
    }
    const bool made = make_spectra(tags, rows_of(tags), in, out, out_item);
    if (tags.damaged) { // which is the last that is said
        end_data(0);
    }
    return made;
}

bool channelizer_impl::make_spectra(const item_tags& tags,
                                    std::size_t rows,
                                    const void* in,
                                    void* out,
                                    std::uint64_t out_item)
{
    const std::size_t spectra = rows > fill() ? rows - fill() : 0;
    if (d_steering && rows > 0) {
        d_delays = d_steering.delays(d_time, d_spectrum, rows);
    }
    d_mask.add(d_delays.met_by_windows(tags.invalid, d_sample, 0, d_delays.spectra),
               d_sample);
    if (spectra == 0 && !tags.damaged) {
        process(rows, in, out);
        return false;
    }
    const auto runs = lost_spectra(spectra);
    if (d_judge) {
        if (const auto verdict = d_judge->verdict()) {
            add_item_tag(0, out_item, tag::judged(), verdict);
        }
        d_valid = d_judge->count(runs, spectra);
    }
    process(rows, in, out);
    tag_output(out_item, tags, spectra);
    for (const invalid_run& r : runs) {
        d_kernel->blank(out, r.input, r.first, r.count);
    }
    if (!runs.empty()) {
        add_item_tag(0, out_item, tag::invalid(), from_invalid(runs));
    }
    d_spectrum += spectra * d_p.points();
    return true;
}

// Rows of zeros behind the data for spectra none of whose windows has one of them.
std::size_t channelizer_impl::rows_behind_the_end() const
{
    const std::size_t points = d_p.points();
    const std::size_t kept = (d_sample - d_spectrum) / points;
    if (!d_steering || kept < d_p.taps) {
        return 0;
    }
    const std::size_t more =
        d_steering.whole_before(d_sample, d_time, d_spectrum, kept - d_p.taps + 1);
    return more > 0 ? more + fill() : 0;
}

// So many rows of zeros come behind what has come.
void channelizer_impl::end_data(std::size_t zero_rows)
{
    d_zero_rows = zero_rows;
    d_ended = true;
    d_end = d_sample;
}

// The filter has taken in rows for the longest delay that there can be before it made the
// last spectrum; those that no delay needs become spectra now. False: there are no more.
bool channelizer_impl::make_last_spectra(void* out, std::uint64_t out_item)
{
    if (!d_zero_rows) {
        end_data(rows_behind_the_end());
    }
    bool made = false;
    while (*d_zero_rows > 0 && !made) {
        const std::size_t rows = std::min(*d_zero_rows, d_p.block_spectra);
        *d_zero_rows -= rows;
        made = make_spectra(item_tags({}), rows, d_zeros.data(), out, out_item);
    }
    return made;
}

// What the filter still holds, then the last window's verdict, which goes with an item
// without spectra.
bool channelizer_impl::map_end(void* out, std::uint64_t out_item)
{
    if (d_steering && make_last_spectra(out, out_item)) {
        return true;
    }
    if (!d_judge) {
        return false;
    }
    judge_window();
    if (const auto told = d_judge->message(true)) {
        message_port_pub(occupancy_port(), told);
    }
    const auto verdict = d_first_item ? nullptr : d_judge->verdict();
    if (!verdict) {
        return false;
    }
    add_item_tag(0, out_item, tag::judged(), verdict);
    add_item_tag(0, out_item, tag::spectra(), pmt::from_uint64(0));
    return true;
}

} // namespace

channelizer::sptr channelizer::make(std::size_t inputs,
                                    std::size_t channels,
                                    std::size_t block_spectra,
                                    bool complex_samples,
                                    const std::string& component,
                                    unsigned taps,
                                    const std::string& window,
                                    const std::string& requantize,
                                    const std::vector<float>& gains,
                                    const std::vector<bool>& conjugate,
                                    const std::vector<std::complex<float>>& corrections,
                                    const std::string& backend,
                                    const tracking::sptr& towards,
                                    const std::optional<kurtosis_search>& flag)
{
    return gnuradio::make_block_sptr<channelizer_impl>(
        channelizer_params_of(inputs,
                              channels,
                              block_spectra,
                              complex_samples,
                              component,
                              taps,
                              window,
                              requantize,
                              gains,
                              conjugate,
                              corrections,
                              towards,
                              flag.has_value()),
        kernels::backend_from_name(backend),
        towards,
        flag);
}

} // namespace fringe
} // namespace gr
