/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/framed_recording.h"
#include "kernels/unpack/packed_bits.h"

namespace gr::fringe::io {

namespace {

constexpr std::size_t header_bytes = 16;
constexpr std::size_t frame_bytes = header_bytes + 10000;
constexpr std::uint32_t sync_word = 0xABADDEED;
constexpr std::size_t max_channels = 16;    // 32 bit streams
constexpr std::uint64_t days_repeat = 1000; // three digits of the Modified Julian Date,
constexpr std::uint64_t day_1970 = 587;     // which on 1970-01-01 were these

std::uint32_t word(const std::uint8_t* at)
{
    return at[0] | at[1] << 8 | at[2] << 16 | static_cast<std::uint32_t>(at[3]) << 24;
}

// Decimal digits of four bits each; false where one is above 9.
bool decimal(std::uint32_t digits, unsigned count, std::uint32_t& value)
{
    value = 0;
    while (count-- > 0) {
        const std::uint32_t digit = digits >> (4 * count) & 15;
        if (digit > 9)
            return false;
        value = 10 * value + digit;
    }
    return true;
}

/*
 * The frame header of a Mark 5B disk recorder (Haystack, Mark 5B User's Manual): a
 * synchronization word; the frame's number within the second and a flag on a test vector
 * in place of data; the last three digits of the Modified Julian Date and the second of
 * the day, decimal; a fraction of a second, which the number tells better.
 */
bool parse(const std::uint8_t* at, frame_header& header)
{
    std::uint32_t day = 0, second = 0;
    const std::uint32_t time = word(at + 8);
    if (word(at) != sync_word || !decimal(time >> 20, 3, day) ||
        !decimal(time & 0xfffff, 5, second) || second >= 86400)
        return false;
    header.second = day * 86400ull + second;
    header.number = word(at + 4) & 0x7fff;
    header.thread = 0;
    header.invalid = word(at + 4) >> 15 & 1;
    return true;
}

class mark5b_recording : public recording
{
public:
    mark5b_recording(const std::string& path,
                     const recording_hints& hints,
                     const frame_layout& layout)
        : d_frames(path, hints, layout), d_info(d_frames.info())
    {
        const std::string day = std::to_string(d_info.start_time.seconds / 86400);
        d_info.remarks += ", starts on MJD ..." + std::string(3 - day.size(), '0') + day +
                          d_info.start_time.iso(9).substr(10) +
                          (d_info.has_start_time ? "" : " or a part of a second later");
        // Which thousand days is not recorded, so the date is for the user to say.
        if (d_info.has_start_time) {
            d_info.start_repeats = days_repeat * 86400;
            d_info.start_time.seconds =
                (d_info.start_time.seconds + (days_repeat - day_1970) * 86400) %
                d_info.start_repeats;
        } else {
            d_info.start_time = epoch();
        }
        d_info.has_start_time = false;
    }
    const recording_info& info() const override { return d_info; }
    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>* lost) const override
    {
        d_frames.read(first, count, out, lost);
    }

private:
    framed_recording d_frames;
    recording_info d_info;
};

// A frame wherever the recording was cut out, and the next one behind it.
bool is_mark5b(const std::string&, const std::vector<std::uint8_t>& start)
{
    frame_header header;
    for (std::size_t k = 0; k < frame_bytes && k + header_bytes <= start.size(); ++k) {
        const std::size_t next = k + frame_bytes;
        if (parse(start.data() + k, header))
            return next + header_bytes > start.size() ||
                   parse(start.data() + next, header);
    }
    return false;
}

std::unique_ptr<recording> open_mark5b(const std::string& path,
                                       const recording_hints& hints)
{
    const std::size_t channels = hints.streams;
    if (channels < 1 || channels > max_channels || (channels & (channels - 1)) != 0)
        throw std::invalid_argument(
            path +
            ": a Mark 5B recording does not say how many channels it holds; give "
            "their number (inputs=N), 1, 2, 4, 8 or 16, not " +
            std::to_string(channels));
    frame_layout layout;
    layout.header_bytes = header_bytes;
    layout.frame_bytes = frame_bytes;
    layout.channels = channels;
    layout.encoding = "mark5b2";
    layout.parse = parse;
    return std::make_unique<mark5b_recording>(path, hints, layout);
}

} // namespace

recording_format format_mark5b()
{
    recording_format f;
    f.name = "mark5b";
    f.summary = "Mark 5B disk recorder: real 2-bit, 1 to 16 channels";
    f.granule = framed_recording::granule;
    f.encoding = kernels::sign_magnitude_bits();
    f.encoding.name = "mark5b2";
    f.endings = {"m5b"};
    f.recognizes = is_mark5b;
    f.open = open_mark5b;
    return f;
}

} // namespace gr::fringe::io
