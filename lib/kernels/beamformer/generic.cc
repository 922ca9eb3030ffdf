/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/beamformer/backends.h"
#include <algorithm>
#include <vector>

namespace gr::fringe::kernels {

namespace {

using value = std::complex<double>;

template <class In>
class generic_beamformer : public beamformer
{
public:
    explicit generic_beamformer(const beamformer_params& p)
        : beamformer(p),
          d_weights(p.beams * p.channels * p.inputs),
          d_beams(p.beams),
          d_sums(p.rows() * p.channels)
    {
    }

    void set_weights(const std::complex<float>* weights) override
    {
        std::copy_n(weights, d_weights.size(), d_weights.begin());
        d_read.assign(d_p.beams * d_p.inputs, 0);
        for (std::size_t n = 0; n < d_weights.size(); n++) {
            if (d_weights[n] != value()) {
                const std::size_t beam = n / (d_p.channels * d_p.inputs);
                d_read[beam * d_p.inputs + n % d_p.inputs] = 1;
            }
        }
    }

    void
    form(const void* spectra, std::size_t first, std::size_t count, void* beams) override
    {
        check_beam_spectra(d_p, first, count);
        for (std::size_t c = 0; c < d_p.channels; c++) {
            for (std::size_t t = first; t < first + count; t++) {
                form_spectrum(spectra, c, t);
                for (std::size_t b = 0; b < d_p.beams; b++) {
                    static_cast<std::complex<float>*>(
                        beams)[(c * d_p.beams + b) * d_p.block_spectra + t] =
                        std::complex<float>(d_beams[b]);
                }
            }
        }
    }

    void add(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_beam_spectra(d_p, first, count);
        for (std::size_t c = 0; c < d_p.channels; c++) {
            for (std::size_t t = first; t < first + count; t++) {
                form_spectrum(spectra, c, t);
                add_spectrum(spectra, c, t);
            }
        }
    }

    void read(std::size_t average, float* out) const override
    {
        check_beam_average(d_p, average);
        for (std::size_t n = 0; n < d_sums.size() / average; n++) {
            double sum = 0;
            for (std::size_t k = 0; k < average; k++) {
                sum += d_sums[n * average + k];
            }
            out[n] = static_cast<float>(sum);
        }
    }

    void clear() override { std::fill(d_sums.begin(), d_sums.end(), 0.0); }

private:
    value sample(const void* spectra, std::size_t c, std::size_t i, std::size_t t) const
    {
        const In* const x = static_cast<const In*>(spectra) +
                            2 * ((c * d_p.inputs + i) * d_p.block_spectra + t);
        return {static_cast<double>(x[0]), static_cast<double>(x[1])};
    }
    const value& weight(std::size_t b, std::size_t c, std::size_t i) const
    {
        return d_weights[(b * d_p.channels + c) * d_p.inputs + i];
    }
    bool reads(std::size_t b, std::size_t i) const
    {
        return !d_read.empty() && d_read[b * d_p.inputs + i];
    }

    void form_spectrum(const void* spectra, std::size_t c, std::size_t t)
    {
        for (std::size_t b = 0; b < d_p.beams; b++) {
            d_beams[b] = 0;
            for (std::size_t i = 0; i < d_p.inputs; i++) {
                if (reads(b, i)) {
                    d_beams[b] += weight(b, c, i) * sample(spectra, c, i, t);
                }
            }
        }
    }

    void add_spectrum(const void* spectra, std::size_t c, std::size_t t)
    {
        double* row = d_sums.data() + c;
        for (std::size_t b = 0; b < d_p.beams; b++, row += d_p.channels) {
            *row += std::norm(d_beams[b]);
        }
        for (std::size_t b = 0; d_p.pairs && b < d_p.beams; b += 2) {
            const value q = d_beams[b] * std::conj(d_beams[b + 1]);
            row[0] += q.real();
            row[d_p.channels] += q.imag();
            row += 2 * d_p.channels;
        }
        for (std::size_t b = 0; d_p.incoherent && b < d_p.beams; b++) {
            for (std::size_t i = 0; i < d_p.inputs; i++) {
                if (reads(b, i)) {
                    *row +=
                        std::norm(weight(b, c, i)) * std::norm(sample(spectra, c, i, t));
                }
            }
            row += d_p.channels;
        }
    }

    std::vector<value> d_weights; // [beam][channel][input]
    std::vector<char> d_read;     // [beam][input]: some weight is not zero
    std::vector<value> d_beams;   // of the spectrum under way
    std::vector<double> d_sums;   // [row][channel]
};

} // namespace

std::unique_ptr<beamformer> make_generic_beamformer(const beamformer_params& p)
{
    if (p.in == component::i8) {
        return std::make_unique<generic_beamformer<std::int8_t>>(p);
    }
    return std::make_unique<generic_beamformer<float>>(p);
}

} // namespace gr::fringe::kernels
