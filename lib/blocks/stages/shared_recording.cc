/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/shared_recording.h"
#include <algorithm>

namespace gr::fringe {

namespace {

const std::string missing = "missing", invalid = "invalid";

} // namespace

shared_recording::shared_recording(gr::block& owner,
                                   gr::logger_ptr logger,
                                   io::recording_set files,
                                   std::size_t block_samples,
                                   std::uint64_t total,
                                   bool repeat)
    : d_log(std::move(logger)),
      d_files(std::move(files)),
      d_block(block_samples),
      d_total(total),
      d_repeat(repeat),
      d_losses(owner, {missing, invalid}, d_files.streams())
{
}

std::size_t shared_recording::samples_at(std::uint64_t position) const
{
    const bool over = is_over() || (position >= d_total && !d_repeat);
    return over ? 0
                : static_cast<std::size_t>(
                      std::min<std::uint64_t>(d_block, d_total - position % d_total));
}

void shared_recording::read_at(std::uint64_t position,
                               std::uint8_t* out,
                               std::vector<io::lost_samples>& lost)
{
    const std::uint64_t from = position % d_total;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(d_block, d_total - from));
    d_files.read(from, count, d_block, out, lost);
}

// Several blocks may read at a time: the one that is ahead says how far they are.
void shared_recording::taken_until(std::uint64_t position)
{
    std::uint64_t before = d_read;
    while (before < position && !d_read.compare_exchange_weak(before, position)) {
    }
    d_losses.tell(d_read);
}

void shared_recording::count_lost(const std::vector<io::lost_samples>& lost)
{
    for (const io::lost_samples& l : lost) {
        d_losses.add(l.cause == io::loss::missing ? missing : invalid, l.stream, l.count);
    }
}

// Nobody reads a long gap: its samples count as lost in every stream, and the log has one line.
void shared_recording::skip(std::uint64_t samples)
{
    for (std::size_t s = 0; s < d_files.streams(); ++s) {
        d_losses.add(missing, s, samples);
    }
    const double rate = d_files.times().sample_rate();
    d_log->warn("gap: the recording has none of {:d} samples{:s}",
                samples,
                rate > 0 ? fmt::format(" ({:.9g} s)", static_cast<double>(samples) / rate)
                         : "");
}

io::sample_range shared_recording::gap_at(std::uint64_t position) const
{
    return d_repeat || position >= d_total ? io::sample_range{position, position}
                                           : d_files.gap_at(position);
}

// What came before is whole: ends the data here and says so.
void shared_recording::end_damaged(const std::string& sentence)
{
    std::lock_guard<std::mutex> lock(d_damage_mutex);
    if (d_damage.empty()) { // several threads may find the same
        d_log->error("{:s}", sentence);
        d_damage = sentence;
    }
    d_damaged = true;
}

std::string shared_recording::damage() const
{
    std::lock_guard<std::mutex> lock(d_damage_mutex);
    return d_damage;
}

} // namespace gr::fringe
