/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/coarse_channels.h"
#include "io/recordings/guppi_header.h"
#include "io/recordings/input_file.h"
#include "io/recordings/recording_helpers.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::io {

namespace {

/*
 * GUPPI raw voltages (Green Bank Observatory): blocks of a header of 80-character cards
 * and samples [antenna][channel][time][polarization], complex. The last OVERLAP samples of a
 * block come again in the next one. PKTIDX counts packets, so that blocks that were lost
 * keep their place in time.
 *
 * A raw block of this module is one part per channel and antenna, each [time][polarization].
 */
class guppi_recording : public recording
{
public:
    guppi_recording(const std::string& path, const recording_hints& hints)
        : d_file(path), d_first(d_file, 0)
    {
        d_sample_bytes = d_first.sample_bytes();
        try {
            find_blocks();
        } catch (const damaged_recording& e) {
            // What comes before is sound and can be read.
            d_damage = e.what();
        }
        if (d_blocks.empty())
            throw damaged_recording(path +
                                    ": truncated: " + std::to_string(d_file.size()) +
                                    " bytes, the first block alone has " +
                                    std::to_string(d_first.bytes + d_first.block_bytes));
        describe(hints);
    }

    const recording_info& info() const override { return d_info; }

    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>* lost) const override
    {
        check_read(d_file.path(), d_info.samples, first, count);
        const std::uint64_t end = first + count;
        if (end > d_sound)
            throw damaged_recording(d_damage);
        std::uint64_t done = first;
        auto b = std::upper_bound(
            d_blocks.begin(), d_blocks.end(), first, [](std::uint64_t t, const block& x) {
                return t < x.time;
            });
        for (b = b == d_blocks.begin() ? b : b - 1; done < end; ++b) {
            const std::uint64_t start =
                b == d_blocks.end() ? end : std::min(end, b->time);
            if (start > done)
                skip(done - first, start - done, count, out, lost);
            done = std::max(done, start);
            if (b == d_blocks.end() || done == end)
                break;
            // Overlapping samples are taken from the later block, if there is one.
            const std::uint64_t next = b + 1 == d_blocks.end() ? ~0ull : (b + 1)->time;
            const std::uint64_t to =
                std::min({end, next, b->time + d_first.block_samples()});
            for (std::size_t row = 0; done < to && row < d_info.parts; ++row)
                d_file.read(
                    b->data + (place_of(row) * d_first.block_samples() + done - b->time) *
                                  d_sample_bytes,
                    out + (row * count + done - first) * d_sample_bytes,
                    (to - done) * d_sample_bytes);
            done = std::max(done, to);
        }
    }

private:
    // Rows are [channel][antenna], blocks [antenna][channel].
    std::size_t place_of(std::size_t row) const
    {
        return row % d_first.antennas * d_first.channels + d_channel +
               row / d_first.antennas;
    }

    void find_blocks()
    {
        for (std::uint64_t offset = 0; offset + d_first.bytes <= d_file.size();) {
            const guppi_header header(d_file, offset);
            const std::string unlike = header.unlike(d_first);
            if (!unlike.empty())
                throw damaged_recording(d_file.path() + ": the block at byte " +
                                        std::to_string(offset) +
                                        " is not like the first one (" + unlike + ")");
            const std::uint64_t data = offset + header.bytes;
            // Behind a cut [channel][time] lacks channels: that block is lost.
            if (data + header.block_bytes > d_file.size())
                break;
            const std::uint64_t time = time_of(header);
            if (!d_blocks.empty() && time <= d_blocks.back().time)
                throw damaged_recording(
                    d_file.path() + ": the block at byte " + std::to_string(offset) +
                    " has PKTIDX " + std::to_string(header.packet) +
                    ", which is not behind that of the block before it; were files "
                    "joined?");
            d_blocks.push_back({time, data});
            offset = data + header.block_bytes;
        }
    }

    struct block {
        std::uint64_t time; // of its first sample, in samples of the recording
        std::uint64_t data; // byte
    };

    // A packet index goes up by the same number a block; without it blocks follow
    // closely.
    std::uint64_t time_of(const guppi_header& header) const
    {
        const std::uint64_t samples = d_first.block_samples() - d_first.overlap;
        if (d_first.packets_per_block == 0)
            return d_blocks.empty() ? 0 : d_blocks.back().time + samples;
        if (header.packet <= d_first.packet)
            return 0;
        return samples_of_packets(header.packet - d_first.packet);
    }

    std::uint64_t samples_of_packets(std::uint64_t packets) const
    {
        return samples_claimed(d_file.path(),
                               "packet " + std::to_string(packets) + " (PKTIDX)",
                               packets,
                               d_first.block_samples() - d_first.overlap,
                               d_first.packets_per_block);
    }

    void skip(std::uint64_t at,
              std::uint64_t length,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>* lost) const
    {
        for (std::size_t row = 0; row < d_info.parts; ++row)
            std::memset(
                out + (row * count + at) * d_sample_bytes, 0, length * d_sample_bytes);
        for (std::size_t s = 0; lost && s < d_info.streams; ++s)
            lost->push_back({s, at, length, loss::missing});
    }

    void describe(const recording_hints& hints)
    {
        d_info.encoding = d_first.bits == 16 ? "ci16" : "ci8";
        coarse_channels bands;
        bands.count = d_first.channels;
        bands.inputs = d_first.antennas * d_first.polarizations;
        bands.center = d_first.center_frequency;
        bands.width = d_first.channel_width;
        bands.describe(d_file.path(), hints, d_info);
        d_info.parts = d_info.coarse_channels * d_first.antennas;
        if (hints.coarse_channel != recording_hints::all_channels)
            d_channel = hints.coarse_channel;
        d_sound = d_blocks.back().time + d_first.block_samples();
        // One block more, whose reading says what is wrong with it.
        d_info.samples = d_sound + (d_damage.empty() ? 0 : d_first.block_samples());
        for (std::size_t b = 1; b < d_blocks.size(); ++b) {
            const std::uint64_t step = d_blocks[b].time - d_blocks[b - 1].time;
            d_info.missing += step - std::min(step, d_first.block_samples());
        }
        d_info.sample_rate = d_first.sample_rate;
        d_info.telescope = d_first.telescope;
        d_info.remarks = d_first.source;
        if (d_info.inverted)
            d_info.remarks += (d_info.remarks.empty() ? "" : ", ") +
                              std::string("OBSBW is negative: the band is upside down");
        if (d_first.antennas > 1)
            d_info.remarks +=
                (d_info.remarks.empty() ? "" : ", ") +
                ("NANTS " + std::to_string(d_first.antennas) +
                 ": the inputs of a channel are " + std::to_string(d_first.antennas) +
                 " antennas of " + std::to_string(d_first.polarizations) +
                 " polarizations each");
        if (!d_damage.empty())
            d_info.remarks += (d_info.remarks.empty() ? "" : ", ") +
                              ("damaged from sample " + std::to_string(d_sound) + " on");
        d_info.has_start_time = d_first.has_start_time && d_first.sample_rate > 0;
        if (!d_info.has_start_time)
            return;
        d_info.start_time = d_first.start_time;
        if (d_first.packets_per_block > 0)
            d_info.start_time = d_info.start_time.plus_samples(
                static_cast<std::int64_t>(samples_of_packets(d_first.packet)),
                d_info.sample_rate);
    }

    input_file d_file;
    const guppi_header d_first;
    std::size_t d_sample_bytes;
    std::vector<block> d_blocks;
    recording_info d_info;
    std::size_t d_channel = 0; // the first one that is read
    std::string d_damage;      // the sentence on it
    std::uint64_t d_sound = 0; // samples before it
};

// Cards of 80 characters from the first byte on, one of which is a block's size; a FITS file
// has none.
bool is_guppi(const std::string&, const std::vector<std::uint8_t>& start)
{
    const std::string text(start.begin(), start.end());
    for (std::size_t at = 0; at + 80 <= text.size() && text[at + 8] == '='; at += 80) {
        if (text.compare(at, 8, "BLOCSIZE") == 0)
            return true;
    }
    return false;
}

} // namespace

recording_format format_guppi()
{
    auto f = described_format<guppi_recording>(
        "guppi", "GUPPI raw: complex 8 or 16 bits, channels of one or two polarizations");
    f.has_coarse_channels = true;
    f.recognizes = is_guppi;
    return f;
}

} // namespace gr::fringe::io
