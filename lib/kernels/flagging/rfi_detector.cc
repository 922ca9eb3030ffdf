/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/rfi_detector.h"
#include "kernels/base/require.h"
#include "kernels/base/types.h"
#include "kernels/flagging/baseline_plane.h"
#include <algorithm>
#include <gnuradio/fringe/flags.h>
#include <numeric>

namespace gr::fringe::kernels {

namespace {

const std::string me = "rfi_flagger";

// Shares of the false-alarm rate, so that noise gets the asked one: by simulation.
constexpr double of_median = 0.70, of_threshold = 0.1, of_power = 0.1;

constexpr std::uint8_t power_bit = bit(flag::power);

} // namespace

struct rfi_detector::helper {
    helper(const search_params& p,
           const rice_thresholds& rice,
           const weight_levels& with_table)
        : search(p, rice), levels(with_table)
    {
    }
    plane_search search;
    weight_levels levels;
    std::vector<flag_plane> planes{planes_at_once};
    power_sum baseline, array;
    std::vector<power_sum> stations;
};

search_params rfi_detector::shares(double single,
                                   double run,
                                   std::uint8_t single_bit,
                                   std::uint8_t run_bit) const
{
    const bool every = d_p.median && d_p.threshold && d_p.power;
    const double all = every ? 1
                             : (d_p.median ? of_median : 0) +
                                   (d_p.threshold ? of_threshold : 0) +
                                   (d_p.power ? of_power : 0);
    search_params s;
    s.window = d_p.window;
    s.single_rate = d_p.rate * single / all;
    s.run_rate = d_p.rate * run / all;
    s.single_bit = single_bit;
    s.run_bit = run_bit;
    return s;
}

rfi_detector::rfi_detector(const rfi_params& p) : d_p(p), d_baselines(baselines(p.inputs))
{
    require(me, p.inputs > 0 && p.channels > 0, "there must be inputs and channels");
    require(me,
            p.rate > 0 && p.rate <= 0.1,
            "false_alarm_rate: " + std::to_string(p.rate) +
                ": must be more than 0 and at most 0.1");
    require(me,
            p.median || p.threshold || p.power,
            "detectors: none: name at least one of median, threshold, power");
    require(me,
            p.stations.empty() || p.stations.size() == p.inputs,
            "stations: " + std::to_string(p.stations.size()) + " numbers for " +
                std::to_string(p.inputs) + " inputs");
    std::vector<std::size_t> station = p.stations;
    if (station.empty()) {
        station.resize(p.inputs);
        std::iota(station.begin(), station.end(), std::size_t(0));
    }
    d_stations = *std::max_element(station.begin(), station.end()) + 1;
    for (std::size_t i = 0; i < p.inputs; ++i) {
        for (std::size_t j = i; j < p.inputs; ++j) {
            d_pairs.emplace_back(station[i], station[j]);
        }
    }
    d_of_baseline = shares(p.median ? of_median : 0,
                           p.threshold ? of_threshold : 0,
                           bit(flag::median),
                           bit(flag::threshold));
    // A station's flags are those of two stations for most baselines.
    d_of_array = shares(0.25 * of_power, 0.25 * of_power, power_bit, power_bit);
    d_of_station = shares(0.125 * of_power, 0.125 * of_power, power_bit, power_bit);
    // The edges of what sums over baselines show are sharp: none are left to be guessed.
    d_of_array.gaps_only = d_of_station.gaps_only = true;
    d_rice =
        std::make_unique<rice_thresholds>(p.median ? d_of_baseline.single_rate : 1e-3);
    d_levels = std::make_unique<weight_levels>();
}

std::size_t rfi_detector::working_memory(const rfi_params& p, std::size_t dumps)
{
    const std::size_t threads = workers::shared()->slots();
    const std::size_t plane = dumps * p.channels;
    return plane * (p.power ? (threads + 1) * (p.inputs + 2) * 8 : 0) +
           plane * threads * 8 * (planes_at_once + 6);
}

// Searches a few neighboring baselines: their visibilities share cache lines.
void rfi_detector::search_group(const rfi_window& w, std::size_t group, helper& h)
{
    const std::size_t first = group * planes_at_once;
    const std::size_t count = std::min(planes_at_once, d_baselines - first);
    for (std::size_t k = 0; k < count; ++k) {
        h.planes[k].resize(w.flags.size(), d_p.channels);
    }
    read_planes(w, d_baselines, d_p.inputs, first, count, h.levels, h.planes.data());
    for (std::size_t k = 0; k < count; ++k) {
        flag_plane& plane = h.planes[k];
        const bool power = is_power(first + k, d_p.inputs);
        const bool any =
            h.search.search(plane, power ? plane_noise::normal : plane_noise::rice);
        if (d_p.power) {
            const auto [a, b] = d_pairs[first + k];
            const power_score score =
                power ? power_score() : d_scores.of(h.search.ratio());
            h.baseline.clear(plane.cells());
            h.baseline.add(plane, score);
            h.array.add(h.baseline);
            h.stations[a].add(h.baseline);
            if (a != b) {
                h.stations[b].add(h.baseline);
            }
        }
        if (any) {
            write_found(w, d_baselines, first + k, plane);
        }
    }
}

// First the stations, then the array without those in which something was found: what one
// of them hears is not the array's, unless most of them do.
bool rfi_detector::search_power(std::size_t dumps)
{
    const std::size_t cells = dumps * d_p.channels;
    std::vector<power_sum> sums(d_stations + 1);
    std::vector<char> any(d_stations + 1, 0);
    const auto search = [&](std::size_t k, flag_plane& plane, const search_params& p) {
        plane.resize(dumps, d_p.channels);
        sums[k].to_plane(plane);
        any[k] = plane_search(p, *d_rice).search(plane, plane_noise::sum);
    };
    d_station.resize(d_stations);
    workers::shared()->run(d_stations + 1, [&](std::size_t k, unsigned) {
        sums[k].clear(cells);
        for (const auto& h : d_helpers) {
            if (h) {
                sums[k].add(k == d_stations ? h->array : h->stations[k]);
            }
        }
        if (k < d_stations) {
            search(k, d_station[k], d_of_station);
        }
    });
    std::vector<std::size_t> stations(cells, 0); // in which something was found
    for (std::size_t s = 0; s < d_stations; ++s) {
        for (std::size_t k = 0; any[s] && k < cells; ++k) {
            stations[k] += d_station[s].found[k] != 0;
        }
        sums[d_stations].remove(sums[s], d_station[s]);
    }
    search(d_stations, d_array, d_of_array);
    for (std::size_t k = 0; k < cells; ++k) {
        d_array.found[k] |= 2 * stations[k] > d_stations ? power_bit : 0;
    }
    return std::count(any.begin(), any.end(), 1) > 0;
}

// Marks what stations and array have found in one dump, in all their baselines.
void rfi_detector::mark(const rfi_window& w, std::size_t dump)
{
    for (std::size_t c = 0; c < d_p.channels; ++c) {
        const std::size_t cell = dump * d_p.channels + c;
        std::uint8_t* row = w.flags[dump] + c * d_baselines;
        const bool all = d_array.found[cell] != 0;
        bool some = all;
        for (const flag_plane& s : d_station) {
            some = some || s.found[cell];
        }
        for (std::size_t b = 0; some && b < d_baselines; ++b) {
            const auto [x, y] = d_pairs[b];
            const bool found =
                all || d_station[x].found[cell] || d_station[y].found[cell];
            row[b] |= found && !(row[b] & not_searched) ? power_bit : 0;
        }
    }
}

void rfi_detector::detect(const rfi_window& w)
{
    const auto team = workers::shared();
    const std::size_t cells = w.flags.size() * d_p.channels;
    d_helpers.assign(team->slots(), nullptr);
    const std::size_t groups = (d_baselines + planes_at_once - 1) / planes_at_once;
    team->run(groups, [&](std::size_t group, unsigned slot) {
        auto& h = d_helpers[slot];
        if (!h) {
            h = std::make_shared<helper>(d_of_baseline, *d_rice, *d_levels);
            if (d_p.power) {
                h->array.clear(cells);
                h->stations.resize(d_stations);
                for (power_sum& s : h->stations) {
                    s.clear(cells);
                }
            }
        }
        search_group(w, group, *h);
    });
    if (d_p.power) {
        if (search_power(w.flags.size())) {
            team->run(w.flags.size() - w.first_new,
                      [&](std::size_t k, unsigned) { mark(w, w.first_new + k); });
        }
    }
    d_helpers.clear();
}

} // namespace gr::fringe::kernels
