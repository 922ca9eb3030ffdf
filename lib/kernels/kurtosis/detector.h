/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_DETECTOR_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_DETECTOR_H

#include "kernels/base/workers.h"
#include "kernels/kurtosis/band_bursts.h"
#include "kernels/kurtosis/combined.h"
#include "kernels/kurtosis/quantized.h"
#include "kernels/kurtosis/running_median.h"
#include <map>
#include <optional>
#include <vector>

namespace gr::fringe::kernels {

//! Why a cell, a channel of an input in a window, is no noise: bits.
enum class cause : std::uint8_t {
    kurtosis_low = 1,  //!< steadier than noise: a carrier
    kurtosis_high = 2, //!< comes and goes within the window
    combined = 4,      //!< the mean kurtosis of the inputs
    power = 8,         //!< more than before: of the cell, the input, or the array
    mask = 16          //!< a channel that the user named
};
constexpr std::size_t causes = 5;
constexpr std::uint8_t bit(cause c) { return static_cast<std::uint8_t>(c); }

struct detector_params {
    std::size_t inputs = 1;
    std::size_t channels = 1;
    double false_alarm = 1e-3; //!< of each detector
    bool per_input = true, combined = true, power = true;
    int clip = 0;                //!< largest part of quantized spectra; 0: not quantized
    std::vector<char> mask;      //!< [channel], or empty
    std::vector<char> bad_input; //!< [input], or empty: not in what is combined
};

/*!
 * Tells noise from interference by the sums S1 and S2 of windows of spectra (kurtosis.h):
 * spectral kurtosis of each cell, two-sided; the mean of the inputs' in a channel; and
 * power against the medians of up to 32 earlier windows: of each cell, of each input over
 * the band, and of all inputs.
 */
class FRINGE_API detector
{
public:
    //! Windows of fewer valid spectra get no decision.
    static constexpr std::uint32_t min_spectra = 8;

    //! Throws std::invalid_argument naming the parameter.
    explicit detector(const detector_params& p);

    //! The causes of each cell of the next window, [channel][input], 0 = noise. s1, s2:
    //! [channel][input]; valid: [input], spectra that were not lost.
    const std::vector<std::uint8_t>&
    detect(const float* s1, const float* s2, const std::vector<std::uint32_t>& valid);

private:
    struct bins {
        std::vector<float> low, high;    // limits
        std::vector<float> shift, scale; // to the kurtosis of ideal noise
    };
    limits limits_of(std::uint32_t m);
    const bins& bins_of(std::uint32_t m);
    bool masked(std::size_t c) const { return !d_p.mask.empty() && d_p.mask[c]; }
    void find_kurtosis(const float* s1, const float* s2);
    void find_combined();
    void find_power(const float* s1);
    void read_medians();
    template <class Range>
    void share(std::size_t count, std::size_t unit, const Range& range);
    void find_bursts();
    void flag_cells(std::size_t input, cause why);

    const detector_params d_p;
    const std::size_t d_cells;
    const std::shared_ptr<workers> d_workers; // results do not depend on their number
    std::optional<quantized_noise> d_quantized;
    std::optional<combined_kurtosis> d_combined;
    std::map<std::uint32_t, limits> d_limits;
    std::map<std::uint32_t, bins> d_bins;
    std::map<std::pair<std::uint32_t, std::size_t>, double> d_power_limits;

    std::vector<std::uint32_t> d_valid; // of the window: [input]
    std::uint32_t d_max_valid = 0;      // the most of them so far
    std::vector<float> d_kurtosis;      // [channel][input], as of ideal noise; NaN: none
    std::vector<float> d_power;         // [channel][input], mean
    std::vector<float> d_median;        // the same before
    std::size_t d_windows = 0;          // since their history was full
    std::vector<double> d_band;         // [input], sum over the band
    running_median d_cell_history;
    band_bursts d_bursts;
    std::vector<std::uint8_t> d_causes; // [channel][input]
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_DETECTOR_H */
