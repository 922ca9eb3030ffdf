/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/vdif_packets.h"
#include "io/recordings/bit_copy.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <cstring>
#include <ctime>

namespace gr::fringe::io {

namespace {

const std::string me = "packet_sink";

constexpr std::size_t header_bytes = 32, usual_payload = 8000, max_packet = 65000;
constexpr std::size_t max_threads = 1024;
constexpr std::uint64_t max_frames = 1 << 24; // a second
constexpr unsigned version = 1, extension = 1;
constexpr std::uint32_t extension_sync = 0xacabfeed;
constexpr std::uint64_t max_rate = 2000000000;

// How samples are packed in raw blocks, of those encodings whose numbers VDIF can say.
struct packing {
    const char* encoding;
    unsigned bits; // of a component
    bool is_complex;
    bool twos_complement;
};
constexpr packing packings[] = {
    {"i8", 8, false, true},
    {"u8", 8, false, false},
    {"i16", 16, false, true},
    {"u16", 16, false, false},
    {"ci8", 8, true, true},
    {"cu8_128", 8, true, false},
    {"ci16", 16, true, true},
    {"cu16", 16, true, false},
    {"vdif1", 1, false, false},
    {"vdif2", 2, false, false},
    {"vdif4", 4, false, false},
    {"cvdif1", 1, true, false},
    {"cvdif2", 2, true, false},
    {"cvdif4", 4, true, false},
};

const packing& packing_of(const std::string& encoding)
{
    std::string names;
    for (const packing& p : packings) {
        if (encoding == p.encoding) {
            return p;
        }
        names += (names.empty() ? "" : ", ") + std::string(p.encoding);
    }
    require(false, me, "encoding", encoding, "VDIF has the numbers of " + names);
    return packings[0];
}

void put_word(std::uint8_t* at, std::uint32_t word)
{
    for (unsigned k = 0; k < 4; ++k) {
        at[k] = static_cast<std::uint8_t>(word >> 8 * k);
    }
}

} // namespace

vdif_packets::vdif_packets(const vdif_params& params) : d_p(params)
{
    const packing& from = packing_of(d_p.encoding);
    d_bits = from.bits;
    d_complex = from.is_complex;
    d_signed = from.twos_complement;
    require(d_p.inputs > 0 && d_p.first_input + d_p.inputs <= max_threads,
            me,
            "inputs",
            d_p.inputs,
            "VDIF has threads 0 ... 1023, one for each input from first_input on");
    require(d_p.files > 0 && d_p.inputs % d_p.files == 0,
            me,
            "files",
            d_p.files,
            "must divide the " + std::to_string(d_p.inputs) + " inputs");
    require(d_p.block_samples > 0 && d_p.block_samples * sample_bits() % 8 == 0,
            me,
            "block_samples",
            d_p.block_samples,
            "must make whole bytes of samples of " + std::to_string(sample_bits()) +
                " bits");
    require(
        d_p.station < 65536, me, "station", d_p.station, "must be a number up to 65535");
    require(d_p.ranges.size() <= 256, me, "addresses", d_p.ranges.size(), "at most 256");
    for (const index_range& r : d_p.ranges) {
        require(r.count > 0 && r.first + r.count <= d_p.inputs,
                me,
                "addresses",
                r.first + r.count - 1,
                "inputs must be of 0-" + std::to_string(d_p.inputs - 1));
    }
    if (d_p.frame_bytes != 0) {
        const std::size_t payload = d_p.frame_bytes - header_bytes;
        require(
            d_p.frame_bytes > header_bytes && d_p.frame_bytes <= max_packet &&
                d_p.frame_bytes % 8 == 0 && payload * 8 % sample_bits() == 0,
            me,
            "frame_bytes",
            d_p.frame_bytes,
            "must be a multiple of 8 from 40 to 65000, whole samples behind a header of "
            "32 bytes");
        d_packet_bytes = d_p.frame_bytes;
        d_samples = payload * 8 / sample_bits();
    }
    d_spoilt.reset(new bool[d_p.inputs]);
}

bool vdif_packets::fits(std::size_t samples) const
{
    return d_rate % samples == 0 && d_rate / samples <= max_frames;
}

void vdif_packets::set_rate(std::uint64_t hertz)
{
    require(hertz > 0 && hertz <= max_rate, me, "rx_rate", hertz, "must be 1 ... 2e9 Hz");
    if (hertz == d_rate) {
        return;
    }
    d_rate = hertz;
    const std::size_t words_of_8 = 8 * 8; // bits
    if (d_p.frame_bytes == 0) {
        d_samples = 0;
        for (std::size_t n = usual_payload / 8; n > 0 && d_samples == 0; --n) {
            const std::size_t samples = n * words_of_8 / sample_bits();
            if (fits(samples)) {
                d_samples = samples;
                d_packet_bytes = header_bytes + 8 * n;
            }
        }
    }
    require(
        d_samples > 0 && fits(d_samples),
        me,
        "rx_rate",
        hertz,
        d_p.frame_bytes == 0
            ? "VDIF counts the frames of a second, and no frames of whole 8 bytes make "
              "one second of these samples"
            : "must be a multiple of the " + std::to_string(d_samples) +
                  " samples of a frame, as VDIF counts the frames of a second");
    d_memory.assign(d_p.inputs * d_packet_bytes, 0);
    d_filled = d_skipped = 0;
}

// All frames of a stream count from the half year in which it began.
void vdif_packets::choose_reference(std::uint64_t second)
{
    const auto unix_second = static_cast<std::time_t>(second);
    std::tm date{};
    gmtime_r(&unix_second, &date);
    require(date.tm_year >= 100,
            me,
            "rx_time",
            1900 + date.tm_year,
            "VDIF counts from the year 2000 on: give the source a start time");
    std::tm beginning{};
    beginning.tm_year = date.tm_year;
    beginning.tm_mon = date.tm_mon >= 6 ? 6 : 0;
    beginning.tm_mday = 1;
    d_half_years = static_cast<unsigned>(2 * (date.tm_year - 100) +
                                         (beginning.tm_mon == 6 ? 1 : 0)) %
                   64;
    d_reference = static_cast<std::uint64_t>(timegm(&beginning));
}

void vdif_packets::begin(std::uint64_t second, std::uint64_t sample)
{
    if (d_filled > d_skipped) { // Frames are under way.
        d_withheld += d_p.inputs;
    }
    if (d_reference == 0) {
        choose_reference(second);
    }
    require(second >= d_reference && second - d_reference < 1u << 30,
            me,
            "rx_time",
            second,
            "must not be before the half year in which the data began");
    d_second = second + sample / d_rate;
    d_frame = sample % d_rate / d_samples;
    d_filled = d_skipped = static_cast<std::size_t>(sample % d_rate % d_samples);
    // The first samples of the frames may not be there.
    std::fill_n(d_spoilt.get(), d_p.inputs, d_skipped > 0);
}

std::size_t
vdif_packets::fill(const std::uint8_t* item, std::size_t from, std::size_t count)
{
    const std::size_t taken = std::min(count, d_samples - d_filled);
    for (std::size_t k = 0; k < d_p.inputs; ++k) {
        fill_frame(item, k, from, taken);
    }
    d_filled += taken;
    return taken;
}

void vdif_packets::fill_frame(const std::uint8_t* item,
                              std::size_t input,
                              std::size_t from,
                              std::size_t count)
{
    const std::size_t bits = sample_bits(), streams = d_p.inputs / d_p.files;
    std::uint8_t* const payload = d_memory.data() + input * d_packet_bytes + header_bytes;
    const std::size_t in = (input / streams * streams * d_p.block_samples +
                            from * streams + input % streams) *
                           bits;
    const std::size_t out = d_filled * bits;
    if (streams == 1) {
        copy_bits(item, in, payload, out, count * bits, bit_order::low_first);
    } else if (bits % 8 == 0) {
        const std::uint8_t* source = item + in / 8;
        std::uint8_t* to = payload + out / 8;
        for (std::size_t n = 0; n < count; ++n) {
            std::memcpy(to + n * (bits / 8), source + n * streams * (bits / 8), bits / 8);
        }
    } else {
        for (std::size_t n = 0; n < count; ++n) {
            copy_bits(item,
                      in + n * streams * bits,
                      payload,
                      out + n * bits,
                      bits,
                      bit_order::low_first);
        }
    }
}

std::vector<vdif_packets::run> vdif_packets::take()
{
    std::vector<run> runs;
    for (std::size_t r = 0; r < d_p.ranges.size(); ++r) {
        bool goes_on = false;
        for (std::size_t k = 0; k < d_p.ranges[r].count; ++k) {
            const std::size_t input = d_p.ranges[r].first + k;
            if (d_spoilt[input]) {
                ++d_withheld;
                goes_on = false;
                continue;
            }
            std::uint8_t* const packet = d_memory.data() + input * d_packet_bytes;
            write_header(packet, input);
            make_offset_binary(packet + header_bytes);
            if (!goes_on) {
                runs.push_back({r, packet, 0});
            }
            ++runs.back().count;
            goes_on = true;
        }
    }
    d_frame += 1;
    if (d_frame == d_rate / d_samples) {
        d_frame = 0;
        d_second += 1;
    }
    d_filled = d_skipped = 0;
    std::fill_n(d_spoilt.get(), d_p.inputs, false);
    return runs;
}

void vdif_packets::write_header(std::uint8_t* to, std::size_t input) const
{
    const auto thread = static_cast<std::uint32_t>(d_p.first_input + input);
    put_word(to, static_cast<std::uint32_t>(d_second - d_reference));
    put_word(to + 4, d_half_years << 24 | static_cast<std::uint32_t>(d_frame));
    put_word(to + 8, version << 29 | static_cast<std::uint32_t>(d_packet_bytes / 8));
    put_word(to + 12,
             static_cast<std::uint32_t>(d_complex) << 31 | (d_bits - 1) << 26 |
                 thread << 16 | d_p.station);
    std::memset(to + 16, 0, 16);
    // Extension 1 has the bandwidth in kilohertz.
    const std::uint64_t bandwidth_unit = d_complex ? 1000 : 2000;
    const std::uint64_t kilohertz = d_rate / bandwidth_unit;
    if (d_rate % bandwidth_unit == 0 && kilohertz < 1u << 23) {
        put_word(to + 16, extension << 24 | static_cast<std::uint32_t>(kilohertz));
        put_word(to + 20, extension_sync);
    }
}

void vdif_packets::make_offset_binary(std::uint8_t* payload) const
{
    if (!d_signed) {
        return;
    }
    const std::size_t step = d_bits / 8; // The sign is in the last byte of a component.
    for (std::size_t k = step - 1; k < d_packet_bytes - header_bytes; k += step) {
        payload[k] ^= 0x80;
    }
}

} // namespace gr::fringe::io
