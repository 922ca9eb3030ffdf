/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/worker_ranges.h"
#include "kernels/beamformer/backends.h"
#include "kernels/beamformer/beam_tile.h"
#include "kernels/beamformer/input_powers.h"
#include <algorithm>
#include <vector>

namespace gr::fringe::kernels {

namespace {

//! Each channel of a call is one worker's, from its first spectrum to its last, so results do
//! not depend on the number of threads.
template <class In>
class cpu_beamformer : public beamformer
{
public:
    explicit cpu_beamformer(const beamformer_params& p)
        : beamformer(p),
          d_groups(p),
          d_workers(workers::shared()),
          d_tiles(d_workers->slots(), beam_tile(p)),
          d_coherent((p.rows() - (p.incoherent ? p.beams : 0)) * p.channels),
          d_powers(p),
          d_sums(p.rows() * p.channels)
    {
        set_weights(
            std::vector<std::complex<float>>(p.beams * p.channels * p.inputs).data());
    }

    void set_weights(const std::complex<float>* weights) override
    {
        if (d_p.incoherent) { // the powers so far are those of the weights before
            d_powers.move_to(d_sums.data() + d_coherent);
            d_powers.set(weights);
        }
        d_groups.set(weights);
    }

    void
    form(const void* spectra, std::size_t first, std::size_t count, void* beams) override
    {
        check_beam_spectra(d_p, first, count);
        const auto out = static_cast<float*>(beams);
        const auto write =
            [&](std::size_t c, std::size_t t, std::size_t n, beam_tile& made) {
                for (std::size_t b = 0; b < d_p.beams; b++) {
                    const std::size_t row = c * d_p.beams + b;
                    made.write(b, n, out + 2 * (row * d_p.block_spectra + t));
                }
            };
        over_tiles(spectra, first, count, write);
    }

    void add(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_beam_spectra(d_p, first, count);
        over_tiles(spectra,
                   first,
                   count,
                   [&](std::size_t c, std::size_t, std::size_t, beam_tile& made) {
                       add_tile(c, made);
                   });
    }

    void read(std::size_t average, float* out) const override
    {
        check_beam_average(d_p, average);
        for (std::size_t n = 0; n < d_sums.size(); n += average) {
            double sum = 0;
            for (std::size_t k = n; k < n + average; k++) {
                sum += d_sums[k];
                if (k >= d_coherent) {
                    sum += d_powers.weighted(k - d_coherent);
                }
            }
            out[n / average] = static_cast<float>(sum);
        }
    }

    void clear() override
    {
        std::fill(d_sums.begin(), d_sums.end(), 0.0);
        d_powers.clear();
    }

private:
    //! Calls use(channel, first spectrum, spectra, tile) for all tiles, whose beams are formed.
    template <class Use>
    void
    over_tiles(const void* spectra, std::size_t first, std::size_t count, const Use& use)
    {
        const std::size_t cost = d_p.inputs * (d_p.beams + 2) * count;
        const std::size_t longest = beam_tile::max_spectra(d_p);
        const auto form = [&](std::size_t channel, std::size_t channels, unsigned slot) {
            beam_tile& made = d_tiles[slot];
            for (std::size_t c = channel; c < channel + channels; c++) {
                for (std::size_t t = 0; t < count; t += longest) {
                    const std::size_t n = std::min(longest, count - t);
                    made.form(d_groups, static_cast<const In*>(spectra), c, first + t, n);
                    use(c, first + t, n, made);
                }
            }
        };
        share_channels(*d_workers, d_p.channels, cost, form);
    }

    void add_tile(std::size_t c, beam_tile& made)
    {
        double* sum = d_sums.data() + c;
        for (std::size_t b = 0; b < d_p.beams; b++, sum += d_p.channels) {
            *sum += made.power_of_beam(b);
        }
        for (std::size_t b = 0; d_p.pairs && b < d_p.beams; b += 2) {
            const auto q = made.product(b, b + 1);
            sum[0] += q.real();
            sum[d_p.channels] += q.imag();
            sum += 2 * d_p.channels;
        }
        if (d_p.incoherent) {
            for (const std::size_t i : d_groups.inputs()) {
                d_powers.add(c, i, made.power_of_input(i));
            }
        }
    }

    beam_groups d_groups;
    const std::shared_ptr<workers> d_workers;
    std::vector<beam_tile> d_tiles; //!< [slot]
    const std::size_t d_coherent;   //!< sums that are not incoherent
    input_powers d_powers;
    std::vector<double> d_sums; //!< [row][channel]
};

} // namespace

std::unique_ptr<beamformer> make_cpu_beamformer(const beamformer_params& p)
{
    if (p.in == component::i8) {
        return std::make_unique<cpu_beamformer<std::int8_t>>(p);
    }
    return std::make_unique<cpu_beamformer<float>>(p);
}

} // namespace gr::fringe::kernels
