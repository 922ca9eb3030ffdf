/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DUMP_BINS_H
#define INCLUDED_FRINGE_KERNELS_DUMP_BINS_H

#include "kernels/reducing/reducer.h"
#include <gnuradio/fringe/pulse_phase.h>

namespace gr::fringe::kernels {

//! A part of a turn: from <= phase < to, 0 <= from < 1, from < to <= from + 1.
struct phase_gate {
    double from = 0;
    double to = 1;
    bool holds(double fraction) const
    {
        return (fraction >= from && fraction < to) || fraction + 1 < to;
    }
};

//! `bins` equal gates, or those of a list (from, to, from, to, ...); throws
//! std::invalid_argument.
FRINGE_API std::vector<phase_gate> phase_gates(std::size_t bins,
                                               const std::vector<double>& list);

/*!
 * Dumps added up by the phase in which their middles lie.
 *
 * A channel of frequency f is taken at the phase of the instant t - D(f),
 *
 *     D(f) = DM / 2.41e-4 (1/f^2 - 1/f_0^2) seconds,    f in MHz
 *
 * so that a dispersed pulse lies in one gate. With w the weights and tau the lengths of
 * the dumps of a gate,
 *
 *     V = sum w tau V / sum w tau,    weight = sum w tau / interval
 *
 * the fraction of the whole interval that is in it: weights and exposures of gates that
 * make up a turn add up to those of a dump without gates.
 */
class FRINGE_API dump_bins
{
public:
    dump_bins(const dump_axes& axes,
              const pulse_phase& phase,
              std::vector<phase_gate> gates,
              double dispersion);

    std::size_t size() const { return d_gates.size(); }
    //! Adds a dump; its cells that are flagged are left out.
    void add(const dump_cells& d, const epoch& middle, double interval, double exposure);
    //! The mean of a gate over `interval` seconds.
    void mean(std::size_t gate,
              double interval,
              std::complex<float>* visibilities,
              float* weights) const;
    //! Seconds of data in a gate, the mean over channels.
    double exposure(std::size_t gate) const { return d_bins[gate].exposure; }
    void clear();

private:
    struct bin {
        std::vector<std::complex<double>> sum; // [channel][baseline]
        std::vector<double> weight;
        double exposure = 0;
    };
    void add_channel(const dump_cells& d, std::size_t c, double interval, bin& to) const;

    const std::size_t d_channels, d_products;
    const pulse_phase d_phase;
    const std::vector<phase_gate> d_gates;
    std::vector<double> d_delays; // [channel], seconds
    std::vector<bin> d_bins;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DUMP_BINS_H */
