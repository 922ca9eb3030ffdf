/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "scratch.h"
#include "writer_cases.h"
#include <boost/test/unit_test.hpp>
#include <casacore/ms/MeasurementSets.h>
#include <cmath>
#include <gnuradio/fringe/flags.h>

using namespace gr::fringe;
using casacore::Array;
using casacore::IPosition;
using casacore::MeasurementSet;
using io::open_visibility_file;

namespace {

using value = std::complex<float>;

void write_all(const std::string& path,
               const io::visibility_file_params& params,
               const std::vector<io::dump>& dumps)
{
    const auto file = open_visibility_file(path, params);
    for (const auto& d : dumps)
        file->write(d);
    file->finish();
}

double error(const Array<value>& a, const IPosition& at, std::complex<double> expected)
{
    return std::abs(std::complex<double>(a(at)) - expected);
}

} // namespace

BOOST_AUTO_TEST_CASE(tables_describe_the_observation)
{
    const scratch folder;
    auto params = small_file(4, "XY", 6);
    params.complex_samples = false;
    write_all(folder / "x.ms", params, {noise_dump(params, 0), noise_dump(params, 1)});

    const MeasurementSet ms(folder / "x.ms");
    const casacore::MSColumns c(ms);
    BOOST_REQUIRE_EQUAL(ms.nrow(), 2u * 10);
    BOOST_CHECK_EQUAL(ms.antenna().nrow(), 4u);
    BOOST_CHECK_EQUAL(c.antenna().name()(2), "T2");
    for (int k = 0; k < 3; k++)
        BOOST_CHECK_EQUAL(c.antenna().position()(3)(IPosition(1, k)),
                          params.observation.antennas[3].itrf[k]);
    const auto frequencies = params.observation.channel_frequencies(6, false);
    for (int k = 0; k < 6; k++) {
        BOOST_CHECK_EQUAL(c.spectralWindow().chanFreq()(0)(IPosition(1, k)),
                          frequencies[k]);
        BOOST_CHECK_CLOSE(
            c.spectralWindow().chanWidth()(0)(IPosition(1, k)), 1e6 / 6, 1e-12);
    }
    for (int k = 0; k < 4; k++)
        BOOST_CHECK_EQUAL(c.polarization().corrType()(0)(IPosition(1, k)), 9 + k);
    BOOST_CHECK_EQUAL(c.observation().telescopeName()(0), "SMALL");
    BOOST_CHECK_EQUAL(ms.feed().nrow(), 4u);
    BOOST_CHECK_EQUAL(ms.processor().nrow(), 1u);
    BOOST_CHECK_EQUAL(std::string(c.history().message()(0)), params.history);
    BOOST_CHECK_EQUAL(std::string(c.history().appParams()(0)(IPosition(1, 0))),
                      params.observation.to_text());

    // 2026-06-12T11:20:40.25, center 1 s later; MJD 61203.
    const double midnight = 61203.0 * 86400;
    const double start = midnight + 11 * 3600 + 20 * 60 + 40.25;
    for (unsigned r = 0; r < 20; r++) {
        BOOST_CHECK_SMALL(c.time()(r) - (start + 1 + (r < 10 ? 0 : 2)), 2e-6);
        BOOST_CHECK_EQUAL(c.interval()(r), 2);
        BOOST_CHECK_EQUAL(c.exposure()(r), 1.5);
        BOOST_CHECK(c.antenna1()(r) <= c.antenna2()(r));
        BOOST_CHECK(!c.flagRow()(r));
    }
    BOOST_CHECK_SMALL(c.observation().timeRange()(0)(IPosition(1, 0)) - start, 2e-6);
    BOOST_CHECK_SMALL(c.observation().timeRange()(0)(IPosition(1, 1)) - start - 4, 2e-6);
    // A drift scan gets one direction: the zenith at the center of the first dump.
    const auto center = epoch::from_iso("2026-06-12T11:20:41.25");
    const auto radec = array::phase_center_radec(params.observation, center);
    BOOST_CHECK_EQUAL(ms.field().nrow(), 1u);
    for (int k = 0; k < 2; k++)
        BOOST_CHECK_EQUAL(c.field().phaseDir()(0)(IPosition(2, k, 0)), radec[k]);
}

// Every value where it belongs, turned to the phase center: DATA = V exp(-2 pi i f w / c)
// with the file's own w and frequencies.
BOOST_AUTO_TEST_CASE(every_product_is_in_its_place)
{
    const scratch folder;
    const std::size_t channels = 7;
    for (const std::string pols : {"X", "Y", "XY", "RL", "YX"}) {
        BOOST_TEST_CONTEXT(pols)
        {
            auto params = small_file(5, pols, channels);
            params.overwrite = true;
            const auto& obs = params.observation;
            const std::size_t n = obs.inputs.size(), products = kernels::baselines(n);
            const std::vector<io::dump> dumps{noise_dump(params, 0),
                                              noise_dump(params, 1)};
            write_all(folder / "x.ms", params, dumps);

            const MeasurementSet ms(folder / "x.ms");
            const casacore::MSColumns c(ms);
            // Polarizations in the order of the codes: 9 XX ... 12 YY, 5 RR ... 8 LL.
            const std::string codes = "RRRLLRLLXXXYYXYY";
            const auto types = c.polarization().corrType()(0);
            BOOST_REQUIRE_EQUAL(types.nelements(), pols.size() * pols.size());
            const auto frequencies = c.spectralWindow().chanFreq()(0);
            double worst = 0;
            for (unsigned r = 0; r < ms.nrow(); r++) {
                const auto data = c.data()(r);
                const double w = c.uvw()(r)(IPosition(1, 2));
                for (unsigned k = 0; k < types.nelements(); k++) {
                    const int code = types(IPosition(1, k));
                    const char p = codes[2 * (code - 5)], q = codes[2 * (code - 5) + 1];
                    const std::size_t i = c.antenna1()(r) * pols.size() + pols.find(p);
                    const std::size_t j = c.antenna2()(r) * pols.size() + pols.find(q);
                    for (unsigned ch = 0; ch < channels; ch++) {
                        const auto& all = dumps[r / 15].visibilities;
                        const auto at = ch * products;
                        std::complex<double> v =
                            i <= j
                                ? all[at + kernels::baseline_index(i, j, n)]
                                : std::conj(all[at + kernels::baseline_index(j, i, n)]);
                        const double f = frequencies(IPosition(1, ch));
                        v *= std::polar(1.0, -2 * M_PI * f * w / 299792458.0);
                        worst = std::max(worst, error(data, IPosition(2, k, ch), v));
                    }
                }
            }
            BOOST_CHECK_SMALL(worst, 2e-6);
        }
    }
}

// A point source anywhere, correlated by its delays, is exp(2 pi i (u l + v m + w (n -
// 1)) f / c) in the file.
BOOST_AUTO_TEST_CASE(a_source_has_the_phase_that_uvw_says)
{
    const scratch folder;
    using kind = phase_center::kind;
    for (const auto frame : {kind::zenith, kind::azel, kind::radec}) {
        auto params = small_file(6, "X", 3);
        params.overwrite = true;
        auto& obs = params.observation;
        obs.phase_center.frame = frame;
        obs.phase_center.longitude = 1.0;
        obs.phase_center.latitude = 1.1;
        if (frame == kind::radec) {
            const std::string table = "61202 0.6 0.1 0.4\n61205 0.6 0.1 0.4\n";
            write_bytes(folder / "eop.txt", {table.begin(), table.end()});
            obs.dut1 = 0;
            obs.set_earth_orientation(folder / "eop.txt");
        }
        const auto first = epoch::from_iso("2026-06-12T11:20:41.25");
        const auto radec = array::phase_center_radec(obs, first);
        const double l = 0.05, m = -0.03, n = std::sqrt(1 - l * l - m * m);
        std::vector<io::dump> dumps;
        for (unsigned k = 0; k < 2; k++) {
            auto d = noise_dump(params, 600 * k); // 20 minutes of drift
            const epoch middle = d.start.plus_seconds(1);
            const auto axes = array::axes_of_radec(
                radec[0], radec[1], middle, array::orientation_of(obs, middle));
            array::vec3 s;
            for (int x = 0; x < 3; x++)
                s[x] = l * axes.u[x] + m * axes.v[x] + n * axes.w[x];
            const auto tau = array::delays(obs, s);
            const auto f = obs.channel_frequencies(3, true);
            auto out = d.visibilities.begin();
            for (int ch = 0; ch < 3; ch++)
                for (int i = 0; i < 6; i++)
                    for (int j = i; j < 6; j++)
                        *out++ = std::complex<float>(
                            std::polar(1.0, -2 * M_PI * f[ch] * (tau[i] - tau[j])));
            dumps.push_back(d);
        }
        write_all(folder / "x.ms", params, dumps);
        const MeasurementSet ms(folder / "x.ms");
        const casacore::MSColumns c(ms);
        double worst = 0;
        for (unsigned r = 0; r < ms.nrow(); r++) {
            const auto uvw = c.uvw()(r);
            const double path = uvw(IPosition(1, 0)) * l + uvw(IPosition(1, 1)) * m +
                                uvw(IPosition(1, 2)) * (n - 1);
            for (int ch = 0; ch < 3; ch++) {
                const double f = c.spectralWindow().chanFreq()(0)(IPosition(1, ch));
                worst =
                    std::max(worst,
                             error(c.data()(r),
                                   IPosition(2, 0, ch),
                                   std::polar(1.0, 2 * M_PI * f * path / 299792458.0)));
            }
        }
        BOOST_CHECK_SMALL(worst, 1e-5);
    }
}

BOOST_AUTO_TEST_CASE(weights_and_flags_say_what_is_valid)
{
    const scratch folder;
    auto params = small_file(3, "X", 4);
    params.observation.inputs[2].bad = true;
    auto d = noise_dump(params, 0);
    // Products 0-0 0-1 0-2 1-1 1-2 2-2; channel 1 of 0-1 is lost, channel 2 of it half.
    d.weights[1 * 6 + 1] = 0;
    d.weights[2 * 6 + 1] = 0.5f;
    for (int ch = 0; ch < 4; ch++)
        d.weights[ch * 6 + 3] = 0;
    d.visibilities[3 * 6 + 0] = NAN;
    // Channel 2 of 0-0 stood out.
    d.flags.assign(d.weights.size(), 0);
    d.flags[2 * 6 + 0] = bit(flag::median);
    write_all(folder / "x.ms", params, {d});

    const MeasurementSet ms(folder / "x.ms");
    const casacore::MSColumns c(ms);
    const double full = 2 * 2e6 / 4; // seconds x channel width
    const auto weight = [&](int r, int ch) {
        return c.weightSpectrum()(r)(IPosition(2, 0, ch));
    };
    const auto flag = [&](int r, int ch) { return c.flag()(r)(IPosition(2, 0, ch)); };
    BOOST_CHECK_EQUAL(weight(1, 0), full);
    BOOST_CHECK_EQUAL(weight(1, 1), 0);
    BOOST_CHECK_EQUAL(weight(1, 2), full / 2);
    BOOST_CHECK(!flag(1, 0) && flag(1, 1) && !flag(1, 2));
    BOOST_CHECK_EQUAL(c.data()(1)(IPosition(2, 0, 1)), value(0));
    const double mean = full * 2.5 / 4;
    BOOST_CHECK_CLOSE(c.weight()(1)(IPosition(1, 0)), mean, 1e-4);
    BOOST_CHECK_CLOSE(c.sigma()(1)(IPosition(1, 0)), 1 / std::sqrt(mean), 1e-4);
    // Nothing at all in 1-1.
    BOOST_CHECK(c.flagRow()(3));
    BOOST_CHECK_EQUAL(c.weight()(3)(IPosition(1, 0)), 0);
    BOOST_CHECK_EQUAL(c.sigma()(3)(IPosition(1, 0)), 1);
    // No number.
    BOOST_CHECK(flag(0, 3) && weight(0, 3) == 0);
    BOOST_CHECK_EQUAL(c.data()(0)(IPosition(2, 0, 3)), value(0));
    // The flagged value keeps its weight.
    BOOST_CHECK(flag(0, 2) && !flag(0, 1) && weight(0, 2) == full);
    BOOST_CHECK(c.data()(0)(IPosition(2, 0, 2)) != value(0));
    BOOST_CHECK(!c.flagRow()(0));
    // The bad input: flagged, and still there.
    for (const int r : {2, 4, 5}) {
        BOOST_CHECK(c.flagRow()(r) && flag(r, 0));
        BOOST_CHECK(c.data()(r)(IPosition(2, 0, 0)) != value(0));
    }
}

BOOST_AUTO_TEST_CASE(antennas_may_lack_a_polarization_or_all)
{
    const scratch folder;
    auto params = small_file(4, "X", 2);
    auto& inputs = params.observation.inputs;
    inputs.erase(inputs.begin() + 1); // antenna 1 is not connected
    inputs[2].polarization = 'Y';     // antenna 3 has Y alone
    write_all(folder / "x.ms", params, {noise_dump(params, 0)});
    const MeasurementSet ms(folder / "x.ms");
    const casacore::MSColumns c(ms);
    BOOST_REQUIRE_EQUAL(ms.nrow(), 6u);
    const bool xx_xy_yx_yy[][4] = {{1, 0, 0, 0},
                                   {1, 0, 0, 0},
                                   {0, 1, 0, 0},
                                   {1, 0, 0, 0},
                                   {0, 1, 0, 0},
                                   {0, 0, 0, 1}};
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 4; k++)
            BOOST_CHECK_EQUAL(c.flag()(r)(IPosition(2, k, 0)), !xx_xy_yx_yy[r][k]);
    BOOST_CHECK_EQUAL(c.antenna2()(1), 2);
}

BOOST_AUTO_TEST_CASE(what_a_measurement_set_cannot_hold_is_refused)
{
    const scratch folder;
    auto p = small_file(3, "X", 4);
    p.observation.inputs[1].antenna = 0;
    check_refused<std::invalid_argument>(
        [&] { open_visibility_file(folder / "x.ms", p); }, {"x.ms", "inputs 0 and 1"});
    check_what_is_refused(folder, ".ms");
}

namespace {

// Writes until it fails; then what is left must be whole dumps, each as it was written.
void check_full_disk(const std::string& path, const limited_writing& with_limit)
{
    const auto params = write_until_full(path, with_limit, "full");

    const MeasurementSet ms(io::partial_path(path));
    const casacore::MSColumns c(ms);
    BOOST_REQUIRE_EQUAL(ms.nrow() % 55, 0u);
    BOOST_REQUIRE_GE(ms.nrow(), 55u);
    BOOST_TEST_MESSAGE(path << ": " << ms.nrow() / 55 << " dumps on the full disk");
    double worst = 0;
    io::dump d;
    const auto frequencies = params.observation.channel_frequencies(512, true);
    for (unsigned r = 0; r < ms.nrow(); r++) {
        if (r % 55 == 0)
            d = noise_dump(params, r / 55);
        const auto data = c.data()(r);
        const double w = c.uvw()(r)(IPosition(1, 2));
        for (unsigned ch = 0; ch < 512; ch += 73) {
            const double f = frequencies[ch];
            const auto v = std::complex<double>(d.visibilities[ch * 55 + r % 55]) *
                           std::polar(1.0, -2 * M_PI * f * w / 299792458.0);
            worst = std::max(worst, error(data, IPosition(2, 0, ch), v));
        }
        BOOST_REQUIRE(!c.flag()(r)(IPosition(2, 0, 9)));
    }
    BOOST_CHECK_SMALL(worst, 2e-6);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_the_whole_dumps)
{
    on_a_small_disk("x.ms", check_full_disk);
}

BOOST_AUTO_TEST_CASE(a_failing_write_leaves_the_whole_dumps)
{
    const scratch folder;
    for (const rlim_t limit : {3u << 20, 4u << 20, (5u << 20) + 12345})
        check_full_disk(folder / (std::to_string(limit) + ".ms"), [&](auto& write) {
            const file_size_limit limited(limit);
            write();
        });
}
