/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_INTEGRATOR_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_INTEGRATOR_IMPL_H

#include "blocks/compute/summing_block.h"
#include "blocks/ports/dump_tags.h"
#include "kernels/integrator/integrator.h"
#include "stages/dump_plan.h"
#include "stages/sum_in_parts.h"
#include <atomic>
#include <gnuradio/fringe/integrator.h>

namespace gr::fringe {

class integrator_impl : public integrator, public summing_block
{
public:
    integrator_impl(const kernels::integrator_params& p,
                    double seconds,
                    std::uint64_t spectra,
                    std::size_t channels_per_item,
                    const kernels::compute_target& backend);

    bool start() override;
    void set_integration(double seconds, std::uint64_t spectra) override;
    std::uint64_t dumps() const override { return d_dumps; }
    std::uint64_t spectra_lost() const override { return d_lost; }

private:
    bool take(const void* in, std::uint64_t item) override;
    void flush() override;
    void tag_sum(std::uint64_t item) override;
    void write_sum(std::size_t first,
                   std::size_t count,
                   const gr_vector_void_star& out) override;
    bool sum_sent() override;
    void begin_sum(std::uint64_t item);
    void break_dumps(const item_tags& tags);
    void leave_out_rest();
    bool begin_dump();
    dump_tags describe_dump() const;

    const kernels::integrator_params d_p;
    std::unique_ptr<kernels::integrator> d_kernel;
    dump_plan d_plan;
    sum_in_parts d_sum;        // that comes in
    bool d_sums_cut = false;   // a block before this one ends sums where dumps end
    bool d_length_set = false; // a length was set and no sum reached beyond its dumps yet
    bool d_restarted = false;  // no sum has come in this run, but some did before

    double d_freq = 0; // of the dump under way
    std::vector<float> d_gains;
    double d_sum_freq = 0; // of the sum that comes in
    std::vector<float> d_sum_gains;
    pmt::pmt_t d_damaged;

    std::atomic<std::uint64_t> d_dumps{0}, d_lost{0};
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_INTEGRATOR_IMPL_H */
