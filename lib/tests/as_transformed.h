/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_AS_TRANSFORMED_H
#define INCLUDED_FRINGE_TESTS_AS_TRANSFORMED_H

#include "channelizer_elsewhere.h"
#include "kernel_cases.h"
#include "kernels/base/aligned.h"
#include "kernels/channelizer/channelizer.h"
#include "kernels/xengine/lanes.h"
#include "kernels/xengine/xengine.h"

// Kernels of the CPU in the layout time_major, given the channel_major blocks that the comparisons
// make. What lies between one spectrum and the next is not looked at.
namespace kernel_cases {

using namespace gr::fringe::kernels;

//! A layout that is time_major, as it is or with gaps where it must have them.
inline spectra_layout
transformed_layout(spectra_layout wanted, std::size_t channels, bool complex_samples)
{
    const bool serves = complex_samples && channels % 8 == 0;
    return wanted == spectra_layout::time_major_items && serves
               ? spectra_layout::time_major_items
               : spectra_layout::time_major;
}

//! A block of spectra [input][time][channel], all of it poison at first.
class transformed_block
{
public:
    //! Samples of `sample` bytes, `row` of them a spectrum. The first one lies `offset` bytes
    //! behind the begin of a cache line.
    transformed_block(std::size_t inputs,
                      std::size_t channels,
                      std::size_t spectra,
                      std::size_t sample,
                      std::size_t row,
                      std::size_t offset = 0)
        : d_inputs(inputs),
          d_channels(channels),
          d_spectra(spectra),
          d_sample(sample),
          d_row(row),
          d_offset(offset),
          d_memory(offset + inputs * spectra * row * sample, poison)
    {
    }
    std::uint8_t* data() { return d_memory.data() + d_offset; }
    std::size_t size() const { return d_memory.size() - d_offset; }
    std::uint8_t* at(std::size_t c, std::size_t i, std::size_t s)
    {
        return data() + ((i * d_spectra + s) * d_row + c) * d_sample;
    }

    //! Spectra first ... first + count - 1 of rows with as many.
    void from_rows(const void* rows, std::size_t first, std::size_t count)
    {
        for_each(first, count, first, [&](std::uint8_t* here, std::size_t there) {
            std::memcpy(here, static_cast<const std::uint8_t*>(rows) + there, d_sample);
        });
    }
    //! Spectra first ... first + count - 1 to rows from spectrum `to` on; checks that none
    //! of the others is written.
    void to_rows(void* rows, std::size_t first, std::size_t count, std::size_t to)
    {
        for_each(first, count, to, [&](std::uint8_t* here, std::size_t there) {
            std::memcpy(static_cast<std::uint8_t*>(rows) + there, here, d_sample);
        });
        bool untouched = true;
        const auto check = [&](std::uint8_t* here, std::size_t) {
            untouched = untouched && all_poison(here, d_sample);
        };
        for_each(0, first, 0, check);
        for_each(first + count, d_spectra - first - count, 0, check);
        BOOST_TEST(untouched);
    }

private:
    //! f(sample of spectrum `first` + s, place of spectrum `to` + s in rows).
    template <class F>
    void for_each(std::size_t first, std::size_t count, std::size_t to, const F& f)
    {
        for (std::size_t i = 0; i < d_inputs; i++) {
            for (std::size_t s = 0; s < count; s++) {
                for (std::size_t c = 0; c < d_channels; c++) {
                    f(at(c, i, first + s),
                      ((c * d_inputs + i) * d_spectra + to + s) * d_sample);
                }
            }
        }
    }

    const std::size_t d_inputs, d_channels, d_spectra, d_sample, d_row, d_offset;
    aligned_vector<std::uint8_t> d_memory;
};

class channelizer_as_transformed : public channelizer_elsewhere
{
public:
    channelizer_as_transformed(const channelizer_params& p, spectra_layout wanted)
        : channelizer_elsewhere(make_channelizer(backend::cpu, with_layout(p, wanted))),
          d_p(with_layout(p, wanted))
    {
    }
    //! From any spectrum of a block on that has room for those of the call.
    std::size_t process(const void* in,
                        std::size_t in_stride,
                        std::size_t samples,
                        void* out,
                        std::uint64_t* saturated) override
    {
        auto block = empty();
        BOOST_TEST(block.size() == block_bytes(d_p));
        const std::size_t maximum = samples / d_p.points();
        const std::size_t first = random_below(d_p.block_spectra - maximum + 1);
        const std::size_t n =
            d_kernel->process(in,
                              in_stride,
                              samples,
                              block.data() + first * spectrum_stride(d_p),
                              saturated);
        block.to_rows(out, first, n, 0);
        return n;
    }
    void blank(void* out,
               std::size_t input,
               std::size_t first,
               std::size_t count) const override
    {
        auto block = empty();
        block.from_rows(out, 0, d_p.block_spectra);
        d_kernel->blank(block.data(), input, first, count);
        block.to_rows(out, 0, d_p.block_spectra, 0);
    }

private:
    static channelizer_params with_layout(channelizer_params p, spectra_layout wanted)
    {
        p.layout = transformed_layout(wanted, p.channels, p.complex_samples);
        return p;
    }
    //! On cache lines or not.
    transformed_block empty() const
    {
        return {d_p.inputs,
                d_p.channels,
                d_p.block_spectra,
                std::size_t(d_p.requantize_bits ? 2 : 8),
                spectra_row(d_p.channels, d_p.layout),
                pick<std::size_t>({0, 0, 8})};
    }

    const channelizer_params d_p;
};

class xengine_as_transformed : public xengine
{
public:
    xengine_as_transformed(const xengine_params& p, spectra_layout wanted) : d_p(p)
    {
        d_p.layout = transformed_layout(wanted, p.channels, true);
        d_kernel = make_xengine(backend::cpu, d_p);
    }
    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        const std::size_t sample = 2 * component_bytes(d_p.in);
        transformed_block block(d_p.inputs,
                                d_p.channels,
                                d_p.block_spectra,
                                sample,
                                spectra_row(d_p.channels, d_p.layout),
                                pick<std::size_t>({0, 1, 2}) * sample);
        block.from_rows(spectra, first, count);
        d_kernel->accumulate(block.data(), first, count);
    }
    void read(std::size_t first, std::size_t count, void* out) const override
    {
        d_kernel->read(first, count, out);
    }
    void clear() override { d_kernel->clear(); }

private:
    xengine_params d_p;
    std::unique_ptr<xengine> d_kernel;
};

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_AS_TRANSFORMED_H */
