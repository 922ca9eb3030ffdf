/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_XENGINE_SUMS_H
#define INCLUDED_FRINGE_BLOCKS_XENGINE_SUMS_H

#include "blocks/rfi/subintegration.h"
#include "kernels/xengine/xengine.h"
#include <memory>
#include <optional>
#include <string>

namespace gr::fringe {

//! The sum of an X-engine that is under way, and what is known of it.
class xengine_sums
{
public:
    //! Throws std::invalid_argument naming the parameter.
    xengine_sums(const kernels::compute_target& backend,
                 const kernels::xengine_params& p);

    //! Spectra have this layout from now on. The sum under way is lost.
    void set_layout(kernels::spectra_layout layout);
    const kernels::xengine_params& params() const { return d_p; }
    //! Samples may be blanked in front of the filter that makes the spectra.
    void set_filter(blanked_parts parts) { d_parts.emplace(std::move(parts)); }
    void forget_filter() { d_parts.reset(); }
    bool knows_filter() const { return d_parts.has_value(); }
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
    //! has these invalid spectra and blanked samples (see blanked_spectra), has lost these in
    //! some channels, and these cells of it are zero. Null `spectra`: they are in the sum of
    //! another GPU, and counted here, too.
    void add(const void* spectra,
             std::uint64_t first,
             std::uint64_t count,
             const std::vector<invalid_run>& invalid,
             const std::vector<invalid_run>& blanked,
             const std::vector<lost_spectra>& lost,
             const std::vector<cell_run>& flagged);
    //! Whole items that are better added together than one after the other; 1 = none.
    std::size_t items_together() const { return d_kernel->blocks_together(); }
    //! add() may keep items until there are so many, or until add_kept(). They have to stay as
    //! they are until then.
    void keep_items(std::size_t maximum)
    {
        d_keeps = maximum;
        d_kept.clear();
    }
    std::size_t keeps() const { return d_keeps; }
    //! Adds the items that were kept.
    void add_kept();
    //! Writes channels first ... first + count - 1.
    void read(std::size_t first, std::size_t count, void* out)
    {
        add_kept();
        d_kernel->read(first, count, out);
    }
    //! Begins anew.
    void clear();

private:
    const kernels::compute_target d_backend;
    kernels::xengine_params d_p;
    std::unique_ptr<kernels::xengine> d_kernel;
    std::size_t d_keeps = 1;
    std::vector<const void*> d_kept; //!< whole items that are not in the sums yet
    subintegration d_sum;
    std::optional<blanked_parts> d_parts;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_XENGINE_SUMS_H */
