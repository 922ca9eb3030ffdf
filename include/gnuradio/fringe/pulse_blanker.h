/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_PULSE_BLANKER_H
#define INCLUDED_FRINGE_PULSE_BLANKER_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/pulse_search.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Blanks pulses, those of a radar for example, in the samples before the filter bank.
 * \ingroup fringe
 *
 * \details
 * A sample n of input i is a pulse where one of these holds:
 *
 *     |x_i[n]|^2 > q P_i,      sum over i of |x_i[n]|^2 / P_i > Q
 *
 * P_i is the level of the input: the median of the mean powers of 16 samples in a window of
 * `window` samples, so pulses hardly raise it. q and Q are the quantiles of what Gaussian noise
 * of this level has, such that the part `false_alarm` of its samples is blanked. q is that of an
 * exponential distribution (complex samples) or of chi-square with one degree of freedom
 * (real ones). Q takes into account what the inputs have in common, for example a strong source.
 * The first test blanks the input alone, the second all inputs; `guard` samples before and behind
 * are blanked, too, or fewer where the window has 16 pulses of all inputs or more: as far as the
 * samples beside them are above the middle of S more often than others. Windows are counted from
 * the begin of the data and anew after a gap, so what is blanked does not depend on the length of
 * the items.
 *
 * Blanked samples are zeros. The window h[n] of a spectrum has lost the part
 * sum h^2 over the blanked samples / sum h^2 of its power then, and X-engine and integrator divide
 * by what is left, for each product: means keep their level, and weights are what is left.
 *
 * Input and output: voltages [input][time], `block_samples` samples of each input an item, "i8",
 * "i16" or "f32" components. An item is sent when the windows that it lies in are complete, and
 * `guard` samples behind it.
 *
 * Message port `losses`: a dictionary of `samples`, uint64, those of every input so far, and
 * `blanked`, u64vector [input]. It is sent when something has changed, at most once a second, and
 * at the end.
 *
 * Tags read: rx_time, rx_rate, rx_freq, samples, invalid, damaged; all are passed on. Tag written
 * on items with pulses: blanked, u64vector of (input, first sample, count).
 *
 * Throws std::invalid_argument for sizes of 0, an unknown component or backend, a window, guard
 * or false-alarm rate out of its range, inputs that are not there. Data of 1 or 2 bits end
 * the flowgraph: one level stands for all strong signals there.
 *
 * Source: the level and the exact weights are worked out in docs/blocks/pulse_blanker.md; the sum
 * over the inputs uses the saddlepoint approximation of Lugannani and Rice (Adv. Appl. Prob. 12,
 * 475, 1980).
 */
class FRINGE_API pulse_blanker : virtual public gr::block
{
public:
    typedef std::shared_ptr<pulse_blanker> sptr;

    /*!
     * \param inputs number of inputs
     * \param block_samples samples of each input in one item
     * \param component "i8", "i16" or "f32"
     * \param complex_samples false for real samples
     * \param false_alarm part of the samples of Gaussian noise that is blanked, of each input,
     *        1e-9 to 0.01
     * \param guard samples before and behind a pulse that are blanked, too, 0 to 512; at most,
     *        in windows with many pulses
     * \param window samples whose level is measured together, a multiple of 16, 1024 to 1048576
     * \param bad_inputs inputs that do not count in the sum over the inputs
     * \param backend "auto" (the first GPU that works, else the CPU), "cuda" (that GPU, or an
     *        error), "cuda:0", "cuda:1", ... (a GPU by its number), "cpu" or "generic"
     */
    static sptr make(std::size_t inputs,
                     std::size_t block_samples,
                     const std::string& component = "i8",
                     bool complex_samples = true,
                     double false_alarm = pulse_search().false_alarm,
                     std::size_t guard = pulse_search().guard,
                     std::size_t window = pulse_search().window,
                     const std::vector<std::size_t>& bad_inputs = {},
                     const std::string& backend = "auto");

    //! Samples blanked so far: cause -> [input].
    virtual std::map<std::string, std::vector<std::uint64_t>> losses() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_PULSE_BLANKER_H */
