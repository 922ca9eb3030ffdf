/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_BEAM_POWERS_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_BEAM_POWERS_IMPL_H

#include "blocks/beams/beam_forming.h"
#include "blocks/beams/beam_products.h"
#include "blocks/compute/summing_block.h"

namespace gr::fringe {

//! The beamformer that sends means of powers.
class beam_powers_impl : public beamformer_base, public summing_block
{
public:
    beam_powers_impl(const beam_setup& setup,
                     const beam_means& means,
                     double seconds,
                     std::uint64_t spectra);
    bool start() override;
    kernels::spectra_layout wanted_layout() const override
    {
        return d_forming.wanted_layout();
    }

private:
    void opened() override { d_forming.set_layout(d_in.layout()); }
    bool take(const void* in, std::uint64_t item) override;
    void flush() override;
    void tag_sum(std::uint64_t item) override;
    void write_sum(std::size_t first,
                   std::size_t count,
                   const gr_vector_void_star& out) override;
    bool sum_sent() override;
    void open_item(std::uint64_t item);
    bool empty() { return d_forming.losses().spectra() == 0; }
    void end_sum() { d_sending = d_sending || !empty(); }

    beam_means d_means;
    const bool d_by_seconds;
    std::optional<epoch> d_start; // of the mean under way
    double d_rate = 0;            // spectra a second
    double d_sum_frequency = 0;
    pmt::pmt_t d_damaged;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_BEAM_POWERS_IMPL_H */
