/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "io/recordings/recording_helpers.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace gr::fringe::io {

namespace {

// More would only be a slip of the keyboard, and sizes stay far from overflowing.
constexpr std::size_t max_streams = 1u << 20;

// NaN and infinity have all exponent bits set. Without a way out of the loop it is done
// many at a time.
bool all_finite(const std::uint8_t* raw, std::size_t count)
{
    constexpr std::uint32_t exponent = 0x7f800000;
    bool found = false;
    for (std::size_t n = 0; n < count; n++) {
        std::uint32_t bits;
        std::memcpy(&bits, raw + n * sizeof bits, sizeof bits);
        found |= (bits & exponent) == exponent;
    }
    return !found;
}

bool are_floats(const kernels::encoding& e)
{
    return e.bits == (e.is_complex ? 64u : 32u) && e.natural == kernels::component::f32;
}

class headerless_recording : public recording
{
public:
    headerless_recording(const std::string& path,
                         const recording_hints& hints,
                         const kernels::encoding& encoding);
    headerless_recording(const samples_in_file& from, const recording_info& info);
    const recording_info& info() const override { return d_info; }
    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>*) const override;

private:
    void refuse_non_finite(std::uint64_t first,
                           std::size_t count,
                           const std::uint8_t* raw) const;

    void swap_bytes(std::uint8_t* words, std::size_t bytes) const;

    const std::shared_ptr<const input_file> d_file;
    kernels::encoding d_encoding;
    bool d_floats;
    std::uint64_t d_begin = 0;
    std::size_t d_swapped = 1;    // bytes of a word, in the order from high to low
    std::size_t d_time_bytes = 0; // one sample of every stream
    recording_info d_info;
};

headerless_recording::headerless_recording(const std::string& path,
                                           const recording_hints& hints,
                                           const kernels::encoding& encoding)
    : d_file(std::make_shared<input_file>(path)),
      d_encoding(encoding),
      d_floats(are_floats(encoding))
{
    if (hints.streams < 1 || hints.streams > max_streams)
        throw std::invalid_argument(
            path +
            ": the file does not say how many inputs it holds; give their number "
            "(inputs=N), 1 to " +
            std::to_string(max_streams) + ", not " + std::to_string(hints.streams));
    if (d_file->begins_with(hdf5_signature))
        throw std::invalid_argument(path +
                                    ": is an HDF5 file and not headerless samples; "
                                    "is its format tart?");
    d_time_bytes = encoding.bytes(hints.streams, 1);
    const std::uint64_t left = d_file->size() % d_time_bytes;
    if (left != 0)
        throw damaged_recording(path + ": truncated: " + std::to_string(d_file->size()) +
                                " bytes is not a whole number of " +
                                std::to_string(d_time_bytes) + "-byte samples of " +
                                std::to_string(hints.streams) + " inputs; at byte " +
                                std::to_string(d_file->size() - left) + " are " +
                                std::to_string(left) + " bytes too many");
    d_info.streams = hints.streams;
    d_info.samples = d_file->size() / d_time_bytes;
}

headerless_recording::headerless_recording(const samples_in_file& from,
                                           const recording_info& info)
    : d_file(from.file),
      d_encoding(encoding_by_name(info.encoding)),
      d_floats(are_floats(d_encoding)),
      d_begin(from.begin),
      d_time_bytes(d_encoding.bytes(info.streams, 1)),
      d_info(info)
{
    if (from.big_endian)
        d_swapped = d_encoding.bits / 8 / (d_encoding.is_complex ? 2 : 1);
    const std::uint64_t end = std::min(from.end, d_file->size());
    const std::uint64_t bytes = end > d_begin ? end - d_begin : 0;
    d_info.samples = bytes / d_time_bytes;
    if (d_info.samples == 0)
        throw damaged_recording(d_file->path() + ": truncated: of its " +
                                std::to_string(d_file->size()) + " bytes " +
                                std::to_string(d_begin) + " are the header; no " +
                                std::to_string(d_time_bytes) + "-byte sample of " +
                                std::to_string(info.streams) + " inputs is behind it");
    if (bytes % d_time_bytes != 0)
        d_info.remarks +=
            (d_info.remarks.empty() ? "" : ", ") + std::string("cut within a sample");
}

void headerless_recording::read(std::uint64_t first,
                                std::size_t count,
                                std::uint8_t* out,
                                std::vector<lost_samples>*) const
{
    check_read(d_file->path(), d_info.samples, first, count);
    d_file->read(d_begin + first * d_time_bytes, out, count * d_time_bytes);
    if (d_swapped > 1)
        swap_bytes(out, count * d_time_bytes);
    if (d_floats)
        refuse_non_finite(first, count, out);
}

void headerless_recording::swap_bytes(std::uint8_t* words, std::size_t bytes) const
{
    for (std::size_t at = 0; at + d_swapped <= bytes; at += d_swapped)
        std::reverse(words + at, words + at + d_swapped);
}

void headerless_recording::refuse_non_finite(std::uint64_t first,
                                             std::size_t count,
                                             const std::uint8_t* raw) const
{
    const std::size_t per_time = d_time_bytes / sizeof(float);
    const std::size_t parts = d_encoding.is_complex ? 2 : 1;
    if (all_finite(raw, count * per_time))
        return;
    for (std::size_t n = 0; n < count * per_time; n++) {
        float value;
        std::memcpy(&value, raw + n * sizeof value, sizeof value);
        if (std::isfinite(value))
            continue;
        const std::uint64_t sample = first + n / per_time;
        throw damaged_recording(
            d_file->path() + ": at byte " +
            std::to_string(d_begin + first * d_time_bytes + n * sizeof value) +
            " (sample " + std::to_string(sample) + " of stream " +
            std::to_string(n % per_time / parts) + ") is " +
            (std::isnan(value) ? "NaN"
             : value > 0       ? "infinity"
                               : "-infinity") +
            " where a finite number was expected");
    }
}

} // namespace

std::unique_ptr<recording> open_headerless(const std::string& path,
                                           const recording_hints& hints,
                                           const kernels::encoding& encoding)
{
    return std::make_unique<headerless_recording>(path, hints, encoding);
}

std::unique_ptr<recording> open_described(const samples_in_file& from,
                                          const recording_info& info)
{
    return std::make_unique<headerless_recording>(from, info);
}

} // namespace gr::fringe::io
