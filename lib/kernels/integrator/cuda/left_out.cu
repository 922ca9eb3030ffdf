/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/integrator/cuda/left_out.h"
#include "kernels/integrator/flagged_channels.h"
#include <algorithm>
#include <numeric>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;
constexpr std::size_t max_records = 4096, max_windows = 1024, max_tables = 4;
constexpr std::size_t window_words = 3;
constexpr std::uint32_t no_table = ~std::uint32_t(0);

//! First input of a product; the places before it belong to others.
__device__ unsigned first_input(std::size_t product, unsigned inputs)
{
    const double twice = 2.0 * inputs + 1;
    const double root = sqrt(twice * twice - 8.0 * static_cast<double>(product));
    auto i = static_cast<unsigned>((twice - root) / 2);
    const auto begin = [&](unsigned k) {
        return k * std::size_t(inputs) - std::size_t(k) * (k - 1) / 2;
    };
    while (i > 0 && begin(i) > product) {
        i--;
    }
    while (begin(i + 1) <= product) {
        i++;
    }
    return i;
}

//! A product of a flagged channel is one thread's.
__global__ void left_out_kernel(const flagged_records m,
                                unsigned inputs,
                                std::size_t baselines,
                                unsigned long long* counts)
{
    const std::size_t all = m.rows * baselines;
    for (std::size_t n = blockIdx.x * std::size_t(threads) + threadIdx.x; n < all;
         n += std::size_t(gridDim.x) * threads) {
        const std::size_t row = n / baselines, b = n % baselines;
        const unsigned i = first_input(b, inputs);
        const auto j = static_cast<unsigned>(
            b - (i * std::size_t(inputs) - std::size_t(i) * (i + 1) / 2));
        unsigned long long sum = 0;
        for (unsigned r = m.first[row]; r < m.first[row + 1]; r++) {
            const std::uint32_t* bits = m.bits + std::size_t(r) * m.words;
            if ((bits[i / 32] >> i % 32 | bits[j / 32] >> j % 32) & 1) {
                const std::uint32_t* w = m.windows + window_words * m.window[r];
                sum += w[2] == no_table
                           ? w[0] | static_cast<unsigned long long>(w[1]) << 32
                           : m.valid[w[2] * m.table_size + b];
            }
        }
        if (sum > 0) {
            counts[m.channels[row] * baselines + b] += sum;
        }
    }
}

} // namespace

left_out_counts::left_out_counts(const cuda_context& c, const integrator_params& p)
    : d_context(c),
      d_p(p),
      d_baselines(baselines(p.inputs)),
      d_words((p.inputs + 31) / 32),
      d_there(c, max_records * (d_words + 3) + 1 + max_windows * window_words),
      d_table_size((d_baselines + 1) / 2 * 2),
      d_valid(c, max_tables * d_table_size),
      d_staging(c, d_there.bytes())
{
}

void left_out_counts::add(const std::vector<flagged_spectra>& flagged)
{
    for (const flagged_spectra& f : flagged) {
        bool open = false;
        for_flagged_channels(
            f.cells,
            d_p.inputs,
            d_p.channels,
            [&](std::size_t channel, const std::vector<std::size_t>& bad) {
                if (d_records.size() == max_records) {
                    launch();
                    open = false;
                }
                if (!open) {
                    open_window(f);
                    open = true;
                }
                add_record(channel, bad);
            });
    }
    launch();
}

void left_out_counts::open_window(const flagged_spectra& f)
{
    if (d_windows.size() == max_windows * window_words ||
        (!f.valid.empty() && d_tables == max_tables)) {
        launch();
    }
    std::uint32_t table = no_table;
    if (!f.valid.empty()) {
        table = d_tables++;
        d_staging.copy(d_valid.data() + table * d_table_size,
                       f.valid.data(),
                       d_baselines * sizeof(f.valid[0]));
    }
    d_windows.push_back(static_cast<std::uint32_t>(f.spectra));
    d_windows.push_back(static_cast<std::uint32_t>(f.spectra >> 32));
    d_windows.push_back(table);
}

void left_out_counts::add_record(std::size_t channel, const std::vector<std::size_t>& bad)
{
    d_records.push_back(
        {static_cast<std::uint32_t>(channel),
         static_cast<std::uint32_t>(d_windows.size() / window_words - 1)});
    d_bits.resize(d_records.size() * d_words, 0);
    std::uint32_t* const bits = d_bits.data() + d_bits.size() - d_words;
    for (const std::size_t input : bad) {
        bits[input / 32] |= std::uint32_t(1) << input % 32;
    }
}

// Brings the records into the order of their channels.
flagged_records left_out_counts::pack()
{
    std::vector<std::uint32_t> order(d_records.size()), channels, first;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return d_records[a].channel < d_records[b].channel;
    });
    for (std::uint32_t n = 0; n < order.size(); n++) {
        const std::uint32_t channel = d_records[order[n]].channel;
        if (channels.empty() || channels.back() != channel) {
            channels.push_back(channel);
            first.push_back(n);
        }
    }
    first.push_back(static_cast<std::uint32_t>(order.size()));

    d_words_to_send.clear();
    const auto put = [&](const std::uint32_t* words, std::size_t count) {
        const std::uint32_t* const there = d_there.data() + d_words_to_send.size();
        d_words_to_send.insert(d_words_to_send.end(), words, words + count);
        return there;
    };
    flagged_records m;
    m.rows = static_cast<unsigned>(channels.size());
    m.words = static_cast<unsigned>(d_words);
    m.valid = d_valid.data();
    m.table_size = d_table_size;
    m.channels = put(channels.data(), channels.size());
    m.first = put(first.data(), first.size());
    m.windows = put(d_windows.data(), d_windows.size());
    m.window = put(nullptr, 0);
    for (const std::uint32_t n : order) {
        put(&d_records[n].window, 1);
    }
    m.bits = put(nullptr, 0);
    for (const std::uint32_t n : order) {
        put(&d_bits[n * d_words], d_words);
    }
    return m;
}

void left_out_counts::launch()
{
    if (d_records.empty()) {
        return;
    }
    if (d_counts.size() == 0) {
        d_counts = {d_context, d_p.channels * d_baselines};
        d_any = true;
        clear();
    }
    const flagged_records m = pack();
    d_staging.copy(d_there.data(),
                   d_words_to_send.data(),
                   d_words_to_send.size() * sizeof(std::uint32_t));
    const std::size_t products = m.rows * d_baselines;
    const auto blocks = std::min<std::size_t>((products + threads - 1) / threads,
                                              32u * d_context.multiprocessors);
    left_out_kernel<<<static_cast<unsigned>(blocks), threads, 0, d_context.compute>>>(
        m, static_cast<unsigned>(d_p.inputs), d_baselines, d_counts.data());
    check_launch("left_out_kernel");
    d_any = true;
    d_records.clear();
    d_bits.clear();
    d_windows.clear();
    d_tables = 0;
}

void left_out_counts::clear()
{
    if (d_any) {
        check_cuda(
            cudaMemsetAsync(d_counts.data(), 0, d_counts.bytes(), d_context.compute),
            "clearing counts");
        d_any = false;
    }
}

} // namespace gr::fringe::kernels
