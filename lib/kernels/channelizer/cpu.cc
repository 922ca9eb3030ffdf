/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/workers.h"
#include "kernels/channelizer/backends.h"
#include "kernels/channelizer/fft.h"
#include "kernels/channelizer/finish.h"
#include "kernels/channelizer/steer.h"
#include "kernels/channelizer/tile.h"
#include "kernels/channelizer/window_filter.h"
#include <algorithm>
#include <array>

namespace gr::fringe::kernels {

namespace {

/*!
 * Per spectrum: polyphase sum over the rows of its window, made for some windows together,
 * one transform, and what spectrum_finish does. Spectra of floats go straight from the
 * transform to where they stay: for the layout time_major into the block, where their bins are in order, else into the
 * tile that the corner turn empties. Inputs, and stretches of time of one input, are shared
 * out among the workers.
 */
class cpu_channelizer : public channelizer
{
public:
    explicit cpu_channelizer(const channelizer_params& p)
        : d_p(p),
          d_sample(component_bytes(p.in) * (p.complex_samples ? 2 : 1)),
          d_filter(p,
                   transform_f32::takes_apart(
                       p.points(),
                       p.complex_samples)), // refuses what the history has no size for
          d_history(history_of(p)),
          d_transform(p.points(), p.complex_samples),
          d_together(spectra_together(p)),
          d_workers(workers::shared())
    {
        for (unsigned slot = 0; slot < d_workers->slots(); slot++) {
            d_spaces.push_back(workspace(d_p, d_filter));
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
        const std::size_t stride = in_stride * d_sample;
        const std::size_t fresh = samples / d_p.points();
        d_history.join(raw, stride, fresh);
        const std::size_t spectra = d_history.spectra(fresh);
        const std::size_t length = run_spectra(spectra);
        const std::size_t per_input = (spectra + length - 1) / length;
        const std::size_t runs = d_p.inputs * per_input;
        check_steered(d_p, d_towards, samples);
        const std::size_t parts = std::min(runs, max_parts(spectra));
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
                saturated[i] += space.finish.take_saturated(i);
            }
        }
        d_history.keep(raw, stride, fresh);
        return spectra;
    }

    void blank(void* out,
               std::size_t input,
               std::size_t first,
               std::size_t count) const override
    {
        blank_rows(d_p, out, input, first, count);
    }
    void reset() override
    {
        d_history.clear();
        // What comes then does not depend on what was before, to the last bit.
        for (auto& space : d_spaces) {
            space.finish.forget();
        }
    }

    void steer(const steering& towards) override
    {
        check_steering(d_p, towards);
        d_towards = towards;
    }

    void set_corrections(const std::vector<std::complex<float>>& corrections) override
    {
        check_corrections(d_p, corrections);
        d_p.corrections = corrections;
        for (auto& space : d_spaces) {
            space.finish.forget();
        }
    }

private:
    //! What a thread needs for itself.
    struct workspace {
        workspace(const channelizer_params& p, const window_filter& f)
            : filter(f.make_workspace()),
              bins(p.points() + 1),
              finish(p, f.runs()),
              tile(p)
        {
        }

        window_filter::workspace filter;
        aligned_vector<std::complex<float>> bins;
        spectrum_finish finish;
        spectra_tile tile;
    };

    //! Into how many parts a call is cut: a few for each worker, none that is done faster
    //! than a worker that sleeps would have been woken up.
    std::size_t max_parts(std::size_t spectra) const
    {
        constexpr std::size_t min_samples = 65536;
        const std::size_t worthwhile = spectra * d_p.inputs * d_p.points() / min_samples;
        const std::size_t wanted = d_spaces.size() == 1 ? 1 : 4 * d_spaces.size();
        return std::clamp<std::size_t>(worthwhile, 1, wanted);
    }

    //! Spectra of one input that are made in a row: whole tiles, as many as a part has.
    std::size_t run_spectra(std::size_t spectra) const
    {
        const std::size_t even = spectra * d_p.inputs / max_parts(spectra);
        return std::max((even + d_together - 1) / d_together, std::size_t(1)) *
               d_together;
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
        std::array<steered, max_tile_spectra> how;
        std::ptrdiff_t shift = 0;
        for (std::size_t s = first; s < last; s += d_together) {
            const std::size_t count = std::min(d_together, last - s);
            for (std::size_t n = 0; n < count && d_p.max_shift_samples > 0; n++) {
                how[n] = to.at(s + n);
            }
            const auto block = static_cast<std::uint8_t*>(out) +
                               (i * d_p.block_spectra + s) * spectrum_stride(d_p);
            const bin_rows rows = d_p.layout == spectra_layout::channel_major
                                      ? space.tile.rows()
                                      : bin_rows{block, spectrum_stride(d_p)};
            const bool straight = goes_straight(rows);
            for (std::size_t n = 0, many; n < count; n += many) {
                many = neighbors(how.data() + n, count - n);
                // The windows slide on by one row each; else they are read anew.
                const bool anew = s + n == first || how[n].shift != shift;
                shift = how[n].shift;
                d_filter.fold(d_history, {i, s + n, many, shift, anew}, in, space.filter);
                for (std::size_t k = n; k < n + many; k++) {
                    float* const window =
                        space.filter.folded.data() + (k - n) * space.filter.stride;
                    if (straight) {
                        d_transform.run(
                            window,
                            reinterpret_cast<std::complex<float>*>(rows.at(k)),
                            d_filter.apart());
                    } else {
                        d_transform.run(window, space.bins.data(), d_filter.apart());
                        finish(space, i, how[k], rows.at(k));
                    }
                }
            }
            if (d_p.layout == spectra_layout::channel_major) {
                turn_tile(space, i, how.data(), count, block);
            } else if (straight && !space.finish.plain()) {
                space.finish.multiply(i, how.data(), count, rows);
            }
        }
    }

    //! The first of these windows that follow one another by a row, which are filtered together.
    std::size_t neighbors(const steered* how, std::size_t count) const
    {
        std::size_t n = 1;
        while (n < std::min(count, d_filter.together()) && how[n].shift == how[0].shift) {
            n++;
        }
        return n;
    }

    //! Transforms are made for rows on cache lines, and write bins in their order.
    bool goes_straight(const bin_rows& rows) const
    {
        return d_p.requantize_bits == 0 &&
               (d_p.layout == spectra_layout::channel_major ||
                (d_filter.runs().size() == 1 &&
                 reinterpret_cast<std::uintptr_t>(rows.first) % 64 == 0));
    }

    //! From the workspace's bins to a spectrum of the tile or the block.
    void finish(workspace& space, std::size_t i, const steered& how, void* out) const
    {
        const auto bins = reinterpret_cast<float*>(space.bins.data());
        if (!space.finish.plain()) {
            space.finish.multiply(i, &how, 1, {reinterpret_cast<std::uint8_t*>(bins), 0});
        }
        space.finish.write(i, bins, out);
    }

    //! The corner turn of a tile of input i, whose spectra are still to be multiplied if
    //! they are floats: in passing, where they have factors in common.
    void turn_tile(workspace& space,
                   std::size_t i,
                   const steered* how,
                   std::size_t count,
                   std::uint8_t* out) const
    {
        std::array<row_turn, max_tile_spectra> turns;
        row_factors factors{};
        bool turned = false;
        if (d_p.requantize_bits == 0 && !space.finish.plain()) {
            if (space.finish.common_factors(i, how, count, factors, turns.data())) {
                turned = d_p.max_shift_samples > 0;
            } else {
                space.finish.multiply(i, how, count, space.tile.rows());
            }
        }
        space.tile.turn(count,
                        d_filter.runs(),
                        factors,
                        turned ? turns.data() : nullptr,
                        out,
                        d_p.inputs * d_p.block_spectra);
    }

    channelizer_params d_p;
    const std::size_t d_sample; //!< bytes of a voltage
    const window_filter d_filter;
    sample_history d_history;
    const transform_f32 d_transform;
    const std::size_t d_together; //!< spectra of a tile
    const std::shared_ptr<workers> d_workers;
    std::vector<workspace> d_spaces; //!< [slot]
    steering d_towards{};
};

} // namespace

std::unique_ptr<channelizer> make_cpu_channelizer(const channelizer_params& p)
{
    return std::make_unique<cpu_channelizer>(p);
}

} // namespace gr::fringe::kernels
