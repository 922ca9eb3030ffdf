/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_UNPACK_TILE_CUH
#define INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_UNPACK_TILE_CUH

#include "kernels/unpack/cuda/codes.cuh"
#include <cstddef>
#include <cstdint>

namespace gr::fringe::kernels {

/*!
 * A raw block in tiles of `tile_samples` spectra of `tile_streams` streams. A thread block
 * brings a tile into shared memory, 16 bytes at a time as they lie in memory, and writes a
 * line of every row, 16 bytes a lane; in between the corner is turned.
 *
 * A tile is made of runs of neighboring bits: few streams are one run, all samples from
 * the first to the last spectrum; of many streams every spectrum has a run. A run begins in
 * shared memory with the 16 bytes in which it begins in global memory, at any bit of them.
 * Where it always begins with their first bit, spectra are whole bytes, and the samples that a lane writes are whole
 * words of a run, `regular`, a thread finds its samples by adding constants.
 */
struct unpack_work {
    const std::uint8_t* raw;
    std::size_t raw_bytes;
    void* out;
    const unsigned* rows; //!< [place in the recording] -> input
    std::size_t samples;  //!< of a row
    unsigned streams;     //!< of a file
    unsigned files;
    unsigned tile_streams;
    unsigned tile_shift; //!< log2 of tile_samples
    unsigned stream_tiles, time_tiles;
    bool one_run;
    bool regular;
    //! A file has one stream, of codes shorter than a byte, and begins where a tile does with
    //! the first bit of 16 bytes: what a lane writes is a part of a word, or whole words.
    bool in_words;
    unsigned pitch; //!< words of shared memory of a run, many runs
    //! A word is left free after every 2^skew words of one run or 2^skew runs of many:
    //! then neighboring lanes read from different banks.
    unsigned skew;
    unsigned alignment; //!< of rows of `out`, bytes: 16, 4 or less
};

constexpr unsigned unpack_threads = 256;

//! The tile of a thread block, in shared memory.
template <class Code>
class unpack_tile
{
public:
    __device__ unpack_tile(const unpack_work& w, unsigned* shared)
        : d_w(w), d_words(shared)
    {
        unsigned n = blockIdx.x;
        stream = n % w.stream_tiles * w.tile_streams;
        n /= w.stream_tiles;
        sample = (n % w.time_tiles) << w.tile_shift;
        file = n / w.time_tiles;
        const std::size_t tile = std::size_t(1) << w.tile_shift;
        count =
            static_cast<unsigned>(sample + tile < w.samples ? tile : w.samples - sample);
        streams = min(w.tile_streams, w.streams - stream);
        const std::size_t file_bytes = w.samples * w.streams * Code::bits / 8;
        // Bits of addresses: their low ones say where in 16 bytes a run begins.
        d_first = 8 * (reinterpret_cast<std::size_t>(w.raw) + file * file_bytes) +
                  (sample * w.streams + stream) * Code::bits;
        d_row = w.streams * Code::bits;
    }

    __device__ void load()
    {
        const unsigned runs = d_w.one_run ? 1 : count;
        const unsigned bits = (d_w.one_run ? count : 1) * streams * Code::bits;
        const unsigned chunks = (bits + (d_w.regular ? 0 : 127) + 127) / 128;
#pragma unroll 4
        for (unsigned n = threadIdx.x; n < runs * chunks; n += unpack_threads) {
            const unsigned run = d_w.one_run ? 0 : n / chunks;
            const unsigned chunk = n - run * chunks;
            const std::size_t begin = d_first + std::size_t(run) * d_row;
            const std::size_t at = (begin / 128 + chunk) * 16;
            if (8 * at < begin + bits) {
                const uint4 v = load_16(at);
                d_words[place(run, 4 * chunk)] = v.x;
                d_words[place(run, 4 * chunk + 1)] = v.y;
                d_words[place(run, 4 * chunk + 2)] = v.z;
                d_words[place(run, 4 * chunk + 3)] = v.w;
            }
        }
        __syncthreads();
    }

    //! Component `part` of sample t of stream s, both counted from the tile's first.
    template <class Out>
    __device__ Out get(unsigned t, unsigned s, unsigned part) const
    {
        const unsigned run = d_w.one_run ? 0 : t;
        unsigned bit = (static_cast<unsigned>(d_first) + run * d_row) & 127;
        bit += (t - run) * d_row + s * Code::bits;
        if constexpr (Code::bits > 32) {
            bit += Code::part_bit(part);
        }
        if constexpr (Code::backwards) {
            bit ^= 7;
        }
        constexpr unsigned wanted = Code::bits > 32 ? Code::code_bits : Code::bits;
        unsigned v = d_words[place(run, bit / 32)];
        // Codes of up to a byte lie in one word wherever they are.
        if (wanted > 8 && bit % 32 + wanted > 32) {
            v = __funnelshift_r(v, d_words[place(run, bit / 32 + 1)], bit % 32);
        } else {
            v >>= bit % 32;
        }
        return decode<Out>(v, part);
    }

    //! Where sample t begins, which is the first that a lane writes, and how many bytes
    //! further the next ones do; of regular tiles.
    __device__ const char* begin(unsigned t) const
    {
        const unsigned at = d_w.one_run ? place(0, t * d_row / 32) : place(t, 0);
        return reinterpret_cast<const char*>(d_words + at);
    }
    __device__ unsigned step() const { return d_w.one_run ? d_row / 8 : 4 * d_w.pitch; }

    //! Component `part` of stream s of the sample that begins at `p`.
    template <class Out>
    __device__ static Out get(const char* p, unsigned s, unsigned part)
    {
        unsigned v;
        if constexpr (Code::bits == 64) {
            v = reinterpret_cast<const unsigned*>(p)[2 * s + part];
        } else if constexpr (Code::bits == 32) {
            v = reinterpret_cast<const unsigned*>(p)[s];
        } else if constexpr (Code::bits == 16) {
            v = reinterpret_cast<const unsigned short*>(p)[s];
        } else {
            unsigned bit = s * Code::bits;
            if constexpr (Code::backwards) {
                bit ^= 7;
            }
            v = reinterpret_cast<const unsigned char*>(p)[bit / 8] >> (bit % 8);
        }
        return decode<Out>(v, part);
    }

    //! The components from number `first` on, as many as a lane writes; of a tile in words.
    template <class Out, unsigned width>
    __device__ void get_words(unsigned first, Out (&components)[width]) const
    {
        constexpr unsigned code_bits = Code::code_bits, all = width * code_bits;
        const unsigned bit = first * code_bits;
        unsigned words[(all + 31) / 32];
#pragma unroll
        for (unsigned n = 0; n < (all + 31) / 32; n++) {
            words[n] = d_words[place(0, bit / 32 + n)];
        }
#pragma unroll
        for (unsigned k = 0; k < width; k++) {
            const unsigned from = (all < 32 ? bit % 32 : 0) + k * code_bits % 32;
            const unsigned shift = Code::backwards ? from ^ 7 : from;
            const unsigned code = words[k * code_bits / 32] >> shift;
            components[k] = Code::template decode<Out>(code & ((1u << code_bits) - 1),
                                                       k % Code::parts);
        }
    }

    unsigned stream, streams, file, count;
    std::size_t sample;

private:
    __device__ unsigned place(unsigned run, unsigned word) const
    {
        return run * d_w.pitch + word + ((d_w.one_run ? word : run) >> d_w.skew);
    }

    //! From what is in a sample, or in a component where a sample is longer than a word.
    template <class Out>
    __device__ static Out decode(unsigned v, unsigned part)
    {
        if constexpr (Code::bits <= 32) {
            v >>= Code::part_bit(part);
        }
        if constexpr (Code::code_bits < 32) {
            v &= (1u << Code::code_bits) - 1;
        }
        return Code::template decode<Out>(v, part);
    }

    //! Bytes outside of the raw block are not touched.
    __device__ uint4 load_16(std::size_t address) const
    {
        const auto begin = reinterpret_cast<std::size_t>(d_w.raw);
        const auto end = begin + d_w.raw_bytes;
        if (address >= begin && address + 16 <= end) {
            return __ldg(reinterpret_cast<const uint4*>(address));
        }
        unsigned v[4] = {};
#pragma unroll
        for (unsigned k = 0; k < 16; k++) {
            if (address + k >= begin && address + k < end) {
                v[k / 4] |= unsigned(*reinterpret_cast<const std::uint8_t*>(address + k))
                            << (k % 4 * 8);
            }
        }
        return make_uint4(v[0], v[1], v[2], v[3]);
    }

    const unpack_work& d_w;
    unsigned* const d_words;
    std::size_t d_first; //!< bit of memory where the tile begins
    unsigned d_row;      //!< bits between spectra in memory
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_UNPACK_TILE_CUH */
