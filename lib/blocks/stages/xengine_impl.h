/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_XENGINE_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_XENGINE_IMPL_H

#include "blocks/compute/backlog.h"
#include "blocks/compute/summing_block.h"
#include "blocks/stages/sum_cutter.h"
#include "blocks/stages/xengine_sums.h"
#include "stages/sum_plan.h"
#include <gnuradio/fringe/xengine.h>

namespace gr::fringe {

class xengine_impl : public xengine, public summing_block, public sum_cutter
{
public:
    xengine_impl(const kernels::xengine_params& p,
                 std::uint64_t sum_spectra,
                 double dump_seconds,
                 std::uint64_t dump_spectra,
                 std::size_t channels_per_item,
                 const kernels::compute_target& backend);

    bool start() override;
    bool stop() override;
    void set_integration(double seconds, std::uint64_t spectra) override
    {
        if (seconds != 0 || spectra != 0) {
            cut_for(own_length, seconds, spectra);
            return;
        }
        gr::thread::scoped_lock guard(d_setlock);
        d_plan.forget(own_length);
    }
    std::optional<epoch>
    cut_for(long integrator, double seconds, std::uint64_t spectra) override;
    kernels::spectra_layout wanted_layout() const override
    {
        return d_sums.wanted_layout();
    }

private:
    std::size_t items_wanted() const override;
    void items_taken() override;
    bool take(const void* in, std::uint64_t item) override;
    void flush() override;
    void tag_sum(std::uint64_t item) override;
    void write_sum(std::size_t first,
                   std::size_t count,
                   const gr_vector_void_star& out) override;
    bool sum_sent() override;
    void opened() override;
    void forget_integrators();
    void open_item(std::uint64_t item);
    void describe_sum();
    void add_some(const void* spectra);
    void end_sum();

    xengine_sums d_sums;
    sum_plan d_plan;
    backlog d_backlog;
    kernels::spectra_layout d_next_layout{}; //!< when the sum under way is sent
    bool d_added = false;                    //!< spectra, since items_taken()
    //! A parameter of this block stands for an integrator in another flowgraph.
    static constexpr long own_length = -1;

    std::vector<invalid_run> d_item_invalid, d_item_blanked; // of the current item
    std::vector<lost_spectra> d_item_lost;
    std::vector<cell_run> d_item_flagged;
    bool d_item_here = true; // not elsewhere

    std::vector<float> d_gains;
    double d_freq = 0;
    pmt::pmt_t d_damaged;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_XENGINE_IMPL_H */
