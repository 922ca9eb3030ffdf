/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/base/items_ahead.h"
#include "blocks/base/memory_checks.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/stages/channelizer_params.h"
#include "blocks/stages/corrections_message.h"
#include "blocks/stages/fx_engine_impl.h"
#include "blocks/stages/integration_message.h"
#include "kernels/channelizer/backends.h"
#include "stages/choose_target.h"
#include "stages/window_search.h"
#include <gnuradio/fringe/threads.h>
#include <gnuradio/fringe/xengine.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

namespace {

const std::string me = "fx_engine";

constexpr std::size_t longest_f32_sum = 4096; // so that float32 keeps its precision
constexpr std::size_t windows_of_stretch =
    8; // of a search for pulses: ends cost 12 % of it
constexpr std::size_t sums_bytes = 64 << 20; // of a stretch

// Spectra of a stretch. Each begins with spectra that fill the filter, which then cost half a per
// cent, and ends with sums, which are as long as half a spectrum for each input. It is no longer
// than that, so that its samples are in the cache still when they are worked on.
std::size_t aimed_spectra(const kernels::channelizer_params& f)
{
    constexpr std::size_t longest = 768;
    const std::size_t fill = f.taps - 1 + kernels::max_shift_rows(f);
    return std::clamp(256 * fill + 4 * (f.inputs + 1),
                      2 * f.block_spectra,
                      std::max(longest, 2 * f.block_spectra));
}

// Items of all stretches that are worked on or gathered at a time.
std::size_t items_in_work(const stretch_settings& plan, unsigned threads)
{
    const std::size_t spectra = std::max(plan.stretch_spectra, plan.window);
    return (threads + 2) * (spectra / plan.f.block_spectra + 1 + plan.mean_blocks);
}

stretch_settings plan_settings(const fx_worker_settings& w,
                               const tracking::sptr& towards,
                               const std::optional<kurtosis_search>& flag,
                               double dump_seconds,
                               std::uint64_t dump_spectra)
{
    stretch_settings s;
    s.f = w.f;
    s.towards = towards;
    s.longest_sum =
        w.f.requantize_bits ? kernels::xengine::max_exact_spectra : longest_f32_sum;
    s.stretch_spectra = aimed_spectra(w.f);
    s.max_sums = std::max<std::size_t>(
        sums_bytes / (8 * w.f.channels * kernels::baselines(w.f.inputs)), 1);
    s.window = flag ? window_spectra(*flag, w.f.inputs, w.f.block_spectra) : 0;
    s.dump_seconds = dump_seconds;
    s.dump_spectra = dump_spectra;
    s.mean_blocks = w.mean_blocks;
    s.pulses = w.pulses;
    if (w.pulses) {
        s.stretch_spectra = std::max(
            s.stretch_spectra, windows_of_stretch * w.pulses->window / w.f.points());
    }
    return s;
}

} // namespace

fx_engine_impl::fx_engine_impl(const fx_worker_settings& settings,
                               const stretch_settings& plan,
                               const std::optional<kurtosis_search>& flag,
                               std::size_t channels_per_item,
                               const file_source::sptr& recording,
                               unsigned threads)
    : gr::block(
          "fringe_fx_engine",
          gr::io_signature::make(
              recording ? 0 : 1,
              recording ? 0 : 1,
              item_bytes(
                  me,
                  settings.u.from.bytes(settings.f.inputs, settings.u.block_samples))),
          gr::io_signature::make(
              1,
              1,
              item_bytes(me,
                         channels_per_item * kernels::baselines(settings.f.inputs) * 8))),
      d_settings(settings),
      d_recorded(recording ? std::make_unique<recorded_input>(recording, settings.u.rows)
                           : nullptr),
      d_item_bytes(settings.u.from.bytes(settings.f.inputs, settings.u.block_samples)),
      d_max_tasks(2 * threads),
      d_items_in_work(items_in_work(plan, threads)),
      d_plan(plan),
      d_raw(*this, settings.f.inputs, [this](bool) { return counts(); }),
      d_finished(*this, settings.f, flag, channels_per_item),
      d_saturated(settings.f.inputs),
      d_blanked(settings.f.inputs),
      d_clipped(settings.f.inputs),
      d_workers(reading(settings), threads, [this] { wake(); })
{
    set_tag_propagation_policy(TPP_DONT);
    use_whole_pages(*this, 0, output_signature()->sizeof_stream_item(0));
    // GNU Radio makes the ring before a block twice as long as what it seems to take at
    // once. Two items are too few for a source to run ahead.
    if (!recording) {
        const std::size_t ring = items_before_engine(d_item_bytes, d_items_in_work);
        set_relative_rate(1, std::max<std::size_t>(ring / 2, 1));
    }
    const fx_worker_settings& w = settings;
    const stream_description wanted{alias(),
                                    stream_kind::raw,
                                    d_item_bytes,
                                    {{"format", w.u.from.name},
                                     {"inputs", w.f.inputs},
                                     {"files", w.u.files},
                                     {"block_samples", w.u.block_samples},
                                     {"coarse_channels", 1}}};
    d_streams.expect(0, wanted.kind, wanted.fields);
    if (d_recorded) {
        d_recorded->expect(wanted);
    }
    d_streams.send(0,
                   stream_kind::sums,
                   {{"inputs", w.f.inputs},
                    {"channels", w.f.channels},
                    {"channels_per_item", channels_per_item},
                    {"component", kernels::component_name(w.x.in)},
                    {"complex_samples", w.f.complex_samples},
                    {"taps", w.f.taps},
                    {"window", w.f.window},
                    {"sample_bits", w.u.from.bits / (w.u.from.is_complex ? 2 : 1)}});
    add_integration_port(
        *this, d_logger, [this](double s, std::uint64_t m) { set_integration(s, m); });
    add_corrections_port(*this, d_logger, [this](planned_corrections::change c) {
        set_corrections(c.factors, c.from);
    });
}

// The workers read the blocks of a recording themselves.
fx_worker_settings fx_engine_impl::reading(fx_worker_settings s)
{
    s.read = [this](const raw_block& block,
                    std::uint8_t* out,
                    std::vector<invalid_run>& invalid) {
        d_recorded->read(block, out, invalid);
    };
    return s;
}

fx_engine::sptr fx_engine::make(const std::string& format,
                                std::size_t inputs,
                                std::size_t channels,
                                std::size_t block_spectra,
                                unsigned taps,
                                const std::string& window,
                                const std::string& requantize,
                                const std::vector<float>& gains,
                                const std::vector<bool>& conjugate,
                                const std::vector<std::complex<float>>& corrections,
                                std::size_t files,
                                const std::vector<std::size_t>& streams,
                                double dump_seconds,
                                std::uint64_t dump_spectra,
                                std::size_t channels_per_item,
                                const tracking::sptr& towards,
                                const std::optional<kurtosis_search>& flag,
                                const std::string& backend,
                                const file_source::sptr& recording,
                                int threads,
                                std::size_t mean_blocks,
                                const std::optional<pulse_search>& pulses)
{
    require(threads >= 0 && threads <= 1024,
            me,
            "threads",
            threads,
            "must be 1 to 1024, or 0 for as many as set_threads() says");
    fx_worker_settings s;
    s.backend = choose_target(backend).kind;
    require(s.backend != kernels::backend::cuda,
            me,
            "backend",
            backend,
            "must be cpu or generic; unpack, channelizer and xengine run on a GPU");
    block_spectra = item_spectra(block_spectra, inputs, channels);
    const std::size_t samples = block_spectra * channels;
    s.u = unpacker_params_of(format,
                             inputs,
                             std::max<std::size_t>(samples, 1),
                             mean_blocks > 0 ? "f32" : "auto",
                             files,
                             streams);
    s.mean_blocks = mean_blocks;
    if (!s.u.from.is_complex) {
        s.u.block_samples *= 2;
    }
    s.f = channelizer_params_of(inputs,
                                channels,
                                block_spectra,
                                s.u.from.is_complex,
                                kernels::component_name(s.u.to),
                                taps,
                                window,
                                requantize,
                                gains,
                                conjugate,
                                corrections,
                                towards);
    s.search = flag.has_value();
    s.pulses = pulses;
    if (pulses) {
        check_pulse_search(me, *pulses, inputs);
        check_pulse_bits(me, s.u.from.bits / (s.u.from.is_complex ? 2 : 1));
    }
    s.x = {inputs,
           channels,
           block_spectra,
           s.f.requantize_bits ? kernels::component::i8 : kernels::component::f32,
           kernels::spectra_layout::channel_major};
    s.choose_layout();
    // The sums under way in a worker and those that are sent; voltages and spectra of a block.
    require_memory_for_sums(me, inputs, channels, 2 * sizeof(std::complex<float>));
    require_memory_for_spectra(
        me, inputs, channels, block_spectra, 2 * sizeof(std::complex<float>));
    return gnuradio::make_block_sptr<fx_engine_impl>(
        s,
        plan_settings(s, towards, flag, dump_seconds, dump_spectra),
        flag,
        item_channels(me, channels_per_item, inputs, channels),
        recording,
        static_cast<unsigned>(threads > 0 ? threads : fringe::threads()));
}

} // namespace gr::fringe
