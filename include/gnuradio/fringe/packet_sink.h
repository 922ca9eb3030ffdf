/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_PACKET_SINK_H
#define INCLUDED_FRINGE_PACKET_SINK_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <gnuradio/sync_block.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Sends spectra, or raw samples, as UDP packets: the F-engine of a hybrid correlator,
 * or its digitizer.
 * \ingroup fringe
 *
 * \details
 * Every address gets some of the channels, of all inputs. So a network switch does the
 * corner turn: several F-engines send to the addresses (or multicast groups) of several
 * X-engines, and each X-engine receives its channels from all of them.
 *
 * Layouts, byte by byte in docs/packets.md:
 *
 *     spead   heaps of SPEAD as MeerKAT's F-engines send them (feng_raw), [channel][spectrum]
 *             [polarization], one of each antenna and address. Inputs 2 k and 2 k + 1 are the
 *             polarizations of antenna k. The time is a counter of samples since sync_time.
 *     snap2   packets of the SNAP2 boards of OVRO-LWA: a spectrum, [channel][input]. The time
 *             is sync_time and a counter of spectra.
 *
 * Values have 8 + 8 or 4 + 4 bits, as the channelizer requantizes them.
 *
 * Input: spectra [channel][input][time] of a channelizer with requantize "8" or "4"; with a
 * `gain` complex float32 spectra instead, or voltages of beams in place of inputs. Their parts
 * are multiplied by it, rounded (a half to the even number) and clipped to +-127 or +-7.
 *
 * Tags read: rx_time (needed), rx_rate (needed), spectra, invalid. A packet with an invalid
 * spectrum is not sent, nor is one whose spectra are not all there at a gap or an end.
 *
 * Packets go out evenly, a little faster than the data come (`speed`). Nobody needs to
 * receive them: a reader that comes late or goes away changes nothing here.
 *
 * Raw samples go out as VDIF frames (make_vdif(); packet_sink.vdif() in Python). There an
 * address gets some of the inputs. Input: raw sample blocks [file][time][stream], as a
 * file_source sends them. Every input is a thread of one channel. The first sample of frame f
 * of second s was taken at
 *
 *     t = s + f * samples / rate,  samples = those of a frame, rate / samples a whole number
 *
 * counted from the half year in which the data begin. So the rate is a whole number of Hz, and
 * frames begin at whole seconds. Samples are as in the blocks; two's complement becomes VDIF's
 * offset binary, the same numbers. Tags read: rx_time (needed), rx_rate (needed), samples,
 * invalid. A frame with an invalid sample is not sent, nor is one whose samples are not all
 * there.
 *
 * Throws std::invalid_argument for layouts, sizes and addresses that cannot be. The data end
 * with a sentence where they carry no time.
 */
class FRINGE_API packet_sink : virtual public gr::sync_block
{
public:
    typedef std::shared_ptr<packet_sink> sptr;

    /*!
     * \param addresses "host:port", or "host:port/first-last" with the numbers of its
     *        channels; without these the channels are divided evenly, in order
     * \param inputs number of inputs
     * \param channels number of channels
     * \param block_spectra spectra in one item; 0 = fringe.block_spectra()
     * \param layout "spead" or "snap2"
     * \param requantize "8" or "4", as the channelizer's
     * \param complex_samples as the channelizer's: whether a spectrum takes `channels`
     *        samples, or twice as many
     * \param packet_channels in a packet; 0 = as many as fit into 8 KiB
     * \param spectra in a packet; 0 = 256 (spead) or 1 (snap2)
     * \param first_input the number of input 0 in the whole array
     * \param all_inputs of the whole array; 0 = these are all
     * \param first_channel the number that channel 0 gets
     * \param sync_time instant of the counter's 0: ISO 8601, or seconds since 1970; "" = the
     *        whole second in which the data begin. Whole seconds
     * \param speed how much faster than the data packets are sent; 0 = as fast as can be
     * \param interface of multicast, by name or address; "" = the system chooses
     * \param hops routers that multicast packets may pass, and one
     * \param gain of complex float32 spectra; 0 = spectra have 8 or 4 bits already
     */
    static sptr make(const std::vector<std::string>& addresses,
                     std::size_t inputs,
                     std::size_t channels,
                     std::size_t block_spectra = 0,
                     const std::string& layout = "spead",
                     const std::string& requantize = "8",
                     bool complex_samples = true,
                     std::size_t packet_channels = 0,
                     std::size_t spectra = 0,
                     std::size_t first_input = 0,
                     std::size_t all_inputs = 0,
                     std::size_t first_channel = 0,
                     const std::string& sync_time = "",
                     double speed = 1.25,
                     const std::string& interface = "",
                     unsigned hops = 1,
                     double gain = 0);

    /*!
     * Sends raw samples as VDIF frames, one a packet.
     *
     * \param addresses "host:port", or "host:port/first-last" with the numbers of its inputs;
     *        without these the inputs are divided evenly, in order
     * \param encoding how samples are packed in the raw blocks: i8, u8, i16, u16, ci8,
     *        cu8_128, ci16, cu16, vdif1, vdif2, vdif4, cvdif1, cvdif2 or cvdif4
     * \param inputs number of inputs
     * \param block_samples samples of every input in one item
     * \param files files that a raw block is made of
     * \param frame_bytes of a frame with its header of 32 bytes; 0 = the most up to 8032 of
     *        which a whole number makes a second
     * \param first_input the thread of input 0
     * \param station number of the station, or two letters as a number, in every header
     * \param speed how much faster than the data packets are sent; 0 = as fast as can be
     * \param interface of multicast, by name or address; "" = the system chooses
     * \param hops routers that multicast packets may pass, and one
     */
    static sptr make_vdif(const std::vector<std::string>& addresses,
                          const std::string& encoding,
                          std::size_t inputs,
                          std::size_t block_samples,
                          std::size_t files = 1,
                          std::size_t frame_bytes = 0,
                          std::size_t first_input = 0,
                          unsigned station = 0,
                          double speed = 1.25,
                          const std::string& interface = "",
                          unsigned hops = 1);

    //! Packets so far: `sent`, `withheld` (their spectra were lost), `refused` (by the
    //! system: no route, say).
    virtual std::map<std::string, std::uint64_t> packets() const = 0;
    //! Bytes of a packet; 0 = of a length that the sample rate decides, when the data begin.
    virtual std::size_t packet_bytes() const = 0;
    //! Channels and spectra (of VDIF: samples) in a packet.
    virtual std::size_t packet_channels() const = 0;
    virtual std::size_t packet_spectra() const = 0;
    //! Why the data ended early, "" if they did not.
    virtual std::string error() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_PACKET_SINK_H */
