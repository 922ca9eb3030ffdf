/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/base/level_byte.h"
#include "kernels/channelizer/backends.h"
#include "kernels/channelizer/fft.h"
#include "kernels/channelizer/history.h"
#include "kernels/channelizer/prototype.h"
#include "kernels/channelizer/steer.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

double component_at(const std::uint8_t* row, component c, std::size_t index)
{
    switch (c) {
    case component::i8:
        return reinterpret_cast<const std::int8_t*>(row)[index];
    case component::i16: {
        std::int16_t value;
        std::memcpy(&value, row + index * sizeof(value), sizeof(value));
        return value;
    }
    case component::level:
        return static_cast<double>(
            static_cast<float>(reinterpret_cast<const level_byte*>(row)[index]));
    default: {
        float value;
        std::memcpy(&value, row + index * sizeof(value), sizeof(value));
        return value;
    }
    }
}

class generic_channelizer : public channelizer
{
public:
    explicit generic_channelizer(const channelizer_params& p)
        : d_p(p),
          d_parts(p.complex_samples ? 2 : 1),
          d_prototype(prototype(p.points(), p.taps, p.window)),
          d_row_bytes(p.points() * d_parts * component_bytes(p.in)),
          d_history(p.inputs, p.taps, d_row_bytes, max_shift_rows(p)),
          d_transform(p.points()),
          d_spectrum(p.points())
    {
    }

    std::size_t process(const void* in,
                        std::size_t in_stride,
                        std::size_t samples,
                        void* out,
                        std::uint64_t* saturated) override
    {
        check_samples(d_p, in_stride, samples);
        const auto raw = static_cast<const std::uint8_t*>(in);
        const std::size_t stride = in_stride * d_parts * component_bytes(d_p.in);
        const std::size_t rows = samples / d_p.points();
        const std::size_t spectra = d_history.spectra(rows);
        check_steered(d_p, d_towards, samples);
        d_history.join(raw, stride, rows);
        for (std::size_t i = 0; i < d_p.inputs; i++) {
            for (std::size_t s = 0; s < spectra; s++) {
                if (d_p.max_shift_samples > 0) {
                    d_steered = input_steering(d_p, d_towards, i).at(s);
                }
                filter(i, s, raw + i * stride);
                d_transform.run(d_spectrum.data());
                write(i, s, out, saturated);
            }
        }
        d_history.keep(raw, stride, rows);
        return spectra;
    }

    void blank(void* out,
               std::size_t input,
               std::size_t first,
               std::size_t count) const override
    {
        blank_rows(d_p, out, input, first, count);
    }
    void reset() override { d_history.clear(); }

    void steer(const steering& towards) override
    {
        check_steering(d_p, towards);
        d_towards = towards;
    }

    void set_corrections(const std::vector<std::complex<float>>& corrections) override
    {
        check_corrections(d_p, corrections);
        d_p.corrections = corrections;
    }

private:
    //! The polyphase sum: a window of taps rows, folded to one.
    void filter(std::size_t i, std::size_t s, const std::uint8_t* in)
    {
        const std::size_t points = d_p.points();
        const auto sample = static_cast<std::ptrdiff_t>(d_row_bytes / points);
        std::fill(d_spectrum.begin(), d_spectrum.end(), 0.0);
        for (unsigned tap = 0; tap < d_p.taps; tap++) {
            const auto row =
                d_history.shifted_row(i, s + tap, d_steered.shift * sample, in);
            const double* h = d_prototype.data() + tap * points;
            for (std::size_t n = 0; n < points; n++) {
                const double re = component_at(row, d_p.in, d_parts * n);
                const double im =
                    d_parts == 2 ? component_at(row, d_p.in, 2 * n + 1) : 0.0;
                d_spectrum[n] += h[n] * std::complex<double>(re, im);
            }
        }
    }

    void write(std::size_t i, std::size_t s, void* out, std::uint64_t* saturated)
    {
        const bool conjugated = !d_p.conjugate.empty() && d_p.conjugate[i];
        const double scale = 1 / std::sqrt(static_cast<double>(d_p.points()));
        for (std::size_t k = 0; k < d_p.channels; k++) {
            const bin from = bin_of_channel(d_p, conjugated, k);
            std::complex<double> x = scale * d_spectrum[from.index];
            if (from.conjugated) {
                x = std::conj(x);
            }
            if (d_p.max_shift_samples > 0) {
                const double turns =
                    d_steered.turns + static_cast<double>(k) * d_steered.slope;
                x *= std::polar(1.0, 2 * M_PI * turns);
            }
            if (!d_p.corrections.empty()) {
                x *= std::complex<double>(d_p.corrections[i * d_p.channels + k]);
            }
            const std::size_t at = (k * d_p.inputs + i) * d_p.block_spectra + s;
            if (d_p.requantize_bits == 0) {
                static_cast<std::complex<float>*>(out)[at] = std::complex<float>(x);
            } else {
                const auto to = static_cast<std::int8_t*>(out) + 2 * at;
                to[0] = quantize(x.real(), i, saturated);
                to[1] = quantize(x.imag(), i, saturated);
            }
        }
    }

    std::int8_t quantize(double x, std::size_t i, std::uint64_t* saturated) const
    {
        const double limit = quantizer_limit(d_p.requantize_bits);
        const double rounded =
            std::nearbyint(d_p.gains.empty() ? x : x * static_cast<double>(d_p.gains[i]));
        if (std::abs(rounded) <= limit) {
            return static_cast<std::int8_t>(rounded);
        }
        saturated[i]++;
        return static_cast<std::int8_t>(rounded > 0 ? limit : -limit);
    }

    channelizer_params d_p;
    const std::size_t d_parts;
    const std::vector<double> d_prototype;
    const std::size_t d_row_bytes;
    sample_history d_history;
    const transform_f64 d_transform;
    aligned_vector<std::complex<double>> d_spectrum;
    steering d_towards{};
    steered d_steered; //!< of the spectrum at hand
};

} // namespace

std::unique_ptr<channelizer> make_generic_channelizer(const channelizer_params& p)
{
    return std::make_unique<generic_channelizer>(p);
}

} // namespace gr::fringe::kernels
