/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KURTOSIS_FLAGGER_H
#define INCLUDED_FRINGE_KURTOSIS_FLAGGER_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/kurtosis_search.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Finds interference in spectra, by kurtosis and power, before the X-engine.
 * \ingroup fringe
 *
 * \details
 * In windows of m spectra, for every cell (channel c of input i):
 *
 *     S1 = sum |x|^2,  S2 = sum |x|^4,  SK = (m+1)/(m-1) (m S2 / S1^2 - 1)
 *
 * (Nita and Gary, MNRAS 406 (2010) L60, arXiv:1005.4371.) Noise has SK = 1 whatever its
 * power; a carrier less, what comes and goes within the window more. Detectors, each with
 * the false-alarm rate asked for in Gaussian noise:
 *
 *   per input  SK of the cell outside its limits, below or above
 *   combined   the mean SK of the inputs of a channel: the channel is flagged everywhere
 *   power      S1 / m above its median over up to 32 earlier windows; the same for the
 *              power of an input over the band, and of all inputs together
 *   mask       channels named by the user, always
 *
 * Spectra that are lost are left out: m is smaller then. The kurtosis cannot see what is
 * on for half of the window; the power cannot see what has been there for 16 windows.
 *
 * Input and output 0: spectra [channel][input][time], `block_spectra` an item, complex
 * float32 ("f32") or complex int8 ("i8"). Flagged cells are zeros in the output; the
 * X-engine and integrator behind it leave them out of means and weights. A window is a
 * whole number of items, and none is sent before its window is complete: that is how late
 * the data become.
 * Output 1 (optional): float32 [channel], the fraction of the inputs that is flagged, an
 * item a window, with the tags rx_time and interval (seconds of the window).
 *
 * Message port `occupancy`: once in `period` seconds of data, and at the end, a
 * dictionary of `time` (tuple uint64, double), `seconds` of data, and f32vectors [channel] with
 * the fraction of the cells flagged: `fraction`, and by cause `sk low`, `sk high`, `combined`,
 * `power`, `mask`. A cell may have several causes.
 *
 * Tags read: rx_time, rx_rate, spectra, invalid; all are passed on. Tag written on items
 * with flagged cells (with `zero`): flagged, u32vector of (first, count) runs of cells,
 * numbered channel * inputs + input.
 *
 * Throws std::invalid_argument for sizes of 0, an unknown component or backend, a false
 * alarm rate outside 1e-6 ... 0.1, channels and inputs that are not there.
 */
class FRINGE_API kurtosis_flagger : virtual public gr::block
{
public:
    typedef std::shared_ptr<kurtosis_flagger> sptr;

    /*!
     * \param inputs number of inputs
     * \param channels number of channels
     * \param block_spectra spectra in one item; 0 = fringe.block_spectra()
     * \param component "f32" or "i8"
     * \param window spectra of a window; the nearest whole number of items is taken. 0 = 64
     *        for each input, but 256 at least and 2048 at most
     * \param false_alarm how often each detector is wrong in Gaussian noise
     * \param per_input detect by the kurtosis of each input
     * \param combined detect by the mean kurtosis of the inputs
     * \param power detect by power
     * \param zero zero what is flagged; else only report it
     * \param mask channels that are always flagged
     * \param bad_inputs inputs that do not count in what is combined
     * \param bits of the requantized spectra: 8 or 4
     * \param period seconds of data between two messages
     * \param backend "auto" (the first GPU that works, else the CPU), "cuda" (that GPU, or
     *        an error), "cuda:0", "cuda:1", ... (a GPU by its number), "cpu" or "generic";
     *        decisions are made on the CPU in any case
     */
    static sptr make(std::size_t inputs,
                     std::size_t channels,
                     std::size_t block_spectra = 0,
                     const std::string& component = "f32",
                     std::size_t window = 0,
                     double false_alarm = kurtosis_search().false_alarm,
                     bool per_input = true,
                     bool combined = true,
                     bool power = true,
                     bool zero = true,
                     const std::vector<std::size_t>& mask = {},
                     const std::vector<std::size_t>& bad_inputs = {},
                     unsigned bits = 8,
                     double period = 1.0,
                     const std::string& backend = "auto");

    /*!
     * Flaggers of parts of the channels, each on a backend of its own, that decide together:
     * with the powers of all channels, as one flagger of all channels would, and with the
     * same result. The parts must get the same windows. flagged() and cells() are those of all
     * channels; the first one sends the messages.
     *
     * \param channels number of channels of each part
     * \param search the parameters of the search
     * \param backends one for each part
     */
    static std::vector<sptr> make_parts(std::size_t inputs,
                                        const std::vector<std::size_t>& channels,
                                        std::size_t block_spectra,
                                        const std::string& component,
                                        const kurtosis_search& search,
                                        unsigned bits,
                                        const std::vector<std::string>& backends);

    //! Spectra of a window.
    virtual std::size_t window() const = 0;
    //! Spectra of every input that have been searched.
    virtual std::uint64_t spectra() const = 0;
    //! Valid spectra flagged so far, [channel * inputs + input].
    virtual std::vector<std::uint64_t> flagged() const = 0;
    //! Cells flagged so far by cause, [channel]: "sk low", "sk high", "combined",
    //! "power", "mask", and "any"; "searched" has all cells.
    virtual std::map<std::string, std::vector<std::uint64_t>> cells() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_KURTOSIS_FLAGGER_H */
