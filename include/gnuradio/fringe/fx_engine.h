/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_FX_ENGINE_H
#define INCLUDED_FRINGE_FX_ENGINE_H

#include <complex>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/file_source.h>
#include <gnuradio/fringe/kurtosis_search.h>
#include <gnuradio/fringe/pulse_search.h>
#include <gnuradio/fringe/tracking.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Unpack, F-engine and X-engine in one block, on all cores of a processor.
 * \ingroup fringe
 *
 * \details
 * It computes what unpack, channelizer and xengine compute one after the other (their pages
 * have the equations), for fx_correlator:
 *
 *     S_c,ij = sum_s X_c,i[s] conj(X_c,j[s]),   i <= j
 *
 * The stream is cut into stretches of some hundred spectra, at the boundaries of dumps where
 * that is possible. A thread of a pool takes a stretch through all three stages, in pieces of
 * a block that stay in its core's cache; it begins taps - 1 transforms early, so stretches do
 * not depend on one another. Sums are sent in the order of the stream, and are the same bits
 * with any number of threads.
 *
 * Memory: raw samples of three stretches a thread, and the sums of two.
 *
 * Input: raw sample blocks, as file_source sends them, of `block_spectra` spectra. None with
 * a `recording`, which the threads read themselves: that is fastest.
 * Output: short sums [channel][baseline] of `channels_per_item` channels an item, complex
 * float32, or exact complex int32 after requantizing: see xengine.
 *
 * Tags read: those of unpack. Tags written: those of xengine, `gains` with requantized
 * spectra.
 *
 * Message ports: `integration` as xengine's, `corrections` as channelizer's, `losses` as
 * unpack's, `occupancy` as kurtosis_flagger's.
 *
 * Throws std::invalid_argument as those blocks do, std::system_error when the system gives
 * no threads.
 */
class FRINGE_API fx_engine : virtual public gr::block
{
public:
    typedef std::shared_ptr<fx_engine> sptr;

    /*!
     * \param format recording format of the raw blocks
     * \param inputs number of inputs
     * \param channels number of channels
     * \param block_spectra spectra that one raw block makes; 0 = fringe.block_spectra()
     * \param taps of the filter bank
     * \param window its window: rectangular, hann, hamming, blackman or kaiser
     * \param requantize "none", "8" or "4" bits
     * \param gains factors in front of the requantizer, [input] or one
     * \param conjugate [input], or none
     * \param corrections factors of the spectra, [input * channels], or none
     * \param files sub-blocks of a raw block, as unpack's
     * \param streams place of each input in the recording, as unpack's
     * \param dump_seconds sums end at the boundaries of such dumps; 0 = see dump_spectra
     * \param dump_spectra the same by spectra; both 0 = there are no dumps
     * \param channels_per_item channels in one output item; 0 = chosen
     * \param towards delays that are taken out; none = nothing is tracked
     * \param flag interference that is looked for and left out; none = nothing is
     * \param backend "cpu" or "generic"
     * \param recording a file_source of blocks of `block_spectra` spectra that is in no
     *        flowgraph: the threads read it themselves, and the block has no input. It goes
     *        on to count samples and losses, and its finish() ends the data. None = samples
     *        come through the input
     * \param threads of the pool; 0 = as set_threads() says
     * \param mean_blocks raw blocks over which the running mean of each input goes that is
     *        taken out, see unpack; 0 = it stays
     * \param pulses pulses that are blanked in the samples, see pulse_blanker; none = nothing is
     */
    static sptr make(const std::string& format,
                     std::size_t inputs,
                     std::size_t channels,
                     std::size_t block_spectra = 0,
                     unsigned taps = 4,
                     const std::string& window = "hann",
                     const std::string& requantize = "none",
                     const std::vector<float>& gains = {},
                     const std::vector<bool>& conjugate = {},
                     const std::vector<std::complex<float>>& corrections = {},
                     std::size_t files = 1,
                     const std::vector<std::size_t>& streams = {},
                     double dump_seconds = 0,
                     std::uint64_t dump_spectra = 0,
                     std::size_t channels_per_item = 0,
                     const tracking::sptr& towards = nullptr,
                     const std::optional<kurtosis_search>& flag = std::nullopt,
                     const std::string& backend = "cpu",
                     const file_source::sptr& recording = nullptr,
                     int threads = 0,
                     std::size_t mean_blocks = 0,
                     const std::optional<pulse_search>& pulses = std::nullopt);

    //! A new dump length from the next spectra on; exactly one of the two is not 0.
    virtual void set_integration(double seconds, std::uint64_t spectra) = 0;
    //! New corrections [input * channels] from an epoch on, see channelizer.
    virtual void set_corrections(const std::vector<std::complex<float>>& corrections,
                                 const epoch& from) = 0;

    //! Numbers of the first dump of the `recording` and of the one behind the last. A dump of T
    //! seconds is number k when it begins k T after 1970-01-01 UTC, wherever the recording
    //! begins; dumps of a number of spectra are counted from its first spectrum. The last
    //! ones may get no data: with tracking the last spectra are incomplete. Throws
    //! std::invalid_argument without a recording, or without a dump length.
    virtual std::pair<std::int64_t, std::int64_t> recorded_dumps() = 0;
    //! Stretches end with dumps whose number is a multiple of this one.
    virtual std::int64_t dumps_together() = 0;
    //! Makes the dumps first ... end - 1 only, the same bits as without that: what is before
    //! is not read, but for what the filter and the running mean need. To be called before
    //! the flowgraph runs. Throws std::invalid_argument without a recording, with `flag`,
    //! whose search compares with all that came before, and where first or end, inside of
    //! the recording, is not a multiple of dumps_together().
    virtual void select_dumps(std::int64_t first, std::int64_t end) = 0;

    //! Samples so far, [input], by cause: saturated, at the largest number that the format has;
    //! with `pulses` blanked.
    virtual std::map<std::string, std::vector<std::uint64_t>> losses() const = 0;
    //! Components clipped by the requantizer so far, [input].
    virtual std::vector<std::uint64_t> saturated() const = 0;
    //! Spectra that were searched for interference so far.
    virtual std::uint64_t searched() const = 0;
    //! Spectra flagged so far, [channel * inputs + input].
    virtual std::vector<std::uint64_t> flagged() const = 0;
    //! Cells flagged so far by cause, [channel], see kurtosis_flagger.
    virtual std::map<std::string, std::vector<std::uint64_t>> cells() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_FX_ENGINE_H */
