/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/timeline.h"
#include "blocks/block_checks.h"
#include "blocks/device_counters.h"
#include "blocks/map_block.h"
#include "blocks/spectra_mask.h"
#include "blocks/stream_tags.h"
#include "kernels/channelizer/channelizer.h"
#include "kernels/xengine/tiles.h"
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
    channelizer_impl(const kernels::channelizer_params& p, kernels::backend backend)
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
          d_saturated(d_on, p.inputs)
    {
    }

    std::vector<std::uint64_t> saturated() const override { return d_saturated.read(); }

private:
    bool
    map(const void* in, std::uint64_t item, void* out, std::uint64_t out_item) override;
    std::size_t tile_bytes() const override;
    void opened() override;
    std::size_t process(const item_tags& tags, const void* in, void* out);
    void begin(const item_tags& tags);
    void tag_output(std::uint64_t item, const item_tags& tags, std::size_t spectra);

    kernels::channelizer_params d_p;
    const kernels::backend d_backend;
    std::unique_ptr<kernels::channelizer> d_kernel;
    array::timeline d_time;       // of samples
    std::uint64_t d_sample = 0;   // next sample to come
    std::uint64_t d_spectrum = 0; // first sample of the next spectrum's window
    spectra_mask d_mask;
    double d_freq = 0;
    bool d_new_time = false;     // the next spectra start a stream or follow on a gap
    bool d_first_item = true;    // nothing was sent yet
    device_counters d_saturated; // [input]
};

std::size_t channelizer_impl::tile_bytes() const
{
    return d_p.requantize_bits
               ? kernels::tile_layout{d_p.inputs, d_p.channels, d_p.block_spectra}.bytes()
               : 0;
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
void channelizer_impl::begin(const item_tags& tags)
{
    const double rate = tags.rx_rate.value_or(d_time.rate());
    d_freq = tags.rx_freq.value_or(d_freq);
    const bool started = d_time.started();
    const std::uint64_t n = d_time.begin(*tags.rx_time, rate > 0 ? rate : 1, d_sample);
    if (started && n == d_sample) {
        return;
    }
    if (started) {
        d_logger->warn("gap: {:d} samples of every input are missing", n - d_sample);
    }
    d_kernel->reset();
    d_mask.reset(n);
    d_sample = d_spectrum = n;
    d_new_time = true;
}

std::size_t channelizer_impl::process(const item_tags& tags, const void* in, void* out)
{
    const std::size_t points = d_p.points();
    const std::size_t whole = d_p.block_spectra * points;
    const std::size_t samples =
        std::min<std::size_t>(tags.samples.value_or(whole), whole) / points * points;
    if (tags.rx_time) {
        begin(tags);
    }
    d_mask.add(tags.invalid, d_sample);
    const std::size_t spectra = d_kernel->process(
        in, whole / points * points, samples, out, d_saturated.lock().data());
    d_sample += samples;
    return spectra;
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
    std::vector<tag_t> found;
    get_tags_in_range(found, 0, item, item + 1);
    const item_tags tags(found);
    const std::size_t spectra = process(tags, in, out);
    if (spectra == 0 && !tags.damaged) {
        return false;
    }
    tag_output(out_item, tags, spectra);
    const auto runs = d_mask.take(spectra);
    for (const invalid_run& r : runs) {
        d_kernel->blank(out, r.input, r.first, r.count);
    }
    if (!runs.empty()) {
        add_item_tag(0, out_item, tag::invalid(), from_invalid(runs));
    }
    d_spectrum += spectra * d_p.points();
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
                                    const std::string& backend)
{
    require(requantize == "none" || requantize == "8" || requantize == "4",
            me,
            "requantize",
            requantize,
            "must be none, 8 or 4");
    kernels::channelizer_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = block_spectra;
    p.complex_samples = complex_samples;
    p.in = kernels::component_from_name(component);
    p.taps = taps;
    p.window = window;
    p.requantize_bits = requantize == "none" ? 0 : requantize == "8" ? 8 : 4;
    p.gains = gains.size() == 1 ? std::vector<float>(inputs, gains[0]) : gains;
    p.conjugate.assign(conjugate.begin(), conjugate.end());
    p.corrections = corrections;
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    require(block_spectra > 0, me, "block_spectra", block_spectra, "must be at least 1");
    return gnuradio::make_block_sptr<channelizer_impl>(
        p, kernels::backend_from_name(backend));
}

} // namespace fringe
} // namespace gr
