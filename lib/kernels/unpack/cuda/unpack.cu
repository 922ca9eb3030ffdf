/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cuda/context.h"
#include "kernels/unpack/backends.h"
#include "kernels/unpack/cuda/backend.h"
#include "kernels/unpack/cuda/saturation.h"
#include "kernels/unpack/cuda/unpack_kernel.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

using kernel_function = void (*)(const unpack_work);

template <class Code, component c>
kernel_function kernel_for(Code)
{
    constexpr bool levels = Code::code_bits == 2;
    if constexpr (c == component::level ? levels : c >= Code::natural) {
        return unpack_kernel<Code, typename detail::component_type<c>::type>;
    } else {
        return nullptr;
    }
}

kernel_function find_kernel(sample_code code, component to)
{
    return codes::visit(code, [to](auto c) {
        return to == component::i8      ? kernel_for<decltype(c), component::i8>(c)
               : to == component::i16   ? kernel_for<decltype(c), component::i16>(c)
               : to == component::level ? kernel_for<decltype(c), component::level>(c)
                                        : kernel_for<decltype(c), component::f32>(c);
    });
}

unsigned log2_floor(std::size_t n)
{
    unsigned k = 0;
    while (n >>= 1) {
        k++;
    }
    return k;
}

class cuda_unpacker : public unpacker
{
public:
    cuda_unpacker(const cuda_context& c, const unpacker_params& p)
        : d_context(c),
          d_p(p),
          d_kernel(find_kernel(p.from.code, p.to)),
          d_rows(c, p.rows.size()),
          d_row_bytes(p.block_samples * p.from.sample_bytes(p.to))
    {
        const std::vector<unsigned> rows(p.rows.begin(), p.rows.end());
        c.use();
        check_cuda(cudaMemcpyAsync(d_rows.data(),
                                   rows.data(),
                                   d_rows.bytes(),
                                   cudaMemcpyHostToDevice,
                                   c.compute),
                   "copying to the GPU");
        check_cuda(cudaStreamSynchronize(c.compute), "copying to the GPU");
        d_work.raw_bytes = p.from.bytes(p.rows.size(), p.block_samples);
        d_work.rows = d_rows.data();
        d_work.samples = p.block_samples;
        d_work.streams = static_cast<unsigned>(p.rows.size() / p.files);
        d_work.files = static_cast<unsigned>(p.files);
        if (p.from.code == sample_code::stream_major) { // a file of one stream for each
            d_work.files *= d_work.streams;
            d_work.streams = 1;
        }
        choose_tile(p.from, component_bytes(p.to));
    }

    void process(const void* raw, void* voltages) override
    {
        d_context.use();
        unpack_work w = d_work;
        w.raw = static_cast<const std::uint8_t*>(raw);
        w.out = voltages;
        const bool aligned = reinterpret_cast<std::size_t>(raw) % 16 == 0;
        w.regular = d_work.regular && aligned;
        w.in_words = d_work.in_words && aligned;
        const std::size_t low = reinterpret_cast<std::size_t>(voltages) | d_row_bytes;
        w.alignment = low % 16 == 0 ? 16 : low % 4 == 0 ? 4 : 1;
        d_kernel<<<w.stream_tiles * w.time_tiles * w.files,
                   unpack_threads,
                   d_shared,
                   d_context.compute>>>(w);
        check_launch("unpack_kernel");
    }

    void count_saturated(const void* voltages,
                         std::size_t samples,
                         std::uint64_t* counts) override
    {
        kernels::count_saturated(d_context,
                                 d_p.from,
                                 d_p.to,
                                 voltages,
                                 d_p.rows.size(),
                                 d_p.block_samples,
                                 samples,
                                 counts);
    }

private:
    //! Tiles of about 16 KB of raw data; a power of two of samples, at least a line of 128
    //! bytes of every row.
    void choose_tile(const encoding& e, std::size_t out_bytes)
    {
        constexpr std::size_t tile_bits = 8 * 16384, run_bits = 8 * 128;
        constexpr std::size_t least = 128, maximum = 8192;
        auto& w = d_work;
        const std::size_t row_bits = w.streams * std::size_t(e.bits);
        w.one_run = row_bits <= run_bits;
        w.tile_streams = w.one_run ? w.streams : static_cast<unsigned>(run_bits / e.bits);
        const std::size_t tile =
            std::clamp(tile_bits / std::min(row_bits, run_bits), least, maximum);
        w.tile_shift = log2_floor(tile);
        const std::size_t spectra = std::size_t(1) << w.tile_shift;
        w.stream_tiles = (w.streams + w.tile_streams - 1) / w.tile_streams;
        w.time_tiles = static_cast<unsigned>((w.samples + spectra - 1) / spectra);
        // A run may begin and end anywhere in 16 bytes.
        const auto words_of = [](std::size_t bits) { return (bits + 127) / 128 * 4 + 4; };
        const std::size_t words = words_of(w.one_run ? spectra * row_bits : run_bits);
        w.pitch = w.one_run ? 0 : static_cast<unsigned>(words);
        // Samples of a stream that a lane writes, and bits in all streams of them.
        const std::size_t samples = 16 / out_bytes / (e.is_complex ? 2 : 1);
        const std::size_t word_bits = samples * row_bits;
        if (w.one_run) {
            const std::size_t apart = std::max<std::size_t>(1, word_bits / 32);
            w.regular = word_bits == apart << 5 && apart == std::size_t(1)
                                                                << log2_floor(apart);
            w.skew = w.regular ? (apart > 1 ? log2_floor(apart) : 31)
                               : std::max(5u, log2_floor(apart));
            d_shared = static_cast<unsigned>(4 * (words + (words >> w.skew) + 2));
        } else {
            w.regular = row_bits % 128 == 0;
            w.skew = log2_floor(samples);
            d_shared =
                static_cast<unsigned>(4 * (spectra * words + (spectra >> w.skew) + 2));
        }
        const bool aligned = e.bytes(w.streams, w.samples) % 16 == 0;
        w.regular = w.regular && row_bits % 8 == 0 && aligned;
        w.in_words = w.streams == 1 && aligned;
    }

    const cuda_context& d_context;
    const unpacker_params d_p;
    const kernel_function d_kernel;
    const cuda_array<unsigned> d_rows;
    const std::size_t d_row_bytes;
    unpack_work d_work = {};
    unsigned d_shared = 0;
};

const bool registered =
    unpacker_factory().set([](std::size_t index, const unpacker_params& p) {
        return make_cuda_unpacker(context_of(index), p);
    });

} // namespace

std::unique_ptr<unpacker> make_cuda_unpacker(const cuda_context& c,
                                             const unpacker_params& p)
{
    return std::make_unique<cuda_unpacker>(c, p);
}

} // namespace gr::fringe::kernels
