/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_UDP_SOURCE_H
#define INCLUDED_FRINGE_UDP_SOURCE_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Receives antenna voltages, or spectra, live, as UDP packets of a telescope's format.
 * \ingroup fringe
 *
 * \details
 * A packet layout (a preset, or a YAML file of the user's own) says where the numbers of a
 * header are. Sample n of a packet was taken at
 *
 *     t = epoch + (sum over fields of (field - first) * step + n * ticks_per_sample) / tick_rate
 *
 * reckoned in integers; a counter that wraps goes on. The sum over other fields tells the
 * source, and so the inputs.
 *
 * Output: raw sample blocks in the layout's encoding, bytes [source][time][stream] as in
 * the packets (or [source][stream][time]), `block_samples` samples of each input an item:
 * as a file_source of one file per source sends them.
 *
 * Layouts of spectra (`snap2`, `spead`, ...) are what F-engines send. Output: spectra
 * [channel][input][time] of complex int8, `block_samples` spectra an item, as a channelizer
 * with `requantize` makes them: connect an xengine. Then a sample is a spectrum, in all that
 * follows, and in the tags `spectra` stands in the place of `samples`.
 *
 * Threads of its own receive, and put packets in the order of their time. Those that
 * come up to `window_seconds` after younger ones find their place. What has not come by
 * then (or when none has come for ten windows, a second at least) keeps its place in time.
 * Nothing is held back in the network: what the flowgraph is too slow for is dropped, and
 * counted. If the senders pause for longer than the buffer, or
 * start again with another time, a new rx_time begins with their next packets.
 *
 * Tags written: rx_time, rx_rate and rx_freq on the first item of every run, and wherever
 * the time of the packets has jumped; samples on an item that holds fewer than a block;
 * invalid, u64vector of (stream, first sample, count), where samples are missing or marked as
 * bad. Of spectra whose channels come in several packets it is the tag lost instead,
 * u64vector of (first input, inputs, first channel, channels, first spectrum, count), where
 * packets are missing.
 *
 * Message port `losses`: unusable samples so far, a dictionary: `samples`, uint64,
 * those of every input sent, good or not, and u64vectors [input]: `missing` (never came),
 * `late` (came behind the window), `garbled` (came damaged), `dropped` (found the buffer
 * full), `invalid` (marked as bad by the sender). Of spectra the values of all channels are
 * counted here. It is sent when something has changed, at
 * most once a second, and at the end.
 *
 * Every packet is counted once: packets() has `good`, `missing`, `late`, `duplicate`,
 * `garbled`, `dropped`, `foreign` (of a sender, source or channel that is not received) and
 * `kernel_dropped` (found the kernel's buffer full, or had a wrong checksum, and so is one of
 * the missing, too).
 *
 * The packets are the same with both engines, and are counted in the same way. With
 * `packet_ring` no firewall of this computer sees them, and multicast packets that a program
 * of this computer sends are heard through the loopback interface only.
 *
 * The log says when the first packets came, what is lost, every few seconds, and after 5
 * seconds without packets what the usual reasons are.
 *
 * Throws std::invalid_argument for layouts, settings, addresses, interfaces and sizes that
 * cannot be, with the value and what would be right.
 */
class FRINGE_API udp_source : virtual public gr::block
{
public:
    typedef std::shared_ptr<udp_source> sptr;

    /*!
     * \param addresses "host:port" to receive on: an address of this computer, or a
     *        multicast group; port 0 = any that is free. An IPv6 address stands in brackets,
     *        "[::1]:7148"
     * \param inputs number of inputs, of all sources together
     * \param block_samples samples, or spectra, of every input in one item
     * \param preset name of a packet layout ("mwa", "vdif", ...), or the path of a YAML file
     * \param settings what the packets' headers do not say, by name ("sample_rate": "1e6")
     * \param center_frequency Hz, middle of the band that is received; 0 = as the packets
     *        or the layout say
     * \param interface of multicast, by name or address; "" = the system chooses
     * \param senders addresses of those whose packets are taken; empty = all
     * \param samples number of samples, or spectra, of every input to receive; 0 = without end
     * \param window_seconds how late a packet may come behind younger ones
     * \param buffer_seconds how much is kept for a flowgraph that is busy
     * \param socket_bytes size of the kernel's buffer of each address
     * \param engine "recvmmsg": packets are read from sockets; "packet_ring": from a ring in
     *        memory that the kernel fills before packets get to a socket (Linux' AF_PACKET),
     *        which needs the right CAP_NET_RAW; "auto": recvmmsg
     * \param threads number of threads that receive. The system divides the packets of an
     *        address among them
     * \param cores numbers of the cores that these threads are bound to, in turn; empty =
     *        the system chooses
     */
    static sptr make(const std::vector<std::string>& addresses,
                     std::size_t inputs,
                     std::size_t block_samples,
                     const std::string& preset,
                     const std::map<std::string, std::string>& settings = {},
                     double center_frequency = 0,
                     const std::string& interface = "",
                     const std::vector<std::string>& senders = {},
                     std::uint64_t samples = 0,
                     double window_seconds = 0.05,
                     double buffer_seconds = 0.5,
                     std::size_t socket_bytes = std::size_t(64) << 20,
                     const std::string& engine = "auto",
                     std::size_t threads = 1,
                     const std::vector<unsigned>& cores = {});

    virtual std::size_t inputs() const = 0;
    //! How samples are packed in the raw blocks: what unpack takes as its format.
    virtual std::string encoding() const = 0;
    //! Sub-blocks that a raw block is made of: unpack's `files`.
    virtual std::size_t parts() const = 0;
    //! Channels of the spectra; 0 = samples are received.
    virtual std::size_t channels() const = 0;
    //! Samples, or spectra, per second.
    virtual double sample_rate() const = 0;
    //! Ports that are received on, one for each address.
    virtual std::vector<unsigned> ports() const = 0;
    //! Samples of each input sent so far.
    virtual std::uint64_t samples_read() const = 0;
    //! Samples of each input that will be sent in all; 0 = without end.
    virtual std::uint64_t total_samples() const = 0;
    //! What became of the packets so far.
    virtual std::map<std::string, std::uint64_t> packets() const = 0;
    //! Packets of each source that wait in the buffer for the flowgraph, and how many find room.
    virtual std::pair<std::uint64_t, std::uint64_t> fill() const = 0;
    //! Runs of time so far: one more with every restart of the senders.
    virtual std::uint64_t stretches() const = 0;
    //! Unusable samples, so far: cause -> [input].
    virtual std::map<std::string, std::vector<std::uint64_t>> losses() const = 0;
    //! "", as live data are never damaged files.
    virtual std::string error() const = 0;
    //! What the log has warned of since the last call: no packets, losses, a small buffer.
    virtual std::vector<std::string> warnings() = 0;
    //! Ends the data after what has come, so that everything behind is flushed.
    virtual void finish() = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_UDP_SOURCE_H */
