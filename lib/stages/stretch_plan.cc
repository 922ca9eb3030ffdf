/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/stretch_plan.h"
#include "stages/blanking_windows.h"
#include "stages/dump_plan.h"
#include "stages/window_search.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gr::fringe {

// Blocks that windows of samples reach back at the most.
static std::size_t lead_blocks(const stretch_settings& s)
{
    const std::size_t block = s.f.block_spectra * s.f.points();
    return s.pulses ? (s.pulses->window + s.pulses->guard + block - 1) / block : 0;
}

stretch_plan::stretch_plan(const stretch_settings& settings)
    : window_plan(settings.f, settings.towards),
      d_settings(settings),
      d_missing(missing_spectra(d_fill, settings.f.block_spectra)),
      d_lead(lead_blocks(settings)),
      d_earlier(d_lead + std::max<std::size_t>(settings.mean_blocks, 1) - 1),
      d_factors(std::make_shared<correction_factors>(settings.f.corrections))
{
    if (settings.dump_seconds != 0 || settings.dump_spectra != 0) {
        set_dumps(of_settings, settings.dump_seconds, settings.dump_spectra);
    }
}

std::uint64_t stretch_plan::begin(const epoch& start, double rate)
{
    const auto jump = jump_to(start, rate, d_sample);
    if (!jump) {
        return 0;
    }
    plan(true); // on the axis of the data that came before
    d_time = jump->time;
    restart(jump->sample);
    return jump->missing;
}

void stretch_plan::set_frequency(double hz)
{
    if (d_frequency != 0 && hz != d_frequency && d_sample > d_begin) {
        plan(true);
        restart(d_sample);
    }
    d_frequency = hz;
}

void stretch_plan::restart(std::uint64_t sample)
{
    d_sample = d_begin = sample;
    d_rows = 0;
    d_planned = 0;
    d_ended = false;
    d_blocks.clear();
    d_axis_known = false;
    d_counted_rows = 0;
    d_before_gap.reset();
    d_first_number = d_numbered;
}

// The first spectrum of a dump on the axis of the spectra; the first of all where the dump
// begins before the data do.
std::uint64_t stretch_plan::first_spectrum_of(std::int64_t dump)
{
    start_spectra();
    return d_cuts.any().first(d_spectra, dump);
}

dump_range stretch_plan::dumps_in(std::uint64_t samples)
{
    if (d_cuts.empty()) {
        throw std::invalid_argument(
            "dumps: the sums are not cut at dumps; give their length");
    }
    start_spectra();
    const std::uint64_t rows = samples / d_points;
    const std::uint64_t spectra = rows >= d_taps ? rows - d_taps + 1 : 0;
    const std::int64_t first = d_cuts.any().index(d_spectra, 0);
    return {first, spectra > 0 ? d_cuts.any().index(d_spectra, spectra - 1) + 1 : first};
}

std::int64_t stretch_plan::dumps_together() const
{
    const double aim =
        static_cast<double>(std::max<std::size_t>(d_settings.stretch_spectra, 1));
    const array::dump_clock& clock = d_cuts.any();
    const double dump = clock.spectra() > 0 ? static_cast<double>(clock.spectra())
                                            : clock.seconds() * d_spectra.rate();
    return dump <= aim ? static_cast<std::int64_t>(aim / dump) : 1;
}

std::uint64_t stretch_plan::select(const dump_range& dumps)
{
    if (d_cuts.empty() || d_settings.window > 0) {
        throw std::invalid_argument(
            d_cuts.empty()
                ? "dumps: the sums are not cut at dumps; give their length"
                : "dumps: the search for interference in spectra compares with all "
                  "that came before; leave it out, or take all dumps");
    }
    const std::uint64_t first = first_spectrum_of(dumps.first);
    const std::int64_t together = dumps_together();
    const auto inside = [&](std::int64_t dump) {
        return first_spectrum_of(dump) > 0 && dump % together != 0;
    };
    if (dumps.first >= dumps.end || inside(dumps.first) || inside(dumps.end)) {
        throw std::invalid_argument(
            "dumps: " + std::to_string(dumps.first) + " to " + std::to_string(dumps.end) +
            ": must ascend and be multiples of " + std::to_string(together));
    }
    d_stop = first_spectrum_of(dumps.end);
    d_next = d_planned = first;
    if (first == 0) {
        return 0;
    }
    d_counted_rows = first + d_fill;
    const std::uint64_t rows = d_block_rows;
    const std::uint64_t needed = (first - std::min<std::uint64_t>(first, d_skip)) / rows;
    d_numbered = needed - std::min<std::uint64_t>(needed, d_earlier);
    d_rows = d_numbered * rows;
    d_sample = d_begin + d_rows * d_points;
    return d_numbered;
}

// Behind the block that is counted by the dumps before, as far as the selected ones need it.
std::uint64_t stretch_plan::counted(std::uint64_t from, std::uint64_t to) const
{
    const std::uint64_t block = d_block_rows * d_points;
    const auto next_block = [&](std::uint64_t rows) {
        return (rows * d_points + block - 1) / block * block;
    };
    from = std::max(from, next_block(d_counted_rows));
    to = d_stop ? std::min(to, next_block(*d_stop + d_fill)) : to;
    return to > from ? to - from : 0;
}

std::optional<stretch_plan::place_behind_gap> stretch_plan::skip(const gap& missing)
{
    d_before_gap.reset();
    if (d_cuts.empty() || !d_time.started() || d_settings.window > 0) {
        return std::nullopt;
    }
    // Spectra are numbered as rows are, from the first of the recording on.
    start_spectra();
    const array::dump_clock& clock = d_cuts.any();
    const std::uint64_t rows = d_block_rows, block = rows * d_points;
    const std::uint64_t behind = missing.end / d_points;
    const std::int64_t last = clock.index(d_spectra, missing.begin / d_points);
    const std::int64_t next = clock.index(d_spectra, behind - std::min(behind, d_fill));
    if (next - last - 1 <= dump_plan::longest_gap) {
        return std::nullopt;
    }
    const std::uint64_t end = clock.first(d_spectra, last + 1);
    const std::uint64_t first = clock.first(d_spectra, next);
    const std::uint64_t from = (end + d_fill + rows - 1) / rows * block;
    const std::uint64_t to = (first - std::min(first, d_skip)) / rows * block;
    if (to <= from) {
        return std::nullopt;
    }
    d_before_gap = end;
    if (d_sample < from || d_sample >= to) {
        return std::nullopt;
    }
    const std::uint64_t lost = counted(d_sample, to);
    const std::uint64_t row = to / d_points;
    const std::uint64_t not_counted = std::max<std::uint64_t>(d_counted_rows, row) - row;
    plan(true);
    d_numbered += (to - d_sample) / block;
    d_last_blocks.clear();
    restart(to);
    d_counted_rows = not_counted;
    d_planned = first - row;
    start_spectra();
    return place_behind_gap{to, lost};
}

bool stretch_plan::past_selection() const { return d_stop && d_next >= *d_stop; }

void stretch_plan::add(std::shared_ptr<const raw_block> block)
{
    if (d_ended) {
        restart(d_sample);
    }
    const std::size_t rows = block->samples / d_points;
    if (d_earlier > 0) {
        d_last_blocks.push_back(block);
    }
    const bool counted = d_rows < d_counted_rows || d_rows >= behind_selection();
    block->counted = block->counted || counted;
    d_blocks.push_back({std::move(block), d_numbered++, d_rows, rows, counted});
    d_rows += rows;
    d_sample += rows * d_points;
    plan(false);
}

stretch stretch_plan::take()
{
    stretch next = std::move(d_ready.front());
    d_ready.pop_front();
    return next;
}

std::optional<epoch>
stretch_plan::set_dumps(long integrator, double seconds, std::uint64_t spectra)
{
    d_cuts.set(integrator, seconds, spectra, d_next);
    return d_time.started() && d_spectra.started()
               ? std::optional<epoch>(d_spectra.at(d_next))
               : std::nullopt;
}

void stretch_plan::keep_integrators(std::set<long> these)
{
    these.insert(of_settings);
    d_cuts.keep(these);
}

// First sample of the window of a spectrum since the last gap.
std::uint64_t stretch_plan::sample(std::uint64_t spectrum) const
{
    return d_begin + spectrum * d_points;
}

// Spectra that the data since the last gap are enough for.
std::size_t stretch_plan::available() const
{
    return d_rows > d_fill ? d_rows - d_fill : 0;
}

// The axis of the spectra goes on where the data do. The N samples that a spectrum stands
// for are in the middle of its window.
void stretch_plan::start_spectra()
{
    if (d_axis_known) {
        return;
    }
    d_axis_known = true;
    if (d_time.started()) {
        const auto halves = static_cast<std::int64_t>((d_taps - 1) * d_points);
        d_next = d_spectra.begin(
            d_time.at(sample(d_planned)).plus_half_samples(halves, d_time.rate()),
            d_time.rate() / static_cast<double>(d_points),
            d_next);
    } else { // without times a spectrum takes a second
        d_next = d_spectra.begin(epoch(), 1, d_next);
    }
}

// Where the stretch that begins with the next spectrum ends, as a number on the axis of the
// spectra. Ends do not depend on where the data began, as far as that is possible.
std::uint64_t stretch_plan::stretch_end() const
{
    const std::uint64_t aim = std::max<std::size_t>(d_settings.stretch_spectra, 1);
    if (d_settings.window > 0 || d_cuts.empty()) {
        const std::uint64_t unit = std::max<std::uint64_t>(d_settings.window, 1);
        const std::uint64_t length = std::max<std::uint64_t>(aim / unit, 1) * unit;
        return d_next + length - (d_planned + d_missing) % length;
    }
    const array::dump_clock& clock = d_cuts.any();
    const double dump = clock.spectra() > 0 ? static_cast<double>(clock.spectra())
                                            : clock.seconds() * d_spectra.rate();
    const std::int64_t k = clock.index(d_spectra, d_next);
    if (dump <= static_cast<double>(aim)) { // some whole dumps
        const std::int64_t some = dumps_together();
        return clock.first(d_spectra, (k / some + 1) * some);
    }
    const auto parts = std::ceil(dump / static_cast<double>(aim));
    const auto length = static_cast<std::uint64_t>(std::ceil(dump / parts));
    const std::uint64_t end = clock.first(d_spectra, k + 1);
    return end - (end - 1 - d_next) / length * length;
}

// Where a sum that begins with a spectrum of the axis ends at the latest.
std::uint64_t stretch_plan::sum_end(std::uint64_t spectrum) const
{
    return d_cuts.end(d_spectra, spectrum, d_settings.longest_sum);
}

// Spectra of the next sums: as many as asked for, or fewer when there would be too many
// sums.
void stretch_plan::add_sums(stretch& s, std::size_t spectra) const
{
    std::uint64_t at = d_next;
    const std::uint64_t end = d_next + spectra;
    while (at < end) {
        std::uint64_t part_end = end;
        if (d_settings.window > 0) {
            const std::uint64_t in_window =
                (d_planned + d_missing + at - d_next) % d_settings.window;
            part_end = std::min(end, at + d_settings.window - in_window);
        }
        const std::size_t first = s.sums.size();
        while (at < part_end) {
            const std::uint64_t until = std::min(sum_end(at), part_end);
            s.sums.push_back(
                {static_cast<std::size_t>(until - at),
                 d_time.started() ? std::optional<epoch>(d_spectra.at(at)) : std::nullopt,
                 d_spectra.rate()});
            at = until;
            if (d_settings.window == 0 && s.sums.size() == d_settings.max_sums) {
                return;
            }
        }
        if (d_settings.window > 0) {
            s.windows.push_back(s.sums.size() - first);
            if (s.sums.size() >= d_settings.max_sums) {
                return;
            }
        }
    }
}

// The blocks that its rows lie in.
void stretch_plan::add_blocks(stretch& s)
{
    const std::size_t first = d_planned > d_skip ? d_planned - d_skip : 0;
    s.skipped = d_planned - first;
    s.first_sample = sample(first);
    s.begin = d_begin;
    for (held_block& b : d_blocks) {
        if (b.first_row + b.rows <= first) {
            continue;
        }
        if (b.first_row >= first + s.rows + s.skipped) {
            break;
        }
        if (s.blocks.empty()) {
            s.first_row = first - b.first_row;
            add_earlier_blocks(s, b.number);
        }
        s.new_blocks += b.counted;
        b.counted = true;
        s.blocks.push_back(b.block);
    }
    s.rows += s.skipped;
    if (d_settings.pulses) {
        add_searched_blocks(s);
    }
}

// Those before block number `first` of the same data that windows of samples reach to, and those
// before them over which the mean goes. A gap in the data does not end that: what it is of changes
// with the temperature.
void stretch_plan::add_earlier_blocks(stretch& s, std::uint64_t first) const
{
    std::uint64_t lead = first;
    if (d_settings.pulses) {
        const std::uint64_t block = d_block_rows * d_points;
        const std::uint64_t begin = s.first_sample - s.begin - s.first_row * d_points;
        const std::uint64_t from =
            blanking_windows::first_needed(*d_settings.pulses, begin);
        const std::uint64_t blocks =
            from < begin ? (begin - from + block - 1) / block : 0;
        lead = std::max(d_first_number, first - std::min(first, blocks));
    }
    std::uint64_t number = d_numbered - d_last_blocks.size();
    for (const auto& block : d_last_blocks) {
        if (number >= lead && number < first) {
            s.lead.push_back(block);
        } else if (number < lead && number + d_settings.mean_blocks > lead) {
            s.before.push_back(block);
        }
        ++number;
    }
}

// Blocks behind those of a stretch that windows of samples reach to.
void stretch_plan::add_searched_blocks(stretch& s) const
{
    const std::uint64_t end = (s.first_sample - s.begin) / d_points + s.rows;
    for (const held_block& b : d_blocks) {
        if (b.first_row >= end && b.first_row < searched_rows(end) && !b.block->zeros) {
            s.after.push_back(b.block);
        }
    }
}

// The end of the windows that the blocks of rows before `end` lie in.
std::uint64_t stretch_plan::searched_rows(std::uint64_t end) const
{
    if (!d_settings.pulses) {
        return end;
    }
    const std::uint64_t blocks = (end + d_block_rows - 1) / d_block_rows;
    const std::uint64_t samples = blanking_windows::end_needed(
        *d_settings.pulses, blocks * d_block_rows * d_points);
    return (samples + d_points - 1) / d_points;
}

// The row from which on no block is in the stretches of the selected dumps.
std::uint64_t stretch_plan::behind_selection() const
{
    return d_stop ? (*d_stop + d_fill + d_block_rows - 1) / d_block_rows * d_block_rows
                  : UINT64_MAX;
}

// Which corrections count from which of its spectra on.
void stretch_plan::add_corrections(stretch& s, std::size_t spectra)
{
    s.corrections.push_back({0, d_factors});
    while (const auto first = spectra_before_change(sample(d_planned), spectra)) {
        d_factors = std::make_shared<correction_factors>(d_corrections.take().factors);
        if (*first > s.corrections.back().first) {
            s.corrections.push_back({*first, d_factors});
        } else {
            s.corrections.back().factors = d_factors;
        }
    }
}

// The next spectra become a stretch, as many as asked for or fewer.
void stretch_plan::cut(std::size_t spectra)
{
    stretch s;
    add_sums(s, spectra);
    spectra = 0;
    for (const stretch::sum& sum : s.sums) {
        spectra += sum.spectra;
    }
    s.rows = spectra + d_fill;
    s.frequency = d_frequency;
    add_blocks(s);
    if (d_steering) {
        s.delays = d_steering.delays(d_time, s.first_sample, s.rows);
    }
    add_corrections(s, spectra);
    d_planned += spectra;
    d_next += spectra;
    forget_blocks();
    d_ready.push_back(std::move(s));
}

// Blocks that no later stretch needs.
void stretch_plan::forget_blocks()
{
    const std::size_t first = d_planned > d_skip ? d_planned - d_skip : 0;
    while (!d_blocks.empty() && d_blocks.front().counted &&
           d_blocks.front().first_row + d_blocks.front().rows <= first) {
        d_blocks.pop_front();
    }
    const std::uint64_t next = d_blocks.empty() ? d_numbered : d_blocks.front().number;
    while (!d_last_blocks.empty() &&
           d_numbered - d_last_blocks.size() + d_earlier + 1 <= next) {
        d_last_blocks.pop_front();
    }
}

// Samples that are enough for no spectrum are looked at all the same: the saturated ones are
// counted.
void stretch_plan::plan_uncounted_blocks()
{
    stretch s;
    for (held_block& b : d_blocks) {
        if (!b.counted && b.block->samples > 0) {
            b.counted = true;
            s.blocks.push_back(b.block);
        }
    }
    if (!s.blocks.empty()) {
        d_ready.push_back(std::move(s));
    }
}

// The filter takes in rows for the longest delay that there can be before it makes a
// spectrum. Behind the last block zeros stand for those, for as many spectra as have no
// window that meets one.
void stretch_plan::add_zeros()
{
    if (d_ended || d_skip == 0 || d_rows < d_taps) {
        return;
    }
    const std::size_t first = available();
    std::size_t rows = rows_of_zeros(sample(first), d_rows - first);
    d_ended = true;
    while (rows > 0) {
        const std::size_t some = std::min(rows, d_block_rows);
        auto block = std::make_shared<raw_block>();
        block->samples = some * d_points;
        block->zeros = true;
        d_blocks.push_back({std::move(block), d_numbered, d_rows, some, false});
        d_rows += some;
        rows -= some;
    }
}

void stretch_plan::plan(bool all)
{
    if (past_selection()) {
        return;
    }
    if (all) {
        add_zeros();
    }
    while (available() > d_planned) {
        start_spectra();
        const std::uint64_t aim = stretch_end();
        const std::uint64_t end = std::min(aim, d_before_gap.value_or(aim));
        if (past_selection() || d_next >= end) { // a gap has swallowed the rest
            return;
        }
        const std::uint64_t there = available() - d_planned;
        const std::uint64_t wanted = end - d_next;
        if (!all &&
            (wanted > there || searched_rows(d_planned + wanted + d_fill) > d_rows)) {
            return;
        }
        cut(std::min(wanted, there));
    }
    if (all && !past_selection()) {
        plan_uncounted_blocks();
    }
}

} // namespace gr::fringe
