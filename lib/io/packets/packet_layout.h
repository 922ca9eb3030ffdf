/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_LAYOUT_H
#define INCLUDED_FRINGE_IO_PACKET_LAYOUT_H

#include "io/packets/wire_samples.h"
#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <optional>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * A number in the header of a packet: `width` bytes from `offset` on, shifted right by
 * `shift`, of which the lower `bits` count. With an `item` the bytes are the 48-bit value
 * of that item of a SPEAD header, and offset and width mean nothing.
 */
struct packet_field {
    std::string name;
    unsigned offset = 0;
    unsigned width = 1; //!< bytes, 1 to 8
    unsigned shift = 0;
    unsigned bits = 64;
    bool little = false; //!< the byte order; network order by default
    int item = -1;       //!< id of a SPEAD item; -1 = the field lies at `offset`
    //! The field counts half years since 2000 (VDIF), and its value is their beginning in
    //! seconds since 1970.
    bool half_years = false;
};

//! `bits` bits of the value of a SPEAD item, from bit `shift` on.
inline packet_field
spead_item(const char* name, int id, unsigned shift = 0, unsigned bits = 48)
{
    packet_field f;
    f.name = name;
    f.item = id;
    f.shift = shift;
    f.bits = bits;
    return f;
}

//! A field must have a value.
struct packet_condition {
    packet_field field;
    std::uint64_t value = 0;
};

//! A field that tells streams apart of which only one is received: the value that it has
//! to have, or none, and then the first packet decides.
struct packet_choice {
    packet_field field;
    std::optional<std::uint64_t> value;
};

//! (field - first) / unit * step, a summand of a packet's source, channel or time.
struct packet_term {
    packet_field field;
    std::int64_t step = 1;
    std::int64_t first = 0;
    std::uint64_t limit = 0; //!< a value of the field must lie below; 0 = it may be any
    bool wraps = false;      //!< of a time: the field counts on from 0 behind its end
    std::int64_t unit = 1;   //!< field - first must be a multiple of it
};

//! What the values along an axis of a payload differ in.
enum class payload_axis { time, channel, station, polarization };

//! An axis of a payload and how many values there are along it.
struct payload_extent {
    payload_axis axis;
    std::size_t size;
};

/*!
 * A packet of voltages, or of spectra: where its numbers are and what they mean.
 *
 *     source = sum of the terms `source`
 *     time of the first sample = epoch + (sum of the terms `time`) / tick_rate
 *     time of sample n = time of the first sample + n * ticks_per_sample / tick_rate
 *
 * All of it is reckoned in integers. The payload holds `samples` samples of each of
 * `streams` streams, [time][stream], or [stream][time] when `stream_major`.
 *
 * Of spectra (`channels` > 0) a sample is a value of one spectrum in one channel, and
 * `axes` are those of the payload, the slowest first. A packet has the channels
 *
 *     first = sum of the terms `channel`,  first ... first + channels - 1
 *
 * of the F-engine. Of these `all_channels` are received, from `first_channel` on: in blocks
 * of `channels`, one a packet. The inputs of a packet are its stations in order, with the
 * polarizations of a station behind one another.
 */
struct FRINGE_API packet_layout {
    std::string name;
    std::size_t header_bytes = 0; //!< with SPEAD, of the header that is usual
    bool spead = false;
    std::size_t samples = 0; //!< of each stream in a packet
    std::size_t streams = 1; //!< in a packet
    bool stream_major = false;
    const wire_samples* wire = nullptr; //!< how samples are coded

    std::size_t channels = 0; //!< in a packet; 0 = the packets have samples in time
    std::vector<payload_extent> axes; //!< of a payload of spectra, the slowest first
    std::vector<packet_term> channel; //!< the first channel in a packet
    std::uint64_t first_channel = 0;  //!< the first one that is received
    std::size_t all_channels = 0;     //!< that are received
    std::optional<double>
        channel_zero; //!< Hz, sky frequency of channel 0 of the F-engine

    std::vector<packet_condition> must_be; //!< packets without these are garbled
    std::vector<packet_choice> only; //!< packets without these are of another stream
    std::vector<packet_term> source;
    std::vector<packet_term> time;
    std::optional<packet_field> invalid;   //!< not 0: the sender marks the samples as bad
    std::optional<packet_field> frequency; //!< of the middle of the band
    double frequency_step = 1;             //!< Hz

    std::uint64_t tick_rate = 0; //!< ticks of the clock per second
    std::uint64_t ticks_per_sample = 1;
    //! The instant of tick 0; none = such that the first packet comes now, by the
    //! computer's clock.
    std::optional<fringe::epoch> epoch;
    //! How often a counter that wraps had done so before the first packet; none = as often
    //! as the computer's clock says.
    std::optional<std::int64_t> wraps;
    //! What the source numbers of the inputs are, in order; empty = 0, 1, 2 ...
    std::vector<std::uint64_t> sources;

    bool spectra() const { return channels > 0; }
    //! Packets that the channels of a source are divided into, at one time.
    std::size_t channel_blocks() const { return spectra() ? all_channels / channels : 1; }
    std::size_t payload_bytes() const
    {
        return samples * streams * (spectra() ? channels : 1) * wire->bits / 8;
    }
    std::size_t packet_bytes() const { return header_bytes + payload_bytes(); }
    //! Samples, or spectra, per second; tick_rate / ticks_per_sample, to a double's
    //! resolution.
    double sample_rate() const
    {
        return static_cast<double>(tick_rate) / static_cast<double>(ticks_per_sample);
    }
    //! Sky frequency in Hz of the middle of the channels that are received; 0 = not known.
    double center_frequency() const;
    std::int64_t packet_ticks() const
    {
        return static_cast<std::int64_t>(samples * ticks_per_sample);
    }
    //! Ticks after which the sum of the terms `time` begins again; 0 = it never does.
    std::int64_t turn() const;
    //! The instant that number of ticks after another; never before 1970.
    fringe::epoch instant(const fringe::epoch& start, std::int64_t tick) const;
    //! Ticks from one instant to another, rounded.
    std::int64_t ticks(const fringe::epoch& from, const fringe::epoch& to) const;

    //! Throws std::invalid_argument, with the layout's name, where it says what cannot be.
    void check() const;

private:
    void check_axes(const std::string& where) const;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PACKET_LAYOUT_H */
