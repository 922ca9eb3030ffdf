/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/wav_header.h"
#include "io/recordings/recording.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gr::fringe::io {

namespace {

constexpr std::uint64_t unknown_size = 0xffffffff, too_large = 1ull << 32;
constexpr std::size_t max_chunks = 1000;

std::string read(const input_file& file, std::uint64_t at, std::uint64_t bytes)
{
    const std::uint64_t left = file.size() > at ? file.size() - at : 0;
    std::string text(static_cast<std::size_t>(std::min(bytes, left)), '\0');
    file.read(at, reinterpret_cast<std::uint8_t*>(&text[0]), text.size());
    return text;
}

std::uint64_t little_endian(const std::string& text, std::size_t at, std::size_t bytes)
{
    std::uint64_t value = 0;
    for (std::size_t k = bytes; k-- > 0 && at + k < text.size();)
        value = value << 8 | static_cast<std::uint8_t>(text[at + k]);
    return value;
}

// Where samples end whose chunk says `bytes`: 32 bits do not count files above 4 GiB, and a
// program that was ended did not write the number.
std::uint64_t end_of_samples(std::uint64_t begin, std::uint64_t bytes, std::uint64_t size)
{
    const std::uint64_t left = size - begin;
    const bool wrapped = left >= too_large && bytes < too_large;
    return bytes == 0 || bytes == unknown_size || wrapped ? size
                                                          : begin + std::min(bytes, left);
}

// Eight numbers of 16 bits: year, month, day of the week, day, hour, minute, second,
// millisecond.
bool read_time(const std::string& auxi, epoch& time)
{
    unsigned n[8];
    for (std::size_t k = 0; k < 8; ++k)
        n[k] = static_cast<unsigned>(little_endian(auxi, 2 * k, 2));
    char text[80];
    std::snprintf(text,
                  sizeof text,
                  "%04u-%02u-%02uT%02u:%02u:%02u.%03u",
                  n[0],
                  n[1],
                  n[3],
                  n[4],
                  n[5],
                  n[6],
                  n[7]);
    try {
        time = epoch::from_iso(text);
    } catch (const std::invalid_argument&) {
        return false;
    }
    return n[0] >= 1990;
}

// SDR Console's chunk is XML in letters of 16 bits.
double frequency_in_words(const std::string& auxi)
{
    std::string text;
    for (const char c : auxi) {
        if (c != '\0')
            text += c;
    }
    const std::string key = "RadioCenterFreq=\"";
    const auto at = text.find(key);
    return at == std::string::npos ? 0 : std::atof(text.c_str() + at + key.size());
}

} // namespace

bool wav_header::begins_with(const std::uint8_t* start, std::size_t bytes)
{
    const std::string text(start, start + std::min<std::size_t>(bytes, 12));
    return text.size() == 12 && text.substr(8) == "WAVE" &&
           (text.compare(0, 4, "RIFF") == 0 || text.compare(0, 4, "RF64") == 0 ||
            text.compare(0, 4, "BW64") == 0 || text.compare(0, 4, "RIFX") == 0);
}

wav_header::wav_header(const input_file& file)
{
    const std::string form = read(file, 0, 4);
    if (form == "RIFX")
        throw std::invalid_argument(
            file.path() + ": RIFX, a WAV file of big-endian numbers; RIFF, RF64 and BW64 "
                          "can be read");
    std::uint64_t large = 0; // bytes of samples by the chunk ds64
    std::uint64_t at = 12;
    for (std::size_t n = 0; n < max_chunks && at + 8 <= file.size(); ++n) {
        const std::string head = read(file, at, 8), name = head.substr(0, 4);
        std::uint64_t bytes = little_endian(head, 4, 4);
        at += 8;
        if (name == "data" && begin == 0) {
            if (bytes == unknown_size && large > 0)
                bytes = large;
            begin = at;
            end = end_of_samples(begin, bytes, file.size());
            claimed = end < file.size() || bytes == unknown_size ? 0 : bytes;
            if (end == file.size())
                break;
            at = end + (end - begin) % 2;
            continue;
        }
        if (name == "ds64")
            large = little_endian(read(file, at, 24), 8, 8);
        else if (name == "fmt ")
            read_format(file, at, bytes);
        else if (name == "auxi")
            read_auxi(file, at, bytes);
        at += bytes + bytes % 2;
    }
    if (channels == 0 || begin == 0)
        throw damaged_recording(file.path() + ": has no chunk '" +
                                (channels == 0 ? "fmt " : "data") +
                                "', as a WAV file must");
}

void wav_header::read_format(const input_file& file,
                             std::uint64_t at,
                             std::uint64_t bytes)
{
    constexpr unsigned extensible = 0xfffe;
    const std::string text = read(file, at, std::min<std::uint64_t>(bytes, 40));
    format = static_cast<unsigned>(little_endian(text, 0, 2));
    channels = static_cast<unsigned>(little_endian(text, 2, 2));
    sample_rate = static_cast<double>(little_endian(text, 4, 4));
    frame_bytes = static_cast<unsigned>(little_endian(text, 12, 2));
    bits = static_cast<unsigned>(little_endian(text, 14, 2));
    if (format == extensible)
        format = static_cast<unsigned>(little_endian(text, 24, 2));
    const double rate = static_cast<double>(little_endian(text, 8, 4));
    if (channels == 0 || frame_bytes * 8 != channels * bits)
        throw damaged_recording(file.path() + ": frames of " +
                                std::to_string(frame_bytes) + " bytes contradict " +
                                std::to_string(channels) + " channels of " +
                                std::to_string(bits) + " bits");
    if (rate != 0 && sample_rate * frame_bytes != rate &&
        sample_rate * frame_bytes < too_large)
        throw damaged_recording(
            file.path() + ": " + std::to_string(static_cast<std::uint64_t>(rate)) +
            " bytes a second contradict " +
            std::to_string(static_cast<std::uint64_t>(sample_rate)) + " frames of " +
            std::to_string(frame_bytes) + " bytes a second");
}

void wav_header::read_auxi(const input_file& file, std::uint64_t at, std::uint64_t bytes)
{
    const std::string text = read(file, at, std::min<std::uint64_t>(bytes, 1u << 16));
    if (!text.empty() && (text[0] == '<' || text.compare(0, 2, "\xff\xfe") == 0)) {
        frequency = frequency_in_words(text);
        return;
    }
    constexpr std::size_t frequency_at = 32;
    if (text.size() < frequency_at + 4)
        return;
    has_time = read_time(text, time);
    frequency = static_cast<double>(little_endian(text, frequency_at, 4));
}

} // namespace gr::fringe::io
