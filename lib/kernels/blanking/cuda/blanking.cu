/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/blanking/backends.h"
#include "kernels/blanking/cuda/backend.h"
#include "kernels/blanking/cuda/host_results.h"
#include "kernels/blanking/cuda/search.cuh"
#include "kernels/cuda/staging.h"
#include <algorithm>

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

__global__ void publish_kernel(const unsigned* from, unsigned* to) { *to = *from; }

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
          d_bad(c, p.bad_input.size()),
          d_count(c, 1),
          d_staging(c, staged_bytes)
    {
        d_staging.copy(d_bad.data(), p.bad_input.data(), p.bad_input.size());
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

    std::vector<window_levels> levels(const sample_windows& of,
                                      const std::vector<sample_run>& lost) override
    {
        check_windows(d_held, of);
        check_runs(d_p, d_held, lost);
        const auto windows = static_cast<unsigned>(of.windows());
        if (windows == 0) {
            return {};
        }
        d_context.use();
        const std::size_t full = std::min(of.window, of.count);
        const window_cells shape{static_cast<unsigned>(d_p.inputs),
                                 windows,
                                 static_cast<unsigned>(full / cell),
                                 static_cast<unsigned>(of.samples(windows - 1) / cell)};
        const std::size_t rows = d_p.inputs + 1, runs = shape.cells / run_cells;
        room_in(d_levels, d_context, windows * rows);
        auto* const host = d_results.room(d_context,
                                          windows * rows * sizeof(cell_levels) +
                                              windows * runs * sizeof(float));
        auto* const host_levels = reinterpret_cast<cell_levels*>(host);
        auto* const host_runs = reinterpret_cast<float*>(host_levels + windows * rows);
        if (shape.cells > 0) {
            launch_levels(of, shape, lost, host_levels, host_runs);
        } else {
            std::fill_n(host_levels, windows * rows, cell_levels());
        }
        wait();
        std::vector<window_levels> found(windows);
        for (unsigned k = 0; k < windows; k++) {
            const std::size_t some = of.samples(k) / cell / run_cells;
            const cell_levels* const of_window = host_levels + k * rows;
            found[k].inputs.assign(of_window, of_window + d_p.inputs);
            found[k].sum = of_window[d_p.inputs];
            found[k].runs.assign(host_runs + k * runs, host_runs + k * runs + some);
        }
        return found;
    }

    std::vector<found_samples> find(const sample_windows& in,
                                    const std::vector<blanking_limits>& limits) override
    {
        check_windows(d_held, in);
        check_limits(d_p, in, limits);
        if (in.count == 0) {
            return {};
        }
        d_context.use();
        std::vector<float> all;
        for (const blanking_limits& l : limits) {
            all.insert(all.end(), l.power.begin(), l.power.end());
            all.insert(all.end(), l.scale.begin(), l.scale.end());
            all.push_back(l.sum);
        }
        d_staging.copy(room_in(d_limits, d_context, all.size()),
                       all.data(),
                       all.size() * sizeof(float));
        for (;;) {
            const unsigned count = launch_find(in);
            if (count <= d_found_room) {
                return in_order(in, count);
            }
            d_found_room = 2 * count;
        }
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

    void launch_levels(const sample_windows& of,
                       const window_cells& shape,
                       const std::vector<sample_run>& lost,
                       cell_levels* host_levels,
                       float* host_runs)
    {
        constexpr unsigned lanes = std::is_same_v<T, float> ? 1 : cell;
        const unsigned inputs = shape.inputs, windows = shape.windows;
        double* const powers =
            room_in(d_powers, d_context, std::size_t(windows) * inputs * shape.cells);
        const levels_task task{
            shape,
            powers,
            room_in(d_inverse, d_context, std::size_t(windows) * inputs),
            room_in(d_sums, d_context, std::size_t(windows) * shape.cells),
            d_bad.data(),
            d_levels.data(),
            host_levels,
            host_runs};
        cell_powers_kernel<T, Parts>
            <<<dim3(blocks_for(std::size_t(shape.cells) * lanes), inputs, windows),
               threads,
               0,
               d_context.compute>>>({held(of.first), d_row}, of.window, shape, powers);
        check_launch("blanking: powers of cells");
        if (!lost.empty()) {
            sample_run* const there = room_in(d_runs, d_context, lost.size());
            d_staging.copy(there, lost.data(), lost.size() * sizeof(sample_run));
            launch_lost_cells(d_context, task, there, lost.size(), of.first, of.window);
        }
        kernels::launch_levels(d_context, task);
    }

    //! Returns how many words were found, more perhaps than there is room for.
    unsigned launch_find(const sample_windows& in)
    {
        const auto stream = d_context.compute;
        auto* const host = d_results.room(
            d_context, sizeof(found_word) * (std::size_t(d_found_room) + 1));
        auto* const count = reinterpret_cast<unsigned*>(host);
        check_cuda(cudaMemsetAsync(d_count.data(), 0, sizeof(unsigned), stream),
                   "blanking: counting from 0");
        find_kernel<T, Parts><<<dim3(blocks_for(std::min(in.window, in.count)),
                                     static_cast<unsigned>(in.windows())),
                                threads,
                                0,
                                stream>>>({{held(in.first), d_row}, in.count, in.window},
                                          static_cast<unsigned>(d_p.inputs),
                                          d_limits.data(),
                                          reinterpret_cast<found_word*>(host) + 1,
                                          d_found_room,
                                          d_count.data());
        check_launch("blanking: search for pulses");
        publish_kernel<<<1, 1, 0, stream>>>(d_count.data(), count);
        check_launch("blanking: how many were found");
        wait();
        return *count;
    }

    //! What was found, in order, in words of 64 samples of a window.
    std::vector<found_samples> in_order(const sample_windows& in, unsigned count)
    {
        auto* const words = reinterpret_cast<found_word*>(d_results.data()) + 1;
        std::sort(words, words + count, [](const found_word& a, const found_word& b) {
            return a.input != b.input ? a.input < b.input : a.first < b.first;
        });
        std::vector<found_samples> found;
        for (const found_word* w = words; w < words + count; ++w) {
            const unsigned in_window = w->first % in.window;
            const auto first =
                static_cast<std::uint32_t>(in.first + w->first - in_window % 64);
            if (found.empty() || found.back().input != w->input ||
                found.back().first != first) {
                found.push_back({w->input, first, 0});
            }
            found.back().bits |= std::uint64_t(w->bits) << in_window % 64;
        }
        return found;
    }

    //! The host waits, since it decides.
    void wait() const
    {
        check_cuda(cudaStreamSynchronize(d_context.compute), "blanking: waiting");
    }

    const cuda_context& d_context;
    const blanking_params d_p;
    const std::size_t d_row;    //!< samples of an input
    cuda_array<T> d_values;     //!< [input][sample][part]
    cuda_array<float> d_limits; //!< see find_kernel
    cuda_array<double> d_powers, d_inverse;
    cuda_array<float> d_sums;
    cuda_array<cell_levels> d_levels;
    cuda_array<char> d_bad; //!< [input], or nothing
    cuda_array<sample_run> d_runs;
    cuda_array<unsigned> d_count;
    unsigned d_found_room = 1024; //!< words
    host_results d_results;
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
