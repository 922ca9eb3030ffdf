/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/dada_header.h"
#include "io/recordings/dada_layout.h"
#include "io/recordings/header_keys.h"
#include "io/recordings/headerless.h"
#include "io/recordings/successive.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::io {

namespace {

constexpr std::uint64_t max_bytes = 1ull << 53;
constexpr double day = 86400, unix_epoch_mjd = 40587;

// MJD_START says the instant of UTC_START once more, with as many decimals as it has.
void check_day(const dada_header& header, const epoch& start)
{
    const std::string mjd = header.text("MJD_START");
    if (mjd.empty())
        return;
    const auto point = mjd.find('.');
    const double decimals =
        point == std::string::npos ? 0 : static_cast<double>(mjd.size() - point - 1);
    const double seconds = (header.number("MJD_START") - unix_epoch_mjd) * day;
    const double off = std::abs(seconds - static_cast<double>(start.seconds));
    if (off > 1 + day * std::pow(10, -decimals))
        throw damaged_recording(header.where() + ": " + header.words("MJD_START") +
                                " contradicts " + header.words("UTC_START") + " by " +
                                number_text(off) + " s");
}

// Bytes from the instant of UTC_START to the first sample.
std::uint64_t offset_of(const dada_header& header, std::uint64_t sample_bytes)
{
    const std::uint64_t offset = header.whole("OBS_OFFSET", 0, 0, max_bytes);
    if (offset % sample_bytes != 0)
        throw damaged_recording(header.where() + ": " + header.words("OBS_OFFSET") +
                                " is not a whole number of samples of " +
                                std::to_string(sample_bytes) + " bytes");
    if (offset == 0 && header.number("FILE_NUMBER") > 0)
        throw damaged_recording(header.where() + ": " + header.words("FILE_NUMBER") +
                                " contradicts OBS_OFFSET 0: a file that is not the first "
                                "begins later than UTC_START");
    return offset;
}

// "2013-07-02-01:37:40.5", the instant of the sample OBS_OFFSET bytes before the first.
void set_start(const dada_header& header, recording_info& info)
{
    std::string text = header.text("UTC_START");
    if (text.size() < 11 || info.sample_rate == 0)
        return;
    text[10] = 'T';
    try {
        info.start_time = epoch::from_iso(text);
    } catch (const std::invalid_argument& e) {
        throw damaged_recording(header.where() +
                                ": UTC_START in its header: " + e.what());
    }
    check_day(header, info.start_time);
    const std::uint64_t bytes = encoding_by_name(info.encoding).bytes(info.streams, 1);
    const std::uint64_t picoseconds = header.whole("PICOSECONDS", 0, 0, 999999999999ull);
    info.start_time.attos += picoseconds * 1000000;
    info.start_time.seconds += info.start_time.attos / 1000000000000000000ull;
    info.start_time.attos %= 1000000000000000000ull;
    info.start_time = info.start_time.plus_samples(
        static_cast<std::int64_t>(offset_of(header, bytes) / bytes), info.sample_rate);
    info.has_start_time = true;
}

void remark(recording_info& info, const std::string& text)
{
    if (!text.empty())
        info.remarks += (info.remarks.empty() ? "" : ", ") + text;
}

// The samples behind one header, up to byte `end`.
std::unique_ptr<recording> open_samples(const std::shared_ptr<const input_file>& file,
                                        std::uint64_t at,
                                        const dada_header& header,
                                        std::uint64_t end,
                                        const recording_hints& hints)
{
    const dada_layout layout(header);
    recording_info info;
    info.encoding = layout.encoding();
    info.streams = layout.streams();
    info.sample_rate = layout.sample_rate();
    info.telescope = header.text("TELESCOPE");
    set_start(header, info);
    info.remarks = header.text("SOURCE");
    remark(info, layout.remark());
    recording_info chosen = info;
    const coarse_channels bands = layout.bands(header);
    bands.describe(header.where(), hints, chosen);
    if (chosen.inverted)
        remark(chosen, "BW is negative: the band is upside down");
    info.remarks = chosen.remarks;
    const bool all = chosen.streams == info.streams;
    const sample_order order =
        layout.order(all ? 0 : hints.coarse_channel, all ? bands.count : 1);
    auto samples = open_described({file, at + header.bytes(), end, layout.big_endian()},
                                  all && order.in_place() ? chosen : info);
    return all && order.in_place()
               ? std::move(samples)
               : in_order(header.where(), std::move(samples), order, chosen);
}

std::string bytes_at(const input_file& file, std::uint64_t at, std::uint64_t count)
{
    std::string text(static_cast<std::size_t>(std::min(
                         count, file.size() > at ? file.size() - at : std::uint64_t(0))),
                     '\0');
    file.read(at, reinterpret_cast<std::uint8_t*>(&text[0]), text.size());
    return text;
}

[[noreturn]] void refuse_joined(const input_file& file, std::uint64_t at)
{
    throw damaged_recording(
        file.path() + ": another header is among its samples, near byte " +
        std::to_string(at) +
        ": are these files that were joined? Give them apart, as names "
        "joined by '+'");
}

// Headers among the samples, of files that were joined: where nothing says where one of them
// ends, the start is searched, and where files of one size would end.
void refuse_hidden_header(const input_file& file, std::uint64_t from)
{
    constexpr std::uint64_t piece = 1u << 20, maximum = 1u << 26, overlap = 16,
                            files = 256;
    for (std::uint64_t at = from; at < file.size() && at < from + maximum; at += piece) {
        const auto found = bytes_at(file, at, piece + overlap).find("HDR_SIZE ");
        if (found != std::string::npos)
            refuse_joined(file, at + found);
    }
    for (std::uint64_t n = 2; n < files; ++n) {
        const std::uint64_t at = file.size() / n;
        if (at > from && file.size() % n == 0 &&
            dada_header::begins_with(bytes_at(file, at, dada_header::default_bytes)))
            refuse_joined(file, at);
    }
}

// Where the samples of a header end: FILE_SIZE bytes behind it, where the next header of
// files that were joined may be, or at the end of the file.
std::uint64_t end_of(const input_file& file, std::uint64_t at, const dada_header& header)
{
    const std::uint64_t begin = at + header.bytes();
    const std::uint64_t bytes = header.whole("FILE_SIZE", 0, 0, max_bytes);
    if (bytes == 0) {
        refuse_hidden_header(file, begin);
        return file.size();
    }
    if (begin + bytes >= file.size())
        return file.size();
    if (!dada_header::begins_with(
            bytes_at(file, begin + bytes, dada_header::default_bytes)))
        throw damaged_recording(header.where() + ": " + header.words("FILE_SIZE") +
                                " contradicts the " +
                                std::to_string(file.size() - begin) +
                                " bytes behind the header, in which no other header "
                                "follows");
    return begin + bytes;
}

std::unique_ptr<recording> open_dada(const std::string& path,
                                     const recording_hints& hints)
{
    const auto file = std::make_shared<const input_file>(path);
    std::vector<recording_part> parts;
    for (std::uint64_t at = 0; at < file->size();) {
        const dada_header header(*file, at);
        const std::uint64_t end = end_of(*file, at, header);
        recording_part part;
        part.name = header.where();
        part.samples = open_samples(file, at, header, end, hints);
        parts.push_back(std::move(part));
        at = end;
    }
    if (parts.size() == 1)
        return std::move(parts[0].samples);
    const recording_format& format = format_by_name("dada");
    place_by_times(parts, format);
    return one_after_the_other(std::move(parts), format, "joined files");
}

// A line of the header that begins with its size.
bool is_dada(const std::string&, const std::vector<std::uint8_t>& start)
{
    const std::size_t bytes = std::min(start.size(), dada_header::default_bytes);
    return dada_header::begins_with(std::string(start.begin(), start.begin() + bytes));
}

} // namespace

recording_format format_dada()
{
    recording_format f;
    f.name = "dada";
    f.summary = "PSRDADA: real or complex, 8 or 16 bits or float, [time][channel][pol]";
    f.self_describing = true;
    f.encoding.bits = 0;
    f.has_coarse_channels = true;
    f.recognizes = is_dada;
    f.open = open_dada;
    return f;
}

} // namespace gr::fringe::io
