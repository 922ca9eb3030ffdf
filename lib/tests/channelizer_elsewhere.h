/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_CHANNELIZER_ELSEWHERE_H
#define INCLUDED_FRINGE_TESTS_CHANNELIZER_ELSEWHERE_H

#include "kernels/channelizer/channelizer.h"
#include <memory>
#include <vector>

namespace kernel_cases {

using namespace gr::fringe::kernels;

//! A channelizer whose blocks are elsewhere: all but those goes on to it.
class channelizer_elsewhere : public channelizer
{
public:
    void reset() override { d_kernel->reset(); }
    void steer(const steering& towards) override { d_kernel->steer(towards); }
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

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_CHANNELIZER_ELSEWHERE_H */
