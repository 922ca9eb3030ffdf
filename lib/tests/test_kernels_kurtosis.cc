/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The detectors in front of the X-engine: rates in noise, and what they find.
#include "kernel_cases.h"
#include "kernels/kurtosis/detector.h"
#include "kernels/kurtosis/kurtosis.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>

using namespace gr::fringe::kernels;
using kernel_cases::random_engine;

namespace {

// Noise that costs little, as each case takes some million values: splitmix64, one step for
// the power and the phase of a complex value.
class quick_noise
{
public:
    struct value {
        float power; // exponential, 1 on average
        float turn;  // phase, 0 to 2 pi
    };
    value next()
    {
        std::uint64_t z = d_state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        z ^= z >> 31;
        return {-std::log(uniform(z >> 40)), 6.2831853f * uniform(z & 0xffffff)};
    }
    // Two parts of variance 1 each.
    void parts(float* x)
    {
        const value v = next();
        const float amplitude = std::sqrt(2 * v.power);
        x[0] = amplitude * std::cos(v.turn);
        x[1] = amplitude * std::sin(v.turn);
    }

private:
    static float uniform(std::uint64_t bits) // of 24 bits, never 0
    {
        return (static_cast<float>(bits) + 0.5f) / (1 << 24);
    }
    std::uint64_t d_state = random_engine()();
};

// Windows of noise for a detector: what is in a spectrum may be changed by `signal`.
class noise_windows
{
public:
    explicit noise_windows(const detector_params& p, std::uint32_t m)
        : d_p(p), d_m(m), d_detector(p), d_s1(p.inputs * p.channels), d_s2(d_s1.size())
    {
    }

    double sigma = 1; // of a part
    std::function<void(std::size_t c, std::size_t i, std::size_t t, float* x)> signal;

    const std::vector<std::uint8_t>& next()
    {
        for (std::size_t k = 0; k < d_s1.size(); ++k) {
            double s1 = 0, s2 = 0;
            for (std::size_t t = 0; t < d_m; ++t) {
                double power = 0;
                if (!signal && !d_p.clip) { // the same noise, for less
                    power = 2 * sigma * sigma * static_cast<double>(d_noise.next().power);
                } else {
                    power = power_of(k, t);
                }
                s1 += power;
                s2 += power * power;
            }
            d_s1[k] = static_cast<float>(s1);
            d_s2[k] = static_cast<float>(s2);
        }
        return d_detector.detect(
            d_s1.data(), d_s2.data(), std::vector<std::uint32_t>(d_p.inputs, d_m));
    }

    // Share of the cells that have this cause in `windows` windows after `before` of them.
    double share(cause which, int windows, int before = 0)
    {
        std::uint64_t hits = 0;
        for (int w = -before; w < windows; ++w) {
            for (const std::uint8_t causes : next()) {
                hits += w >= 0 && (causes & bit(which));
            }
        }
        return static_cast<double>(hits) / static_cast<double>(windows * d_s1.size());
    }

private:
    double power_of(std::size_t k, std::size_t t)
    {
        float x[2];
        d_noise.parts(x);
        x[0] *= static_cast<float>(sigma);
        x[1] *= static_cast<float>(sigma);
        if (signal) {
            signal(k / d_p.inputs, k % d_p.inputs, t, x);
        }
        if (d_p.clip) {
            const auto maximum = static_cast<float>(d_p.clip);
            for (float& part : x) {
                part = std::clamp(std::nearbyint(part), -maximum, maximum);
            }
        }
        return static_cast<double>(x[0] * x[0] + x[1] * x[1]);
    }

    const detector_params d_p;
    const std::uint32_t d_m;
    detector d_detector;
    quick_noise d_noise;
    std::vector<float> d_s1, d_s2;
};

detector_params detect(bool per_input, bool combined, bool power)
{
    detector_params p;
    p.inputs = 16;
    p.channels = 32;
    p.false_alarm = 1e-2;
    p.per_input = per_input;
    p.combined = combined;
    p.power = power;
    return p;
}

} // namespace

// About a thousand alarms or more in each case: bounds are six standard deviations away from the
// rate that the limits have, which is up to a twelfth off the one asked for.
BOOST_AUTO_TEST_CASE(kurtosis_alarms_as_often_as_asked)
{
    struct noise_case {
        std::uint32_t m;
        double asked;
        int windows;
    };
    for (const auto& [m, asked, windows] : {noise_case{16, 1e-2, 400},
                                            {63, 1e-2, 300},
                                            {256, 1e-2, 300},
                                            {64, 1e-3, 2500}}) {
        BOOST_TEST_CONTEXT("m " << m << ", asked " << asked)
        {
            auto p = detect(true, false, false);
            p.false_alarm = asked;
            noise_windows noise(p, m);
            double low = 0, high = 0;
            for (int k = 0; k < windows; ++k) {
                for (const std::uint8_t causes : noise.next()) {
                    low += causes & 1;
                    high += causes >> 1 & 1;
                }
            }
            const double expected = windows * 512.0 * asked;
            BOOST_TEST_MESSAGE("m " << m << ", asked " << asked << ": got "
                                    << (low + high) / expected << " of it, low "
                                    << 2 * low / expected << ", high "
                                    << 2 * high / expected);
            BOOST_TEST(std::abs(2 * low / expected - 1) < 0.3);
            BOOST_TEST(std::abs(2 * high / expected - 1) < 0.3);
            BOOST_TEST(std::abs((low + high) / expected - 1) < 0.2);
        }
    }
}

// The rate is up to a tenth lower than asked for, since the scatter of the means is never taken to
// be less than that of independent inputs. All channels of a stretch share what 32 windows say of
// it, so alarms go together: with 1024 channels the rate scatters by 2 to 5 per cent.
BOOST_AUTO_TEST_CASE(the_mean_of_inputs_alarms_as_often_as_asked)
{
    for (const std::size_t inputs : {2, 5, 16}) {
        auto p = detect(false, true, false);
        p.inputs = inputs;
        p.channels = 1024;
        noise_windows noise(p, 64);
        const int windows = static_cast<int>(300 / inputs) + 60;
        const double rate = noise.share(cause::combined, windows) / 1e-2;
        BOOST_TEST_MESSAGE("inputs " << inputs << ": " << rate << " of the rate asked");
        BOOST_TEST(rate > 0.6);
        BOOST_TEST(rate < 1.3);
    }
}

// A sky that all inputs hear, up to twice as strong as the noise of a receiver.
BOOST_AUTO_TEST_CASE(a_strong_sky_is_no_interference,
                     *boost::unit_test::label("statistics"))
{
    for (const std::uint32_t m : {64u, 256u}) {
        for (const float strength : {0.5f, 2.0f}) {
            auto p = detect(true, true, true);
            p.channels = 64;
            const std::uint32_t spectra = m;
            noise_windows window(p, spectra);
            std::vector<float> sky(2 * p.channels * spectra);
            quick_noise of_sky;
            std::vector<std::complex<float>> phases(p.inputs);
            for (std::size_t i = 0; i < p.inputs; ++i) {
                phases[i] = std::polar(1.0f, static_cast<float>(i * i));
            }
            window.signal = [&](std::size_t c, std::size_t i, std::size_t t, float* x) {
                float* s = &sky[2 * (c * spectra + t)];
                if (i == 0) {
                    of_sky.parts(s);
                    s[0] *= std::sqrt(strength);
                    s[1] *= std::sqrt(strength);
                }
                x[0] += s[0] * phases[i].real() - s[1] * phases[i].imag();
                x[1] += s[0] * phases[i].imag() + s[1] * phases[i].real();
            };
            const unsigned windows = times_tried(120, 240);
            std::uint64_t combined = 0, of_cells = 0, bursts = 0;
            for (unsigned w = 0; w < windows; ++w) {
                std::vector<std::size_t> by_power(p.inputs, 0);
                const auto& causes = window.next();
                for (std::size_t k = 0; k < causes.size(); ++k) {
                    combined += k % p.inputs == 0 && (causes[k] & bit(cause::combined));
                    of_cells += (causes[k] & 3) != 0;
                    by_power[k % p.inputs] += (causes[k] & bit(cause::power)) != 0;
                }
                bursts += std::count(by_power.begin(), by_power.end(), p.channels) > 0;
            }
            const auto channels = static_cast<double>(windows) * 64;
            const double rate = static_cast<double>(combined) / channels / 1e-2;
            const double single = static_cast<double>(of_cells) / channels / 16 / 1e-2;
            BOOST_TEST_MESSAGE("m " << m << ", sky " << strength << ": combined " << rate
                                    << " of the asked rate, cells " << single
                                    << ", windows with a burst " << bursts);
            BOOST_TEST(rate >
                       0.1); // about 0.5 for the strong sky: 80 alarms, some together
            BOOST_TEST(rate < 1.5);
            BOOST_TEST(single > 0.7); // the inputs' kurtoses go together
            BOOST_TEST(single < 1.3);
            BOOST_TEST(bursts < 30); // expected: 4
        }
    }
}

// Each costs the whole band of an input.
BOOST_AUTO_TEST_CASE(bursts_alarm_ten_times_as_rarely_as_asked)
{
    constexpr std::size_t inputs = 4, windows = 30000;
    band_bursts bursts(inputs, 1e-2, {});
    std::normal_distribution<double> noise(1, 0.01);
    std::vector<double> power(inputs), valid(inputs, 1.0);
    std::uint64_t found = 0;
    for (std::size_t w = 0; w < windows; ++w) {
        valid[1] = w % 3 > 0 ? 1.0 : 0.6; // fewer spectra scatter more
        for (std::size_t i = 0; i < inputs; ++i) {
            power[i] = 1 + (noise(random_engine()) - 1) / std::sqrt(valid[i]);
        }
        for (const char burst : bursts.find(power, valid)) {
            found += burst;
        }
    }
    const double rate = static_cast<double>(found) / (windows * (inputs + 1));
    BOOST_TEST_MESSAGE("bursts: " << rate / 1e-2 << " of the rate asked");
    BOOST_TEST(rate > 0.3e-3);
    BOOST_TEST(rate < 1.5e-3);
    std::fill(power.begin(), power.end(), 1.0);
    power[2] = 1.2;
    const auto& all = bursts.find(power, valid);
    BOOST_TEST((!all[0] && !all[1] && all[2] && !all[3]));
}

BOOST_AUTO_TEST_CASE(power_alarms_as_often_as_asked,
                     *boost::unit_test::label("statistics"))
{
    constexpr std::size_t trials = 100000; // a thousand alarms: 1 +- 0.03
    const auto median = [](std::vector<double> v) {
        std::sort(v.begin(), v.end());
        return (v[(v.size() - 1) / 2] + v[v.size() / 2]) / 2;
    };
    for (const std::size_t n : {16, 32}) {
        std::gamma_distribution<double> power(64, 1.0 / 64);
        std::normal_distribution<double> normal;
        const double limit = power_limit(64, n, 1e-2), width = deviation_limit(n, 1e-2);
        double above = 0, away = 0;
        for (std::size_t k = 0; k < trials; ++k) {
            std::vector<double> before(n), values(n), from(n);
            for (std::size_t l = 0; l < n; ++l) {
                before[l] = power(random_engine());
                values[l] = normal(random_engine());
            }
            const double middle = median(values);
            std::transform(values.begin(), values.end(), from.begin(), [&](double v) {
                return std::abs(v - middle);
            });
            above += power(random_engine()) > median(before) * limit;
            away += normal(random_engine()) - middle > 1.4826 * median(from) * width;
        }
        BOOST_TEST(std::abs(above / trials / 1e-2 - 1) < 0.2);
        BOOST_TEST(std::abs(away / trials / 1e-2 - 1) < 0.25);
    }
    // The detector's: a cell's own and, for whole inputs and all of them, the band's.
    noise_windows noise(detect(false, false, true), 64);
    const double rate = noise.share(cause::power, 300, 32);
    BOOST_TEST(rate > 0.8e-2);
    BOOST_TEST(rate < 8e-2);
}

// 8 bits need no correction at their level of 16 steps; 4 bits at 2.95 steps do.
BOOST_AUTO_TEST_CASE(quantized_noise_alarms_as_often_as_asked,
                     *boost::unit_test::label("statistics"))
{
    const quantized_noise eight(127), four(7);
    const auto at = [](const quantized_noise& q, float power) {
        return *q.at(quantized_noise::bin(power));
    };
    BOOST_TEST(std::abs(at(eight, 512).kurtosis - 1) < 1e-4);
    BOOST_TEST(std::abs(at(eight, 512).scatter - 1) < 1e-3);
    BOOST_TEST(std::abs(at(four, 17.04f).kurtosis - 0.852) < 0.01);
    BOOST_TEST(!four.at(quantized_noise::bin(0.1f)));
    BOOST_TEST(!four.at(quantized_noise::bin(97.0f)));
    struct level {
        int clip;
        double sigma, least, maximum;
    };
    for (const level& l : {level{127, 16, 0.8, 1.2},
                           level{127, 2, 0.8, 1.2},
                           level{127, 40, 0.6, 1.2},
                           level{7, 1, 0.8, 1.2},
                           level{7, 2.95, 0.6, 1.2},
                           level{7, 5, 0.6, 1.5}}) {
        BOOST_TEST_CONTEXT("clip " << l.clip << " sigma " << l.sigma)
        {
            auto p = detect(true, false, false);
            p.clip = l.clip;
            noise_windows noise(p, 256);
            noise.sigma = l.sigma;
            std::uint64_t hits = 0;
            // Of 200 a thousand alarms: 1 +- 0.03.
            const unsigned windows = times_tried(80, 200);
            for (unsigned k = 0; k < windows; ++k) {
                for (const std::uint8_t causes : noise.next()) {
                    hits += causes != 0;
                }
            }
            const double rate = static_cast<double>(hits) / (windows * 512) / 1e-2;
            BOOST_TEST_MESSAGE("clip " << l.clip << ", sigma " << l.sigma << ": " << rate
                                       << " of the rate asked");
            BOOST_TEST(rate > l.least);
            BOOST_TEST(rate < l.maximum);
        }
    }
}

BOOST_AUTO_TEST_CASE(lower_and_upper_limit_find_what_is_theirs)
{
    auto p = detect(true, true, true);
    p.false_alarm = 1e-3;
    noise_windows window(p, 256);
    const auto flagged = [&](std::size_t c, std::size_t i) {
        return window.next()[c * p.inputs + i];
    };
    for (int k = 0; k < 9; ++k) {
        window.next(); // for the medians
    }
    const auto carrier = [](double share, float amplitude) {
        return [=](std::size_t c, std::size_t i, std::size_t t, float* x) {
            if (c == 5 && i == 2 && static_cast<double>(t % 64) < share * 64) {
                x[0] += amplitude;
            }
        };
    };
    window.signal = carrier(1, 3);
    BOOST_TEST((flagged(5, 2) & bit(cause::kurtosis_low)));
    window.signal = carrier(0.1, 6);
    BOOST_TEST((flagged(5, 2) & bit(cause::kurtosis_high)));
    // Half of the time: the kurtosis is 1 whatever the strength, so the power has it.
    window.signal = carrier(0.5, 2);
    int seen = 0, by_power = 0;
    for (int k = 0; k < 4; ++k) {
        const std::uint8_t causes = flagged(5, 2);
        seen += (causes & 3) != 0;
        by_power += (causes & bit(cause::power)) != 0;
    }
    BOOST_TEST(seen < 3);
    BOOST_TEST(by_power == 4);
    // Weak in every input, not two standard deviations: only their mean shows it.
    p.inputs = 64;
    noise_windows many(p, 256);
    for (int k = 0; k < 4; ++k) {
        many.next(); // for the scatter of the means
    }
    many.signal = [](std::size_t c, std::size_t, std::size_t, float* x) {
        x[0] += c == 9 ? 1.3f : 0.0f;
    };
    int combined = 0;
    for (int k = 0; k < 4; ++k) {
        combined += (many.next()[9 * p.inputs + 3] & bit(cause::combined)) != 0;
    }
    BOOST_TEST(combined == 4);
}

BOOST_AUTO_TEST_CASE(bursts_of_the_whole_band_are_seen_by_power)
{
    auto p = detect(true, true, true);
    p.false_alarm = 1e-6; // that of bursts is a tenth: none is there by chance
    p.bad_input.assign(p.inputs, 0);
    p.bad_input[7] = 1; // found by itself; all inputs together do not count it
    noise_windows window(p, 64);
    for (int k = 0; k < 40; ++k) {
        window.next();
    }
    // Four times the power for a window, as noise, in one input.
    window.signal = [](std::size_t, std::size_t i, std::size_t, float* x) {
        x[0] *= i == 7 ? 2.0f : 1.0f;
        x[1] *= i == 7 ? 2.0f : 1.0f;
    };
    const auto causes = window.next();
    std::size_t of_seven = 0, of_others = 0;
    for (std::size_t k = 0; k < causes.size(); ++k) {
        (k % p.inputs == 7 ? of_seven : of_others) +=
            (causes[k] & bit(cause::power)) != 0;
    }
    BOOST_TEST(of_seven == p.channels);
    BOOST_TEST(of_others < 100); // no burst of all inputs
}

BOOST_AUTO_TEST_CASE(masked_lost_and_bad_cells)
{
    auto p = detect(true, true, true);
    p.mask.assign(p.channels, 0);
    p.mask[3] = 1;
    p.bad_input.assign(p.inputs, 0);
    p.bad_input[1] = 1;
    detector d(p);
    std::vector<float> s1(512, 0), s2(512, 0);
    std::vector<std::uint32_t> valid(p.inputs, 64);
    valid[0] = 0;
    valid[4] = detector::min_spectra - 1;
    for (std::size_t k = 0; k < 512; ++k) {
        const std::size_t i = k % p.inputs;
        s1[k] = static_cast<float>(valid[i]);
        // Noise, but for input 1 and one that has too few spectra for a decision.
        s2[k] = s1[k] * (i == 1 || i == 4 ? 20.0f : 1.97f);
    }
    const auto causes = d.detect(s1.data(), s2.data(), valid);
    for (std::size_t k = 0; k < 512; ++k) {
        const std::size_t c = k / p.inputs, i = k % p.inputs;
        const int expected = c == 3   ? bit(cause::mask)
                             : i == 1 ? bit(cause::kurtosis_high)
                                      : 0;
        BOOST_TEST(causes[k] == expected);
    }
    BOOST_CHECK_THROW(
        [&] {
            p.mask.resize(5);
            detector wrong(p);
        }(),
        std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(running_medians_equal_sorted_ones)
{
    running_median r(11);
    std::vector<std::vector<float>> all(11);
    for (int k = 0; k < 50; ++k) {
        std::vector<float> values(11), got(11);
        for (std::size_t q = 0; q < 11; ++q) {
            values[q] = static_cast<float>(kernel_cases::random_below(1000));
            all[q].push_back(values[q]);
        }
        r.push(values.data());
        r.read(got.data());
        for (std::size_t q = 0; q < 11; ++q) {
            std::vector<float> last(all[q].end() - std::min<std::ptrdiff_t>(32, k + 1),
                                    all[q].end());
            std::sort(last.begin(), last.end());
            const std::size_t n = last.size();
            BOOST_TEST(got[q] == (last[(n - 1) / 2] + last[n / 2]) / 2);
        }
    }
}
