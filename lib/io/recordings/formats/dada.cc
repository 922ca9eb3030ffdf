/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/coarse_channels.h"
#include "io/recordings/headerless.h"
#include "io/recordings/input_file.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace gr {
namespace fringe {
namespace io {

namespace {

constexpr std::size_t default_header_bytes = 4096;
constexpr std::size_t max_header_bytes = 1u << 24;

/*
 * The header of a PSRDADA file (psrdada.sourceforge.net): lines of a keyword, its value
 * and a comment behind '#', padded with zeros to HDR_SIZE bytes. The samples behind it
 * are [time][channel][polarisation][dimension].
 */
class dada_header
{
public:
    explicit dada_header(const input_file& file) : d_path(file.path())
    {
        read(file, default_header_bytes);
        if (d_fields.count("HDR_SIZE") == 0)
            throw std::invalid_argument(
                d_path + ": is not a PSRDADA file: no HDR_SIZE in its first " +
                std::to_string(default_header_bytes) + " bytes");
        d_bytes = whole("HDR_SIZE", 0, 1, max_header_bytes);
        if (d_bytes > default_header_bytes)
            read(file, d_bytes);
    }

    std::uint64_t bytes() const { return d_bytes; }

    std::string text(const std::string& key) const
    {
        const auto field = d_fields.find(key);
        return field == d_fields.end() ? "" : field->second;
    }

    double number(const std::string& key) const
    {
        const std::string value = text(key);
        if (value.empty())
            return 0;
        std::size_t used = 0;
        double number = 0;
        try {
            number = std::stod(value, &used);
        } catch (const std::logic_error&) {
            used = 0;
        }
        if (used != value.size() || !std::isfinite(number))
            throw damaged_recording(d_path + ": " + key + " '" + value +
                                    "' in its header is not a number");
        return number;
    }

    //! A whole number within limits; `missing` where the header does not say.
    std::uint64_t whole(const std::string& key,
                        std::uint64_t missing,
                        std::uint64_t least,
                        std::uint64_t most) const
    {
        if (d_fields.count(key) == 0)
            return missing;
        const double value = number(key);
        if (value != std::floor(value) || value < static_cast<double>(least) ||
            value > static_cast<double>(most))
            throw damaged_recording(d_path + ": " + key + " '" + text(key) +
                                    "' in its header; it must be a whole number from " +
                                    std::to_string(least) + " to " +
                                    std::to_string(most));
        return static_cast<std::uint64_t>(value);
    }

private:
    void read(const input_file& file, std::size_t bytes)
    {
        std::string raw(
            static_cast<std::size_t>(std::min<std::uint64_t>(bytes, file.size())), '\0');
        file.read(0, reinterpret_cast<std::uint8_t*>(&raw[0]), raw.size());
        std::istringstream lines(raw.substr(0, raw.find('\0')));
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line.substr(0, line.find('#')));
            std::string key, value;
            if (words >> key >> value)
                d_fields[key] = value;
        }
    }

    std::string d_path;
    std::map<std::string, std::string> d_fields;
    std::uint64_t d_bytes = 0;
};

std::string encoding_name(const std::string& path, const dada_header& header)
{
    const bool is_complex = header.whole("NDIM", 1, 1, 2) == 2;
    const auto bits = header.whole("NBIT", 8, 1, 64);
    const std::string prefix = is_complex ? "c" : "";
    const bool offset = header.text("ENCODING") == "OFFSETBINARY";
    if (bits == 32)
        return prefix + "f32";
    if (bits != 8 && bits != 16)
        throw std::invalid_argument(path + ": NBIT " + std::to_string(bits) +
                                    "; 8, 16 and 32 (float) can be read");
    if (is_complex && offset && bits == 8)
        return "cu8_128";
    return prefix + (offset ? "u" : "i") + std::to_string(bits);
}

// 1 / TSAMP, which is a whole number of Hz if it is nearly one: TSAMP is in decimals.
double rate_of(const dada_header& header)
{
    const double microseconds = header.number("TSAMP");
    if (microseconds <= 0)
        return 0;
    const double rate = 1e6 / microseconds;
    return std::abs(rate - std::round(rate)) < 1e-9 * rate ? std::round(rate) : rate;
}

// "2013-07-02-01:37:40.5", the instant of the sample OBS_OFFSET bytes before the first.
void set_start(const std::string& path, const dada_header& header, recording_info& info)
{
    std::string text = header.text("UTC_START");
    if (text.size() < 11 || info.sample_rate == 0)
        return;
    text[10] = 'T';
    try {
        info.start_time = epoch::from_iso(text);
    } catch (const std::invalid_argument& e) {
        throw damaged_recording(path + ": UTC_START in its header: " + e.what());
    }
    constexpr std::uint64_t most = 1ull << 53;
    const std::uint64_t bytes = encoding_by_name(info.encoding).bytes(info.streams, 1);
    const std::uint64_t offset = header.whole("OBS_OFFSET", 0, 0, most);
    const std::uint64_t picoseconds = header.whole("PICOSECONDS", 0, 0, 999999999999ull);
    info.start_time.attos += picoseconds * 1000000;
    info.start_time.seconds += info.start_time.attos / 1000000000000000000ull;
    info.start_time.attos %= 1000000000000000000ull;
    info.start_time = info.start_time.plus_samples(
        static_cast<std::int64_t>(offset / bytes), info.sample_rate);
    info.has_start_time = true;
}

std::unique_ptr<recording> open_dada(const std::string& path,
                                     const recording_hints& hints)
{
    const dada_header header{input_file(path)};
    constexpr std::uint64_t most = 1u << 16;
    const auto channels = header.whole("NCHAN", 1, 1, most);
    const auto polarisations = header.whole("NPOL", 1, 1, most);
    recording_info info;
    info.encoding = encoding_name(path, header);
    info.streams = channels * polarisations;
    const std::string order = header.text("ORDER");
    if (!order.empty() && order != "TFP" && info.streams > 1)
        throw std::invalid_argument(path + ": ORDER " + order +
                                    "; samples in the order TFP (time, channel, "
                                    "polarisation) can be read");
    info.sample_rate = rate_of(header);
    info.telescope = header.text("TELESCOPE");
    set_start(path, header, info);
    info.remarks = header.text("SOURCE");
    coarse_channels bands;
    bands.count = channels;
    bands.polarisations = polarisations;
    bands.center = header.number("FREQ") * 1e6;
    bands.width = header.number("BW") * 1e6 / static_cast<double>(channels);
    if (bands.width == 0) // what a channel's samples have room for
        bands.width =
            info.sample_rate / (encoding_by_name(info.encoding).is_complex ? 1 : 2);
    recording_info chosen = info;
    bands.describe(path, hints, chosen);
    if (chosen.inverted)
        chosen.remarks += (chosen.remarks.empty() ? "" : ", ") +
                          std::string("BW is negative: the band is upside down");
    if (chosen.streams == info.streams)
        return open_described(path, header.bytes(), chosen);
    info.remarks = chosen.remarks;
    return one_coarse_channel(
        open_described(path, header.bytes(), info), hints.coarse_channel, chosen);
}

// A line of the header that begins with its size.
bool is_dada(const std::string&, const std::vector<std::uint8_t>& start)
{
    const std::size_t bytes = std::min(start.size(), default_header_bytes);
    const std::string text(start.begin(), start.begin() + bytes);
    const std::string lines = "\n" + text.substr(0, text.find('\0'));
    return lines.find("\nHDR_SIZE ") != std::string::npos ||
           lines.find("\nHDR_SIZE\t") != std::string::npos;
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
    f.recognises = is_dada;
    f.open = open_dada;
    return f;
}

} // namespace io
} // namespace fringe
} // namespace gr
