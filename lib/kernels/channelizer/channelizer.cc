/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/require.h"
#include "kernels/channelizer/backends.h"
#include "kernels/xengine/tiles.h"
#include <cmath>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

const std::string me = "channelizer";

constexpr std::size_t max_points = std::size_t(1) << 20;
//! A second's light way at 64 MS/s.
constexpr std::size_t longest_shift = std::size_t(1) << 26;

void check_size(const char* name, std::size_t size, std::size_t right, const char* what)
{
    require(me,
            size == 0 || size == right,
            std::string(name) + " has " + std::to_string(size) +
                " values; it must have " + std::to_string(right) + " (" + what +
                ") or none");
}

} // namespace

sample_history history_of(const channelizer_params& p)
{
    const std::size_t sample = component_bytes(p.in) * (p.complex_samples ? 2 : 1);
    return sample_history(p.inputs, p.taps, p.points() * sample, max_shift_rows(p));
}

void check_channelizer(const channelizer_params& p)
{
    require(me, p.inputs >= 1, "inputs is 0; it must be at least 1");
    require(me, p.channels >= 1, "channels is 0; it must be at least 1");
    const std::size_t limit = p.complex_samples ? max_points : max_points / 2;
    require(me,
            p.channels <= limit,
            "channels is " + std::to_string(p.channels) + "; it must be at most " +
                std::to_string(limit));
    require(me, p.block_spectra >= 1, "block_spectra is 0; it must be at least 1");
    require(me,
            p.requantize_bits == 0 || p.requantize_bits == 4 || p.requantize_bits == 8,
            "requantize_bits is " + std::to_string(p.requantize_bits) +
                "; it must be 0 (none), 8 or 4");
    check_size("conjugate", p.conjugate.size(), p.inputs, "one per input");
    check_corrections(p, p.corrections);
    check_gains(p.gains, p.inputs);
    require(me,
            p.layout != spectra_layout::tensor_tiles || p.requantize_bits > 0,
            "tiles hold requantized spectra, of 8 or 4 bits");
    require(me,
            p.max_shift_samples <= longest_shift,
            "max_shift_samples is " + std::to_string(p.max_shift_samples) +
                " samples; it must be at most " + std::to_string(longest_shift));
}

void check_corrections(const channelizer_params& p,
                       const std::vector<std::complex<float>>& corrections)
{
    check_size("corrections",
               corrections.size(),
               p.inputs * p.channels,
               "one per input and channel");
    for (const auto& c : corrections) {
        require(me,
                std::isfinite(c.real()) && std::isfinite(c.imag()),
                "corrections has a value that is not finite");
    }
}

void check_steering(const channelizer_params& p, const steering& to)
{
    require(me,
            p.max_shift_samples > 0,
            "delays were given; this one was made with max_shift_samples 0");
    require(me,
            (to.delays || to.stride == 0) && to.sample_rate > 0 &&
                std::isfinite(to.frequency),
            "steering needs delays, a sample rate and a frequency");
}

void check_steered(const channelizer_params& p, const steering& to, std::size_t samples)
{
    const std::size_t needed = samples / p.points();
    if (p.max_shift_samples > 0 && to.stride < needed) {
        require(me,
                false,
                "delays for " + std::to_string(to.stride) + " spectra; this call needs " +
                    std::to_string(needed));
    }
}

void channelizer::set_corrections_from(
    std::size_t from, const std::vector<std::complex<float>>& corrections)
{
    require(me, from == 0, "corrections change between two calls of this backend");
    set_corrections(corrections);
}

void check_gains(const std::vector<float>& gains, std::size_t inputs)
{
    check_size("gains", gains.size(), inputs, "one per input");
    for (const float g : gains) {
        require(me,
                std::isfinite(g) && g > 0,
                "gains has the value " + std::to_string(g) +
                    "; a gain must be positive and finite");
    }
}

void check_samples(const channelizer_params& p,
                   std::size_t in_stride,
                   std::size_t samples)
{
    const std::size_t limit = p.block_spectra * p.points();
    require(me,
            samples % p.points() == 0 && samples <= limit,
            std::to_string(samples) + " samples in a call; it must be a multiple of " +
                std::to_string(p.points()) + " and at most " + std::to_string(limit));
    require(me,
            p.inputs == 1 || in_stride >= samples,
            "in_stride is " + std::to_string(in_stride) +
                "; it must be at least the number of samples, " +
                std::to_string(samples));
}

std::size_t spectrum_stride(const channelizer_params& p)
{
    const std::size_t row =
        is_time_major(p.layout) ? spectra_row(p.channels, p.layout) : 1;
    return row * spectra_sample_bytes(p);
}

std::size_t block_bytes(const channelizer_params& p)
{
    if (p.layout == spectra_layout::tensor_tiles) {
        return tile_layout{p.inputs, p.channels, p.block_spectra}.bytes();
    }
    const std::size_t rows = is_time_major(p.layout) ? 1 : p.channels;
    return p.inputs * p.block_spectra * rows * spectrum_stride(p);
}

void blank_rows(const channelizer_params& p,
                void* out,
                std::size_t input,
                std::size_t first,
                std::size_t count)
{
    const std::size_t bytes = spectra_sample_bytes(p);
    if (is_time_major(p.layout)) {
        const std::size_t stride = spectrum_stride(p);
        for (std::size_t s = first; s < first + count; s++) {
            std::memset(static_cast<std::uint8_t*>(out) +
                            (input * p.block_spectra + s) * stride,
                        0,
                        p.channels * bytes);
        }
        return;
    }
    for (std::size_t c = 0; c < p.channels; c++) {
        const std::size_t row = (c * p.inputs + input) * p.block_spectra;
        std::memset(
            static_cast<std::uint8_t*>(out) + (row + first) * bytes, 0, count * bytes);
    }
}

device_factory<channelizer, channelizer_params>& channelizer_factory()
{
    static device_factory<channelizer, channelizer_params> the_factory;
    return the_factory;
}

std::unique_ptr<channelizer> make_channelizer(const compute_target& where,
                                              const channelizer_params& p)
{
    check_channelizer(p);
    require(me,
            !is_time_major(p.layout) || where.kind == backend::cpu,
            "the layout time_major is for the backend cpu only");
    require(me,
            p.layout != spectra_layout::time_major_items ||
                (p.channels % 8 == 0 && p.complex_samples),
            "the layout time_major_items is for complex samples and channels by the 8");
    if (where.kind == backend::cuda) {
        return channelizer_factory().make(where, p);
    }
    require(me, p.layout != spectra_layout::tensor_tiles, "tiles are for devices only");
    require(me,
            p.in != component::level || where.kind == backend::generic,
            "voltages in levels are for devices only");
    return where.kind == backend::generic ? make_generic_channelizer(p)
                                          : make_cpu_channelizer(p);
}

} // namespace gr::fringe::kernels
