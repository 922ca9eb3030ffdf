/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAM_TILE_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAM_TILE_H

#include "kernels/base/aligned.h"
#include "kernels/beamformer/beam_groups.h"
#include "kernels/beamformer/loops.h"
#include <algorithm>

namespace gr::fringe::kernels {

//! Some spectra of one channel, and the beams that are formed of them: what a worker holds in
//! its cache.
class beam_tile
{
public:
    explicit beam_tile(const beamformer_params& p)
        : d_p(p),
          d_stride((p.inputs | 1) * beam_step),
          d_beam_values(2 * max_spectra(p)),
          d_inputs(max_spectra(p) / beam_lanes * d_stride),
          // What a group has beside its beams goes behind the last one.
          d_beams((p.beams + 1) * d_beam_values)
    {
    }

    //! Spectra of a tile, whole vectors: its inputs, and its beams, take about 256 KB.
    static std::size_t max_spectra(const beamformer_params& p)
    {
        const std::size_t fit = 32768 / std::max(p.inputs, p.beams) / beam_lanes;
        const std::size_t block = (p.block_spectra + beam_lanes - 1) / beam_lanes;
        return std::min(std::clamp<std::size_t>(fit, 1, 64), block) * beam_lanes;
    }

    //! Forms the beams of `count` spectra, from spectrum t of a block on.
    template <class In>
    void form(const beam_groups& groups,
              const In* spectra,
              std::size_t channel,
              std::size_t t,
              std::size_t count)
    {
        d_steps = (count + beam_lanes - 1) / beam_lanes;
        for (const std::size_t i : groups.inputs()) {
            const std::size_t row = channel * d_p.inputs + i;
            to_lanes(spectra + 2 * (row * d_p.block_spectra + t),
                     count,
                     d_stride,
                     d_inputs.data() + i * beam_step);
        }
        for (const auto& g : groups.groups()) {
            float* places[beams_at_once];
            for (std::size_t k = 0; k < g.width; k++) {
                places[k] = place(k < g.beams.size() ? g.beams[k] : d_p.beams);
            }
            form_beams(d_inputs.data(),
                       d_stride,
                       g.offsets.data(),
                       g.offsets.size(),
                       groups.weights(g, channel),
                       g.width,
                       d_steps,
                       places);
        }
    }

    //! Writes `count` samples of a beam.
    void write(std::size_t beam, std::size_t count, float* row)
    {
        from_lanes(place(beam), count, row);
    }
    double power_of_beam(std::size_t beam)
    {
        return power_of(place(beam), d_steps, beam_step);
    }
    double power_of_input(std::size_t input) const
    {
        return power_of(d_inputs.data() + input * beam_step, d_steps, d_stride);
    }
    //! The sum of the products of two beams, the second conjugated.
    std::complex<double> product(std::size_t a, std::size_t b)
    {
        double sum[2];
        product_of(place(a), place(b), d_steps, sum);
        return {sum[0], sum[1]};
    }

private:
    float* place(std::size_t beam) { return d_beams.data() + beam * d_beam_values; }

    const beamformer_params d_p;
    //! From vector to vector: an odd number of lines, lest they share places in the cache.
    const std::size_t d_stride;
    const std::size_t d_beam_values;
    std::size_t d_steps = 0;                 //!< vectors of spectra
    aligned_vector<float> d_inputs, d_beams; //!< see loops.h
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAM_TILE_H */
