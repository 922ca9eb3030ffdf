/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_RFI_FLAGGER_H
#define INCLUDED_FRINGE_RFI_FLAGGER_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/observation.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Flags radio-frequency interference in dumps, each flag with its cause.
 * \ingroup fringe
 *
 * \details
 * Dumps are held back until there are `window` of them, searched together, and sent on
 * unchanged with flags beside them. Every baseline is searched in
 *
 *     x = |V|^(2/3), autocorrelations P^(1/3),    z = (x - m) / s
 *
 * m, s: median and 1.4826 MAD of x over the window's dumps and some channels around.
 *
 *   median     z above what noise exceeds with the asked rate, whatever steady source is
 *              in it (Rayleigh to Rice)
 *   threshold  SumThreshold: runs of 1, 2, 4 ... 64 cells in time or frequency whose mean z
 *              is above chi_1 / 1.5^(log2 n), after a smooth background; then the
 *              scale-invariant rank operator (eta = 0.2) around all that was found
 *   power      the same two on sum g(z) / sqrt(baselines) of every antenna's and of the
 *              array's baselines: weak interference and bursts over the whole band; g is
 *              the score of the Rice distribution for a weak signal of any phase, from
 *              z without a source to z^2 beside a strong one (Rao 1948)
 *   mask, bad_input, lost   what the user masks, what the observation calls bad, weight 0
 *
 * Of pure noise the part `false_alarm_rate` is flagged by the first three together. Cells
 * that are lost, masked, bad or that come with the flag `kurtosis` are neither used nor
 * searched.
 *
 * Input 0: visibilities, complex float32 [channel][baseline], `channels_per_item` channels
 * an item. Input 1: weights, float32. Input 2 (optional): flags found so far, uint8.
 * Output 0, 1: visibilities and weights as they came. Output 2: flags, uint8, bits of
 * gnuradio/fringe/flags.h. Output 3 (optional): float32 [channel], the part of the
 * baselines that is flagged, with the tags of its dump (rx_time, interval).
 *
 * Dumps come `window` dumps late, after the first window `hop`. A gap in time (rx_time not
 * within half a dump of where the dump before ended) ends a window, the end of the data
 * too: what is held is searched, with dumps that were sent already for background as far as
 * they go. All tags of input 0 travel with their dump; read are rx_time, interval.
 *
 * Message port `occupancy`, after every search: a dictionary of rx_time of the first
 * dump searched, `dumps`, and for "any" and each cause the flagged part of each channel
 * (f32vector).
 *
 * Throws std::invalid_argument for sizes that do not fit, an unknown detector, a mask that
 * ends before it begins, and dumps that do not fit into `memory`.
 *
 * A.R. Offringa et al., MNRAS 405, 155 (2010) and A&A 539, A95 (2012).
 */
class FRINGE_API rfi_flagger : virtual public gr::block
{
public:
    typedef std::shared_ptr<rfi_flagger> sptr;
    using frequency_bands = std::vector<std::pair<double, double>>;
    using time_spans = std::vector<std::pair<std::string, std::string>>;

    /*!
     * \param obs the observation: inputs, their antennas, bad ones, frequencies
     * \param channels number of channels
     * \param complex_samples true when the voltages were complex (frequency axis)
     * \param window dumps that are searched together
     * \param false_alarm_rate the part of pure noise that is flagged
     * \param detectors which of median, threshold, power; empty = all
     * \param mask_frequencies bands to flag, pairs of Hz (from, to)
     * \param mask_times times to flag, pairs of ISO 8601 text in UTC (from, to)
     * \param hop dumps that are searched at a time once there is a window; 0 = all of it
     * \param background_channels channels of the local background; at most half the band
     * \param channels_per_item channels in one item; 0 = fringe.channels_per_item()
     * \param memory most memory to take, bytes
     * \param least_left a visibility with less than this part of the weight that is usual in its
     *        dump (the median over the channels) gets the flag `kurtosis`: a search before this
     *        one has left too little of it; 0 = all are kept
     */
    static sptr make(const observation& obs,
                     std::size_t channels,
                     bool complex_samples = true,
                     std::size_t window = 32,
                     double false_alarm_rate = 1e-3,
                     const std::vector<std::string>& detectors = {},
                     const frequency_bands& mask_frequencies = {},
                     const time_spans& mask_times = {},
                     std::size_t hop = 0,
                     std::size_t background_channels = 64,
                     std::size_t channels_per_item = 0,
                     double memory = 4e9,
                     double least_left = 0);

    //! Visibilities flagged so far by cause, those flagged for "any", and "all" there were.
    virtual std::map<std::string, std::uint64_t> totals() const = 0;
    //! Dumps searched so far.
    virtual std::uint64_t dumps() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_RFI_FLAGGER_H */
