/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_SCALE_INVARIANT_RANK_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_SCALE_INVARIANT_RANK_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * The scale-invariant rank operator: flags also what lies in or next to much that is
 * flagged, whatever the scale of it.
 *
 * A cell is flagged when it lies in any run of neighbors of which at least the part
 * 1 - eta is flagged. With psi = eta where flagged and eta - 1 where not, and M(x) the sum
 * of psi in front of cell x, that is
 *
 *     max M(y), y > x   >=   min M(z), z <= x
 *
 * in two passes along the cells. It is applied along time and along frequency, to the same
 * flags, and the results are joined. Cells that do not count are skipped, as if their
 * neighbors were each other's.
 *
 * It is for edges that are too weak to be found. Where they would be, runs that count may
 * have to begin and end with flagged cells: then gaps are filled, and nothing else.
 *
 * A.R. Offringa, J.J. van de Gronde, J.B.T.M. Roerdink, A&A 539, A95 (2012).
 */
class FRINGE_API scale_invariant_rank
{
public:
    //! eta: 0 changes nothing, 1 flags everything. gaps_only: nothing beyond the ends.
    explicit scale_invariant_rank(double eta, bool gaps_only = false)
        : d_eta(eta), d_gaps_only(gaps_only)
    {
    }

    //! One line of cells, `step` apart; sets out where in any such run.
    void along(const std::uint8_t* flagged,
               const std::uint8_t* used,
               std::size_t cells,
               std::size_t step,
               std::uint8_t* out);
    //! A plane [dump][channel], both ways. out: 1 or 0; never where not used.
    void dilate(const std::uint8_t* flagged,
                const std::uint8_t* used,
                std::size_t dumps,
                std::size_t channels,
                std::uint8_t* out);

private:
    const double d_eta;
    const bool d_gaps_only;
    std::vector<double> d_sums;       // M
    std::vector<double> d_lowest;     // min M(z), z <= x
    std::vector<std::size_t> d_cells; // those that count
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_SCALE_INVARIANT_RANK_H */
