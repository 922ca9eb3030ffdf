/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/beamformer/backends.h"
#include "kernels/beamformer/cuda/backend.h"
#include "kernels/beamformer/cuda/task.h"
#include "kernels/cuda/staging.h"
#include "kernels/xengine/cuda/tiles_kernels.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

const bool registered =
    beamformer_factory().set([](std::size_t index, const beamformer_params& p) {
        return make_cuda_beamformer(context_of(index), p);
    });

//! Lists of inputs that fit into shared memory beside the stages.
constexpr std::size_t longest_lists = 15000;

class cuda_beamformer : public beamformer
{
public:
    cuda_beamformer(const cuda_context& c, const beamformer_params& p)
        : beamformer(p),
          d_context(c),
          d_tensor(p.in == component::i8 && has_hopper_kernels(c) &&
                   (p.pairs ? 2 : 1) * p.inputs <= longest_lists),
          d_weights(c, p.beams * p.channels * p.inputs),
          d_sums(c, p.rows() * p.channels),
          d_powers(c, p.incoherent ? p.channels * p.inputs : 0),
          d_staging(c, d_weights.bytes())
    {
        clear();
        check_cuda(
            cudaMemsetAsync(d_weights.data(), 0, d_weights.bytes(), d_context.compute),
            "clearing weights of beams");
        pack_weights(beam_blocks(d_p, nullptr));
    }

    void set_weights(const std::complex<float>* weights) override
    {
        d_context.use();
        keep_powers();
        d_staging.copy(d_weights.data(), weights, d_weights.bytes());
        pack_weights(beam_blocks(d_p, weights));
    }

    void steer(const beam_steering& towards) override
    {
        d_context.use();
        keep_powers();
        put(d_factors, towards.factors);
        put(d_turns, towards.turns);
        put(d_slopes, towards.slopes);
        launch_steer(d_context,
                     d_p,
                     {reinterpret_cast<const float2*>(d_factors.data()),
                      d_turns.data(),
                      d_slopes.data()},
                     d_weights.data());
        pack_there();
    }

    void
    form(const void* spectra, std::size_t first, std::size_t count, void* beams) override
    {
        check_beam_spectra(d_p, first, count);
        if (count > 0) {
            beam_task t = task_of(spectra, first, count);
            t.beams = static_cast<float2*>(beams);
            launch(t);
        }
    }

    void add(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_beam_spectra(d_p, first, count);
        if (count == 0) {
            return;
        }
        beam_task t = task_of(spectra, first, count);
        grow(d_parts, t.time_parts * t.coherent_rows() * d_p.channels);
        t.sums = d_parts.data();
        launch(t);
        launch_add_parts(d_context, t, d_sums.data());
        if (d_p.incoherent) {
            launch_input_powers(
                d_context, t, d_read.data(), d_read_count, d_powers.data());
        }
        d_fresh = false;
    }

    void read(std::size_t average, float* out) const override
    {
        check_beam_average(d_p, average);
        d_context.use();
        launch_read(d_context, sums(), average, out);
    }

    void mean(beam_mean what,
              std::size_t average,
              const float* scales,
              const float* weights,
              float* out,
              float* weights_out) override
    {
        check_beam_average(d_p, average);
        d_context.use();
        const std::size_t cells = d_p.channels / average, all = d_p.beams * cells;
        grow(d_rows, d_p.rows() * cells);
        grow(d_mean_scales, all);
        launch_read(d_context, sums(), average, d_rows.data());
        d_staging.copy(d_mean_scales.data(), scales, all * sizeof(float));
        launch_mean(d_context,
                    {what, d_rows.data(), d_mean_scales.data(), d_p.beams, cells},
                    out);
        if (weights_out) {
            d_staging.copy(weights_out, weights, all * sizeof(float));
        }
    }

    void clear() override
    {
        d_context.use();
        check_cuda(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes(), d_context.compute),
                   "clearing powers of beams");
        clear_powers();
    }

private:
    //! Weights that are in d_weights, as the kernels read them.
    void pack_weights(beam_blocks made)
    {
        place_weights(made);
        put(d_blocks, made.blocks);
        put(d_lists, made.lists);
        put(d_read, made.read);
        d_read_count = made.read.size();
        d_w.blocks = d_blocks.data();
        d_w.count = static_cast<std::uint32_t>(made.blocks.size());
        d_w.longest = made.longest;
        d_w.lists = d_lists.data();
        const std::size_t all = d_p.channels * d_w.channel_weights;
        grow(d_packed, all * (d_tensor ? weight_image : sizeof(float2)));
        d_w.weights = d_packed.data();
        if (d_tensor) {
            grow(d_scales, d_p.channels * d_w.count * 2 * beam_block::half);
            d_w.scales = d_scales.data();
        }
        pack_there();
    }

    //! Weights of the inputs that were read before.
    void pack_there()
    {
        if (d_tensor) {
            launch_pack_images(
                d_context, d_p, d_w, d_weights.data(), d_packed.data(), d_scales.data());
        } else {
            launch_pack(d_context,
                        d_p,
                        d_w,
                        d_weights.data(),
                        reinterpret_cast<float2*>(d_packed.data()));
        }
    }

    template <class T>
    void grow(cuda_array<T>& memory, std::size_t count)
    {
        if (memory.size() < count) {
            memory = cuda_array<T>(d_context, count);
        }
    }
    template <class T>
    void put(cuda_array<T>& memory, const std::vector<T>& values)
    {
        grow(memory, std::max<std::size_t>(values.size(), 1));
        d_staging.copy(memory.data(), values.data(), values.size() * sizeof(T));
    }

    //! Says where the weights of each half stand within those of a channel.
    void place_weights(beam_blocks& made)
    {
        d_w.parts = d_p.half_precision ? 1 : 2;
        std::uint32_t at = 0;
        for (beam_block& b : made.blocks) {
            for (unsigned h = 0; h < 2; h++) {
                b.weights[h] = at;
                if (!d_tensor) {
                    at += b.counts[h] * beam_block::half;
                } else if (d_p.pairs) {
                    at += beam_block::stages(b.counts[h]) * d_w.parts;
                } else { // the images of both halves take turns
                    at +=
                        h == 0 ? 1 : beam_block::stages(b.counts[0]) * d_w.parts * 2 - 1;
                }
            }
        }
        d_w.channel_weights = at;
    }

    //! The powers so far are those of the weights before.
    void keep_powers()
    {
        if (d_p.incoherent && !d_fresh) {
            launch_keep_incoherent(d_context, sums());
            clear_powers();
        }
    }

    void clear_powers()
    {
        if (d_p.incoherent) {
            check_cuda(
                cudaMemsetAsync(d_powers.data(), 0, d_powers.bytes(), d_context.compute),
                "clearing powers of inputs");
        }
        d_fresh = true;
    }

    beam_sums_there sums() const
    {
        return {d_p,
                d_sums.data(),
                d_weights.data(),
                d_p.incoherent ? d_powers.data() : nullptr};
    }

    //! Rows for tensor cores are brought into tiles.
    beam_task task_of(const void* spectra, std::size_t first, std::size_t count)
    {
        d_context.use();
        beam_task t;
        t.p = d_p;
        t.spectra = spectra;
        t.block_spectra = d_p.block_spectra;
        t.first = t.to = first;
        t.count = count;
        t.w = d_w;
        if (d_tensor && d_p.layout != spectra_layout::tensor_tiles) {
            const tile_layout l{d_p.inputs, d_p.channels, count};
            grow(d_tiles, l.bytes());
            launch_to_tiles(d_context,
                            l,
                            static_cast<const std::int8_t*>(spectra),
                            d_p.block_spectra,
                            first,
                            count,
                            d_tiles.data());
            t.p.layout = spectra_layout::tensor_tiles;
            t.spectra = d_tiles.data();
            t.block_spectra = count;
            t.first = 0;
        }
        t.time_parts =
            time_parts(d_context, t, d_tensor ? tensor_spectra : plain_spectra);
        return t;
    }
    void launch(const beam_task& t)
    {
        d_tensor ? launch_tensor(d_context, t) : launch_plain(d_context, t);
    }

    const cuda_context& d_context;
    const bool d_tensor;
    const cuda_array<float2> d_weights; //!< [beam][channel][input]
    const cuda_array<double> d_sums;    //!< [row][channel]
    const cuda_array<double> d_powers;  //!< [channel][input]
    staging d_staging;
    beam_weights_there d_w;
    cuda_array<beam_block> d_blocks;
    cuda_array<std::uint16_t> d_lists, d_read;
    cuda_array<char> d_packed;
    cuda_array<std::complex<float>> d_factors;
    cuda_array<double> d_turns, d_slopes;
    cuda_array<float> d_scales, d_parts, d_rows, d_mean_scales;
    cuda_array<std::int8_t> d_tiles;
    std::size_t d_read_count = 0;
    bool d_fresh = true; //!< no powers of inputs have been added
};

} // namespace

std::unique_ptr<beamformer> make_cuda_beamformer(const cuda_context& c,
                                                 const beamformer_params& p)
{
    return std::make_unique<cuda_beamformer>(c, p);
}

} // namespace gr::fringe::kernels
