/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/delay_model.h"
#include "kernels/base/require.h"
#include "kernels/base/simd.h"
#include <algorithm>
#include <cmath>
#include <gnuradio/fringe/tracking.h>
#include <mutex>
#include <stdexcept>

namespace gr::fringe {

// c[0] + c[1] t + c[2] t^2 + c[3] t^3 at t = 0, step, 2 step, ...
FRINGE_SIMD static void
cubic_steps(const double* c, double step, int count, double* __restrict out)
{
    const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
    for (int k = 0; k < count; ++k) {
        const double t = k * step;
        out[k] = c0 + t * (c1 + t * (c2 + t * c3));
    }
}

namespace {

constexpr double speed_of_light = 299792458.0;
constexpr double longest_interval = 64;        // seconds of a polynomial
constexpr double shortest_interval = 1.0 / 64; // the same
constexpr unsigned degree = 6;                 // of a polynomial
constexpr const char* me = "tracking";
constexpr double enough = 1e-14; // seconds by which one may miss

//! Where the interval of t begins, of those of a length that follow on each other from 1970 on.
epoch begin_of_interval(const epoch& t, double seconds)
{
    if (seconds >= 1) {
        return {t.seconds - t.seconds % static_cast<std::uint64_t>(seconds), 0};
    }
    const auto length =
        static_cast<std::uint64_t>(seconds * 1e18); // exact: 1 / 64 and longer
    return {t.seconds, t.attos - t.attos % length};
}

class tracking_impl : public tracking
{
public:
    tracking_impl(const observation& obs,
                  array::delay_model model,
                  bool fringe_stopping,
                  int sign,
                  bool same_instant)
        : d_inputs(obs.inputs),
          d_rate(obs.sample_rate),
          d_frequency(obs.center_frequency),
          d_model(std::move(model)),
          d_stop(fringe_stopping),
          d_sign(sign),
          d_kind(same_instant ? array::delay_kind::geometric : array::delay_kind::arrival)
    {
        require(me, obs.sample_rate > 0, "the observation has no sample_rate");
        require(me,
                sign == 1 || sign == -1,
                "sign: " + std::to_string(sign) + ": must be 1 or -1");
        for (const auto& entry : d_inputs) {
            const auto &a = obs.antennas[entry.antenna].itrf, &b = obs.antennas[0].itrf;
            const double way = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
            // The earth carries an antenna on by some 1e-6 of the way meanwhile.
            d_longest =
                std::max(d_longest,
                         way / speed_of_light * (1 + 1e-5) + std::abs(entry.cable_delay));
        }
    }

    std::size_t inputs() const override { return d_inputs.size(); }
    double sample_rate() const override { return d_rate; }
    double frequency() const override { return d_frequency; }
    double longest() const override { return d_longest; }
    bool fringe_stopping() const override { return d_stop; }
    std::vector<std::string> warnings(const epoch& t) const override
    {
        return d_model.warnings(t);
    }

    void delays(const epoch& first, double step, std::size_t count, double* out) override
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        for (std::size_t s = 0; s < count;) {
            const epoch t = first.plus_seconds(static_cast<double>(s) * step);
            const double x = place(t);
            // As many instants as lie in the interval.
            const double ahead = (d_until - x) / step;
            const std::size_t n = ahead < static_cast<double>(count - s)
                                      ? static_cast<std::size_t>(std::max(ahead, 0.0)) + 1
                                      : count - s;
            for (std::size_t i = 0; i < d_inputs.size(); ++i) {
                fill(i, x, step, std::min(n, count - s), out + i * count + s);
            }
            s += n;
        }
    }

private:
    void fill(std::size_t i, double x, double step, std::size_t count, double* out) const;
    double place(const epoch& t);
    void fit(const epoch& t);
    bool fits(const epoch& start, double seconds, bool any);
    bool fits_before(const epoch& end);

    const std::vector<input> d_inputs;
    const double d_rate;
    const double d_frequency;
    const array::delay_model d_model;
    const bool d_stop;
    const double d_sign;
    const array::delay_kind d_kind;
    double d_longest = 0;

    std::mutex d_mutex;                                 // of what follows
    std::vector<array::delay_polynomial> d_polynomials; // [antenna]
    double d_until = 0; // seconds after their middle that they are good for
};

// Delays of input i at x, x + step, ... A second of them is a cubic: the fourth term is
// 2e-2 s (7e-5 rad/s)^4 / 24 = 2e-20 s for the sky over the whole earth, 1e-15 s for a
// satellite that passes overhead.
void tracking_impl::fill(
    std::size_t i, double x, double step, std::size_t count, double* out) const
{
    const auto& polynomial = d_polynomials[d_inputs[i].antenna];
    const auto stretch = static_cast<std::size_t>(std::clamp(1 / step, 1.0, 1e9));
    for (std::size_t first = 0; first < count; first += stretch) {
        auto c = polynomial.cubic(x + static_cast<double>(first) * step);
        c[0] += d_inputs[i].cable_delay;
        for (double& term : c) {
            term *= d_sign;
        }
        const std::size_t some = std::min(stretch, count - first);
        cubic_steps(c.data(), step, static_cast<int>(some), out + first);
    }
}

// Where t lies from the middle of polynomials that are good there.
double tracking_impl::place(const epoch& t)
{
    if (!d_polynomials.empty()) {
        const double x = t.seconds_since(d_polynomials[0].middle);
        if (x >= -d_polynomials[0].half && x < d_until) {
            return x;
        }
    }
    fit(t);
    return t.seconds_since(d_polynomials[0].middle);
}

// New polynomials that are good at t. They are those of an interval that begins with a whole
// multiple of its length, so delays do not depend on when somebody began to ask for them. Right
// before a leap second the interval before goes on a little; at the edge of a table one begins
// with t.
void tracking_impl::fit(const epoch& t)
{
    for (double seconds = longest_interval; seconds >= shortest_interval; seconds /= 2) {
        if (fits(begin_of_interval(t, seconds), seconds, seconds == shortest_interval)) {
            return;
        }
    }
    if (!fits_before(begin_of_interval(t, shortest_interval)) &&
        !fits(t, shortest_interval, true) && !fits_before(t)) {
        // Says why not.
        d_polynomials = d_model.polynomials(t, shortest_interval, degree, d_kind);
    }
}

// Takes the polynomials of the time before `end`, which go on a little.
bool tracking_impl::fits_before(const epoch& end)
{
    const bool taken =
        fits(end.plus_seconds(-2 * shortest_interval), 2 * shortest_interval, true);
    d_until += taken ? shortest_interval : 0;
    return taken;
}

// Takes the polynomials of an interval, if there are any and they are good enough.
bool tracking_impl::fits(const epoch& start, double seconds, bool any)
{
    std::vector<array::delay_polynomial> found;
    try {
        found = d_model.polynomials(start, seconds, degree, d_kind);
    } catch (const std::invalid_argument&) { // a leap second lies within
        return false;
    }
    double worst = 0;
    for (const auto& p : found) {
        worst = std::max(worst, p.error);
    }
    if (worst > enough && !any) {
        return false;
    }
    d_polynomials = std::move(found);
    d_until = d_polynomials[0].half;
    return true;
}

} // namespace

tracking::sptr
tracking::make(const observation& obs, bool fringe_stopping, int sign, bool same_instant)
{
    return std::make_shared<tracking_impl>(obs,
                                           array::delay_model(obs, obs.phase_center),
                                           fringe_stopping,
                                           sign,
                                           same_instant);
}

tracking::sptr tracking::make_satellite(const observation& obs,
                                        const std::string& path,
                                        bool fringe_stopping,
                                        int sign,
                                        bool same_instant)
{
    return std::make_shared<tracking_impl>(
        obs,
        array::delay_model(obs, array::satellite_track::from_file(path)),
        fringe_stopping,
        sign,
        same_instant);
}

} // namespace gr::fringe
