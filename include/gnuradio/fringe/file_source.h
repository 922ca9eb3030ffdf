/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_FILE_SOURCE_H
#define INCLUDED_FRINGE_FILE_SOURCE_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Reads recorded antenna voltages and sends them on as raw sample blocks.
 * \ingroup fringe
 *
 * \details
 * One item is one time block: `block_samples` samples of every input, packed as recorded; or
 * a block goes out in several items, of `item_samples` samples each, which unpack gathers on a
 * GPU. With several files (one per receiver) an item holds one file's part after the other's.
 * Their headers say which samples were taken at one time: the data begin where the first
 * file begins and end where the last one ends, and what a file lacks in between is missing
 * (weight 0). Files whose format has no time, or whose headers do not say it, begin
 * together. Without any time the shortest ends the data.
 *
 * Output: raw sample blocks, bytes [file][time][stream] (formats that store one stream
 * after the other: [file][stream][time]).
 *
 * Tags written, all on the item they concern:
 *
 *   rx_time  (uint64 seconds, double fraction) UTC of the item's first sample, first item of every
 *            run
 *   rx_rate  double, samples per second, first item of every run
 *   rx_freq  double, sky frequency in Hz of the middle of the band, first item of every run;
 *            0 where it is not known, or where the streams are of several coarse
 *            channels, which have frequencies of their own
 *   samples  uint64, on the last item of a block that holds fewer samples than others (the last
 *            one): how many the item has; what lies behind them in the item is zero
 *   invalid  u64vector of (stream, first sample, count): runs of samples in the item that
 *            were lost or are marked bad, and are zero
 *   damaged  symbol, the sentence about a damaged file, on an item that ends the data early
 *
 * Message port `losses`: unusable samples so far, a dictionary: `samples`, uint64,
 * those of every stream read, good or not; `missing` (never recorded) and `invalid` (marked
 * bad by the recorder), u64vectors [stream]. It is sent when something has changed, at
 * most once a second, and at the end.
 *
 * A file is never dropped from: the source waits for the flowgraph. Sample rate and
 * frequency given here override those of the recording; without any start time the first
 * sample is taken to be at 1970-01-01T00:00:00.
 *
 * Throws std::invalid_argument (file, field, value, what would be right) for an unknown
 * format, an unreadable or empty file, streams that do not divide by the files, a start
 * behind the end, settings that contradict a header, a file in whose time no other has
 * anything, and one of whose samples more than nine tenths are missing;
 * std::runtime_error (file, byte, what was expected there) for a damaged
 * file.
 */
class FRINGE_API file_source : virtual public gr::block
{
public:
    typedef std::shared_ptr<file_source> sptr;

    /*!
     * \param paths files, one per receiver
     * \param format name of a recording format ("ci8", "mwa16", "tart", ...)
     * \param inputs inputs of all files together; 0 = as the recording says
     * \param block_samples samples of every input in a block
     * \param sample_rate Hz; 0 = as the recording says
     * \param center_frequency Hz, middle of the band; 0 = as the recording says
     * \param start_time ISO 8601 UTC of sample 0 of the file that begins first; "" = as it
     * says
     * \param start_samples first sample to read: one for all files, counted from where the
     * first of them begins, or one for each, which are taken as simultaneous
     * \param samples number of samples to read; 0 = to the end
     * \param repeat starts again at the end, without a break in time
     * \param prefer where sample_rate, start_time or start_samples contradict headers:
     * "header" or "settings", which overrides the other; "" = that is an error
     * \param allow_gaps reads files of which more than nine tenths are missing
     * \param item_samples samples of every input in one item, of which block_samples is a
     * multiple; 0 = block_samples
     */
    static sptr make(const std::vector<std::string>& paths,
                     const std::string& format,
                     std::size_t inputs,
                     std::size_t block_samples,
                     double sample_rate = 0,
                     double center_frequency = 0,
                     const std::string& start_time = "",
                     const std::vector<std::uint64_t>& start_samples = {0},
                     std::uint64_t samples = 0,
                     bool repeat = false,
                     const std::string& prefer = "",
                     bool allow_gaps = false,
                     std::size_t item_samples = 0);

    virtual std::size_t inputs() const = 0;
    //! How samples are packed in the raw blocks: what unpack takes as its format.
    virtual std::string encoding() const = 0;
    //! Sub-blocks that a raw block is made of (files, or threads in them): unpack's `files`.
    virtual std::size_t parts() const = 0;
    virtual double sample_rate() const = 0;
    virtual double center_frequency() const = 0;
    //! True when the start time is known (given, or in the recording).
    virtual bool has_start_time() const = 0;
    //! Of the first sample that is read.
    virtual epoch start_time() const = 0;
    //! Samples of each input that will be read in all.
    virtual std::uint64_t total_samples() const = 0;
    //! Samples of each input read so far; safe to ask while running.
    virtual std::uint64_t samples_read() const = 0;
    //! Samples that were never recorded, of all inputs together, so far.
    virtual std::uint64_t samples_missing() const = 0;
    //! Samples that the recorder marked as bad, of all inputs together, so far.
    virtual std::uint64_t samples_invalid() const = 0;
    //! Unusable samples, so far: cause -> [stream].
    virtual std::map<std::string, std::vector<std::uint64_t>> losses() const = 0;
    //! The sentence about a damaged file, "" if none was met.
    virtual std::string error() const = 0;
    //! Ends the data after the block being read, so that everything behind is flushed.
    virtual void finish() = 0;
};

//! Spectra in an item of a recording of which blocks are gathered on a GPU, a divisor of
//! `block_spectra`: so few that the ring behind a file_source stays in the processor's
//! third-level cache. `points`: samples of every input in a spectrum. Throws
//! std::invalid_argument for an unknown format.
FRINGE_API std::size_t gpu_item_spectra(const std::string& format,
                                        std::size_t inputs,
                                        std::size_t points,
                                        std::size_t block_spectra);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_FILE_SOURCE_H */
