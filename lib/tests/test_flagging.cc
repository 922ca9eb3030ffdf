/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The parts of the search for interference, against their definitions.

#include "kernels/flagging/known_flags.h"
#include "kernels/flagging/occupancy.h"
#include "kernels/flagging/plane_search.h"
#include "kernels/flagging/user_mask.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <gnuradio/fringe/flags.h>
#include <limits>
#include <numeric>
#include <random>

using namespace gr::fringe;
using namespace gr::fringe::kernels;

namespace {

flag_plane noise_plane(std::size_t dumps, std::size_t channels, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> noise;
    flag_plane p;
    p.resize(dumps, channels);
    for (float& v : p.value) {
        v = noise(random);
    }
    std::fill(p.used.begin(), p.used.end(), 1);
    return p;
}

// SumThreshold word for word: one line of cells and one length.
void plain_runs(const std::vector<float>& value,
                const std::vector<char>& flagged,
                std::size_t n,
                double chi,
                std::vector<char>& out)
{
    for (std::size_t first = 0; first + n <= value.size(); ++first) {
        double sum = 0, count = 0;
        for (std::size_t k = first; k < first + n; ++k) {
            sum += flagged[k] ? 0 : value[k];
            count += !flagged[k];
        }
        if (count > 0 && sum / count > chi * std::sqrt(static_cast<double>(n) / count)) {
            // The part with the largest sum of values less half their mean, by trying all.
            double best = 0;
            std::size_t from = first, end = first + 1;
            for (std::size_t a = first; a < first + n; ++a) {
                double part = 0;
                for (std::size_t b = a; b < first + n; ++b) {
                    part += flagged[b] ? 0 : value[b] - 0.5 * sum / count;
                    if (part > best + 1e-5) {
                        best = part;
                        from = a;
                        end = b + 1;
                    }
                }
            }
            for (std::size_t a = from; a < end; ++a) {
                out[a] = 1;
            }
        }
    }
}

// By how much means of n scatter more than those of noise, in lines that do not overlap.
double plain_excess(const std::vector<std::vector<float>>& lines,
                    const std::vector<std::vector<char>>& flagged,
                    std::size_t n)
{
    std::vector<double> all;
    for (std::size_t first = 0; first + n <= lines[0].size(); first += n) {
        for (std::size_t c = 0; c < lines.size(); ++c) {
            double sum = 0, count = 0;
            for (std::size_t k = first; k < first + n; ++k) {
                sum += flagged[c][k] ? 0 : lines[c][k];
                count += !flagged[c][k];
            }
            all.push_back(count > 0 ? std::abs(sum) / std::sqrt(count) : -1);
        }
    }
    const std::size_t step = std::max<std::size_t>(1, all.size() / 1000);
    std::vector<double> some;
    for (std::size_t k = 0; k < all.size(); k += step) {
        if (all[k] >= 0) {
            some.push_back(all[k]);
        }
    }
    std::sort(some.begin(), some.end());
    const std::size_t m = some.size();
    return m == 0 ? 1 : std::max(1.0, 1.4826 * 0.5 * (some[m / 2] + some[(m - 1) / 2]));
}

std::vector<char> plain_sum_threshold(const flag_plane& p, const sum_threshold& s)
{
    std::vector<char> flagged(p.cells(), 0);
    for (std::size_t k = 0; k < sum_threshold::lengths; ++k) {
        std::vector<char> next = flagged;
        const std::size_t n = std::size_t(1) << k;
        const auto direction = [&](std::size_t lines,
                                   std::size_t apart,
                                   std::size_t cells,
                                   std::size_t step) {
            std::vector<std::vector<float>> value(lines);
            std::vector<std::vector<char>> was(lines);
            for (std::size_t l = 0; l < lines; ++l) {
                for (std::size_t x = 0; x < cells; ++x) {
                    const std::size_t cell = l * apart + x * step;
                    value[l].push_back(p.used[cell] ? p.value[cell] : 0);
                    was[l].push_back(flagged[cell]);
                }
            }
            const double chi =
                n <= cells ? s.threshold(k) * plain_excess(value, was, n) : 0;
            for (std::size_t l = 0; l < lines && n <= cells; ++l) {
                std::vector<char> found(cells, 0);
                plain_runs(value[l], was[l], n, chi, found);
                for (std::size_t x = 0; x < cells; ++x) {
                    next[l * apart + x * step] |= found[x];
                }
            }
        };
        if (n > 1) {
            direction(p.dumps, p.channels, p.channels, 1);
        }
        direction(p.channels, 1, p.dumps, p.channels);
        flagged = next;
    }
    for (std::size_t k = 0; k < p.cells(); ++k) {
        flagged[k] = flagged[k] && p.used[k];
    }
    return flagged;
}

// The scale-invariant rank operator word for word: every run of cells.
std::vector<char>
plain_rank(const std::vector<std::uint8_t>& flagged, double eta, bool gaps_only)
{
    std::vector<char> out(flagged.size(), 0);
    for (std::size_t first = 0; first < flagged.size(); ++first) {
        for (std::size_t end = first + 1; end <= flagged.size(); ++end) {
            const double n = static_cast<double>(end - first);
            const double sum = std::accumulate(flagged.begin() + static_cast<long>(first),
                                               flagged.begin() + static_cast<long>(end),
                                               0.0);
            const bool counts = !gaps_only || (flagged[first] && flagged[end - 1]);
            if (counts && sum >= (1 - eta) * n - 1e-9) {
                std::fill(out.begin() + static_cast<long>(first),
                          out.begin() + static_cast<long>(end),
                          1);
            }
        }
    }
    return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(quantiles_are_the_inverse_of_tails)
{
    BOOST_CHECK_CLOSE(normal_quantile(0.0013498980316301), 3.0, 1e-6);
    for (double p : {0.4, 1e-2, 1e-5, 1e-9}) {
        BOOST_CHECK_CLOSE(normal_tail(normal_quantile(p)), p, 1e-6);
    }
    // Rayleigh has it in closed form: |V|^2 / 2 = -ln p, median ln 2.
    const double rate = 1e-3, median = std::cbrt(2 * std::log(2.0));
    const rice_thresholds t(rate);
    // MAD of |V|^(2/3) of a Rayleigh variable, from its distribution function.
    double low = 0, high = 1;
    for (int n = 0; n < 60; ++n) {
        const double d = 0.5 * (low + high);
        const auto below = [](double x) { return 1 - std::exp(-0.5 * x * x * x); };
        (below(median + d) - below(median - d) < 0.5 ? low : high) = d;
    }
    const double spread = low / normal_quantile(0.25);
    BOOST_CHECK_CLOSE(t.threshold(median / spread),
                      (std::cbrt(-2 * std::log(rate)) - median) / spread,
                      0.1);
    BOOST_CHECK_CLOSE(t.threshold(1e6), normal_quantile(rate), 0.1);
}

BOOST_AUTO_TEST_CASE(noise_gives_the_asked_rate_whatever_source_is_in_it)
{
    const double rate = 2e-3;
    const rice_thresholds rice(rate);
    search_params p;
    p.single_rate = rate;
    p.run_rate = 0;
    p.single_bit = 1;
    plane_search search(p, rice);
    for (float source : {0.0f, 0.7f, 1.5f, 3.0f, 10.0f}) {
        double flagged = 0, cells = 0;
        for (unsigned seed = 0; seed < 24; ++seed) {
            flag_plane plane = noise_plane(32, 256, 2 * seed);
            const flag_plane other = noise_plane(32, 256, 2 * seed + 1);
            for (std::size_t k = 0; k < plane.cells(); ++k) {
                const float re = plane.value[k] + source, im = other.value[k];
                plane.value[k] = std::cbrt(re * re + im * im);
            }
            search.search(plane, plane_noise::rice);
            flagged += static_cast<double>(plane.cells()) -
                       static_cast<double>(
                           std::count(plane.found.begin(), plane.found.end(), 0));
            cells += static_cast<double>(plane.cells());
        }
        BOOST_TEST_CONTEXT("source " << source)
        BOOST_CHECK_CLOSE(flagged / cells, rate, 20.0);
    }
}

BOOST_AUTO_TEST_CASE(a_slope_of_the_band_is_no_interference)
{
    const rice_thresholds rice(1e-3);
    search_params p;
    p.single_bit = p.run_bit = 1;
    plane_search search(p, rice);
    flag_plane plane = noise_plane(32, 256, 5);
    for (std::size_t k = 0; k < plane.cells(); ++k) {
        plane.value[k] += 1000 + 2.0f * static_cast<float>(k % 256); // 500 sigma over it
    }
    search.search(plane, plane_noise::normal);
    BOOST_CHECK_LT(plane.cells() - std::count(plane.found.begin(), plane.found.end(), 0),
                   25);
}

// A channel that was found is missing in its neighbors' medians; they stay what they are.
BOOST_AUTO_TEST_CASE(a_slope_is_followed_past_a_channel_that_was_found)
{
    flag_plane plane = noise_plane(32, 64, 7);
    const auto slope = [](std::size_t c) { return 3.0f * static_cast<float>(c); };
    for (std::size_t k = 0; k < plane.cells(); ++k) {
        const std::size_t c = k % 64;
        plane.value[k] = slope(c) + (c == 20 ? 50 : 0);
        plane.found[k] = c == 20;
    }
    band_and_drift().take_out(plane);
    for (std::size_t c = 2; c < 62; ++c) { // at the ends windows have one side only
        BOOST_CHECK_SMALL(plane.value[5 * 64 + c] - (c == 20 ? 50.0f : 0.0f), 1e-3f);
    }
}

BOOST_AUTO_TEST_CASE(sum_threshold_is_what_it_is_defined_to_be)
{
    std::mt19937 random(3);
    for (auto [dumps, channels] : {std::pair(1, 1), {7, 5}, {32, 70}, {65, 129}}) {
        flag_plane p = noise_plane(dumps, channels, 11);
        for (std::size_t k = 0; k < p.cells(); ++k) {
            p.used[k] = random() % 10 > 0;
            p.value[k] += random() % 30 == 0 ? 4.0f : 0.0f;
            p.value[k] += k % p.channels == 3 ? 1.5f : 0.0f; // a weak channel
            p.value[k] += k / p.channels == 4 ? 1.0f : 0.0f; // a weak burst
        }
        sum_threshold s(1e-3);
        std::vector<std::uint8_t> hit(p.cells());
        s.find(p.value.data(), p.used.data(), p.dumps, p.channels, hit.data());
        const auto plain = plain_sum_threshold(p, s);
        BOOST_CHECK_EQUAL_COLLECTIONS(hit.begin(), hit.end(), plain.begin(), plain.end());
        BOOST_CHECK(dumps < 32 || std::count(hit.begin(), hit.end(), 1) > dumps);
    }
}

BOOST_AUTO_TEST_CASE(rank_operator_is_what_it_is_defined_to_be)
{
    std::mt19937 random(4);
    for (double eta : {0.0, 0.2, 0.5, 1.0}) {
        for (std::size_t n : {1, 2, 10, 97}) {
            std::vector<std::uint8_t> flagged(n), used(n, 1), out(n, 0);
            for (auto& f : flagged) {
                f = random() % 3 == 0;
            }
            flagged[n / 2] = 1;
            for (bool gaps_only : {false, true}) {
                std::fill(out.begin(), out.end(), 0);
                scale_invariant_rank(eta, gaps_only)
                    .along(flagged.data(), used.data(), n, 1, out.data());
                const auto plain = plain_rank(flagged, eta, gaps_only);
                BOOST_CHECK_EQUAL_COLLECTIONS(
                    out.begin(), out.end(), plain.begin(), plain.end());
            }
        }
    }
    // Cells that do not count are skipped: 4 of 5 are enough, whatever lies between.
    const std::vector<std::uint8_t> flagged{1, 0, 1, 0, 0, 1, 1, 0},
        used{1, 0, 1, 1, 0, 1, 1, 0};
    std::vector<std::uint8_t> out(8);
    scale_invariant_rank(0.2).dilate(flagged.data(), used.data(), 1, 8, out.data());
    const std::vector<std::uint8_t> expected{1, 0, 1, 1, 0, 1, 1, 0};
    BOOST_CHECK_EQUAL_COLLECTIONS(
        out.begin(), out.end(), expected.begin(), expected.end());
}

// Towards the ends of a window a drift is followed; a burst is not.
BOOST_AUTO_TEST_CASE(the_smooth_surface_follows_a_drift_to_the_end)
{
    flag_plane p = noise_plane(32, 40, 8);
    for (std::size_t k = 0; k < p.cells(); ++k) {
        p.value[k] = 0.5f * static_cast<float>(k / 40);
        p.used[k] = k % 7 > 0;
    }
    aligned_vector<float> smooth;
    smooth_surface surface(10, 15, true);
    surface.fit(p, 100, smooth);
    for (std::size_t k = 0; k < p.cells(); ++k) {
        BOOST_CHECK_SMALL(smooth[k] - p.value[k], 0.03f); // the box would lag by 2.5
    }
    for (std::size_t k = 0; k < p.cells(); ++k) {
        p.value[k] = k < 40 ? 1.0f : 0.0f;
    }
    surface.fit(p, 100, smooth);
    // 1 / n + 12 (n - 1)^2 / 4 / (n^3 - n) of it, with n = 21 dumps.
    BOOST_CHECK_CLOSE(smooth[20], 0.1775f, 5.0f);
}

BOOST_AUTO_TEST_CASE(the_smooth_surface_is_the_mean_of_a_box)
{
    flag_plane p = noise_plane(9, 14, 6);
    p.used[20] = 0;
    p.found[50] = 1;
    aligned_vector<float> smooth;
    smooth_surface(2, 3, false).fit(p, 100, smooth);
    for (int t = 0; t < 9; ++t) {
        for (int c = 0; c < 14; ++c) {
            double sum = 0, count = 0;
            for (int y = std::max(0, t - 2); y <= std::min(8, t + 2); ++y) {
                for (int x = std::max(0, c - 3); x <= std::min(13, c + 3); ++x) {
                    if (y * 14 + x != 20 && y * 14 + x != 50) {
                        sum += p.value[y * 14 + x];
                        ++count;
                    }
                }
            }
            BOOST_CHECK_SMALL(smooth[t * 14 + c] - sum / count, 1e-5);
        }
    }
}

BOOST_AUTO_TEST_CASE(what_is_known_is_flagged)
{
    const std::vector<double> mhz{100, 101, 102, 103};
    user_mask mask;
    mask.bands = {{101.4, 101.6}};
    mask.times = {{epoch::from_pair(1000, 0), epoch::from_pair(1001, 0)}};
    const auto masked = masked_channels(mask, mhz);
    const std::vector<std::uint8_t> expected{0, 1, 1, 0};
    BOOST_CHECK(masked == expected);
    BOOST_CHECK(masked_time(mask, epoch::from_pair(999, 0.5), 1));
    BOOST_CHECK(!masked_time(mask, epoch::from_pair(999, 0), 1));
    BOOST_CHECK(!masked_time(mask, epoch::from_pair(1001, 0), 1));

    std::vector<std::complex<float>> v(4 * 3, 1);
    std::vector<float> w(4 * 3, 1);
    v[0] = std::numeric_limits<float>::quiet_NaN();
    w[1] = 0;
    std::vector<std::uint8_t> f(4 * 3, 0);
    f[2] = bit(flag::kurtosis);
    known_flags({false, true}, masked).add(v.data(), w.data(), false, f.data());
    const int lost = 1, bad = 2, m = 4, kurtosis = 8;
    const std::vector<int> flags{lost,
                                 lost | bad,
                                 kurtosis | bad,
                                 m,
                                 m | bad,
                                 m | bad,
                                 m,
                                 m | bad,
                                 m | bad,
                                 0,
                                 bad,
                                 bad};
    BOOST_CHECK_EQUAL_COLLECTIONS(f.begin(), f.end(), flags.begin(), flags.end());

    // Of baseline 1 the medians are 0.8: channel 2 has less than 0.6 of that, and 3 nothing.
    const std::vector<float> left{1, 0.8f, 1, 1, 0.9f, 1, 1, 0.47f, 0.61f, 1, 0, 1};
    std::vector<std::complex<float>> good(4 * 3, 1);
    std::vector<std::uint8_t> few(4 * 3, 0);
    const known_flags known({false, false}, {0, 0, 0, 0}, 0.6);
    known.add(good.data(), left.data(), false, few.data());
    known.add_left_over(left.data(), few.data());
    const std::vector<int> little{0, 0, 0, 0, 0, 0, 0, kurtosis, 0, 0, lost, 0};
    BOOST_CHECK_EQUAL_COLLECTIONS(few.begin(), few.end(), little.begin(), little.end());

    occupancy o(4);
    o.add(f.data(), 3);
    BOOST_CHECK_EQUAL(o.seen(), 3u);
    BOOST_CHECK_EQUAL(o.any()[0], 3u);
    BOOST_CHECK_EQUAL(o.any()[3], 2u);
    BOOST_CHECK_EQUAL(o.of(0)[0], 2u);
    BOOST_CHECK_EQUAL(o.of(1)[0], 2u);
    BOOST_CHECK_EQUAL(o.of(2)[2], 3u);
    BOOST_CHECK_CLOSE(o.part(o.any())[3], 2.0f / 3, 1e-3);
}
