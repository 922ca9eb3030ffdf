/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_QUANTILES_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_QUANTILES_H

#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

//! Probability that a standard normal variable exceeds z.
FRINGE_API double normal_tail(double z);
//! The z that it exceeds with this probability, 0 < probability < 1.
FRINGE_API double normal_quantile(double probability);

/*!
 * The threshold for |V|^(2/3) of Gaussian noise with any steady source in it, in units of
 * what median and MAD say about its spread.
 *
 * |V| has a Rice distribution, from Rayleigh (no source) to normal (a strong one). The
 * exponent 2/3 makes the first nearly normal (Wilson & Hilferty 1931) and leaves the last
 * as it is; what is left of the skewness is taken out here. The ratio of the median to
 * 1.4826 MAD says which Rice distribution it is, so no level of noise needs to be known:
 * threshold(ratio) = (quantile - median) / (1.4826 MAD), from a table made once.
 */
class FRINGE_API rice_thresholds
{
public:
    //! For this false-alarm rate.
    explicit rice_thresholds(double rate);
    double threshold(double ratio) const;

private:
    std::vector<double> d_ratio, d_threshold; // ascending
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_QUANTILES_H */
