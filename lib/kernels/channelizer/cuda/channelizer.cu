/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/backends.h"
#include "kernels/channelizer/cuda/cufft.h"
#include "kernels/channelizer/cuda/finish.h"
#include "kernels/channelizer/cuda/history.h"
#include "kernels/channelizer/cuda/paths.h"
#include "kernels/channelizer/cuda/split.h"
#include "kernels/channelizer/cuda/steer.h"
#include "kernels/channelizer/cuda/turns.h"
#include "kernels/channelizer/prototype.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t usual_workspace = std::size_t(512) << 20;
//! What a grid of blocks can count.
constexpr std::size_t max_part_spectra = std::size_t(1) << 20;
//! cuFFT passes over the data more than once beyond this.
constexpr std::size_t longest_single_pass = 8192;

//! exp(-2 pi i q k / points), q = 1 ... radix - 1, k < points / radix.
std::vector<float2> radix_turns(std::size_t points, unsigned radix)
{
    std::vector<float2> turns;
    for (std::size_t q = 1; q < radix; q++) {
        for (std::size_t k = 0; k < points / radix; k++) {
            turns.push_back(turn(static_cast<double>(q * k) / points));
        }
    }
    return turns;
}

class cuda_channelizer : public channelizer
{
public:
    cuda_channelizer(const cuda_context& c,
                     const channelizer_params& p,
                     transform_path path,
                     std::size_t workspace_bytes)
        : d_context(c),
          d_p(p),
          d_history(c,
                    p.inputs,
                    p.taps,
                    2 * p.channels * component_bytes(p.in),
                    max_shift_rows(p))
    {
        c.use();
        choose(path);
        fill_tables();
        const std::size_t row_bytes = p.channels * sizeof(float2);
        const std::size_t rows =
            std::clamp<std::size_t>(workspace_bytes / row_bytes, 1, std::size_t(1) << 24);
        // Parts are whole blocks of some inputs, or else whole tiles of one.
        const std::size_t tiles = std::max<std::size_t>(
            std::min(rows, max_part_spectra) / tile_layout::width, 1);
        d_part_spectra = p.block_spectra <= std::min(rows, max_part_spectra)
                             ? p.block_spectra
                             : std::min(tiles * tile_layout::width, p.block_spectra);
        d_part_inputs = std::clamp<std::size_t>(rows / d_part_spectra, 1, p.inputs);
        d_work = cuda_array<float2>(c, d_part_inputs * d_part_spectra * p.channels);
        if (!d_fused && !d_split) {
            d_cufft = std::make_unique<cufft_transform>(
                c, p.channels / d_radix, d_part_inputs * d_part_spectra * d_radix);
            // It transforms all rows, also those that a short call leaves as they are.
            check_cuda(cudaMemsetAsync(d_work.data(), 0, d_work.bytes(), c.compute),
                       "clearing work memory");
        }
        if (p.max_shift_samples > 0) {
            d_steering = std::make_unique<device_steering>(c, p, d_conjugate.data());
        }
    }

    std::size_t process(const void* in,
                        std::size_t in_stride,
                        std::size_t samples,
                        void* out,
                        std::uint64_t* saturated) override
    {
        check_samples(d_p, in_stride, samples);
        const std::size_t fresh = samples / d_p.points();
        const std::size_t spectra = d_history.spectra(fresh);
        check_steered(d_p, d_towards, samples);
        if (fresh == 0) {
            if (d_change) {
                take_corrections();
            }
            return 0;
        }
        d_context.use();
        if (d_steering && spectra > 0) {
            d_steering->aim(d_towards, spectra);
        }
        fir_call filter = filter_call(in, in_stride);
        d_history.pass(filter, fresh);
        finish_call finish = finish_call_for(out, saturated, spectra);
        if (d_change) {
            finish.next_corrections = d_corrections[1 - d_current].data();
            finish.change = static_cast<unsigned>(std::min(*d_change, spectra));
            take_corrections();
        }
        if (spectra > 0 && finish.tiles && finish.block.planes() == 3) {
            clear_flags(filter, finish, spectra);
        }
        for (std::size_t i = 0; i < d_p.inputs; i += d_part_inputs) {
            const std::size_t inputs = std::min(d_part_inputs, d_p.inputs - i);
            std::size_t first = 0;
            do {
                const std::size_t count = std::min(d_part_spectra, spectra - first);
                filter.first_input = finish.first_input = static_cast<unsigned>(i);
                filter.inputs = finish.inputs = static_cast<unsigned>(inputs);
                filter.first = finish.first = static_cast<unsigned>(first);
                filter.spectra = static_cast<unsigned>(count);
                filter.keep_history = first == 0;
                finish.last = static_cast<unsigned>(first + count);
                run_part(filter, finish);
                filter.flag_rows = 0;
                first += count;
            } while (first < spectra);
        }
        return spectra;
    }

    void blank(void* out,
               std::size_t input,
               std::size_t first,
               std::size_t count) const override
    {
        d_context.use();
        launch_blank(d_context,
                     finish_call_for(out, nullptr, 0),
                     static_cast<unsigned>(input),
                     first,
                     count);
    }

    void reset() override { d_history.clear(); }

    void steer(const steering& towards) override
    {
        check_steering(d_p, towards);
        d_towards = towards;
    }

    void set_corrections(const std::vector<std::complex<float>>& corrections) override
    {
        set_corrections_from(0, corrections);
    }

    void
    set_corrections_from(std::size_t from,
                         const std::vector<std::complex<float>>& corrections) override
    {
        check_corrections(d_p, corrections);
        d_context.use();
        // What is in the stream already has the other table, or has read this one before
        // it changes.
        table& next = d_corrections[1 - d_current];
        next.used = !corrections.empty();
        if (next.used && next.factors.size() == 0) {
            next.factors = cuda_array<float2>(d_context, corrections.size());
        }
        if (next.used) {
            check_cuda(cudaMemcpyAsync(next.factors.data(),
                                       corrections.data(),
                                       next.factors.bytes(),
                                       cudaMemcpyHostToDevice,
                                       d_context.compute),
                       "copying corrections");
        }
        d_change = from;
        if (from == 0) {
            take_corrections();
        }
    }

private:
    //! Corrections, [input][channel], or none.
    struct table {
        cuda_array<float2> factors;
        bool used = false;

        const float2* data() const { return used ? factors.data() : nullptr; }
    };

    void choose(transform_path path)
    {
        const bool own = path != transform_path::cufft && d_p.requantize_bits != 0;
        if (own && fused_transform::fits(d_context, d_p.channels)) {
            d_fused = std::make_unique<fused_transform>(d_context, d_p.channels);
        } else if (own && split_transform::fits(d_context, d_p.channels)) {
            d_split = std::make_unique<split_transform>(d_context, d_p.channels);
            d_radix = split_transform::radix_of(d_p.channels);
        } else if (d_p.channels > longest_single_pass && d_p.channels % 4 == 0) {
            d_radix = 4;
        }
    }

    std::vector<float> effective_gains() const
    {
        return d_p.gains.empty() || d_p.requantize_bits == 0
                   ? std::vector<float>(d_p.inputs, 1.0f)
                   : d_p.gains;
    }

    void fill_tables()
    {
        const auto h = prototype(d_p.points(), d_p.taps, d_p.window);
        const std::size_t components = 2 * d_p.channels;
        // Real spectra are taken apart as sums of two bins, without the factor 1/2.
        const double scale = (d_p.complex_samples ? 1.0 : 0.5) /
                             std::sqrt(static_cast<double>(d_p.points()));
        const std::size_t each = components / d_p.points();
        std::vector<float> coefficients(d_p.taps * components);
        for (std::size_t n = 0; n < coefficients.size(); n++) {
            coefficients[n] = static_cast<float>(scale * h[n / each]);
        }
        d_coefficients = uploaded(d_context, coefficients);
        d_gains = uploaded(d_context, effective_gains());
        std::vector<std::uint8_t> conjugate(d_p.conjugate.begin(), d_p.conjugate.end());
        conjugate.resize(d_p.inputs);
        d_conjugate = uploaded(d_context, conjugate);
        set_corrections(d_p.corrections);
        if (!d_p.complex_samples) {
            std::vector<float2> turns;
            for (std::size_t k = 0; k < d_p.channels; k++) {
                turns.push_back(turn(0.5 * static_cast<double>(k) / d_p.channels));
            }
            d_half_turn = uploaded(d_context, turns);
        }
        d_radix_turns = uploaded(d_context, radix_turns(d_p.channels, d_radix));
    }

    fir_call filter_call(const void* in, std::size_t in_stride) const
    {
        fir_call f;
        f.type = d_p.in;
        f.in = in;
        f.sample_components = d_p.complex_samples ? 2 : 1;
        f.in_stride = in_stride * f.sample_components;
        f.taps = d_p.taps;
        f.components = static_cast<unsigned>(2 * d_p.channels);
        f.coefficients = d_coefficients.data();
        f.gains = d_gains.data();
        f.out = d_work.data();
        f.out_rows = static_cast<unsigned>(d_part_spectra);
        f.radix = d_radix;
        f.first_turns = d_split ? d_split->first_turns() : nullptr;
        if (d_steering) {
            f.shifts = d_steering->shifts();
            f.shift_pitch = d_steering->pitch();
        }
        return f;
    }

    finish_call
    finish_call_for(void* out, std::uint64_t* saturated, std::size_t spectra) const
    {
        finish_call f;
        f.in = d_work.data();
        f.rows = static_cast<unsigned>(d_part_spectra);
        f.spectra = static_cast<unsigned>(spectra);
        f.block.inputs = d_p.inputs;
        f.block.channels = d_p.channels;
        f.block.block_spectra = d_p.block_spectra;
        f.out = out;
        f.complex_samples = d_p.complex_samples;
        f.quantize = d_p.requantize_bits != 0;
        f.tiles = d_p.layout == spectra_layout::tensor_tiles;
        f.limit = f.quantize ? quantizer_limit(d_p.requantize_bits) : 0;
        f.conjugate = d_conjugate.data();
        f.corrections = d_corrections[d_current].data();
        if (d_steering) {
            f.turns = d_steering->turns();
            f.turns_pitch = d_steering->pitch();
        }
        f.half_turn = d_half_turn.data();
        f.saturated = reinterpret_cast<unsigned long long*>(saturated);
        return f;
    }

    //! Those that came last are the present ones from now on.
    void take_corrections()
    {
        d_current = 1 - d_current;
        d_change.reset();
    }

    //! The first kernel sets the flags of the groups of tiles to zero that follow.
    static void
    clear_flags(fir_call& filter, const finish_call& finish, std::size_t spectra)
    {
        const tile_layout& tiles = finish.block;
        filter.flags = static_cast<std::uint8_t*>(finish.out) + tiles.flags_offset();
        filter.flag_rows = tiles.channels;
        filter.flag_pitch = tiles.time_groups() * tiles.input_groups();
        filter.flag_width = (spectra + tile_layout::width - 1) / tile_layout::width *
                            tiles.input_groups();
    }

    void run_part(const fir_call& filter, finish_call finish) const
    {
        (d_steering ? launch_shifted_fir : launch_fir)(d_context, filter);
        if (filter.spectra == 0) {
            return;
        }
        if (finish.tiles) { // whole tiles, the last ones with zeros
            if (finish.first_input + finish.inputs == d_p.inputs) {
                finish.inputs = static_cast<unsigned>(
                    finish.block.input_groups() * tile_layout::rows - finish.first_input);
            }
            finish.last = static_cast<unsigned>((finish.last + tile_layout::width - 1) /
                                                tile_layout::width * tile_layout::width);
        }
        if (d_fused) {
            d_fused->launch(d_context, finish);
        } else if (d_split) {
            d_split->launch(d_context, finish);
        } else {
            d_cufft->run(d_work.data());
            launch_post(d_context, finish, d_radix, d_radix_turns.data());
        }
    }

    const cuda_context& d_context;
    channelizer_params d_p;
    unsigned d_radix = 1;
    std::size_t d_part_inputs = 1, d_part_spectra = 1;
    device_history d_history;
    cuda_array<float> d_coefficients, d_gains;
    cuda_array<std::uint8_t> d_conjugate;
    cuda_array<float2> d_half_turn, d_radix_turns;
    table d_corrections[2];
    unsigned d_current = 0;              //!< of the corrections
    std::optional<std::size_t> d_change; //!< spectrum from which on the others count
    std::unique_ptr<device_steering> d_steering;
    steering d_towards{};
    cuda_array<float2> d_work;
    std::unique_ptr<cufft_transform> d_cufft;
    std::unique_ptr<fused_transform> d_fused;
    std::unique_ptr<split_transform> d_split;
};

const bool registered =
    channelizer_factory().set([](std::size_t index, const channelizer_params& p) {
        return make_cuda_channelizer(context_of(index), p);
    });

} // namespace

std::unique_ptr<channelizer> make_cuda_channelizer(const cuda_context& c,
                                                   const channelizer_params& p,
                                                   transform_path path,
                                                   std::size_t workspace_bytes)
{
    return std::make_unique<cuda_channelizer>(c, p, path, workspace_bytes);
}

std::unique_ptr<channelizer> make_cuda_channelizer(const cuda_context& c,
                                                   const channelizer_params& p)
{
    return make_cuda_channelizer(c, p, transform_path::automatic, usual_workspace);
}

} // namespace gr::fringe::kernels
