/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/types.h"
#include "kernels/peeling/backends.h"
#include "kernels/peeling/level_bins.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

using complex = std::complex<float>;

//! A cell of a row: its visibility, its weight, and the sources' visibilities with flux 1.
struct cell {
    complex value;
    float weight = 0;
    std::array<complex, peeling_params::max_sources> models;
};

class generic_peeling : public peeling
{
public:
    explicit generic_peeling(const peeling_params& p)
        : d_p(p),
          d_products(baselines(p.inputs)),
          d_visibilities(p.channels * d_products),
          d_weights(p.channels * d_products),
          d_gains(p.groups.size() * p.hands.size() * p.sources * p.antennas)
    {
        std::size_t rows = 0;
        for (const auto& hand : p.hands) {
            d_first_row.push_back(rows);
            rows += hand.size();
        }
    }

    void begin(const peeling_sky& sky) override { d_sky = sky; }

    void take(std::size_t first,
              std::size_t count,
              const complex* visibilities,
              const float* weights) override
    {
        const std::size_t at = first * d_products, values = count * d_products;
        std::copy_n(visibilities, values, &d_visibilities[at]);
        if (weights) {
            std::copy_n(weights, values, &d_weights[at]);
        } else {
            std::fill_n(&d_weights[at], values, 1.0f);
        }
    }

    peeling_sums sums(std::size_t hand,
                      std::size_t group,
                      const std::vector<complex>& gains,
                      float clip) override
    {
        const auto& rows = d_p.hands[hand];
        const auto limits = limits_of(hand, group, gains, clip);
        const std::size_t k = d_p.sources, n = rows.size();
        peeling_sums s;
        s.data.resize(k * n);
        s.models.resize(k * (k + 1) / 2 * n);
        s.weights.resize(n);
        s.all_weights.resize(n);
        s.level = limits.level;
        for (std::size_t row = 0; row < n; row++) {
            add_row(hand, group, row, gains, limits.limit, s);
        }
        return s;
    }

    void set_gains(const std::vector<complex>& gains) override { d_gains = gains; }

    void subtract(std::size_t first,
                  std::size_t count,
                  complex* visibilities,
                  float* weights) override
    {
        const std::size_t at = first * d_products, values = count * d_products;
        std::copy_n(&d_visibilities[at], values, visibilities);
        if (weights) {
            std::copy_n(&d_weights[at], values, weights);
        }
        for (std::size_t g = 0; g < d_p.groups.size(); g++) {
            const auto& group = d_p.groups[g];
            const std::size_t end = std::min(first + count, group[0] + group[1]);
            for (std::size_t c = std::max(first, group[0]); c < end; c++) {
                for (std::size_t hand = 0; hand < d_p.hands.size(); hand++) {
                    subtract_hand(hand, g, c, &visibilities[(c - first) * d_products]);
                }
            }
        }
    }

private:
    //! Cells without weight, and what is no number, do not count.
    cell cell_of(std::size_t hand, std::size_t row, std::size_t channel) const
    {
        const auto& r = d_p.hands[hand][row];
        const std::size_t at = channel * d_products + r.product;
        cell made{d_visibilities[at], 0, {}};
        const bool left_out = !d_sky.left_out.empty() && d_sky.left_out[channel];
        if (std::isfinite(made.value.real()) && std::isfinite(made.value.imag()) &&
            d_weights[at] > 0 && !left_out) {
            made.weight = d_weights[at];
        } else {
            made.value = 0;
        }
        for (std::size_t k = 0; k < d_p.sources; k++) {
            const auto* turns = &d_sky.turns[(k * d_p.channels + channel) * d_p.antennas];
            made.models[k] = turns[r.first] * std::conj(turns[r.second]);
        }
        return made;
    }

    float
    taper(std::size_t hand, std::size_t group, std::size_t row, std::size_t channel) const
    {
        const float width = d_sky.tapers[hand * d_p.groups.size() + group];
        if (!(width > 0)) {
            return 1;
        }
        const auto turns = d_sky.lengths[d_first_row[hand] + row] / width *
                           static_cast<float>(d_p.frequencies[channel]);
        // 1 - exp(-x) would round the weights of short baselines to steps of 6e-8.
        return -std::expm1(-turns * turns / 2);
    }

    complex product(const complex* gains, const peeling_row& row, std::size_t k) const
    {
        return gains[k * d_p.antennas + row.first] *
               std::conj(gains[k * d_p.antennas + row.second]);
    }

    //! What is left of a cell.
    complex rest(const cell& c, const complex* gains, const peeling_row& row) const
    {
        complex left = c.value;
        for (std::size_t k = 0; k < d_p.sources; k++) {
            left -= product(gains, row, k) * c.models[k];
        }
        return left;
    }

    level_limits limits_of(std::size_t hand,
                           std::size_t group,
                           const std::vector<complex>& gains,
                           float clip) const
    {
        const auto& rows = d_p.hands[hand];
        const auto& channels = d_p.groups[group];
        std::vector<std::uint64_t> counts(level_bins::count);
        for (std::size_t row = 0; row < rows.size(); row++) {
            for (std::size_t c = channels[0]; c < channels[0] + channels[1]; c++) {
                const cell here = cell_of(hand, row, c);
                if (here.weight * taper(hand, group, row, c) > 0) {
                    counts[level_bins::of(
                        std::norm(rest(here, gains.data(), rows[row])))]++;
                }
            }
        }
        level_limits limits;
        limits.limit = clip * median_of(counts, level_bins::count);
        limits.level = median_of(counts, level_bins::of(limits.limit * limits.limit) + 1);
        return limits;
    }

    //! Of the cells in the first bins.
    static float median_of(const std::vector<std::uint64_t>& counts, std::size_t bins)
    {
        std::uint64_t total = 0, before = 0;
        for (std::size_t n = 0; n < bins; n++) {
            total += counts[n];
        }
        for (unsigned n = 0; n < bins && total > 0; n++) {
            if (2 * (before + counts[n]) >= total) {
                return level_bins::median(n, total, before, counts[n]);
            }
            before += counts[n];
        }
        return 0;
    }

    void add_row(std::size_t hand,
                 std::size_t group,
                 std::size_t row,
                 const std::vector<complex>& gains,
                 float limit,
                 peeling_sums& s) const
    {
        const auto& channels = d_p.groups[group];
        const auto& r = d_p.hands[hand][row];
        const std::size_t n = d_p.hands[hand].size(), sources = d_p.sources;
        constexpr std::size_t limit_of_sources = peeling_params::max_sources;
        std::array<std::complex<double>, limit_of_sources> data{};
        std::array<std::complex<double>, limit_of_sources*(limit_of_sources + 1) / 2>
            models{};
        double weights = 0, all = 0;
        float heaviest = 0;
        std::uint64_t used = 0, found = 0;
        for (std::size_t c = channels[0]; c < channels[0] + channels[1]; c++) {
            const cell here = cell_of(hand, row, c);
            const float w = here.weight * taper(hand, group, row, c);
            if (!(w > 0)) {
                continue;
            }
            used++;
            all += double(w);
            if (std::norm(rest(here, gains.data(), r)) > limit * limit) {
                found++;
                continue;
            }
            weights += double(w);
            heaviest = std::max(heaviest, w);
            for (std::size_t k = 0; k < sources; k++) {
                const auto weighted = w * std::conj(here.models[k]);
                data[k] += std::complex<double>(here.value * weighted);
                for (std::size_t m = 0; m <= k; m++) {
                    models[k * (k + 1) / 2 + m] +=
                        std::complex<double>(here.models[m] * weighted);
                }
            }
        }
        s.cells += used;
        s.all_weights[row] = float(all);
        if (2 * found > used) {
            s.outliers += used;
            return;
        }
        s.outliers += found;
        s.weights[row] = float(weights);
        s.heaviest = std::max(s.heaviest, heaviest);
        for (std::size_t k = 0; k < sources; k++) {
            s.data[k * n + row] = complex(data[k]);
        }
        for (std::size_t m = 0; m < sources * (sources + 1) / 2; m++) {
            s.models[m * n + row] = complex(models[m]);
        }
    }

    void subtract_hand(std::size_t hand,
                       std::size_t group,
                       std::size_t channel,
                       complex* visibilities) const
    {
        const complex* gains =
            &d_gains[(group * d_p.hands.size() + hand) * d_p.sources * d_p.antennas];
        const auto& rows = d_p.hands[hand];
        for (std::size_t row = 0; row < rows.size(); row++) {
            const std::size_t at = channel * d_products + rows[row].product;
            const complex value = d_visibilities[at];
            if (d_weights[at] > 0 && std::isfinite(value.real()) &&
                std::isfinite(value.imag())) {
                cell here = cell_of(hand, row, channel);
                here.value = value; // channels that are left out have none there
                visibilities[rows[row].product] = rest(here, gains, rows[row]);
            }
        }
    }

    const peeling_params d_p;
    const std::size_t d_products;
    std::vector<complex> d_visibilities; // [channel][product]
    std::vector<float> d_weights;
    std::vector<complex> d_gains;
    std::vector<std::size_t> d_first_row; // of each hand
    peeling_sky d_sky;
};

} // namespace

std::unique_ptr<peeling> make_generic_peeling(const peeling_params& p)
{
    return std::make_unique<generic_peeling>(p);
}

} // namespace gr::fringe::kernels
