/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_XENGINE_SUMS_H
#define INCLUDED_FRINGE_BLOCKS_XENGINE_SUMS_H

#include "blocks/rfi/undecided_sums.h"
#include "kernels/xengine/xengine.h"

namespace gr::fringe {

/*!
 * The sums of an X-engine: the one under way, and those that have ended and wait until it is
 * decided which cells of their spectra are interference.
 *
 * Decisions come late where the channelizer before searches its spectra: a tag says which
 * cells are to be left out of all spectra since the last such tag.
 */
class xengine_sums
{
public:
    //! Throws std::invalid_argument naming the parameter.
    xengine_sums(const kernels::compute_target& backend,
                 const kernels::xengine_params& p);

    //! Spectra have this layout from now on. The sum under way is lost.
    void set_layout(kernels::spectra_layout layout);
    const kernels::xengine_params& params() const { return d_p; }
    //! The layout of spectra that is fastest for these sums.
    kernels::spectra_layout wanted_layout() const
    {
        return kernels::layout_of_items(d_backend, d_p);
    }

    //! The sum under way, but for its values.
    subintegration& under_way() { return d_sum; }
    //! True when the sum under way has no spectra.
    bool empty() const { return d_sum.counts.spectra() == 0; }
    //! Adds spectra first ... first + count - 1 of an item to the sum under way. The item
    //! has these invalid spectra, has lost these in some channels, and these cells of it
    //! are zero. Null `spectra`: they are in the sum of another GPU, and counted here, too.
    void add(const void* spectra,
             std::uint64_t first,
             std::uint64_t count,
             const std::vector<invalid_run>& invalid,
             const std::vector<lost_spectra>& lost,
             const std::vector<cell_run>& flagged);
    //! Ends the sum under way. True when it can be sent now; else it waits for a decision.
    bool end();
    //! These cells are to be left out of all spectra since the last decision. True when
    //! there are sums to send now.
    bool decide(const std::vector<cell_run>& cells);
    //! True when decisions come behind the spectra.
    bool decided_late() const { return d_late; }
    //! Forgets all sums that a decision is missing for. Returns how many spectra they had.
    std::uint64_t forget_undecided();

    //! True when there is a sum to send.
    bool any() const { return d_waiting.any() || !empty(); }
    //! True when the first sum to send is not the one under way.
    bool first_waited() const { return d_waiting.any(); }
    //! The first sum to send, but for its values.
    const subintegration& first() { return first_waited() ? d_waiting.first() : d_sum; }
    //! Writes channels first ... first + count - 1 of it.
    void read_first(std::size_t first, std::size_t count, void* out);
    //! It was sent.
    void drop_first();

private:
    const kernels::compute_target d_backend;
    kernels::xengine_params d_p;
    std::unique_ptr<kernels::xengine> d_kernel;
    subintegration d_sum;
    bool d_late = false;
    undecided_sums d_waiting;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_XENGINE_SUMS_H */
