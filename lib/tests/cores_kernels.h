/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_CORES_KERNELS_H
#define INCLUDED_FRINGE_TESTS_CORES_KERNELS_H

#include "kernel_cases.h"
#include "kernels/cores/cores.h"
#include <gnuradio/fringe/threads.h>

// The stages of the cores (shared_cores()) as kernels that have done their work when a call
// returns. Every call's block counts as an item of its own, so calls go from core to core.
namespace kernel_cases {

using namespace gr::fringe::kernels;

//! Three cores while a table is gone through.
inline std::shared_ptr<device> three_cores()
{
    gr::fringe::set_threads(3);
    const auto cores = shared_cores();
    gr::fringe::set_threads(0);
    return cores;
}

//! A channelizer whose blocks are elsewhere: all but those goes on to it.
class channelizer_elsewhere : public channelizer
{
public:
    void reset() override { d_kernel->reset(); }
    void steer(const steering& towards) override { d_kernel->steer(towards); }
    void set_valid(const valid_spectra& valid) override { d_kernel->set_valid(valid); }
    void read_powers(float* s1, float* s2) override { d_kernel->read_powers(s1, s2); }
    void set_gains(const std::vector<float>& gains) override
    {
        d_kernel->set_gains(gains);
    }
    void set_corrections(const std::vector<std::complex<float>>& corrections) override
    {
        d_kernel->set_corrections(corrections);
    }
    void
    set_corrections_from(std::size_t from,
                         const std::vector<std::complex<float>>& corrections) override
    {
        d_kernel->set_corrections_from(from, corrections);
    }

protected:
    explicit channelizer_elsewhere(std::unique_ptr<channelizer> there)
        : d_kernel(std::move(there))
    {
    }
    const std::unique_ptr<channelizer> d_kernel;
};

class channelizer_on_cores : public channelizer_elsewhere
{
public:
    explicit channelizer_on_cores(const channelizer_params& p,
                                  const std::shared_ptr<device>& on = three_cores())
        : channelizer_elsewhere(on->make_channelizer(p)), d_on(on)
    {
    }
    std::size_t process(const void* in,
                        std::size_t in_stride,
                        std::size_t samples,
                        void* out,
                        std::uint64_t* saturated) override
    {
        const std::size_t n = d_kernel->process(in, in_stride, samples, out, saturated);
        d_on->synchronize();
        d_on->on_host()->forget(in);
        d_on->on_host()->forget(out);
        return n;
    }
    void blank(void* out,
               std::size_t input,
               std::size_t first,
               std::size_t count) const override
    {
        d_kernel->blank(out, input, first, count);
        d_on->synchronize();
        d_on->on_host()->forget(out);
    }

private:
    const std::shared_ptr<device> d_on;
};

class unpacker_on_cores : public unpacker
{
public:
    explicit unpacker_on_cores(const unpacker_params& p)
        : d_on(three_cores()), d_kernel(d_on->make_unpacker(p))
    {
    }
    void process(const void* raw, void* voltages) override
    {
        d_kernel->process(raw, voltages);
        done({raw, voltages});
    }
    void count_saturated(const void* voltages,
                         std::size_t samples,
                         std::uint64_t* counts) override
    {
        d_kernel->count_saturated(voltages, samples, counts);
        done({voltages});
    }

private:
    void done(std::initializer_list<const void*> items)
    {
        d_on->synchronize();
        for (const void* const item : items) {
            d_on->on_host()->forget(item);
        }
    }
    const std::shared_ptr<device> d_on;
    const std::unique_ptr<unpacker> d_kernel;
};

class xengine_on_cores : public xengine
{
public:
    explicit xengine_on_cores(const xengine_params& p)
        : d_on(three_cores()), d_kernel(d_on->make_xengine(p))
    {
    }
    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        d_kernel->accumulate(spectra, first, count);
        d_on->synchronize();
        d_on->on_host()->forget(spectra);
    }
    void read(std::size_t first, std::size_t count, void* out) const override
    {
        d_kernel->read(first, count, out);
    }
    void clear() override { d_kernel->clear(); }

private:
    const std::shared_ptr<device> d_on;
    const std::unique_ptr<xengine> d_kernel;
};

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_CORES_KERNELS_H */
