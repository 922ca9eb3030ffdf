/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/spectra_packets.h"
#include "io/packets/spectra_turn.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <numeric>

namespace gr::fringe::io {

namespace {

const std::string me = "packet_sink";

constexpr std::size_t polarizations = 2;
constexpr std::size_t max_payload = 8192;
constexpr std::size_t spead_items = 8, spead_word = 8, snap2_header = 32;
constexpr std::size_t spead_spectra = 256; // of a heap, as MeerKAT has it
constexpr std::size_t batch_spectra = 64;  // where a packet holds one
constexpr std::size_t max_batch = std::size_t(1) << 30;

// Writes numbers in network order, one behind the other.
class header_writer
{
public:
    explicit header_writer(std::uint8_t* at) : d_at(at) {}
    void put(std::uint64_t value, unsigned width)
    {
        for (unsigned k = 0; k < width; ++k) {
            *d_at++ = static_cast<std::uint8_t>(value >> 8 * (width - 1 - k));
        }
    }
    //! An item of SPEAD whose value is in the header.
    void immediate(unsigned id, std::uint64_t value)
    {
        put(0x8000 | id, 2);
        put(value, 6);
    }

private:
    std::uint8_t* d_at;
};

// The largest number of channels that divides all ranges and fits into a packet.
std::size_t usual_channels(const std::vector<index_range>& ranges,
                           std::size_t channel_bytes)
{
    std::size_t all = 0;
    for (const index_range& r : ranges) {
        all = std::gcd(all, r.count);
    }
    for (std::size_t n = std::min(all, max_payload / channel_bytes); n > 1; --n) {
        if (all % n == 0) {
            return n;
        }
    }
    return 1;
}

void check_range(const spectra_params& p, const index_range& r)
{
    const std::string given =
        std::to_string(r.first) + "-" + std::to_string(r.first + r.count - 1);
    require(r.count > 0 && r.first + r.count <= p.channels,
            me,
            "addresses",
            given,
            "channels must be of 0-" + std::to_string(p.channels - 1));
    require(r.count % p.packet_channels == 0,
            me,
            "packet_channels",
            p.packet_channels,
            "must divide the channels of every address, as " + given);
}

} // namespace

spectra_packets::spectra_packets(const spectra_params& params)
    : d_p(params), d_snap2(params.layout == "snap2")
{
    require(d_snap2 || d_p.layout == "spead",
            me,
            "layout",
            d_p.layout,
            "must be snap2 or spead");
    require(d_p.bits == 8 || d_p.bits == 4,
            me,
            "requantize",
            d_p.bits,
            "must be 8 or 4, as the channelizer's");
    require(d_p.inputs > 0 && d_p.inputs <= 65535 &&
                (d_snap2 || d_p.inputs % polarizations == 0),
            me,
            "inputs",
            d_p.inputs,
            d_snap2 ? "must be 1 ... 65535" : "must be even: two of every antenna");
    d_streams = d_snap2 ? d_p.inputs : polarizations;
    d_sources = d_p.inputs / d_streams;
    require(d_p.first_input % d_streams == 0,
            me,
            "first_input",
            d_p.first_input,
            "must be a multiple of the " + std::to_string(d_streams) +
                " inputs of a packet");
    d_p.all_inputs = std::max(d_p.all_inputs, d_p.first_input + d_p.inputs);
    require(
        d_p.all_inputs <= 65535, me, "all_inputs", d_p.all_inputs, "must be up to 65535");
    d_p.spectra = d_p.spectra ? d_p.spectra : d_snap2 ? 1 : spead_spectra;
    require(d_p.spectra <= 65536 && (!d_snap2 || d_p.spectra == 1),
            me,
            "spectra",
            d_p.spectra,
            d_snap2 ? "must be 1 in packets of layout snap2" : "must be 1 ... 65536");
    d_value_bytes = d_p.bits == 8 ? 2 : 1;
    const std::size_t channel_bytes = d_streams * d_p.spectra * d_value_bytes;
    d_p.packet_channels = d_p.packet_channels ? d_p.packet_channels
                                              : usual_channels(d_p.ranges, channel_bytes);
    d_header_bytes = d_snap2 ? snap2_header : spead_word * (1 + spead_items);
    d_packet_bytes = d_header_bytes + d_p.packet_channels * channel_bytes;
    require(d_packet_bytes <= 65000,
            me,
            "packet_channels",
            d_p.packet_channels,
            "makes packets of " + std::to_string(d_packet_bytes) +
                " bytes; UDP takes 65000");
    d_groups = d_p.spectra == 1 ? batch_spectra : 1;
    std::size_t packets = 0;
    require(d_p.ranges.size() <= 256, me, "addresses", d_p.ranges.size(), "at most 256");
    for (const index_range& r : d_p.ranges) {
        check_range(d_p, r);
        d_range_packet.push_back(packets);
        packets += d_groups * d_sources * (r.count / d_p.packet_channels);
    }
    require(packets * d_packet_bytes <= max_batch,
            me,
            "spectra",
            d_p.spectra,
            "makes heaps that take more than a gigabyte");
    d_memory.resize(packets * d_packet_bytes);
    d_spoilt.reset(new bool[d_groups * d_sources]);
    begin(0);
    d_withheld = 0;
}

double spectra_packets::packets_a_spectrum() const
{
    const double all = static_cast<double>(d_memory.size() / d_packet_bytes);
    return all / static_cast<double>(d_groups * d_p.spectra);
}

// Packets of a source in a group, to all addresses.
std::size_t spectra_packets::packets_a_source() const
{
    return d_memory.size() / d_packet_bytes / d_groups / d_sources;
}

std::uint8_t* spectra_packets::packet(std::size_t range,
                                      std::size_t group,
                                      std::size_t source,
                                      std::size_t block)
{
    const std::size_t blocks = d_p.ranges[range].count / d_p.packet_channels;
    const std::size_t number =
        d_range_packet[range] + (group * d_sources + source) * blocks + block;
    return d_memory.data() + number * d_packet_bytes;
}

void spectra_packets::begin(std::uint64_t spectrum)
{
    if (d_filled % d_p.spectra > d_skipped) { // A packet is under way.
        d_withheld += d_sources * packets_a_source();
    }
    std::fill_n(d_spoilt.get(), d_groups * d_sources, false);
    d_filled = d_skipped = spectrum % d_p.spectra;
    d_first = spectrum - d_filled;
    d_taken = 0;
    if (d_filled > 0) { // The packet's first spectra are not there.
        std::fill_n(d_spoilt.get(), d_sources, true);
    }
}

std::size_t
spectra_packets::fill(const std::int8_t* item, std::size_t from, std::size_t count)
{
    d_taken = std::min(count, d_groups * d_p.spectra - d_filled);
    for (std::size_t r = 0; r < d_p.ranges.size(); ++r) {
        for (std::size_t source = 0; source < d_sources; ++source) {
            for (std::size_t channel = 0; channel < d_p.ranges[r].count; ++channel) {
                fill_channel(item, from, r, source, channel);
            }
        }
    }
    d_filled += d_taken;
    return d_taken;
}

// A channel of the inputs of a source.
void spectra_packets::fill_channel(const std::int8_t* item,
                                   std::size_t from,
                                   std::size_t r,
                                   std::size_t source,
                                   std::size_t channel)
{
    const index_range& range = d_p.ranges[r];
    const std::size_t row = d_p.packet_channels, value_row = d_streams * d_value_bytes;
    // Bytes from a value to that of the next spectrum: in the same packet, or in the packet
    // of the next group, which has one spectrum.
    const std::size_t time_step =
        d_p.spectra > 1 ? value_row : d_sources * (range.count / row) * d_packet_bytes;
    const std::size_t first = (range.first + channel) * d_p.inputs + source * d_streams;
    const auto* in =
        reinterpret_cast<const int8_pair*>(item) + first * d_p.block_spectra + from;
    std::uint8_t* out = packet(r, 0, source, channel / row) + d_header_bytes +
                        channel % row * d_p.spectra * value_row + d_filled * time_step;
    const auto turn = d_value_bytes == 2 ? turn_pairs : turn_to_nibbles;
    turn(in, d_p.block_spectra, d_streams, d_taken, out, time_step);
}

void spectra_packets::spoil(std::size_t input, std::size_t first, std::size_t count)
{
    if (count == 0) {
        return;
    }
    const std::size_t at = d_filled - d_taken + first;
    for (std::size_t g = at / d_p.spectra; g <= (at + count - 1) / d_p.spectra; ++g) {
        spoilt(g, input / d_streams) = true;
    }
}

std::vector<spectra_packets::run> spectra_packets::take(std::uint64_t synchronized,
                                                        std::uint64_t offset)
{
    const std::size_t groups = d_filled / d_p.spectra;
    std::vector<run> runs;
    for (std::size_t r = 0; r < d_p.ranges.size(); ++r) {
        const std::size_t blocks = d_p.ranges[r].count / d_p.packet_channels;
        for (std::size_t g = 0; g < groups; ++g) {
            const std::uint64_t spectrum = d_first + g * d_p.spectra;
            for (std::size_t s = 0; s < d_sources; ++s) {
                if (spoilt(g, s)) {
                    d_withheld += blocks;
                    continue;
                }
                std::uint8_t* const packets = packet(r, g, s, 0);
                for (std::size_t b = 0; b < blocks; ++b) {
                    write_header(packets + b * d_packet_bytes,
                                 r,
                                 spectrum,
                                 s,
                                 b,
                                 synchronized,
                                 offset);
                }
                const bool goes_on =
                    !runs.empty() && runs.back().range == r &&
                    runs.back().packets + runs.back().count * d_packet_bytes == packets;
                if (!goes_on) {
                    runs.push_back({r, packets, 0});
                }
                runs.back().count += blocks;
            }
        }
    }
    const std::uint64_t next = d_first + d_filled;
    d_filled = d_skipped = 0;
    begin(next);
    return runs;
}

void spectra_packets::write_header(std::uint8_t* to,
                                   std::size_t range,
                                   std::uint64_t spectrum,
                                   std::size_t source,
                                   std::size_t block,
                                   std::uint64_t synchronized,
                                   std::uint64_t offset) const
{
    if (d_snap2) {
        write_snap2(to, range, spectrum, block, synchronized);
    } else {
        write_spead(to, range, spectrum, source, block, offset);
    }
}

void spectra_packets::write_snap2(std::uint8_t* to,
                                  std::size_t range,
                                  std::uint64_t spectrum,
                                  std::size_t block,
                                  std::uint64_t synchronized) const
{
    const index_range& channels = d_p.ranges[range];
    header_writer header(to);
    header.put(spectrum, 8);
    header.put(synchronized, 4);
    header.put(d_p.inputs, 2);
    header.put(d_p.all_inputs, 2);
    header.put(d_p.packet_channels, 2);
    header.put(channels.count, 2);
    header.put(block, 4);
    header.put(d_p.first_channel + channels.first + block * d_p.packet_channels, 4);
    header.put(d_p.first_input, 4);
}

void spectra_packets::write_spead(std::uint8_t* to,
                                  std::size_t range,
                                  std::uint64_t spectrum,
                                  std::size_t source,
                                  std::size_t block,
                                  std::uint64_t offset) const
{
    const index_range& channels = d_p.ranges[range];
    const std::uint64_t antenna = d_p.first_input / polarizations + source;
    const std::size_t payload = d_packet_bytes - d_header_bytes;
    // No two heaps under way have the same counter, whichever F-engine sends them.
    const std::uint64_t heap =
        (spectrum / d_p.spectra & 0xffffff) << 24 | range << 16 | antenna;
    header_writer header(to);
    header.put(0x5304020600000000 | spead_items, 8);
    header.immediate(0x0001, heap);
    header.immediate(0x0002, channels.count / d_p.packet_channels * payload);
    header.immediate(0x0003, block * payload);
    header.immediate(0x0004, payload);
    header.immediate(0x1600, spectrum * d_p.points + offset); // modulo 2^48
    header.immediate(0x4101, antenna);
    header.immediate(0x4103, d_p.first_channel + channels.first);
    header.put(0x4300, 2); // Its value is the payload, from its beginning on.
    header.put(0, 6);
}

} // namespace gr::fringe::io
