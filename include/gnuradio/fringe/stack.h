/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STACK_H
#define INCLUDED_FRINGE_STACK_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Makes one stream of voltages of several ordinary streams, by their times.
 * \ingroup fringe
 *
 * \details
 * For receivers that are GNU Radio sources themselves (SDRs), or any other blocks: stream
 * i becomes input i of the correlator.
 *
 * Input: one stream per input, complex64 or float32 samples.
 * Output: voltages [input][time], `block_samples` samples of every input an item, as the
 * channelizer takes them (component "f32").
 *
 * Sample n of a stream is placed where its time says. With t the stream's latest rx_time,
 * m the samples since then and T the common start, the place is
 *
 *     p = round((t - T) rate) + m
 *
 * Starts: the stack begins with the stream that starts last; early samples of the others
 * are dropped. Starts must differ by a whole number of samples within 0.05, else the data
 * end with a sentence in the log. A stream without rx_time begins with the stack; when
 * none has one, the stack begins at `start_time`.
 *
 * Gaps: an rx_time that lies ahead is a gap on that input: zeros take the place of what
 * was lost, and are marked invalid. A gap that all inputs share is left out, and the next
 * item has a new rx_time. An rx_time that lies behind never shifts time: samples are
 * dropped until their place has not been sent.
 *
 * End: the data end with the stream that ends first; the last block is sent with as many
 * samples as there are.
 *
 * Tags read: rx_time, rx_rate, rx_freq, on every input. Tags written:
 *
 *   rx_time  UTC of the item's first sample: first item of every run, and after a gap of
 *            all inputs
 *   rx_rate  double, samples per second, with every rx_time
 *   rx_freq  double, sky frequency in Hz of the middle of the band, with every rx_time
 *   samples  uint64, on an item that holds fewer samples than a block (the last one)
 *   invalid  u64vector of (input, first sample, count): runs of samples that were lost
 *   damaged  symbol, the sentence that is in the log, on an item that ends the data early
 *
 * Message port `losses`: unusable samples so far, a dictionary: `samples`, uint64,
 * those of every input sent, good or not; `missing` (never came) and `late` (dropped, as
 * their time had been sent), u64vectors [input]. It is sent when something has changed, at
 * most once a second, and at the end.
 *
 * The log says when the first data came, at what rate they come, and which inputs were
 * silent for 5 seconds.
 *
 * Throws std::invalid_argument for no inputs, a block of 0 samples or over 2 GB, a
 * negative rate, a start time that is none.
 */
class FRINGE_API stack : virtual public gr::block
{
public:
    typedef std::shared_ptr<stack> sptr;

    /*!
     * \param inputs number of streams
     * \param block_samples samples of every input in one item
     * \param sample_rate Hz; 0 = as rx_rate says. One that differs ends the data
     * \param center_frequency Hz, middle of the band; 0 = as rx_freq says
     * \param start_time ISO 8601 UTC of the first sample where no stream has an rx_time;
     *        "now" (or ""): this computer's clock when it comes, as the log and the history
     *        of the files then say
     * \param complex_samples true for complex64 streams, false for float32
     */
    static sptr make(std::size_t inputs,
                     std::size_t block_samples,
                     double sample_rate = 0,
                     double center_frequency = 0,
                     const std::string& start_time = "now",
                     bool complex_samples = true);

    //! Samples of each input sent so far.
    virtual std::uint64_t samples_sent() const = 0;
    //! Samples that never came, of all inputs together, so far.
    virtual std::uint64_t samples_missing() const = 0;
    //! Samples dropped because their time had been sent already, of all inputs together.
    virtual std::uint64_t samples_late() const = 0;
    //! Unusable samples, so far: cause -> [input].
    virtual std::map<std::string, std::vector<std::uint64_t>> losses() const = 0;
    //! The sentence that ended the data early, "" if none did.
    virtual std::string error() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STACK_H */
