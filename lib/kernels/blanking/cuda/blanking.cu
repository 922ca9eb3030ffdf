/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/blanking/backends.h"
#include "kernels/blanking/cuda/backend.h"
#include "kernels/blanking/cuda/search.cuh"
#include "kernels/cuda/staging.h"

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;
constexpr std::size_t staged_bytes = 64 << 10;

unsigned blocks_for(std::size_t count)
{
    return static_cast<unsigned>((count + threads - 1) / threads);
}

//! Grows where more is asked for; then the host waits.
template <class T>
T* room_in(cuda_array<T>& memory, const cuda_context& c, std::size_t count)
{
    if (memory.size() < count) {
        memory = cuda_array<T>(c, count);
    }
    return memory.data();
}

/*!
 * Each input has twice the room that is needed. When the end is reached, what is held moves to
 * the other half's begin in one copy; the two never overlap, since no more than half is held.
 */
template <class T, unsigned Parts>
class cuda_blanking : public blanking
{
public:
    cuda_blanking(const cuda_context& c, const blanking_params& p)
        : d_context(c),
          d_p(p),
          d_row(2 * p.held_samples),
          d_values(c, p.inputs * d_row * Parts),
          d_limits(c, 2 * p.inputs + 1),
          d_staging(c, staged_bytes)
    {
    }

    void append(const void* block, std::size_t samples) override
    {
        check_room(d_p, d_held, samples);
        d_context.use();
        if (d_first + d_held + samples > d_row) {
            move_rows(d_values.data(), d_row, held(0), d_row, d_held);
            d_first = 0;
        }
        move_rows(held(d_held),
                  d_row,
                  static_cast<const T*>(block),
                  d_p.block_samples,
                  samples);
        d_held += samples;
    }

    void cell_powers(std::size_t first, std::size_t cells, double* powers) override
    {
        check_held(d_held, first, cells * cell);
        if (cells == 0) {
            return;
        }
        d_context.use();
        double* const there = room_in(d_powers, d_context, d_p.inputs * cells);
        cell_powers_kernel<T, Parts>
            <<<dim3(blocks_for(cells), static_cast<unsigned>(d_p.inputs)),
               threads,
               0,
               d_context.compute>>>({held(first), d_row}, cells, there);
        check_launch("blanking: powers of cells");
        download(powers, there, d_p.inputs * cells);
    }

    std::vector<std::uint64_t>
    find(std::size_t first, std::size_t count, const blanking_limits& limits) override
    {
        check_held(d_held, first, count);
        check_limits(d_p, limits);
        const std::size_t words = (count + 63) / 64;
        std::vector<std::uint64_t> found((d_p.inputs + 1) * words);
        if (count == 0) {
            return found;
        }
        d_context.use();
        std::vector<float> all = limits.power;
        all.insert(all.end(), limits.scale.begin(), limits.scale.end());
        all.push_back(limits.sum);
        d_staging.copy(d_limits.data(), all.data(), all.size() * sizeof(float));
        std::uint32_t* const there = room_in(d_bits, d_context, 2 * found.size());
        find_kernel<T, Parts><<<blocks_for(words * 64), threads, 0, d_context.compute>>>(
            {held(first), d_row},
            static_cast<unsigned>(d_p.inputs),
            count,
            d_limits.data(),
            2 * words,
            there);
        check_launch("blanking: search for pulses");
        download(reinterpret_cast<std::uint32_t*>(found.data()), there, 2 * found.size());
        return found;
    }

    void zero(const std::vector<sample_run>& runs) override
    {
        check_runs(d_p, d_held, runs);
        if (runs.empty()) {
            return;
        }
        d_context.use();
        sample_run* const there = room_in(d_runs, d_context, runs.size());
        d_staging.copy(there, runs.data(), runs.size() * sizeof(sample_run));
        zero_runs_kernel<T, Parts>
            <<<static_cast<unsigned>(runs.size()), 64, 0, d_context.compute>>>(
                {held(0), d_row}, there);
        check_launch("blanking: zeros");
    }

    void take(void* block, std::size_t samples) override
    {
        check_held(d_held, 0, samples);
        check_room(d_p, 0, samples);
        d_context.use();
        move_rows(static_cast<T*>(block), d_p.block_samples, held(0), d_row, samples);
        d_first += samples;
        d_held -= samples;
    }

    void clear() override { d_first = d_held = 0; }

private:
    T* held(std::size_t sample) const
    {
        return d_values.data() + (d_first + sample) * Parts;
    }

    //! Copies `samples` samples of every input; rows are so many samples apart.
    void move_rows(T* to,
                   std::size_t to_row,
                   const T* from,
                   std::size_t from_row,
                   std::size_t samples)
    {
        constexpr std::size_t sample = Parts * sizeof(T);
        if (samples == 0) {
            return;
        }
        check_cuda(cudaMemcpy2DAsync(to,
                                     to_row * sample,
                                     from,
                                     from_row * sample,
                                     samples * sample,
                                     d_p.inputs,
                                     cudaMemcpyDeviceToDevice,
                                     d_context.compute),
                   "copying voltages");
    }

    //! The host waits, since it decides.
    template <class Value>
    void download(Value* to, const Value* from, std::size_t count)
    {
        check_cuda(cudaMemcpyAsync(to,
                                   from,
                                   count * sizeof(Value),
                                   cudaMemcpyDeviceToHost,
                                   d_context.compute),
                   "blanking: reading results");
        check_cuda(cudaStreamSynchronize(d_context.compute), "blanking: waiting");
    }

    const cuda_context& d_context;
    const blanking_params d_p;
    const std::size_t d_row;    //!< samples of an input
    cuda_array<T> d_values;     //!< [input][sample][part]
    cuda_array<float> d_limits; //!< see find_kernel
    cuda_array<double> d_powers;
    cuda_array<std::uint32_t> d_bits;
    cuda_array<sample_run> d_runs;
    staging d_staging;
    std::size_t d_first = 0, d_held = 0; //!< the oldest sample; how many
};

template <class T>
std::unique_ptr<blanking> make_of(const cuda_context& c, const blanking_params& p)
{
    if (p.complex_samples) {
        return std::make_unique<cuda_blanking<T, 2>>(c, p);
    }
    return std::make_unique<cuda_blanking<T, 1>>(c, p);
}

const bool registered =
    blanking_factory().set([](std::size_t index, const blanking_params& p) {
        return make_cuda_blanking(context_of(index), p);
    });

} // namespace

std::unique_ptr<blanking> make_cuda_blanking(const cuda_context& c,
                                             const blanking_params& p)
{
    switch (p.in) {
    case component::i8:
        return make_of<std::int8_t>(c, p);
    case component::i16:
        return make_of<std::int16_t>(c, p);
    default:
        return make_of<float>(c, p);
    }
}

} // namespace gr::fringe::kernels
