/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/aligned.h"
#include "kernels/channelizer/backends.h"
#include "kernels/channelizer/fft.h"
#include "kernels/channelizer/prototype.h"
#include "kernels/channelizer/rows.h"
#include "kernels/channelizer/slope_factors.h"
#include "kernels/channelizer/steer.h"
#include "kernels/workers.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

//! Channels that follow one another with their bins, upwards or (conjugated) downwards.
struct run_of_bins {
    std::size_t bin;
    std::size_t count;
    bool conjugated;
};

std::vector<run_of_bins> runs_of_bins(const channelizer_params& p, bool conjugated)
{
    std::vector<run_of_bins> runs;
    for (std::size_t k = 0; k < p.channels; k++) {
        const bin next = bin_of_channel(p, conjugated, k);
        if (!runs.empty()) {
            auto& run = runs.back();
            if (next.index == (conjugated ? run.bin - run.count : run.bin + run.count)) {
                run.count++;
                continue;
            }
        }
        runs.push_back({next.index, 1, next.conjugated});
    }
    return runs;
}

//! Bins that a transform writes.
std::size_t bins_of(const channelizer_params& p)
{
    return p.complex_samples ? p.points() : p.channels + 1;
}

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

//! Prototype with the transform's scale, each coefficient once per component.
aligned_vector<float> coefficients(const channelizer_params& p, std::size_t parts)
{
    const auto h = prototype(p.points(), p.taps, p.window);
    const double scale = 1 / std::sqrt(static_cast<double>(p.points()));
    aligned_vector<float> out(h.size() * parts);
    for (std::size_t n = 0; n < out.size(); n++) {
        out[n] = static_cast<float>(scale * h[n / parts]);
    }
    return out;
}

/*!
 * Per spectrum: polyphase sum over the rows of its window, one transform, channel order
 * and corrections, requantiser. Finished spectra collect in a tile that stays in the
 * second-level cache; the corner turn writes it out in runs along time. Spectra of floats
 * go straight from the transform into the tile where they can, and the corner turn orders
 * and multiplies them. Inputs, and stretches of time of one input, are shared out
 * among the workers.
 */
class cpu_channelizer : public resumable_channelizer
{
public:
    explicit cpu_channelizer(const channelizer_params& p)
        : d_p(p),
          d_width(p.points() * (p.complex_samples ? 2 : 1)),
          d_element(p.requantize_bits ? 2 : sizeof(std::complex<float>)),
          d_coefficients(coefficients(p, p.complex_samples ? 2 : 1)),
          d_history(history_of(p)),
          d_transform(p.points(), p.complex_samples),
          d_runs{runs_of_bins(p, false), runs_of_bins(p, true)},
          // A line more than needed, lest rows fall on the same lines of the cache.
          d_tile_stride(round_up(p.channels, 64 / d_element) + 64 / d_element),
          d_tile_spectra(tile_spectra()),
          d_workers(workers::shared()),
          d_spaces(d_workers->slots(), workspace(p, d_width))
    {
        for (auto& space : d_spaces) {
            space.tile.resize(d_tile_spectra * d_tile_stride * d_element);
        }
    }

    std::size_t process(const void* in,
                        std::size_t in_stride,
                        std::size_t samples,
                        void* out,
                        std::uint64_t* saturated) override
    {
        check_samples(d_p, in_stride, samples);
        const auto raw = static_cast<const std::uint8_t*>(in);
        const std::size_t bytes = component_bytes(d_p.in);
        const std::size_t stride = in_stride * (d_width / d_p.points()) * bytes;
        const std::size_t fresh = samples / d_p.points();
        if (!d_past) {
            d_history.join(raw, stride, fresh);
        }
        const sample_history& past = d_past ? *d_past : d_history;
        const std::size_t spectra = past.spectra(fresh);
        const std::size_t length = run_spectra(spectra);
        const std::size_t per_input = (spectra + length - 1) / length;
        const std::size_t runs = d_p.inputs * per_input;
        check_steered(d_p, d_towards, samples);
        const std::size_t parts = std::min(runs, most_parts(spectra));
        d_workers->run(parts, [&](std::size_t part, unsigned slot) {
            for (std::size_t k = part * runs / parts; k < (part + 1) * runs / parts;
                 k++) {
                const std::size_t i = k / per_input, first = k % per_input * length;
                const std::size_t last = std::min(first + length, spectra);
                input_run(d_spaces[slot], i, first, last, raw + i * stride, out);
            }
        });
        for (auto& space : d_spaces) {
            for (std::size_t i = 0; d_p.requantize_bits && i < d_p.inputs; i++) {
                saturated[i] += space.saturated[i];
                space.saturated[i] = 0;
            }
        }
        if (!d_past) {
            d_history.keep(raw, stride, fresh);
        }
        d_past = nullptr;
        d_valid = {};
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
    void resume(std::shared_ptr<const sample_history> past) override
    {
        d_past = std::move(past);
    }

    void steer(const steering& towards) override
    {
        check_steering(d_p, towards);
        d_towards = towards;
    }

    void set_valid(const valid_spectra& valid) override { d_valid = valid; }

    void read_powers(float* s1, float* s2) override
    {
        check_powers(d_p);
        for (std::size_t i = 0; i < d_p.inputs; i++) {
            for (std::size_t k = 0; k < d_p.channels; k++) {
                const std::size_t at =
                    i * bins_of(d_p) + bin_of_channel(d_p, mirrored(i), k).index;
                float one = 0, two = 0;
                for (auto& space : d_spaces) {
                    one += space.s1[at];
                    two += space.s2[at];
                }
                s1[k * d_p.inputs + i] = one;
                s2[k * d_p.inputs + i] = two;
            }
        }
        for (auto& space : d_spaces) {
            std::fill(space.s1.begin(), space.s1.end(), 0.0f);
            std::fill(space.s2.begin(), space.s2.end(), 0.0f);
        }
    }

    void set_corrections(const std::vector<std::complex<float>>& corrections) override
    {
        check_corrections(d_p, corrections);
        d_p.corrections = corrections;
        for (auto& space : d_spaces) {
            for (auto& f : space.factors) {
                f.forget();
            }
        }
    }

    void set_gains(const std::vector<float>& gains) override
    {
        check_gains(gains, d_p.inputs);
        d_p.gains = gains;
    }

private:
    //! What a thread needs for itself.
    struct workspace {
        workspace(const channelizer_params& p, std::size_t width)
            : ring(p.in == component::f32 ? 0 : p.taps * width),
              folded(width),
              bins(p.points() + 1),
              ordered(p.requantize_bits ? 2 * p.channels : 0),
              factors(p.reach > 0 ? p.inputs : 0, slope_factors(p.channels)),
              saturated(p.inputs),
              s1(p.sum_powers ? p.inputs * bins_of(p) : 0),
              s2(s1.size())
        {
        }

        aligned_vector<float> ring;
        aligned_vector<float> folded;
        aligned_vector<std::complex<float>> bins;
        aligned_vector<float> ordered;
        aligned_vector<std::uint8_t> tile;
        std::vector<slope_factors> factors; //!< [input]
        std::vector<std::uint64_t> saturated;
        aligned_vector<float> s1, s2; //!< [input][bin]
    };

    //! About 128 KB, in runs of one to eight cache lines along time.
    std::size_t tile_spectra() const
    {
        const std::size_t line = 64 / d_element;
        const std::size_t fit = 131072 / (d_tile_stride * d_element) / line * line;
        return std::min(
            {std::clamp(fit, line, 8 * line), d_p.block_spectra, most_tile_spectra});
    }

    //! Into how many parts a call is cut: a few for each worker, none that is done faster
    //! than a worker that sleeps would have been woken up.
    std::size_t most_parts(std::size_t spectra) const
    {
        constexpr std::size_t least_samples = 65536;
        const std::size_t worthwhile =
            spectra * d_p.inputs * d_p.points() / least_samples;
        const std::size_t wanted = d_spaces.size() == 1 ? 1 : 4 * d_spaces.size();
        return std::clamp<std::size_t>(worthwhile, 1, wanted);
    }

    //! Spectra of one input that are made in a row: whole tiles, as many as a part has.
    std::size_t run_spectra(std::size_t spectra) const
    {
        const std::size_t even = spectra * d_p.inputs / most_parts(spectra);
        return std::max(round_up(even, d_tile_spectra), d_tile_spectra);
    }

    //! Spectra first ... last - 1 of input i.
    void input_run(workspace& space,
                   std::size_t i,
                   std::size_t first,
                   std::size_t last,
                   const std::uint8_t* in,
                   void* out)
    {
        const input_steering to(d_p, d_towards, i);
        std::array<steered, most_tile_spectra> how;
        std::ptrdiff_t shift = 0;
        for (std::size_t s = first; s < last; s += d_tile_spectra) {
            const std::size_t count = std::min(d_tile_spectra, last - s);
            for (std::size_t n = 0; n < count && d_p.reach > 0; n++) {
                how[n] = to.at(s + n);
            }
            const bool straight = goes_straight(space, i, how.data(), count);
            for (std::size_t n = 0; n < count; n++) {
                // The window slides on by one row; else it is read anew.
                const bool anew = s + n == first || how[n].shift != shift;
                shift = how[n].shift;
                filter(space, i, s + n, how[n], anew, in);
                const auto row = space.tile.data() + n * d_tile_stride * d_element;
                const auto bins = straight ? reinterpret_cast<std::complex<float>*>(row)
                                           : space.bins.data();
                d_transform.run(space.folded.data(), bins);
                if (!straight) {
                    sum_powers(space, i, s + n, 1, reinterpret_cast<float*>(bins));
                    finish(space, i, how[n], row);
                }
            }
            if (straight) {
                const auto tile = reinterpret_cast<const float*>(space.tile.data());
                sum_powers(space, i, s, count, tile);
            }
            const auto to_block =
                static_cast<std::uint8_t*>(out) + (i * d_p.block_spectra + s) * d_element;
            turn_tile(space, i, straight, how.data(), count, to_block);
        }
    }

    //! Spectra go straight from the transform into the tile, as bins, when the corner turn
    //! can do all the rest: channel order and factors that differ by a turn.
    bool goes_straight(workspace& space,
                       std::size_t i,
                       const steered* how,
                       std::size_t count) const
    {
        return !d_p.requantize_bits && !mirrored(i) &&
               (d_p.reach == 0 || space.factors[i].serve(corrections(i), how, count));
    }

    bool mirrored(std::size_t i) const
    {
        return !d_p.conjugate.empty() && d_p.conjugate[i];
    }

    const float* corrections(std::size_t i) const
    {
        return d_p.corrections.empty()
                   ? nullptr
                   : reinterpret_cast<const float*>(&d_p.corrections[i * d_p.channels]);
    }

    //! Adds the valid ones of spectra s ... s + count - 1, which are in rows as the
    //! transform makes them, to the sums of input i.
    void sum_powers(workspace& space,
                    std::size_t i,
                    std::size_t s,
                    std::size_t count,
                    const float* bins) const
    {
        if (!d_p.sum_powers) {
            return;
        }
        std::array<const float*, most_tile_spectra> rows;
        std::size_t many = 0;
        for (std::size_t n = 0; n < count; n++) {
            if (!lost(i, s + n)) {
                rows[many++] = bins + n * 2 * d_tile_stride;
            }
        }
        add_powers(rows.data(),
                   many,
                   bins_of(d_p),
                   space.s1.data() + i * bins_of(d_p),
                   space.s2.data() + i * bins_of(d_p));
    }

    //! The spectrum is not one of those whose powers are summed.
    bool lost(std::size_t i, std::size_t s) const
    {
        return d_valid.valid && !d_valid.valid[i * d_valid.stride + s];
    }

    //! The corner turn of a tile of input i.
    void turn_tile(const workspace& space,
                   std::size_t i,
                   bool straight,
                   const steered* how,
                   std::size_t count,
                   std::uint8_t* out) const
    {
        const std::size_t stride = d_p.inputs * d_p.block_spectra;
        tile_rows tile{space.tile.data(), d_tile_stride, count};
        if (d_p.requantize_bits) {
            corner_turn_2(tile, d_p.channels, out, stride);
            return;
        }
        if (!straight) {
            corner_turn_8(tile, d_p.channels, {}, nullptr, out, stride);
            return;
        }
        std::array<row_turn, most_tile_spectra> turns;
        row_factors factors{corrections(i), nullptr};
        if (d_p.reach > 0) {
            factors = space.factors[i].factors();
            for (std::size_t n = 0; n < count; n++) {
                turns[n] = space.factors[i].turn(how[n]);
            }
        }
        std::size_t k = 0;
        for (const auto& run : d_runs[0]) {
            tile.first = space.tile.data() + run.bin * d_element;
            corner_turn_8(tile,
                          run.count,
                          factors.from(k),
                          d_p.reach > 0 ? turns.data() : nullptr,
                          out,
                          stride);
            out += run.count * stride * d_element;
            k += run.count;
        }
    }

    //! The polyphase sum. Integer rows are converted once, when the window reaches them,
    //! into a ring of taps rows.
    void filter(workspace& space,
                std::size_t i,
                std::size_t s,
                const steered& how,
                bool anew,
                const std::uint8_t* in) const
    {
        std::array<const float*, 32> rows;
        const auto sample =
            static_cast<std::ptrdiff_t>(d_width / d_p.points() * component_bytes(d_p.in));
        for (unsigned tap = 0; tap < d_p.taps; tap++) {
            const auto row = (d_past ? *d_past : d_history).shifted_row(i, s + tap, how.shift * sample, in);
            if (d_p.in == component::f32) {
                rows[tap] = reinterpret_cast<const float*>(row);
                continue;
            }
            const auto slot = space.ring.data() + (s + tap) % d_p.taps * d_width;
            if (anew || tap == d_p.taps - 1) {
                (d_p.in == component::i8 ? widen_i8 : widen_i16)(row, d_width, slot);
            }
            rows[tap] = slot;
        }
        filter_rows(
            rows.data(), d_coefficients.data(), d_p.taps, d_width, space.folded.data());
    }

    //! Channel order, corrections, what is left of the delay, and requantiser: from the
    //! bins to a row of the tile.
    void
    finish(workspace& space, std::size_t i, const steered& how, std::uint8_t* row) const
    {
        float* ordered =
            d_p.requantize_bits ? space.ordered.data() : reinterpret_cast<float*>(row);
        const auto bins = reinterpret_cast<const float*>(space.bins.data());
        row_factors factors{corrections(i), nullptr};
        row_turn turn{};
        if (d_p.reach > 0) {
            space.factors[i].serve(corrections(i), &how, 1);
            factors = space.factors[i].factors();
            turn = space.factors[i].turn(how);
        }
        std::size_t k = 0;
        for (const auto& run : d_runs[mirrored(i)]) {
            (run.conjugated ? mirror_bins : copy_bins)(bins + 2 * run.bin,
                                                       run.count,
                                                       factors.from(k),
                                                       d_p.reach > 0 ? &turn : nullptr,
                                                       ordered + 2 * k);
            k += run.count;
        }
        if (d_p.requantize_bits) {
            space.saturated[i] += quantize_row(ordered,
                                               2 * d_p.channels,
                                               d_p.gains.empty() ? 1.0f : d_p.gains[i],
                                               quantizer_limit(d_p.requantize_bits),
                                               reinterpret_cast<std::int8_t*>(row));
        }
    }

    channelizer_params d_p;
    const std::size_t d_width;   //!< floats of a row
    const std::size_t d_element; //!< bytes of a spectrum's sample
    const aligned_vector<float> d_coefficients;
    sample_history d_history;
    std::shared_ptr<const sample_history> d_past; //!< of the next call, where not that
    const transform_f32 d_transform;
    const std::array<std::vector<run_of_bins>, 2> d_runs; //!< [conjugated]
    const std::size_t d_tile_stride;
    const std::size_t d_tile_spectra;
    const std::shared_ptr<workers> d_workers;
    std::vector<workspace> d_spaces; //!< [slot]
    steering d_towards{};
    valid_spectra d_valid{};
};

} // namespace

sample_history history_of(const channelizer_params& p)
{
    const std::size_t sample = component_bytes(p.in) * (p.complex_samples ? 2 : 1);
    return sample_history(p.inputs, p.taps, p.points() * sample, reach_rows(p));
}

std::unique_ptr<resumable_channelizer> make_cpu_channelizer(const channelizer_params& p)
{
    return std::make_unique<cpu_channelizer>(p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
