/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/filter_bank_plan.h"
#include "kernels/channelizer/backends.h"
#include <algorithm>

namespace gr::fringe {

namespace {

// Elements of some of the inputs; an empty vector stays empty.
template <class T>
void keep_inputs(std::vector<T>& of, std::size_t first, std::size_t count)
{
    if (!of.empty()) {
        of = {of.begin() + static_cast<std::ptrdiff_t>(first),
              of.begin() + static_cast<std::ptrdiff_t>(first + count)};
    }
}

} // namespace

std::vector<std::complex<float>>
corrections_of_inputs(const std::vector<std::complex<float>>& factors,
                      std::size_t inputs,
                      std::size_t first,
                      std::size_t count)
{
    const std::size_t channels = factors.size() / inputs;
    auto some = factors;
    keep_inputs(some, first * channels, count * channels);
    return some;
}

kernels::channelizer_params
params_of_inputs(kernels::channelizer_params p, std::size_t first, std::size_t count)
{
    if (count == p.inputs) {
        return p;
    }
    kernels::check_channelizer(p);
    p.corrections = corrections_of_inputs(p.corrections, p.inputs, first, count);
    keep_inputs(p.gains, first, count);
    keep_inputs(p.conjugate, first, count);
    p.inputs = count;
    return p;
}

filter_bank_plan::filter_bank_plan(const kernels::channelizer_params& p,
                                   const tracking::sptr& towards)
    : window_plan(p, towards),
      d_inputs(p.inputs),
      d_mask(p.inputs, p.points(), p.taps),
      d_blanked(p.points(), p.taps)
{
}

std::optional<std::uint64_t>
filter_bank_plan::begin(const std::optional<array::beginning>& start)
{
    if (!start) {
        if (d_ended) {
            restart(d_end);
            return 0;
        }
        return std::nullopt;
    }
    const auto jump = jump_to(start->time, start->rate, d_ended ? d_end : d_sample);
    if (!jump) {
        return std::nullopt;
    }
    d_time = jump->time;
    restart(jump->sample);
    return jump->missing;
}

// The filter begins anew with this sample.
void filter_bank_plan::restart(std::uint64_t sample)
{
    d_mask.reset(sample);
    d_blanked.reset(sample);
    d_sample = d_next_window = d_begin = sample;
    d_ended = false;
    d_zero_rows.reset();
}

// Rows that the filter takes in before it makes the next spectrum.
std::size_t filter_bank_plan::rows_to_take_in() const
{
    return d_fill - (d_sample - d_next_window) / d_points;
}

filter_bank_plan::order filter_bank_plan::order::of_inputs(std::size_t first_input,
                                                           std::size_t count) const
{
    order o;
    o.rows = rows;
    o.spectra = spectra;
    o.first_sample = first_sample;
    o.delays = delays.of_inputs(first_input, count);
    for (const auto& [all, some] : {std::pair(&lost, &o.lost), {&blanked, &o.blanked}}) {
        for (const invalid_run& r : *all) {
            if (r.input >= first_input && r.input - first_input < count) {
                some->push_back({r.input - first_input, r.first, r.count});
            }
        }
    }
    if (corrections) {
        o.corrections = corrections;
        o.corrections->factors =
            corrections_of_inputs(corrections->factors, inputs, first_input, count);
    }
    return o;
}

filter_bank_plan::order filter_bank_plan::plan(std::size_t rows,
                                               const std::vector<invalid_run>& invalid,
                                               const std::vector<invalid_run>& blanked)
{
    const std::size_t rows_before = rows_to_take_in();
    order o;
    o.rows = rows;
    o.spectra = rows > rows_before ? rows - rows_before : 0;
    o.first_sample = d_next_window;
    o.inputs = d_inputs;
    if (d_steering && rows > 0) {
        o.delays = d_steering.delays(d_time, d_next_window, rows);
    }
    o.lost = d_mask.lost(
        {d_sample, d_begin, d_next_window, 0, rows, o.spectra}, o.delays, invalid);
    d_blanked.add(blanked, d_sample, o.delays, rows / 2);
    const auto whole = d_blanked.whole_windows(o.spectra);
    o.lost.insert(o.lost.end(), whole.begin(), whole.end());
    o.blanked = d_blanked.take(o.spectra);
    plan_corrections(o, rows_before);
    d_sample += rows * d_points;
    d_next_window += o.spectra * d_points;
    return o;
}

// Corrections that count from one of these spectra on, or from an earlier one.
void filter_bank_plan::plan_corrections(order& o, std::size_t rows_before)
{
    auto earlier = spectra_before_change(o.first_sample, d_block_rows);
    while (earlier == 0) { // the last of those whose time has come
        o.corrections = order::change{};
        o.corrections->factors = d_corrections.take().factors;
        earlier = spectra_before_change(o.first_sample, d_block_rows);
    }
    // An item has one change; the next one comes with the next item.
    if (!earlier || o.corrections) {
        return;
    }
    order::change change;
    change.spectra = *earlier;
    change.rows = change.spectra + rows_before;
    if (change.rows < o.rows) {
        change.factors = d_corrections.take().factors;
        o.corrections = std::move(change);
    }
}

void filter_bank_plan::end()
{
    if (!d_ended) {
        d_zero_rows = 0;
        d_ended = true;
        d_end = d_sample;
    }
}

std::optional<filter_bank_plan::order> filter_bank_plan::plan_zeros()
{
    if (!d_steering) {
        return std::nullopt;
    }
    if (!d_zero_rows) {
        const std::size_t rows =
            rows_of_zeros(d_next_window, (d_sample - d_next_window) / d_points);
        end();
        d_zero_rows = rows;
    }
    if (*d_zero_rows == 0) {
        return std::nullopt;
    }
    const std::size_t rows = std::min(*d_zero_rows, d_block_rows);
    *d_zero_rows -= rows;
    return plan(rows, {});
}

double filter_bank_plan::rate() const
{
    return d_time.started() ? d_time.rate() / static_cast<double>(d_points) : 1;
}

// The N samples that a spectrum stands for begin (L - N) / 2 after its window does.
epoch filter_bank_plan::start_of(std::uint64_t sample) const
{
    if (!d_time.started()) {
        return epoch().plus_seconds(static_cast<double>(sample) /
                                    static_cast<double>(d_points));
    }
    const auto halves = static_cast<std::int64_t>((d_taps - 1) * d_points);
    return d_time.at(sample).plus_half_samples(halves, d_time.rate());
}

} // namespace gr::fringe
