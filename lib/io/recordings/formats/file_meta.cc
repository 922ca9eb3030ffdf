/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/header_keys.h"
#include "io/recordings/headerless.h"
#include "io/recordings/pmt_words.h"
#include "io/recordings/recording_helpers.h"
#include "io/recordings/sample_offset.h"
#include "io/recordings/successive.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace gr::fringe::io {

namespace {

constexpr std::uint64_t max_header_bytes = 1u << 20;
constexpr std::size_t max_segments = 1u << 20;
// Times of segments are sums of numbers with a fraction.
constexpr double time_resolution = 1e-6;
// A clock that nobody set counts from its start: earlier than this is no date (1990).
constexpr std::uint64_t first_date = 631152000;

/*
 * The headers of GNU Radio's File Meta Sink: two dictionaries in front of each segment of the
 * samples, or in a file x.hdr of their own. The second is what tags and users add.
 */
struct meta_segment {
    std::uint64_t begin, end; // bytes of the file of samples
    std::string encoding;
    std::size_t streams;
    double rate, frequency;
    epoch time;
};

using dictionary = std::map<std::string, pmt_value>;

class meta_header
{
public:
    meta_header(const input_file& file, std::uint64_t at)
        : d_where(file.path() + ": header at byte " + std::to_string(at))
    {
        std::string bytes(
            static_cast<std::size_t>(std::min(max_header_bytes, file.size() - at)), '\0');
        file.read(at, reinterpret_cast<std::uint8_t*>(&bytes[0]), bytes.size());
        pmt_reader reader(d_where, bytes);
        d_keys = reader.dictionary();
        d_bytes = whole("strt");
        if (d_bytes < reader.at() || d_bytes > bytes.size())
            refuse("strt", "does not lie behind the header");
        if (d_bytes > reader.at())
            d_more = reader.dictionary();
    }

    const std::string& where() const { return d_where; }
    std::uint64_t bytes() const { return d_bytes; } //!< of the header

    std::uint64_t whole(const std::string& key) const { return number(key).whole; }
    double real(const std::string& key) const
    {
        const pmt_value& v = number(key);
        if (!std::isfinite(v.number))
            refuse(key, "is not a finite number");
        return v.number;
    }
    bool truth(const std::string& key) const
    {
        const pmt_value& v = find(key);
        if (v.is != pmt_value::kind::truth)
            refuse(key, "is not true or false");
        return v.whole != 0;
    }
    epoch time() const
    {
        const pmt_value& v = find("rx_time");
        if (v.items.size() != 2 || !(v.items[1].number >= 0 && v.items[1].number < 1))
            refuse("rx_time", "is not seconds and a fraction");
        return epoch::from_pair(v.items[0].whole, v.items[1].number);
    }
    //! 0 where no tag has it.
    double frequency() const
    {
        const auto found = d_more.find("rx_freq");
        return found == d_more.end() ? 0 : found->second.number;
    }
    [[noreturn]] void refuse(const std::string& key, const std::string& why) const
    {
        throw damaged_recording(d_where + ": " + key + " " + why);
    }

private:
    const pmt_value& find(const std::string& key) const
    {
        const auto found = d_keys.find(key);
        if (found == d_keys.end())
            refuse(key, "is not there");
        return found->second;
    }
    const pmt_value& number(const std::string& key) const
    {
        const pmt_value& v = find(key);
        if (v.is != pmt_value::kind::number)
            refuse(key, "is not a number");
        return v;
    }

    std::string d_where;
    dictionary d_keys, d_more;
    std::uint64_t d_bytes = 0;
};

// The samples of a header: GNU Radio's number of a type, and of components of it.
void read_type(const meta_header& header, meta_segment& segment)
{
    constexpr std::uint64_t type_byte = 0, type_short = 1, type_float = 5;
    const std::uint64_t type = header.whole("type");
    const std::uint64_t bytes = type == type_byte    ? 1
                                : type == type_short ? 2
                                : type == type_float ? 4
                                                     : 0;
    if (bytes == 0)
        throw std::invalid_argument(header.where() + ": type " + std::to_string(type) +
                                    "; 0 (bytes), 1 (short) and 5 (float) can be read");
    const bool is_complex = header.truth("cplx");
    segment.encoding =
        (is_complex ? "c" : "") + (bytes == 4 ? "f32" : "i" + std::to_string(8 * bytes));
    const std::uint64_t sample = bytes * (is_complex ? 2 : 1);
    const std::uint64_t item = header.whole("size");
    constexpr std::uint64_t max_item = 1u << 20;
    if (item == 0 || item > max_item || item % sample != 0)
        header.refuse("size",
                      std::to_string(item) + " is no whole number of samples of " +
                          std::to_string(sample) + " bytes");
    segment.streams = static_cast<std::size_t>(item / sample);
}

meta_segment read_segment(const meta_header& header)
{
    if (header.whole("version") != 0)
        throw std::invalid_argument(header.where() + ": version " +
                                    std::to_string(header.whole("version")) +
                                    "; 0 can be read");
    meta_segment segment{};
    read_type(header, segment);
    segment.rate = header.real("rx_rate");
    if (segment.rate <= 0)
        header.refuse("rx_rate", "must be positive");
    segment.time = header.time();
    segment.frequency = header.frequency();
    return segment;
}

// What must stay as it is from one segment to the next.
void check_alike(const meta_header& header, const meta_segment& a, const meta_segment& b)
{
    const auto check = [&](bool same, const std::string& key, double x, double y) {
        if (!same)
            throw std::invalid_argument(header.where() + ": " + key + " changes from " +
                                        number_text(x) + " to " + number_text(y) +
                                        "; samples of one can be correlated");
    };
    check(a.rate == b.rate, "rx_rate", a.rate, b.rate);
    check(a.frequency == b.frequency, "rx_freq", a.frequency, b.frequency);
    if (a.encoding != b.encoding || a.streams != b.streams)
        header.refuse("type", "changes from " + a.encoding + " to " + b.encoding);
}

// bytes 0: the sink was ended before it wrote how many there are.
std::vector<meta_segment> read_segments(const input_file& headers,
                                        const input_file& samples)
{
    const bool inlined = headers.path() == samples.path();
    std::vector<meta_segment> segments;
    std::uint64_t data = 0; // the byte where the next samples begin
    for (std::uint64_t at = 0; at < headers.size() && segments.size() < max_segments;) {
        const meta_header header(headers, at);
        meta_segment segment = read_segment(header);
        if (!segments.empty())
            check_alike(header, segments.back(), segment);
        const std::uint64_t bytes = header.whole("bytes");
        segment.begin = inlined ? at + header.bytes() : data;
        if (segment.begin >= samples.size())
            break;
        const std::uint64_t left = samples.size() - segment.begin;
        segment.end = segment.begin + (bytes == 0 ? left : std::min(bytes, left));
        data = segment.end;
        at = inlined ? segment.end : at + header.bytes();
        segments.push_back(segment);
    }
    return segments;
}

// Where segments lie in time; what is a whole number of samples apart by nearly nothing is.
void place(std::vector<recording_part>& parts, const std::vector<meta_segment>& segments)
{
    const double unsure = std::max(1.0, time_resolution * segments[0].rate);
    for (std::size_t k = 1; k < parts.size(); ++k) {
        const std::uint64_t end =
            parts[k - 1].first + parts[k - 1].samples->info().samples;
        const std::int64_t off =
            samples_between(segments[0].time, segments[k].time, segments[k].rate)
                .samples -
            static_cast<std::int64_t>(end);
        if (static_cast<double>(off) < -unsure)
            throw damaged_recording(parts[k].name + ": rx_time goes back by " +
                                    std::to_string(-off) +
                                    " samples; was the clock set meanwhile?");
        const bool is_gap = static_cast<double>(off) > unsure;
        parts[k].first =
            samples_claimed(parts[k].name,
                            "rx_time",
                            end + (is_gap ? static_cast<std::uint64_t>(off) : 0),
                            1);
    }
}

bool begins_as_header(const std::vector<std::uint8_t>& start)
{
    constexpr std::uint8_t dictionary_of_text[] = {9, 7, 2, 0};
    constexpr std::size_t header_bytes = 149;
    if (start.size() < header_bytes || !std::equal(std::begin(dictionary_of_text),
                                                   std::end(dictionary_of_text),
                                                   start.begin()))
        return false;
    const std::string text(start.begin(), start.begin() + header_bytes);
    return text.find("strt") != std::string::npos &&
           text.find("rx_rate") != std::string::npos;
}

std::vector<std::uint8_t> start_of(const std::string& path)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored) ||
        std::filesystem::file_size(path, ignored) == 0)
        return {};
    const input_file file(path);
    std::vector<std::uint8_t> start(
        static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), 256)));
    file.read(0, start.data(), start.size());
    return start;
}

// "x.hdr" -> "x"
std::string samples_of(const std::string& path)
{
    const std::filesystem::path p(path);
    return p.extension() == ".hdr" ? path.substr(0, path.size() - 4) : path;
}

bool is_file_meta(const std::string& path, const std::vector<std::uint8_t>& start)
{
    return begins_as_header(start) || begins_as_header(start_of(path + ".hdr"));
}

std::unique_ptr<recording> open_file_meta(const std::string& path,
                                          const recording_hints& hints)
{
    const std::string samples = samples_of(path);
    const auto file = std::make_shared<const input_file>(samples);
    const bool inlined = begins_as_header(start_of(samples));
    const input_file headers(inlined ? samples : samples + ".hdr");
    const auto segments = read_segments(headers, *file);
    if (segments.empty())
        throw damaged_recording(path + ": truncated: no samples behind its headers");
    recording_info info;
    info.encoding = segments[0].encoding;
    info.streams = segments[0].streams;
    info.sample_rate = segments[0].rate;
    info.center_frequency = segments[0].frequency;
    info.has_start_time = segments[0].time.seconds >= first_date;
    info.start_time = info.has_start_time ? segments[0].time : epoch();
    info.start_within = time_resolution;
    if (!info.has_start_time)
        info.remarks = "rx_time " + number_text(segments[0].time.seconds_since(epoch())) +
                       " s is no date";
    if (hints.streams != 0 && hints.streams != info.streams)
        throw std::invalid_argument(path + ": items of " + std::to_string(info.streams) +
                                    " samples (size), not the " +
                                    std::to_string(hints.streams) +
                                    " inputs that were given");
    std::vector<recording_part> parts;
    for (const meta_segment& s : segments) {
        recording_part part;
        part.name = path;
        part.samples = open_described({file, s.begin, s.end}, info);
        parts.push_back(std::move(part));
    }
    if (parts.size() == 1)
        return std::move(parts[0].samples);
    place(parts, segments);
    return one_after_the_other(std::move(parts), format_by_name("file_meta"), "segments");
}

} // namespace

recording_format format_file_meta()
{
    recording_format f;
    f.name = "file_meta";
    f.summary = "GNU Radio's File Meta Sink: headers in the file or in FILE.hdr";
    f.self_describing = true;
    f.encoding.bits = 0;
    f.endings = {"hdr"};
    f.recognizes = is_file_meta;
    f.open = open_file_meta;
    return f;
}

} // namespace gr::fringe::io
