/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_STAGING_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_STAGING_CUH

#include "kernels/gridder/cuda/work.cuh"
#include <cuda_fp16.h>

namespace gr {
namespace fringe {
namespace kernels {

// What gridding and degridding by tensor cores share: visibilities in pieces that stay in one
// tile, and their kernels in shared memory.

//! Tables of halves [plane][fraction][entry], complex: along u, and conjugates along v.
struct tensor_tables {
    const __half2* u;
    const __half2* v;
};

namespace tensor {

constexpr int polarisations = 4;
//! Visibilities of which kernels are in shared memory at a time: one for each lane.
constexpr int some = 32;

//! Words of a row of shared memory of which four rows of eight words are in different banks.
FRINGE_HOST_DEVICE constexpr int eights(int words)
{
    return (words + 7) / 8 % 2 ? (words + 7) / 8 * 8 : (words + 7) / 8 * 8 + 8;
}
//! The same of eight rows of four words.
FRINGE_HOST_DEVICE constexpr int fours(int words) { return (words + 27) / 32 * 32 + 4; }

__device__ inline unsigned word(__half2 h) { return *reinterpret_cast<unsigned*>(&h); }
__device__ inline __half2 halves(unsigned w) { return *reinterpret_cast<__half2*>(&w); }

//! Whether all threads of a block have arrived; of one warp, all lanes.
template <int Warps>
__device__ inline void arrive()
{
    if (Warps == 1) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

/*!
 * Of the 32 visibilities whose first cells the lanes have: those from `start` on, below
 * `end`, that fit into the tile at (tile_u, tile_v), or into a new one if the first does not:
 * then it returns true and where that is. `stop` is behind the last of them.
 */
__device__ inline bool next_piece(int slack,
                                  int start,
                                  int end,
                                  int first_u,
                                  int first_v,
                                  bool any,
                                  int tile_u,
                                  int tile_v,
                                  int& stop,
                                  int& new_u,
                                  int& new_v)
{
    const int lane = threadIdx.x % 32;
    const bool there = lane >= start && lane < end;
    const int start_u = __shfl_sync(~0u, first_u, start);
    const int start_v = __shfl_sync(~0u, first_v, start);
    const int u = there ? first_u : start_u, v = there ? first_v : start_v;
    const bool fits =
        any && u >= tile_u && u <= tile_u + slack && v >= tile_v && v <= tile_v + slack;
    unsigned no = __ballot_sync(~0u, there && !fits);
    if (!(no >> start & 1)) {
        stop = no ? __ffs(no) - 1 : end;
        return false;
    }
    int low_u = u, high_u = u, low_v = v, high_v = v; // of all lanes up to this
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
    no = __ballot_sync(~0u, there && (high_u - low_u > slack || high_v - low_v > slack));
    stop = no ? __ffs(no) - 1 : end;
    low_u = __shfl_sync(~0u, low_u, stop - 1);
    high_u = __shfl_sync(~0u, high_u, stop - 1);
    low_v = __shfl_sync(~0u, low_v, stop - 1);
    high_v = __shfl_sync(~0u, high_v, stop - 1);
    // Room is left where the run goes.
    new_u = any && low_u < tile_u ? high_u - slack : low_u;
    new_v = any && low_v < tile_v ? high_v - slack : low_v;
    return true;
}

} // namespace tensor

//! Four entries of a kernel along one axis from `entry` on, by parabolas through neighbouring
//! fractions and planes.
__device__ inline uint4 interpolated(const w_geometry& g,
                                     const __half2* entry,
                                     const float* along,
                                     const float* across)
{
    const int line = int(g.support), plane = int(g.fractions()) * line;
    const int planes = int(g.plane_taps()) / 2;
    float2 sum[4] = {};
    for (int p = -planes; p <= planes; p++) {
        const float a = planes > 0 ? across[p + 1] : 1;
#pragma unroll
        for (int j = -1; j <= 1; j++) {
            const float by = a * along[j + 1];
            const uint4 x =
                __ldg(reinterpret_cast<const uint4*>(entry + p * plane + j * line));
            const unsigned four[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
            for (int n = 0; n < 4; n++) {
                const float2 one = __half22float2(tensor::halves(four[n]));
                sum[n].x += by * one.x;
                sum[n].y += by * one.y;
            }
        }
    }
    const auto word = [](float2 x) { return tensor::word(__floats2half2_rn(x.x, x.y)); };
    return make_uint4(word(sum[0]), word(sum[1]), word(sum[2]), word(sum[3]));
}

namespace tensor {

/*!
 * Where a batch of visibilities is, in shared memory: first cells, and which lines of the
 * tables of kernels belong to them.
 */
template <int Support, int Batch, bool Interpolate>
class batch_places
{
public:
    int2 first[Batch]; //!< cells that kernels begin at

    __device__ void put(const w_geometry& g, int k, const w_place& x)
    {
        first[k] = make_int2(x.u, x.v);
        d_u.put(g, k, x.plane, x.fu, x.tu);
        d_v.put(g, k, x.plane, x.fv, x.tv);
        if (Interpolate) {
            parabola(x.tw, d_across[k]);
        }
    }
    //! Brings entries First to End of the kernels along u of `count` visibilities, from number
    //! `begin` on, into rows of shared memory.
    template <int First, int End, int Threads>
    __device__ void stage_u(const w_geometry& g,
                            const tensor_tables& tables,
                            int begin,
                            int count,
                            unsigned* to,
                            int row) const
    {
        d_u.template stage<First, End, Threads>(
            g, tables.u, d_across, begin, count, to, row);
    }
    //! The same along v.
    template <int First, int End, int Threads>
    __device__ void stage_v(const w_geometry& g,
                            const tensor_tables& tables,
                            int begin,
                            int count,
                            unsigned* to,
                            int row) const
    {
        d_v.template stage<First, End, Threads>(
            g, tables.v, d_across, begin, count, to, row);
    }

private:
    //! Of one of the two axes.
    struct axis {
        unsigned line[Batch];
        float along[Interpolate ? Batch : 1][3]; // weights of neighbouring fractions

        __device__ void put(const w_geometry& g,
                            int k,
                            unsigned plane,
                            unsigned fraction,
                            float to_fraction)
        {
            line[k] = (plane * g.fractions() + fraction) * Support;
            if (Interpolate) {
                parabola(to_fraction, along[k]);
            }
        }
        template <int First, int End, int Threads>
        __device__ void stage(const w_geometry& g,
                              const __half2* table,
                              const float (*across)[3],
                              int begin,
                              int count,
                              unsigned* to,
                              int row) const
        {
            constexpr int quads = (End - First) / 4;
            for (int n = threadIdx.x; n < count * quads; n += Threads) {
                const int k = n / quads, d = 4 * (n % quads);
                const __half2* const from = table + line[begin + k] + First + d;
                *reinterpret_cast<uint4*>(to + k * row + d) =
                    Interpolate
                        ? interpolated(g, from, along[begin + k], across[begin + k])
                        : __ldg(reinterpret_cast<const uint4*>(from));
            }
        }
    };
    axis d_u, d_v;
    float d_across[Interpolate ? Batch : 1][3]; // weights of neighbouring planes
};

} // namespace tensor

//! Row and channel of visibilities of a chunk, as in_turn() counts them.
struct chunk_rows {
    std::size_t row;
    unsigned channel, channels;
    float per_channel;

    __device__ chunk_rows(const convolver_work& w, std::size_t begin)
        : row(begin / w.channels),
          channel(unsigned(begin - row * w.channels)),
          channels(w.channels),
          per_channel(1.0f / float(w.channels))
    {
    }
    //! Of number n from the first on: its row and channel; returns where it is.
    __device__ std::size_t
    at(unsigned n, std::size_t& its_row, unsigned& its_channel) const
    {
        const unsigned k = channel + n;
        unsigned q = unsigned(float(k) * per_channel);
        q -= q * channels > k;
        q += k - q * channels >= channels;
        its_row = row + q;
        const unsigned c = k - q * channels;
        its_channel = its_row % 2 ? channels - 1 - c : c;
        return its_row * channels + its_channel;
    }
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_STAGING_CUH */
