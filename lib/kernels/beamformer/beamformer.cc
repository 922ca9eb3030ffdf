/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/beamformer/beamformer.h"
#include "kernels/base/require.h"
#include "kernels/base/workers.h"
#include "kernels/beamformer/backends.h"
#include "kernels/channelizer/rows.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace gr::fringe::kernels {

namespace {

const std::string me = "beamformer";

} // namespace

void check_beam_spectra(const beamformer_params& p, std::size_t first, std::size_t count)
{
    require_range(me, "spectra", first, count, p.block_spectra);
}

void check_beam_average(const beamformer_params& p, std::size_t average)
{
    require(average >= 1 && p.channels % average == 0,
            me,
            "average",
            average,
            "must divide the " + std::to_string(p.channels) + " channels");
}

std::vector<std::complex<float>> beam_steering::weights() const
{
    const std::size_t channels = factors.size() / inputs, size = factors.size();
    std::vector<std::complex<float>> all(turns.size() / inputs * size);
    workers::shared()->run(turns.size() / inputs, [&](std::size_t b, unsigned) {
        std::vector<std::complex<float>> row(channels);
        for (std::size_t i = 0; i < inputs; i++) {
            const double first = turns[b * inputs + i];
            if (std::isnan(first)) {
                continue;
            }
            std::fill(row.begin(), row.end(), 1.0f);
            turn_row(first - std::round(first),
                     slopes[b * inputs + i],
                     channels,
                     reinterpret_cast<float*>(row.data()));
            for (std::size_t c = 0; c < channels; c++) {
                all[b * size + c * inputs + i] = factors[c * inputs + i] * row[c];
            }
        }
    });
    return all;
}

void beamformer::steer(const beam_steering& towards)
{
    set_weights(towards.weights().data());
}

void beamformer::mean(beam_mean what,
                      std::size_t average,
                      const float* scales,
                      const float* weights,
                      float* out,
                      float* weights_out)
{
    check_beam_average(d_p, average);
    const std::size_t cells = d_p.channels / average;
    std::vector<float> rows(d_p.rows() * cells);
    read(average, rows.data());
    const beam_mean_sums sums{what, rows.data(), scales, d_p.beams, cells};
    for (std::size_t n = 0; n < sums.values(); n++) {
        out[n] = sums.value(n);
    }
    if (weights_out) {
        std::copy_n(weights, d_p.beams * cells, weights_out);
    }
}

device_beamformer_factory& beamformer_factory()
{
    static device_beamformer_factory the_factory;
    return the_factory;
}

std::unique_ptr<beamformer> make_beamformer(const compute_target& where,
                                            const beamformer_params& p)
{
    require(
        p.inputs >= 1 && p.inputs <= 8192, me, "inputs", p.inputs, "must be 1 to 8192");
    require(p.channels >= 1, me, "channels", p.channels, "must be at least 1");
    require(
        p.block_spectra >= 1, me, "block_spectra", p.block_spectra, "must be at least 1");
    require(p.beams >= 1, me, "beams", p.beams, "must be at least 1");
    require(!p.pairs || p.beams % 2 == 0,
            me,
            "beams",
            p.beams,
            "must be even, as products of pairs are wanted");
    require(me,
            p.in == component::f32 || p.in == component::i8,
            "in is i16; it must be f32 or i8");
    require(me,
            p.layout != spectra_layout::tensor_tiles || p.in == component::i8,
            "tiles hold int8 spectra");
    require(me,
            !is_time_major(p.layout),
            "the layout time_major is not read; it must be channel_major, or tiles on a "
            "device");
    if (where.kind == backend::cuda) {
        return beamformer_factory().make(where, p);
    }
    require(me, p.layout != spectra_layout::tensor_tiles, "tiles are for devices only");
    return where.kind == backend::generic ? make_generic_beamformer(p)
                                          : make_cpu_beamformer(p);
}

} // namespace gr::fringe::kernels
