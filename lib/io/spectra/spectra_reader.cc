/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/spectra/spectra_reader.h"
#include "io/durable/hdf5_session.h"
#include "io/durable/hdf5_types.h"
#include "io/recordings/hdf5_file.h"
#include "io/recordings/recording.h"
#include "io/spectra/hdf5_values.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

// Reads into rows of `row` places what has fewer of them, `count`.
template <class T, class F>
void read_rows(T* out, std::size_t rows, std::size_t row, std::size_t count, F&& read)
{
    read(out);
    if (count == row)
        return;
    std::fill(out + rows * count, out + rows * row, T{});
    for (std::size_t r = rows; r-- > 0;) {
        std::memmove(out + r * row, out + r * count, count * sizeof(T));
        std::fill_n(out + r * row + count, row - count, T{});
    }
}

struct int8_pair {
    std::int8_t real, imag;
};

} // namespace

bool is_spectra_file(const std::string& path)
{
    try {
        const hdf5_file file(path);
        const hdf5_session session;
        return hdf5_values{file.id(), path}.text("format") == spectra_format;
    } catch (const std::exception&) {
        return false;
    }
}

spectra_reader::spectra_reader(const std::string& path)
    : d_file(std::make_unique<hdf5_file>(path))
{
    const hdf5_session session;
    read_facts();
    read_blocks();
    read_runs();
}

spectra_reader::~spectra_reader() = default;

void spectra_reader::read_facts()
{
    const auto& path = d_file->path();
    const hdf5_values in{d_file->id(), path};
    if (in.text("format") != spectra_format)
        throw std::invalid_argument(path + ": is no recording of spectra");
    const auto version = in.integer("version");
    if (version != 1)
        throw std::invalid_argument(path + ": version: " + std::to_string(version) +
                                    ": must be 1");
    const auto size = [&](const char* name) {
        const auto value = in.integer(name);
        if (value <= 0)
            throw std::invalid_argument(path + ": " + name + ": " +
                                        std::to_string(value) + ": must be positive");
        return static_cast<std::size_t>(value);
    };
    const hdf5_handle pair(hdf5_pair_type(H5T_NATIVE_INT8), H5Tclose);
    const hdf5_handle truth(hdf5_truth_type(), H5Tclose);
    const auto shape = in.shape("spectra", pair, 3);
    d_facts.channels = shape[0];
    d_facts.inputs = shape[1];
    d_spectra = shape[2];
    d_facts.block = size("block");
    d_facts.bits = size("bits");
    d_facts.packet_channels = size("packet_channels");
    d_facts.rate = in.number("rate");
    d_facts.frequency = in.number("center_frequency");
    d_facts.time = in.text("remark");
    d_facts.check(path);
    const auto lost = in.shape("lost", truth, 3);
    if (lost != std::vector<hsize_t>{d_facts.packets(), shape[1], shape[2]})
        throw std::invalid_argument(path + ": dataset 'lost': does not fit to 'spectra'");
}

void spectra_reader::read_blocks()
{
    const auto& path = d_file->path();
    const auto all =
        hdf5_values{d_file->id(), path}.column<std::int64_t>("block_spectra");
    const auto written = [](std::int64_t count) { return count != 0; };
    const auto end = std::find_if(all.rbegin(), all.rend(), written).base();
    d_blocks.assign(all.begin(), end);
    d_unfinished = d_blocks.size() < all.size();
    for (std::size_t k = 0; k < d_blocks.size(); k++) {
        const auto count = static_cast<std::uint64_t>(d_blocks[k]);
        if (count == 0 || count > d_facts.block || k * d_facts.block + count > d_spectra)
            throw damaged_recording(path + ": block " + std::to_string(k) + ": has " +
                                    std::to_string(d_blocks[k]) + " spectra of " +
                                    std::to_string(d_facts.block) + " and " +
                                    std::to_string(d_spectra) + " in all");
    }
}

void spectra_reader::read_runs()
{
    const auto& path = d_file->path();
    const hdf5_values in{d_file->id(), path};
    const auto first = in.column<std::int64_t>("runs/first");
    const auto second = in.column<std::int64_t>("runs/second");
    const auto fraction = in.column<double>("runs/fraction");
    const auto rate = in.column<double>("runs/rate");
    const auto frequency = in.column<double>("runs/frequency");
    const auto runs = std::min(
        {first.size(), second.size(), fraction.size(), rate.size(), frequency.size()});
    for (std::size_t k = 0; k < runs && rate[k] != 0; k++) {
        const auto at = static_cast<std::uint64_t>(first[k]);
        const bool good = at % d_facts.block == 0 && second[k] >= 0 && fraction[k] >= 0 &&
                          fraction[k] < 1 && rate[k] > 0 && rate[k] < 1e12 &&
                          std::abs(frequency[k]) < 1e15;
        if (!good)
            throw damaged_recording(path + ": run " + std::to_string(k) +
                                    ": has a time that cannot be");
        d_runs[at / d_facts.block] = {
            static_cast<std::uint64_t>(second[k]), fraction[k], rate[k], frequency[k]};
    }
    if (d_blocks.empty() || d_runs.count(0) == 0)
        throw damaged_recording(path + ": holds no spectra");
    // The last one of a process that was killed may not have its block.
    d_runs.erase(d_runs.lower_bound(d_blocks.size()), d_runs.end());
}

void spectra_reader::read(std::uint64_t block, std::int8_t* values) const
{
    const hdf5_session session;
    const hdf5_handle pair(hdf5_pair_type(H5T_NATIVE_INT8), H5Tclose);
    const std::uint64_t first = block * d_facts.block;
    const std::size_t count = std::min<std::uint64_t>(d_facts.block, d_spectra - first);
    read_rows(reinterpret_cast<int8_pair*>(values),
              d_facts.channels * d_facts.inputs,
              d_facts.block,
              count,
              [&](int8_pair* out) {
                  hdf5_values{d_file->id(), d_file->path()}.read(
                      "spectra", pair, first, count, out);
              });
}

void spectra_reader::read_lost(std::uint64_t block, std::uint8_t* lost) const
{
    const hdf5_session session;
    const hdf5_handle truth(hdf5_truth_type(), H5Tclose);
    const std::uint64_t first = block * d_facts.block;
    const std::size_t count = std::min<std::uint64_t>(d_facts.block, d_spectra - first);
    read_rows(lost,
              d_facts.packets() * d_facts.inputs,
              d_facts.block,
              count,
              [&](std::uint8_t* out) {
                  hdf5_values{d_file->id(), d_file->path()}.read(
                      "lost", truth, first, count, out);
              });
}

} // namespace gr::fringe::io
