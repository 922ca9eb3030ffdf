/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TCP_SOURCE_H
#define INCLUDED_FRINGE_TCP_SOURCE_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Receives antenna voltages live, one TCP stream per MWA-32T receiver.
 * \ingroup fringe
 *
 * \details
 * The live form of the recording format mwa32t. A stream is groups of 17 little-endian
 * 16-bit words: a counter that goes up by one a group, modulo 65536, and one mwa16 sample
 * of each of 16 inputs.
 *
 * Output: raw sample blocks in format mwa16, bytes [receiver][time][stream], 16 streams a
 * receiver, `block_samples` samples of each an item: as a file_source of the receivers'
 * recordings sends them.
 *
 * Streams are put in step by their counters; data begin when all receivers are connected,
 * and what waited in their connections from before is left out. Receivers may be half a
 * turn of the counter (32768 samples) apart at most. A receiver whose connection ends may
 * come back and is put in step again. The data end when all connections have ended.
 *
 * Lost groups keep their place in time. Nothing is ever held back in the connections:
 * what the flowgraph is too slow for is dropped, and counted. A receiver that falls half
 * the buffer behind is not waited for.
 *
 * Tags written: rx_time, rx_rate and rx_freq on the first item of every run; samples on the
 * last when it holds fewer than a block; invalid, u64vector of (stream, first sample, count), where
 * samples are missing.
 *
 * Message port `losses`: unusable samples so far, a dictionary: `samples`, uint64,
 * those of every stream sent, good or not; `missing` (never came) and `dropped` (came too
 * late, or found the buffer full), u64vectors [stream]. It is sent when something has
 * changed, at most once a second, and at the end.
 *
 * The log says when the first data came, at what rate they come, who connects and leaves,
 * and which receivers were silent for 5 seconds.
 *
 * Throws std::invalid_argument for no or wrong addresses, ports that cannot be listened
 * on, a block of 0 samples or over 2 GB, rates and buffers that are not positive, a start
 * time that is none.
 */
class FRINGE_API tcp_source : virtual public gr::block
{
public:
    typedef std::shared_ptr<tcp_source> sptr;

    /*!
     * \param addresses "host:port" of each receiver: one of this computer's to listen on
     *        (port 0 = any that is free), or the receiver's to connect to
     * \param block_samples samples of every input in one item
     * \param sample_rate Hz
     * \param center_frequency Hz, middle of the band
     * \param listen true: receivers connect to us; false: we connect to them
     * \param start_time ISO 8601 UTC of the first sample; "now" (or ""): this computer's
     *        clock when it comes, as the log and the history of the files then say
     * \param buffer_seconds how much is kept for a flowgraph that is busy
     */
    static sptr make(const std::vector<std::string>& addresses,
                     std::size_t block_samples,
                     double sample_rate,
                     double center_frequency = 0,
                     bool listen = true,
                     const std::string& start_time = "now",
                     double buffer_seconds = 1.0);

    virtual std::size_t inputs() const = 0;
    //! Ports that are listened on, or connected to, one per receiver.
    virtual std::vector<unsigned> ports() const = 0;
    //! Receivers that are connected, with nothing left of what had waited from before.
    virtual std::size_t connected() const = 0;
    //! Samples of each input sent so far.
    virtual std::uint64_t samples_read() const = 0;
    //! Samples that never came, of all inputs together, so far.
    virtual std::uint64_t samples_missing() const = 0;
    //! Samples that came, and too late or with the buffer full, of all inputs together.
    virtual std::uint64_t samples_dropped() const = 0;
    //! Unusable samples, so far: cause -> [stream].
    virtual std::map<std::string, std::vector<std::uint64_t>> losses() const = 0;
    //! Ends the data after the block being sent, so that everything behind is flushed.
    virtual void finish() = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_TCP_SOURCE_H */
