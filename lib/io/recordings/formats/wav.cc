/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/header_keys.h"
#include "io/recordings/headerless.h"
#include "io/recordings/sdr_file_name.h"
#include "io/recordings/wav_header.h"
#include <cmath>

namespace gr::fringe::io {

namespace {

constexpr double name_within = 1; // s: programs note the second in which they began
constexpr double same_second = 2;

// Two channels are the real and the imaginary part of complex samples; one is real.
void read_samples(const std::string& path, const wav_header& header, recording_info& info)
{
    const bool is_complex = header.channels > 1;
    const bool is_float = header.format == 3;
    if ((header.format != 1 && !is_float) ||
        (is_float ? header.bits != 32 : header.bits != 8 && header.bits != 16))
        throw std::invalid_argument(path + ": WAV samples of format " +
                                    std::to_string(header.format) + " and " +
                                    std::to_string(header.bits) +
                                    " bits; 8 and 16 bits of format 1 (PCM) and 32 bits "
                                    "of format 3 (float) can be "
                                    "read");
    if (is_complex && header.channels % 2 != 0)
        throw std::invalid_argument(
            path + ": has " + std::to_string(header.channels) +
            " channels; 1 (real samples) and pairs (complex ones) "
            "can be read");
    info.encoding = is_float            ? (is_complex ? "cf32" : "f32")
                    : header.bits == 16 ? (is_complex ? "ci16" : "i16")
                                        : (is_complex ? "cu8_128" : "u8");
    info.streams = is_complex ? header.channels / 2 : 1;
    if (header.channels > 2)
        info.remarks = std::to_string(header.channels) +
                       " channels, taken as pairs of real and imaginary parts";
}

// The chunk of SDR programs, or the name of the file. A name that says UTC overrides the
// chunk, whose time is that of any zone.
void read_start(const wav_header& header, const sdr_file_name& name, recording_info& info)
{
    info.start_within = name_within;
    info.has_start_time = header.has_time || name.has_time;
    info.start_time = header.has_time ? header.time : name.time;
    if (!header.has_time || !name.is_utc ||
        std::abs(header.time.seconds_since(name.time)) < same_second)
        return;
    info.start_time = name.time;
    info.remarks += (info.remarks.empty() ? "" : ", ") +
                    ("the file's name says " + name.time.iso(0) +
                     ", its chunk auxi (of what zone?) " + header.time.iso(0));
}

void read_frequency(const std::string& path,
                    const wav_header& header,
                    const sdr_file_name& name,
                    recording_info& info)
{
    info.center_frequency = header.frequency > 0 ? header.frequency : name.frequency;
    if (header.frequency > 0 && name.frequency > 0 &&
        std::abs(header.frequency - name.frequency) > name.frequency_within)
        throw damaged_recording(path + ": its chunk auxi says " +
                                number_text(header.frequency) +
                                " Hz, which contradicts the " +
                                number_text(name.frequency) + " Hz of its name");
    if (name.sample_rate > 0 && name.sample_rate != header.sample_rate)
        throw damaged_recording(path + ": its header says " +
                                number_text(header.sample_rate) +
                                " samples a second, which contradicts the " +
                                number_text(name.sample_rate) + " of its name");
}

std::unique_ptr<recording> open_wav(const std::string& path, const recording_hints& hints)
{
    const auto file = std::make_shared<const input_file>(path);
    const wav_header header(*file);
    const sdr_file_name name(path);
    recording_info info;
    read_samples(path, header, info);
    info.sample_rate = header.sample_rate;
    read_start(header, name, info);
    read_frequency(path, header, name, info);
    if (header.claimed > header.end - header.begin)
        info.remarks += (info.remarks.empty() ? "" : ", ") +
                        ("truncated: the header says " + std::to_string(header.claimed) +
                         " bytes of samples, " +
                         std::to_string(header.end - header.begin) + " are there");
    if (hints.streams != 0 && hints.streams != info.streams)
        throw std::invalid_argument(path + ": holds " + std::to_string(info.streams) +
                                    " inputs, not the " + std::to_string(hints.streams) +
                                    " that were given");
    return open_described({file, header.begin, header.end}, info);
}

bool is_wav(const std::string&, const std::vector<std::uint8_t>& start)
{
    return wav_header::begins_with(start.data(), start.size());
}

} // namespace

recording_format format_wav()
{
    recording_format f;
    f.name = "wav";
    f.summary = "WAV of SDR programs: 8, 16 bits or float; two channels are complex";
    f.self_describing = true;
    f.encoding.bits = 0;
    f.recognizes = is_wav;
    f.open = open_wav;
    return f;
}

} // namespace gr::fringe::io
