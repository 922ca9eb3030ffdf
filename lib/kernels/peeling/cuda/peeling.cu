/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/types.h"
#include "kernels/cuda/staging.h"
#include "kernels/peeling/backends.h"
#include "kernels/peeling/cuda/launch.h"
#include "kernels/peeling/cuda/levels.h"
#include "kernels/peeling/cuda/sums.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

using namespace peel;

//! A product, as subtract_kernel is given it; hand: negative = it stays as it is.
struct product_row {
    int hand;
    std::uint16_t first, second; // antennas
};

//! Channels that a thread takes.
constexpr unsigned subtract_channels = 4;

//! blockIdx.x: products, blockIdx.y: channels, from `first` to `end`.
template <unsigned Sources>
__global__ void subtract_kernel(const held_dump dump,
                                const product_row* rows,
                                unsigned hands,
                                const unsigned* groups, // [channel]
                                const float2* gains,    // [group][hand][source][antenna]
                                unsigned first,
                                unsigned end,
                                float2* visibilities, // of the first channel
                                float* weights)
{
    const std::size_t product = blockIdx.x * threads + threadIdx.x;
    if (product >= dump.products) {
        return;
    }
    const product_row row = rows[product];
    const unsigned begin = first + blockIdx.y * subtract_channels;
    for (unsigned c = begin; c < min(begin + subtract_channels, end); c++) {
        const std::size_t from = c * dump.products + product;
        const std::size_t to = (c - first) * dump.products + product;
        float2 value = dump.visibilities[from];
        const float weight = dump.weights ? dump.weights[from] : 1;
        if (row.hand >= 0 && weight > 0 && is_number(value)) {
            const float2* g = gains + (std::size_t(groups[c]) * hands + row.hand) *
                                          Sources * dump.antennas;
            for (unsigned k = 0; k < Sources; k++, g += dump.antennas) {
                const float2* turns =
                    dump.turns + (std::size_t(k) * dump.channels + c) * dump.antennas;
                const float2 own =
                    times(times_conjugate(g[row.first], g[row.second]),
                          times_conjugate(turns[row.first], turns[row.second]));
                value.x -= own.x;
                value.y -= own.y;
            }
        }
        visibilities[to] = value;
        if (weights) {
            weights[to] = weight;
        }
    }
}

//! The same device, whose stream `background` stands in for `compute`.
struct behind_compute : cuda_context {
    explicit behind_compute(const cuda_context& c) : cuda_context(c)
    {
        compute = c.background;
    }
};

//! What comes to pinned memory of the host, before the sums of the rows. Copies to other memory
//! would be made by the driver in a call for which other threads may wait.
struct arrived_sums {
    level_limits limits;
    all_rows all;
};
static_assert(sizeof(arrived_sums) % sizeof(float2) == 0);

class cuda_peeling : public peeling
{
public:
    cuda_peeling(std::size_t index, const peeling_params& p)
        : d_context(context_of(index)),
          d_behind(d_context),
          d_on(device_of(index)),
          d_p(p),
          d_products(baselines(p.inputs)),
          d_taken(d_on->make_event()),
          d_staging(d_context,
                    std::max(p.channels, p.groups.size() * p.hands.size()) * p.sources *
                        p.antennas * sizeof(float2)),
          d_staging_behind(d_behind, p.sources * p.antennas * sizeof(float2)),
          d_visibilities(d_context, p.channels * d_products),
          d_weights(d_context, p.channels * d_products),
          d_turns(d_context, p.sources * p.channels * p.antennas),
          d_left_out(d_context, p.channels),
          d_frequencies(d_context, p.channels),
          d_groups(d_context, p.channels),
          d_gains(d_context, p.groups.size() * p.hands.size() * p.sources * p.antennas),
          d_trial(d_context, p.sources * p.antennas),
          d_product_rows(d_context, d_products),
          d_counts(d_context, level_bins::count),
          d_limits(d_context, 1),
          d_all(d_context, 1)
    {
        std::vector<uint3> rows;
        std::vector<product_row> products(d_products, product_row{-1, 0, 0});
        for (std::size_t hand = 0; hand < p.hands.size(); hand++) {
            d_first_row.push_back(rows.size());
            d_max_rows = std::max(d_max_rows, p.hands[hand].size());
            for (const auto& row : p.hands[hand]) {
                rows.push_back(make_uint3(row.product, row.first, row.second));
                products[row.product] = {
                    int(hand), std::uint16_t(row.first), std::uint16_t(row.second)};
            }
        }
        d_rows = cuda_array<uint3>(d_context, rows.size());
        d_lengths = cuda_array<float>(d_context, rows.size());
        copy(d_rows, rows);
        copy(d_product_rows, products);
        copy(d_frequencies,
             std::vector<float>(p.frequencies.begin(), p.frequencies.end()));
        std::vector<unsigned> groups;
        for (unsigned g = 0; g < p.groups.size(); g++) {
            groups.insert(groups.end(), p.groups[g][1], g);
        }
        copy(d_groups, groups);
        std::size_t chunks = 1;
        for (std::size_t hand = 0; hand < p.hands.size(); hand++) {
            for (std::size_t g = 0; g < p.groups.size(); g++) {
                chunks = std::max<std::size_t>(chunks, blocks_of(part_of(hand, g)).y);
            }
        }
        const auto sources = unsigned(p.sources);
        d_partial =
            cuda_array<float>(d_context, chunks * floats_of_chunk(sources) * d_max_rows);
        d_sums = cuda_array<float2>(d_context, (complex_sums(sources) + 1) * d_max_rows);
        d_arrived = static_cast<arrived_sums*>(
            d_on->allocate_host(sizeof(arrived_sums) + d_sums.bytes()));
    }
    ~cuda_peeling() override
    {
        d_context.use_quietly();
        cudaStreamSynchronize(d_behind.compute);
        d_on->release_host(d_arrived);
    }

    void begin(const peeling_sky& sky) override
    {
        d_context.use();
        d_sky = sky;
        d_sky.left_out.resize(d_p.channels);
        d_staging.copy(d_turns.data(), sky.turns.data(), d_turns.bytes());
        d_staging.copy(d_lengths.data(), sky.lengths.data(), d_lengths.bytes());
        d_staging.copy(d_left_out.data(), d_sky.left_out.data(), d_left_out.bytes());
    }

    void take(std::size_t first,
              std::size_t count,
              const std::complex<float>* visibilities,
              const float* weights) override
    {
        d_context.use();
        const std::size_t at = first * d_products, values = count * d_products;
        copy_within(d_visibilities.data() + at, visibilities, values * sizeof(float2));
        d_weighted = weights != nullptr;
        if (d_weighted) {
            copy_within(d_weights.data() + at, weights, values * sizeof(float));
        }
        d_taken->record(device_stream::compute);
    }

    peeling_sums sums(std::size_t hand,
                      std::size_t group,
                      const std::vector<std::complex<float>>& gains,
                      float clip) override
    {
        d_context.use();
        const auto sources = unsigned(d_p.sources);
        const auto part = part_of(hand, group);
        d_taken->make_wait(device_stream::background);
        d_staging_behind.copy(d_trial.data(), gains.data(), d_trial.bytes());
        const cudaStream_t stream = d_behind.compute;
        find_limits(
            stream, sources, dump(), part, clip, d_counts.data(), d_limits.data());
        add_cells(stream,
                  sources,
                  dump(),
                  part,
                  d_limits.data(),
                  d_partial.data(),
                  d_sums.data(),
                  d_all.data());
        const std::size_t complex_values = complex_sums(sources) * part.rows;
        to_host(&d_arrived->limits, d_limits.data(), sizeof(level_limits));
        to_host(&d_arrived->all, d_all.data(), sizeof(all_rows));
        to_host(d_arrived + 1,
                d_sums.data(),
                complex_values * sizeof(float2) + 2 * part.rows * sizeof(float));
        check_cuda(cudaStreamSynchronize(stream), "peeling");
        const auto* complex_sum =
            reinterpret_cast<const std::complex<float>*>(d_arrived + 1);
        const auto* models = complex_sum + d_p.sources * part.rows;
        const auto* weights =
            reinterpret_cast<const float*>(complex_sum + complex_values);
        peeling_sums s;
        s.data.assign(complex_sum, models);
        s.models.assign(models, complex_sum + complex_values);
        s.weights.assign(weights, weights + part.rows);
        s.all_weights.assign(weights + part.rows, weights + 2 * part.rows);
        s.heaviest = d_arrived->all.heaviest;
        s.level = d_arrived->limits.level;
        s.cells = d_arrived->all.cells;
        s.outliers = d_arrived->all.outliers;
        return s;
    }

    void set_gains(const std::vector<std::complex<float>>& gains) override
    {
        d_context.use();
        d_staging.copy(d_gains.data(), gains.data(), d_gains.bytes());
    }

    void subtract(std::size_t first,
                  std::size_t count,
                  std::complex<float>* visibilities,
                  float* weights) override
    {
        d_context.use();
        const dim3 blocks(unsigned((d_products + threads - 1) / threads),
                          unsigned((count + subtract_channels - 1) / subtract_channels));
        with_sources(unsigned(d_p.sources), [&](auto sources) {
            subtract_kernel<sources><<<blocks, threads, 0, d_context.compute>>>(
                dump(),
                d_product_rows.data(),
                unsigned(d_p.hands.size()),
                d_groups.data(),
                d_gains.data(),
                unsigned(first),
                unsigned(first + count),
                reinterpret_cast<float2*>(visibilities),
                weights);
        });
        check_launch("subtract_kernel");
    }

private:
    held_dump dump() const
    {
        return {d_products,
                unsigned(d_p.channels),
                unsigned(d_p.antennas),
                d_visibilities.data(),
                d_weighted ? d_weights.data() : nullptr,
                d_turns.data(),
                d_left_out.data(),
                d_frequencies.data()};
    }

    //! Chunks of channels fill the device with blocks of threads.
    solved_part part_of(std::size_t hand, std::size_t group) const
    {
        solved_part part{};
        part.rows = unsigned(d_p.hands[hand].size());
        part.row = d_rows.data() + d_first_row[hand];
        part.lengths = d_lengths.data() + d_first_row[hand];
        part.first = unsigned(d_p.groups[group][0]);
        part.count = unsigned(d_p.groups[group][1]);
        const unsigned rows = std::max(1u, (part.rows + threads - 1) / threads);
        const unsigned chunks =
            std::clamp(8 * unsigned(d_context.multiprocessors) / rows, 1u, part.count);
        part.chunk = (part.count + chunks - 1) / chunks;
        part.gains = d_trial.data();
        if (!d_sky.tapers.empty()) {
            part.taper = std::max(0.0f, d_sky.tapers[hand * d_p.groups.size() + group]);
        }
        return part;
    }

    void copy_within(void* to, const void* from, std::size_t bytes) const
    {
        check_cuda(
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d_context.compute),
            "holding a dump");
    }
    void to_host(void* to, const void* from, std::size_t bytes) const
    {
        check_cuda(
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, d_behind.compute),
            "copying sums");
    }
    template <class T>
    void copy(const cuda_array<T>& to, const std::vector<T>& from) const
    {
        check_cuda(cudaMemcpy(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice),
                   "copying what is peeled");
    }

    const cuda_context& d_context;
    const behind_compute d_behind;
    const std::shared_ptr<device> d_on;
    const peeling_params d_p;
    const std::size_t d_products;
    const std::unique_ptr<device_event> d_taken;
    staging d_staging, d_staging_behind;
    const cuda_array<float2> d_visibilities; // [channel][product]
    const cuda_array<float> d_weights;
    const cuda_array<float2> d_turns; // [source][channel][antenna]
    const cuda_array<unsigned char> d_left_out;
    const cuda_array<float> d_frequencies;
    const cuda_array<unsigned> d_groups; // [channel]
    const cuda_array<float2> d_gains;    // [group][hand][source][antenna]
    const cuda_array<float2> d_trial;    // of the sums
    const cuda_array<product_row> d_product_rows;
    const cuda_array<unsigned> d_counts;
    const cuda_array<level_limits> d_limits;
    const cuda_array<all_rows> d_all;
    cuda_array<uint3> d_rows; // of all hands
    cuda_array<float> d_lengths;
    cuda_array<float> d_partial;
    cuda_array<float2> d_sums;
    std::vector<std::size_t> d_first_row; // of each hand
    std::size_t d_max_rows = 0;
    arrived_sums* d_arrived = nullptr;
    peeling_sky d_sky;
    bool d_weighted = false;
};

const bool registered =
    peeling_factory().set([](std::size_t index, const peeling_params& p) {
        return std::unique_ptr<peeling>(std::make_unique<cuda_peeling>(index, p));
    });

} // namespace

} // namespace gr::fringe::kernels
