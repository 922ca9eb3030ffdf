/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/fx_worker.h"
#include "kernels/base/workers.h"
#include "kernels/channelizer/backends.h"
#include <algorithm>
#include <numeric>

namespace gr::fringe {

//! What a stretch has of one block: rows and the spectra that they complete, both counted
//! from the start of the stretch.
struct fx_worker::piece {
    const std::uint8_t* voltages; // of its first row
    std::size_t first_row, rows;
    std::size_t first, spectra;
    std::vector<invalid_run> lost;    // spectra, counted from `first`
    std::vector<invalid_run> blanked; // samples, from the window of that one on
};

//! Runs of samples of a block, counted from its first.
struct fx_worker::searched_block {
    std::vector<invalid_run> invalid, blanked;
};

void fx_worker_settings::choose_layout()
{
    if (backend == kernels::backend::cpu) {
        f.layout = x.layout = kernels::cpu_layout(x);
    }
}

fx_worker::fx_worker(const fx_worker_settings& settings, buffer_pool& buffers)
    : d_settings(settings),
      d_buffers(buffers),
      d_inputs(settings.f.inputs),
      d_points(settings.f.points()),
      d_sample_bytes(kernels::component_bytes(settings.f.in) *
                     (settings.f.complex_samples ? 2 : 1)),
      d_fill(settings.f.taps - 1 + kernels::max_shift_rows(settings.f)),
      d_not_counted(d_inputs)
{
    const kernels::workers::serial_region alone; // the threads of the pool are enough
    d_unpack = kernels::make_unpacker(settings.backend, settings.u);
    d_channelizer = kernels::make_channelizer(settings.backend, settings.f);
    d_xengine = kernels::make_xengine(settings.backend, settings.x);
    d_voltages.resize(d_inputs * settings.u.block_samples * d_sample_bytes);
    d_spectra.resize(kernels::block_bytes(settings.f));
    if (settings.mean_blocks > 0) {
        d_mean.emplace(settings.mean_blocks);
    }
    if (settings.pulses) {
        d_blanker.emplace(settings.backend,
                          kernels::blanking_params{d_inputs,
                                                   settings.f.in,
                                                   settings.f.complex_samples,
                                                   settings.u.block_samples},
                          *settings.pulses);
        d_parts.emplace(d_points, settings.f.taps, settings.f.window);
    }
    if (settings.search) {
        d_kurtosis = kernels::make_kurtosis(settings.backend,
                                            {d_inputs,
                                             settings.f.channels,
                                             settings.f.block_spectra,
                                             settings.x.in,
                                             settings.f.layout});
    }
}

void fx_worker::begin(const stretch& s, stretch_sums& out)
{
    d_channelizer->reset();
    d_xengine->clear();
    if (d_kurtosis) {
        d_kurtosis->clear();
    }
    if (d_mean) {
        d_mean->clear();
    }
    d_sum = d_in_sum = d_window = 0;
    d_window_ends.clear();
    for (const stretch::sum& sum : s.sums) {
        out.sums.push_back({sum, s.frequency, valid_counts(d_inputs), {}});
    }
    std::size_t spectrum = s.skipped, sum = 0;
    for (const std::size_t sums : s.windows) {
        for (const std::size_t end = sum + sums; sum < end; ++sum) {
            spectrum += s.sums[sum].spectra;
        }
        d_window_ends.push_back(spectrum);
        out.windows.push_back({sums, {0, std::vector<std::uint32_t>(d_inputs)}, {}, {}});
    }
    d_call_ends = {s.skipped};
    for (const stretch::correction& c : s.corrections) {
        d_call_ends.push_back(c.first > 0 ? s.skipped + c.first : 0);
    }
    std::sort(d_call_ends.begin(), d_call_ends.end());
    out.saturated.assign(d_inputs, 0);
    out.blanked.assign(d_inputs, 0);
    out.clipped.assign(d_inputs, 0);
    begin_samples(s);
}

// The samples of a block, and which of them must not be used.
const std::uint8_t* fx_worker::raw_samples(const raw_block& block,
                                           std::vector<invalid_run>& invalid)
{
    invalid = block.invalid;
    if (block.bytes) {
        return block.bytes.get();
    }
    d_raw.resize(d_settings.u.from.bytes(d_inputs, d_settings.u.block_samples));
    d_settings.read(block, d_raw.data(), invalid);
    return d_raw.data();
}

voltage_rows fx_worker::rows_of(const raw_block& block)
{
    return {reinterpret_cast<float*>(d_voltages.data()),
            d_inputs,
            d_settings.f.complex_samples ? 2u : 1u,
            d_settings.u.block_samples,
            block.samples};
}

// Voltages of a block, as they were recorded.
void fx_worker::unpack(const raw_block& block, std::vector<invalid_run>& invalid)
{
    if (block.zeros) {
        std::fill(d_voltages.begin(), d_voltages.end(), 0);
        invalid.clear();
        return;
    }
    d_unpack->process(raw_samples(block, invalid), d_voltages.data());
}

// A block whose voltages are there goes into the running mean.
void fx_worker::add_to_mean(const raw_block& block,
                            const std::vector<invalid_run>& invalid)
{
    std::call_once(block.added_up, [&] {
        block.sums = std::make_shared<sample_sums>(sums_of(rows_of(block), invalid));
    });
    d_mean->add(block.sums);
}

// A block that another stretch is made of goes into the running mean; it is read unless
// another worker did so before.
void fx_worker::add_to_mean_unread(const raw_block& block)
{
    std::call_once(block.added_up, [&] {
        std::vector<invalid_run> invalid;
        unpack(block, invalid);
        block.sums = std::make_shared<sample_sums>(sums_of(rows_of(block), invalid));
    });
    d_mean->add(block.sums);
}

// The blanker begins with the first block that its windows need.
void fx_worker::begin_samples(const stretch& s)
{
    d_fed = 0;
    d_fed_invalid.clear();
    d_damaged.reset();
    if (!d_blanker) {
        return;
    }
    std::uint64_t position = s.first_sample - s.begin - s.first_row * d_points;
    for (const auto& block : s.lead) {
        position -= block->samples;
    }
    d_blanker->begin(position);
}

// Voltages of a block, without their mean, and which of them must not be used. `counts`: its
// saturated samples have not been counted yet.
void fx_worker::read_block(const raw_block& block,
                           bool counts,
                           std::vector<invalid_run>& invalid,
                           stretch_sums& out)
{
    unpack(block, invalid);
    if (block.zeros) {
        return;
    }
    if (counts) {
        d_unpack->count_saturated(d_voltages.data(), block.samples, out.saturated.data());
    }
    if (d_mean) {
        add_to_mean(block, invalid);
        d_mean->remove(rows_of(block));
    }
}

// The next block goes into the blanker; behind the last, or where zeros stand for what would
// follow, the data end.
void fx_worker::feed_blanker(const stretch& s, stretch_sums& out)
{
    const std::size_t lead = s.lead.size(), end = lead + s.blocks.size();
    const raw_block* block = nullptr;
    if (d_fed < lead) {
        block = s.lead[d_fed].get();
    } else if (d_fed < end) {
        block = s.blocks[d_fed - lead].get();
    } else if (d_fed - end < s.after.size()) {
        block = s.after[d_fed - end].get();
    }
    if (!block || block->zeros) {
        d_blanker->end();
        return;
    }
    const bool counts = d_fed >= lead + s.new_blocks && d_fed < end;
    std::vector<invalid_run> invalid;
    try {
        read_block(*block, counts, invalid, out);
    } catch (const damaged_block& e) {
        d_damaged = e; // the blocks before it are whole
        d_blanker->end();
        return;
    }
    d_blanker->add(d_voltages.data(), block->samples, invalid);
    d_fed_invalid.push_back(std::move(invalid));
    ++d_fed;
}

// Voltages of block b without pulses.
void fx_worker::blanked_block(const stretch& s,
                              std::size_t b,
                              searched_block& now,
                              stretch_sums& out)
{
    for (std::size_t left = b == 0 ? s.lead.size() + 1 : 1; left > 0; --left) {
        while (!d_blanker->ready()) {
            if (d_damaged) {
                throw damaged_block(*d_damaged);
            }
            feed_blanker(s, out);
        }
        now.blanked = d_blanker->take(d_voltages.data());
        now.invalid = std::move(d_fed_invalid.front());
        d_fed_invalid.pop_front();
    }
    for (const invalid_run& r : now.blanked) {
        out.blanked[r.input] += b >= s.new_blocks ? r.count : 0;
    }
}

stretch_sums fx_worker::run(const stretch& s)
{
    stretch_sums out;
    begin(s, out);
    try {
        work_on(s, out);
    } catch (const damaged_block& e) {
        out.damaged = e.what();
        end_early(out);
    }
    return out;
}

// The sum under way and the window under way end here, and there are no more.
void fx_worker::end_early(stretch_sums& out)
{
    std::size_t left = d_sum; // sums that are whole
    for (std::size_t k = 0; k < d_window; ++k) {
        left -= out.windows[k].sums;
    }
    if (d_in_sum > 0) {
        out.sums[d_sum].of.spectra = d_in_sum;
        end_sum(out);
        ++left;
    }
    out.sums.erase(out.sums.begin() + static_cast<std::ptrdiff_t>(d_sum), out.sums.end());
    if (d_window < out.windows.size()) {
        out.windows[d_window].sums = left;
        if (left > 0) {
            end_window(out);
        }
    }
    out.windows.resize(d_window);
}

// In blocks, each from its samples to the sums.
void fx_worker::work_on(const stretch& s, stretch_sums& out)
{
    spectra_mask mask(d_inputs, d_points, d_settings.f.taps);
    mask.reset(s.first_sample);
    blanked_samples zeros(d_points, d_settings.f.taps);
    zeros.reset(s.first_sample);
    std::size_t row = 0, made = 0;
    searched_block now;
    for (const auto& block : s.before) {
        add_to_mean_unread(*block);
    }
    for (std::size_t b = 0; b < s.blocks.size(); ++b) {
        const raw_block& block = *s.blocks[b];
        now = {};
        if (d_blanker && s.rows > 0 && !block.zeros) {
            blanked_block(s, b, now, out);
        } else {
            read_block(block, b >= s.new_blocks, now.invalid, out);
        }
        const std::size_t skip = b == 0 ? s.first_row : 0;
        piece p;
        p.voltages = d_voltages.data() + skip * d_points * d_sample_bytes;
        p.first_row = row;
        p.rows = std::min(block.samples / d_points - skip, s.rows - row);
        p.first = made;
        row += p.rows;
        made = row > d_fill ? row - d_fill : 0;
        p.spectra = made - p.first;
        if (p.rows == 0) {
            continue;
        }
        // Where the block begins; before the stretch does, for its first block.
        const std::uint64_t origin =
            s.first_sample + p.first_row * d_points - skip * d_points;
        p.lost = mask.lost({origin,
                            s.begin,
                            s.first_sample + p.first * d_points,
                            p.first,
                            p.rows,
                            p.spectra},
                           s.delays,
                           now.invalid);
        zeros.add(now.blanked, origin, s.delays, p.first + p.spectra / 2);
        const auto whole = zeros.whole_windows(p.spectra);
        p.lost.insert(p.lost.end(), whole.begin(), whole.end());
        p.blanked = zeros.take(p.spectra);
        make_spectra(s, p, out);
        multiply(s, p, out);
    }
}

// The corrections of a spectrum.
void fx_worker::use_corrections(const stretch& s, std::size_t spectrum)
{
    auto factors = s.corrections.front().factors;
    for (const stretch::correction& c : s.corrections) {
        if (c.first + s.skipped <= spectrum) {
            factors = c.factors;
        }
    }
    if (factors != d_factors) {
        d_channelizer->set_corrections(*factors);
        d_factors = factors;
    }
}

// Runs the filter bank over the rows, in calls that end where others have to begin.
void fx_worker::make_spectra(const stretch& s, const piece& p, stretch_sums& out)
{
    const std::size_t end = p.first + p.spectra;
    std::size_t at = p.first, row = p.first_row;
    while (row < p.first_row + p.rows) {
        const auto next = std::upper_bound(d_call_ends.begin(), d_call_ends.end(), at);
        const std::size_t until = next == d_call_ends.end() ? end : std::min(end, *next);
        const std::size_t rows =
            (until < end ? until + d_fill : p.first_row + p.rows) - row;
        const std::size_t offset = at - p.first;
        use_corrections(s, at);
        if (s.delays) {
            d_channelizer->steer(s.delays.steering(at, s.frequency));
        }
        d_channelizer->process(
            p.voltages + (row - p.first_row) * d_points * d_sample_bytes,
            d_settings.u.block_samples,
            rows * d_points,
            d_spectra.data() + offset * kernels::spectrum_stride(d_settings.f),
            (until <= s.skipped ? d_not_counted : out.clipped).data());
        row += rows;
        at = until;
    }
}

// Adds the powers of the spectra of a piece to the windows that they belong to. Lost
// spectra are zeros by now.
void fx_worker::add_powers(const stretch& s, const piece& p, stretch_sums& out)
{
    const std::size_t end = p.first + p.spectra;
    std::size_t at = std::clamp(s.skipped, p.first, end);
    while (at < end && d_window < d_window_ends.size()) {
        const std::size_t until = std::min(end, d_window_ends[d_window]);
        const std::size_t offset = at - p.first;
        d_kurtosis->add(d_spectra.data() +
                            offset * kernels::spectrum_stride(d_settings.f),
                        until - at,
                        nullptr);
        out.windows[d_window].count.add(p.lost, offset, until - at);
        at = until;
        if (at == d_window_ends[d_window]) {
            end_window(out);
        }
    }
}

void fx_worker::end_window(stretch_sums& out)
{
    auto& window = out.windows[d_window];
    window.s1.resize(d_settings.f.channels * d_inputs);
    window.s2.resize(window.s1.size());
    d_kurtosis->read(window.s1.data(), window.s2.data());
    d_kurtosis->clear();
    ++d_window;
}

// Adds the products of the spectra of a piece to the sums that they belong to.
void fx_worker::multiply(const stretch& s, const piece& p, stretch_sums& out)
{
    for (const invalid_run& r : p.lost) {
        d_channelizer->blank(d_spectra.data(), r.input, r.first, r.count);
    }
    if (d_kurtosis) {
        add_powers(s, p, out);
    }
    std::size_t at = s.skipped > p.first ? std::min(s.skipped - p.first, p.spectra) : 0;
    while (at < p.spectra) {
        auto& sum = out.sums[d_sum];
        const std::size_t count = std::min(p.spectra - at, sum.of.spectra - d_in_sum);
        d_xengine->accumulate(d_spectra.data(), at, count);
        sum.counts.add(p.lost, at, count, p.blanked, d_parts ? &*d_parts : nullptr);
        at += count;
        d_in_sum += count;
        if (d_in_sum == sum.of.spectra) {
            end_sum(out);
        }
    }
}

void fx_worker::end_sum(stretch_sums& out)
{
    auto& values = out.sums[d_sum].values;
    values = d_buffers.take(8 * d_settings.f.channels * kernels::baselines(d_inputs));
    d_xengine->read(0, d_settings.f.channels, values->data());
    d_xengine->clear();
    ++d_sum;
    d_in_sum = 0;
}

} // namespace gr::fringe
