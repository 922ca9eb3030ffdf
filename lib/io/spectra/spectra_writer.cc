/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/spectra/spectra_writer.h"
#include "io/durable/hdf5_labels.h"
#include "io/durable/hdf5_output.h"
#include "io/spectra/spectra_datasets.h"
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

namespace gr::fringe::io {

namespace {

using element = hdf5_output::element;

// Room is made for at most so many bytes of blocks at a time: what of it is not used stays a
// hole in the file.
constexpr std::uint64_t max_room = 64u << 20;

std::int64_t signed_of(std::uint64_t number) { return static_cast<std::int64_t>(number); }

} // namespace

spectra_writer::spectra_writer(int file, const spectra_facts& facts)
    : d_facts(facts), d_descriptor(file), d_certificate(d_facts)
{
    try {
        d_facts.check("recording of spectra");
    } catch (const std::invalid_argument&) {
        close(file);
        throw;
    }
    d_times.resize(d_facts.block);
    d_lost = std::make_unique<bool[]>(d_facts.lost_cells());
}

spectra_writer::~spectra_writer()
{
    if (d_descriptor >= 0)
        close(d_descriptor);
}

void spectra_writer::create(const spectra_run& run)
{
    d_file = std::make_unique<hdf5_output>(std::exchange(d_descriptor, -1));
    d_first = run;
    make_spectra_datasets(*d_file, d_facts, run);
}

void spectra_writer::resize(std::uint64_t blocks, std::uint64_t spectra)
{
    for (const char* name : {"spectra", "lost", "time"})
        d_file->extend(name, spectra);
    d_file->extend("block_spectra", blocks);
}

void spectra_writer::grow()
{
    const std::uint64_t max = max_room / d_facts.block_bytes();
    d_room += std::max<std::uint64_t>(1, std::min(d_room / 8, max));
    resize(d_room, d_room * d_facts.block);
    d_file->publish(false);
}

void spectra_writer::add_run(const spectra_run& run)
{
    d_run = run;
    d_in_run = 0;
    if (d_runs == d_run_room) {
        d_run_room += spectra_short_rows;
        for (const char* name : spectra_run_columns)
            d_file->extend(name, d_run_room);
        d_file->publish(false);
    }
    const std::int64_t first = signed_of(d_blocks * d_facts.block);
    const std::int64_t second = signed_of(run.second);
    const void* const values[] = {
        &first, &second, &run.fraction, &run.rate, &run.frequency};
    for (std::size_t k = 0; k < std::size(spectra_run_columns); k++)
        d_file->put_rows(spectra_run_columns[k],
                         k < 2 ? element::int64 : element::float64,
                         d_runs,
                         1,
                         values[k]);
    d_runs++;
}

void spectra_writer::add_times(std::size_t count)
{
    const double begin =
        static_cast<double>(signed_of(d_run.second) - signed_of(d_first.second)) +
        (d_run.fraction - d_first.fraction);
    for (std::size_t k = 0; k < count; k++)
        d_times[k] = begin + static_cast<double>(d_in_run + k) / d_run.rate;
    std::fill(d_times.begin() + static_cast<std::ptrdiff_t>(count),
              d_times.end(),
              std::numeric_limits<double>::quiet_NaN());
    d_file->put_rows("time",
                     element::float64,
                     d_blocks * d_facts.block,
                     d_facts.block,
                     d_times.data());
}

bool spectra_writer::add_losses(const std::vector<lost_box>& lost, std::size_t count)
{
    // Where nothing is written is a hole in the file, which is read as "not lost".
    if (lost.empty() && count == d_facts.block)
        return false;
    const std::size_t rows = d_facts.packets() * d_facts.inputs, block = d_facts.block;
    bool* const all = d_lost.get();
    std::fill_n(all, rows * block, false);
    for (const auto& [input, inputs, channel, channels, first, spectra] : lost) {
        const std::uint64_t width = d_facts.packet_channels;
        for (auto p = channel / width; p * width < channel + channels; p++)
            for (auto i = input; i < input + inputs; i++)
                std::fill_n(
                    all + (p * d_facts.inputs + i) * block + first, spectra, true);
    }
    for (std::size_t row = 0; row < rows; row++)
        std::fill_n(all + row * block + count, block - count, true);
    d_file->put_rows("lost", element::boolean, d_blocks * block, block, all);
    return true;
}

void spectra_writer::add(const std::int8_t* values,
                         std::size_t count,
                         const std::vector<lost_box>& lost,
                         const std::optional<spectra_run>& run)
{
    if (!d_file) {
        if (!run || !(run->rate > 0))
            throw std::runtime_error("the first spectra come without a time (rx_time)");
        create(*run);
    }
    if (count == 0 || count > d_facts.block)
        throw std::runtime_error("a block of " + std::to_string(d_facts.block) +
                                 " spectra came with " + std::to_string(count));
    const auto fits = [](std::uint64_t first, std::uint64_t n, std::size_t all) {
        return first <= all && n <= all - first;
    };
    for (const auto& b : lost)
        if (!fits(b[0], b[1], d_facts.inputs) || !fits(b[2], b[3], d_facts.channels) ||
            !fits(b[4], b[5], d_facts.block))
            throw std::runtime_error("something was lost that the block has not");
    if (d_blocks == d_room)
        grow();
    if (run)
        add_run(*run);
    const std::size_t block = d_facts.block;
    d_file->put_rows("spectra", element::complex16, d_blocks * block, block, values);
    add_times(count);
    const bool some = add_losses(lost, count);
    d_certificate.add(
        d_blocks, count, values, some ? d_lost.get() : nullptr, d_times.data());
    // From here on it is in the file.
    const std::int64_t number = signed_of(count);
    d_file->put_rows("block_spectra", element::int64, d_blocks, 1, &number);
    d_end = d_blocks * block + count;
    d_blocks++;
    d_spectra += count;
    d_in_run += count;
}

void spectra_writer::finish()
{
    if (!d_file)
        return;
    resize(d_blocks, d_end);
    label_text(*d_file, "/", "certificate", d_certificate.json());
    for (const char* name : spectra_run_columns)
        d_file->extend(name, d_runs);
    d_file->publish(false);
    d_file.reset();
}

} // namespace gr::fringe::io
