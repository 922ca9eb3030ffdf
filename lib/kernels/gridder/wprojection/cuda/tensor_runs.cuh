/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_RUNS_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_RUNS_CUH

#include "kernels/gridder/wprojection/cuda/tensor_rows.cuh"
#include "kernels/gridder/wprojection/cuda/work.cuh"
#include <cuda_pipeline.h>

namespace gr::fringe::kernels::tensor {

/*!
 * The visibilities of a chunk, in the order of in_turn(), as a thread meets them: one in each
 * batch. Behind the last row it stays in that row, so that what it reads is there.
 */
class chunk_reader
{
public:
    __device__ chunk_reader(const convolver_work& w, std::size_t begin, unsigned batch)
        : d_w(w), d_first(begin / w.channels), d_odd(unsigned(d_first) % 2)
    {
        const unsigned n = unsigned(begin - d_first * w.channels) + threadIdx.x;
        d_row = n / w.channels;
        d_channel = n - d_row * w.channels;
        d_rows = batch / w.channels;
        d_channels = batch - d_rows * w.channels;
        d_last = unsigned(w.count / w.channels - 1 - d_first);
    }
    //! Visibilities before the first row of the chunk.
    __device__ std::size_t before() const { return d_first * d_w.channels; }
    //! Number of the visibility, counted from the first row of the chunk on.
    __device__ unsigned number() const { return row() * d_w.channels + channel(); }
    //! Begins to bring its u, v and w, in meters, and waves per meter to shared memory.
    __device__ void read_place(double (&to)[4]) const
    {
        const double* const b = d_w.uvw + 3 * (d_first + row());
#pragma unroll
        for (int n = 0; n < 3; n++) {
            __pipeline_memcpy_async(&to[n], b + n, sizeof(double));
        }
        __pipeline_memcpy_async(&to[3], d_w.waves + channel(), sizeof(double));
    }
    //! To the next batch.
    __device__ void go_on()
    {
        d_row += d_rows;
        d_channel += d_channels;
        if (d_channel >= d_w.channels) {
            d_channel -= d_w.channels;
            d_row++;
        }
    }

private:
    __device__ unsigned row() const { return min(d_row, d_last); }
    __device__ unsigned channel() const
    {
        return (d_odd + row()) % 2 ? d_w.channels - 1 - d_channel : d_channel;
    }

    const convolver_work& d_w;
    const std::size_t d_first; // row
    const unsigned d_odd;
    unsigned d_row, d_channel, d_rows, d_channels, d_last;
};

//! Visibilities of a batch, of which threads have one each: as many as 48 KB let there be.
FRINGE_HOST_DEVICE constexpr int batch_of(int support, int threads)
{
    const int maximum = support > 64 ? 64 : 128;
    return threads < maximum ? threads : maximum;
}

//! Where a batch of visibilities is, in shared memory.
template <int Batch, bool Interpolate>
struct batch_places {
    int2 first[Batch];  //!< cells that kernels begin at
    uint2 lines[Batch]; //!< of the tables for u and v; the nearest kernels: rows
    unsigned plane[Batch];
    parabolas weights[Interpolate ? Batch : 1];

    template <class Rows>
    __device__ void put(const w_geometry& g, int k, const w_place& x)
    {
        first[k] = make_int2(x.u, x.v);
        plane[k] = x.plane;
        if (Interpolate) {
            const unsigned line = x.plane * g.fractions();
            lines[k] = make_uint2(line + x.fu, line + x.fv);
            parabola(x.tu, weights[k].u);
            parabola(x.tv, weights[k].v);
            parabola(x.tw, weights[k].w);
        } else {
            lines[k] =
                make_uint2(Rows::row_of(x.plane, x.fu), Rows::row_of(x.plane, x.fv));
        }
    }
};

//! A number of cells within the grid, from one that is less than n below or above.
__device__ inline int within(int x, int n) { return x < 0 ? x + n : x >= n ? x - n : x; }

//! A run of visibilities: the tile of the grid in which it is, and the planes of kernels that
//! there are rows of.
class visibility_run
{
public:
    int u = 0, v = 0; //!< first cells of the tile
    bool any = false; //!< whether there is a tile

    __device__ bool has_plane(unsigned plane) const
    {
        return plane == (plane % 2 ? d_odd : d_even);
    }
    __device__ void take_plane(unsigned plane) { (plane % 2 ? d_odd : d_even) = plane; }

    /*!
     * Of the visibilities whose first cells the lanes have, and which are ready: those from
     * `start` on, below `end`, that fit into the tile, or into a new one if the first does not:
     * then it returns true and where that is. `stop` is behind the last of them.
     */
    __device__ bool next_piece(int slack,
                               int start,
                               int end,
                               int2 first,
                               bool ready,
                               int& stop,
                               int2& new_tile) const
    {
        const int lane = threadIdx.x % 32;
        const bool there = lane >= start && lane < end;
        const bool fits = ready && any && unsigned(first.x - u) <= unsigned(slack) &&
                          unsigned(first.y - v) <= unsigned(slack);
        unsigned no = same_for_all(__ballot_sync(~0u, there && !fits));
        if (!(no >> start & 1)) {
            stop = no ? __ffs(no) - 1 : end;
            return false;
        }
        const int start_u = __shfl_sync(~0u, first.x, start);
        const int start_v = __shfl_sync(~0u, first.y, start);
        int low_u = there ? first.x : start_u, low_v = there ? first.y : start_v;
        int high_u = low_u, high_v = low_v; // of all lanes up to this
        for (int step = 1; step < 32; step *= 2) {
            const int a = __shfl_up_sync(~0u, low_u, step);
            const int b = __shfl_up_sync(~0u, high_u, step);
            const int c = __shfl_up_sync(~0u, low_v, step);
            const int d = __shfl_up_sync(~0u, high_v, step);
            if (lane >= step) {
                low_u = min(low_u, a);
                high_u = max(high_u, b);
                low_v = min(low_v, c);
                high_v = max(high_v, d);
            }
        }
        no = same_for_all(__ballot_sync(
            ~0u, there && (!ready || high_u - low_u > slack || high_v - low_v > slack)));
        stop = no ? __ffs(no) - 1 : end;
        low_u = __shfl_sync(~0u, low_u, stop - 1);
        high_u = __shfl_sync(~0u, high_u, stop - 1);
        low_v = __shfl_sync(~0u, low_v, stop - 1);
        high_v = __shfl_sync(~0u, high_v, stop - 1);
        // Room is left where the run goes.
        new_tile = make_int2(any && low_u < u ? high_u - slack : low_u,
                             any && low_v < v ? high_v - slack : low_v);
        return true;
    }

private:
    unsigned d_even = ~0u, d_odd = ~0u;
};

} // namespace gr::fringe::kernels::tensor

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_RUNS_CUH */
