/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_SUM_IN_PARTS_H
#define INCLUDED_FRINGE_STAGES_SUM_IN_PARTS_H

#include "kernels/integrator/flagged_spectra.h"
#include <gnuradio/fringe/api.h>

namespace gr::fringe {

/*!
 * Follows a sum that comes in several items, each of them some channels of all baselines.
 *
 * A change of the flowgraph may interrupt it. Then the sum comes once more, and the channels
 * that were added must not be added again; or another sum comes, and the other channels are
 * lost.
 */
class FRINGE_API sum_in_parts
{
public:
    sum_in_parts(std::size_t inputs, std::size_t channels);

    //! Begins a new sum: its spectra, those without a loss [baseline] (in parts; or empty), and
    //! those in which cells were flagged.
    void begin(std::uint64_t spectra,
               std::vector<std::uint64_t> valid,
               std::vector<kernels::flagged_spectra> flagged);
    //! The sum that was interrupted comes once more.
    void repeat();
    //! The next item begins a sum, this one or another.
    void interrupt();

    //! True between the first item of a sum and the last.
    bool under_way() const { return d_under_way; }
    //! True when channels of a sum were added before it was interrupted.
    bool interrupted() const { return d_added > 0; }
    //! True before the first item of a sum none of which has been added.
    bool untouched() const { return d_channels == 0 && d_added == 0; }

    std::uint64_t spectra() const { return d_spectra; }
    const std::vector<std::uint64_t>& valid() const { return d_valid; }
    //! The next item begins with this channel.
    std::size_t channel() const { return d_channels; }
    //! True when the next item has to be added: it has data, and was not added before.
    bool wanted() const { return d_spectra > 0 && d_channels >= d_added; }
    //! So many channels have come.
    void take(std::size_t channels);

    //! What must be left out of this sum, when all of it has come.
    const std::vector<kernels::flagged_spectra>& flagged() const { return d_flagged; }
    //! Channels of the interrupted sum that did not come.
    std::size_t missing() const { return d_channel_count - d_added; }
    //! Ends the interrupted sum. Returns what must be left out of it: what was flagged in
    //! the channels that came, and all of the others.
    std::vector<kernels::flagged_spectra> end_without_rest();

private:
    const std::size_t d_inputs, d_channel_count;
    bool d_under_way = false;
    std::uint64_t d_spectra = 0;
    std::vector<std::uint64_t> d_valid;
    std::vector<kernels::flagged_spectra> d_flagged;
    std::size_t d_channels = 0; // that have come since the sum began, or began again
    std::size_t d_added = 0;    // that were added before it was interrupted
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_SUM_IN_PARTS_H */
