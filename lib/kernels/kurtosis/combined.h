/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_COMBINED_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_COMBINED_H

#include "kernels/base/workers.h"
#include "kernels/kurtosis/common_scatter.h"
#include "kernels/kurtosis/limits.h"
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * The mean kurtosis of the inputs of every channel against its limits: those of n inputs of
 * independent noise, or, where the means scatter k times as much (common_scatter), those of
 * n / k^2 inputs.
 */
class FRINGE_API combined_kurtosis
{
public:
    //! bad_input: [input], not in the means; or empty.
    combined_kurtosis(std::size_t inputs,
                      std::size_t channels,
                      double false_alarm,
                      const std::vector<char>& bad_input);

    //! A window: kurtosis [channel][input], that of ideal noise, NaN without a value;
    //! valid: [input], its spectra; left_out: [channel][input], not 0 where a cell does not
    //! count. Returns [channel], 1 where the mean is outside. Large windows are shared out
    //! among `threads`.
    const std::vector<char>& find(const std::vector<float>& kurtosis,
                                  const std::vector<std::uint32_t>& valid,
                                  const std::vector<std::uint8_t>& left_out,
                                  workers& threads);

private:
    struct mean {
        double value = 1, inputs = 0;
        std::uint32_t spectra = 0; // that as many inputs would have: a harmonic mean
    };
    void add_up(std::size_t channel,
                const std::vector<float>& kurtosis,
                const std::vector<double>& inverse,
                const std::vector<std::uint8_t>& left_out);
    limits limits_of(const mean& m, double factor);

    const std::size_t d_inputs;
    const double d_false_alarm, d_normal;
    const std::vector<char> d_bad_input;
    std::vector<mean> d_means;
    std::vector<float> d_deviations;
    common_scatter d_scatter;
    std::vector<char> d_found;
    std::map<std::pair<std::uint32_t, double>, limits> d_limits; // of spectra and inputs
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_COMBINED_H */
