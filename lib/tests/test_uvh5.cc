/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "scratch.h"
#include "uvh5_reader.h"
#include "writer_cases.h"
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace gr::fringe;
using io::open_visibility_file;

namespace {

constexpr double speed_of_light = 299792458.0;

void write_all(const std::string& path,
               const io::visibility_file_params& params,
               const std::vector<io::dump>& dumps)
{
    const auto file = open_visibility_file(path, params);
    for (const auto& d : dumps)
        file->write(d);
    file->finish();
}

double error(std::complex<float> a, std::complex<double> expected)
{
    return std::abs(std::complex<double>(a) - expected);
}

} // namespace

BOOST_AUTO_TEST_CASE(the_header_describes_the_observation)
{
    const scratch folder;
    auto params = small_file(4, "XY", 6);
    params.complex_samples = false;
    const auto& obs = params.observation;
    write_all(folder / "x.uvh5", params, {noise_dump(params, 0), noise_dump(params, 1)});

    const uvh5_reader file(folder / "x.uvh5");
    const std::vector<std::pair<std::string, std::int64_t>> counts{{"Nants_data", 4},
                                                                   {"Nants_telescope", 4},
                                                                   {"Nbls", 10},
                                                                   {"Nblts", 20},
                                                                   {"Ntimes", 2},
                                                                   {"Nfreqs", 6},
                                                                   {"Npols", 4},
                                                                   {"Nspws", 1},
                                                                   {"Nphase", 1}};
    for (const auto& [name, count] : counts)
        BOOST_CHECK_EQUAL(file.integers("Header/" + name).at(0), count);
    BOOST_CHECK_EQUAL(file.texts("Header/version").at(0), "1.1");
    BOOST_CHECK_EQUAL(file.texts("Header/telescope_name").at(0), "SMALL");
    BOOST_CHECK_EQUAL(file.texts("Header/x_orientation").at(0), "north");
    BOOST_CHECK_EQUAL(file.texts("Header/antenna_names").at(2), "T2");
    BOOST_CHECK_EQUAL(file.texts("Header/history").at(0).find(params.history), 0u);
    BOOST_CHECK_EQUAL(file.texts("gr-fringe/observation").at(0), obs.to_text());
    BOOST_CHECK(file.integers("Header/polarization_array") ==
                (std::vector<std::int64_t>{-5, -7, -8, -6}));
    BOOST_CHECK(file.numbers("Header/freq_array") == obs.channel_frequencies(6, false));
    BOOST_CHECK_CLOSE(file.numbers("Header/channel_width").at(5), 1e6 / 6, 1e-12);
    BOOST_CHECK_EQUAL(file.numbers("Header/latitude").at(0), -30);

    // Positions are counted from the site.
    const auto positions = file.numbers("Header/antenna_positions");
    const auto site = array::itrf_from_wgs84(-30, 21, 1000);
    for (int a = 0; a < 4; a++)
        for (int k = 0; k < 3; k++)
            BOOST_CHECK_SMALL(positions.at(3 * a + k) + site[k] - obs.antennas[a].itrf[k],
                              1e-8);

    // 2026-06-12T11:20:40.25 is JD 2461203.97...; the center is 1 s later.
    const auto times = file.numbers("Header/time_array");
    for (int r = 0; r < 20; r++)
        BOOST_CHECK_SMALL((times.at(r) - 2461203.5) * 86400 -
                              (11 * 3600 + 20 * 60 + 41.25 + (r < 10 ? 0 : 2)),
                          5e-5);
    // By astropy.
    BOOST_CHECK_SMALL(file.numbers("Header/lst_array").at(0) - 1.60527815444, 1e-8);
    BOOST_CHECK(file.numbers("Header/integration_time") == std::vector<double>(20, 2));
    BOOST_CHECK(file.numbers("gr-fringe/exposure") == std::vector<double>(2, 1.5));
    const auto start = noise_dump(params, 1).start;
    BOOST_CHECK_EQUAL(file.integers("gr-fringe/start_seconds").at(1), start.seconds);
    BOOST_CHECK_EQUAL(file.integers("gr-fringe/start_attoseconds").at(1), start.attos);

    const auto radec =
        array::phase_center_radec(obs, epoch::from_iso("2026-06-12T11:20:41.25"));
    const std::string center = "Header/phase_center_catalog/0/";
    BOOST_CHECK_EQUAL(file.texts(center + "cat_type").at(0), "sidereal");
    BOOST_CHECK_EQUAL(file.texts(center + "cat_frame").at(0), "icrs");
    BOOST_CHECK_EQUAL(file.numbers(center + "cat_lon").at(0), radec[0]);
    BOOST_CHECK_EQUAL(file.numbers(center + "cat_lat").at(0), radec[1]);

    // Types as h5py makes them.
    BOOST_CHECK(file.is_h5py_bool("Data/flags"));
    BOOST_CHECK(file.is_h5py_bool("Header/flex_spw"));
    BOOST_CHECK(file.shape("Data/visdata") == (std::vector<hsize_t>{20, 6, 4}));
    BOOST_CHECK(file.shape("Data/nsamples") == file.shape("Data/visdata"));
    BOOST_CHECK(file.shape("Header/uvw_array") == (std::vector<hsize_t>{20, 3}));
}

// visdata = <conj(v_1) v_2> turned to the phase center by the file's own w.
BOOST_AUTO_TEST_CASE(every_product_is_in_its_place)
{
    const scratch folder;
    // A dump shares a chunk with others, fills one and a bit, or needs many.
    for (const std::size_t channels : {7u, 2500u, 60000u})
        for (const std::string pols : {"X", "XY", "LR"}) {
            if (channels > 7 && pols == "LR")
                continue;
            BOOST_TEST_CONTEXT(pols << " " << channels)
            {
                auto params = small_file(5, pols, channels);
                params.overwrite = true;
                const std::size_t n = params.observation.inputs.size();
                const std::size_t products = kernels::baselines(n);
                const std::vector<io::dump> dumps{
                    noise_dump(params, 0), noise_dump(params, 1), noise_dump(params, 2)};
                write_all(folder / "x.uvh5", params, dumps);

                const uvh5_reader file(folder / "x.uvh5");
                const auto codes = file.integers("Header/polarization_array");
                const auto first = file.integers("Header/ant_1_array");
                const auto second = file.integers("Header/ant_2_array");
                const auto f = file.numbers("Header/freq_array");
                const auto uvw = file.numbers("Header/uvw_array");
                const auto data = file.complexes("Data/visdata");
                // -1 RR LL RL LR, -5 XX YY XY YX
                const std::string hands = "RRLLRLLRXXYYXYYX";
                BOOST_REQUIRE_EQUAL(codes.size(), pols.size() * pols.size());
                BOOST_REQUIRE_EQUAL(data.size(), 45 * channels * codes.size());
                double worst = 0;
                for (std::size_t r = 0; r < 45; r++)
                    for (std::size_t k = 0; k < codes.size(); k++) {
                        const std::size_t code = -codes[k] - 1;
                        const std::size_t i =
                            first[r] * pols.size() + pols.find(hands[2 * code]);
                        const std::size_t j =
                            second[r] * pols.size() + pols.find(hands[2 * code + 1]);
                        const auto& all = dumps[r / 15].visibilities;
                        for (std::size_t c = 0; c < channels; c++) {
                            const auto at = c * products;
                            std::complex<double> v =
                                i <= j ? std::conj(
                                             all[at + kernels::baseline_index(i, j, n)])
                                       : all[at + kernels::baseline_index(j, i, n)];
                            const double turns =
                                std::remainder(f[c] * uvw[3 * r + 2] / speed_of_light, 1);
                            v *= std::polar(1.0, -2 * M_PI * turns);
                            worst = std::max(
                                worst,
                                error(data[(r * channels + c) * codes.size() + k], v));
                        }
                    }
                BOOST_CHECK_SMALL(worst, 3e-6);
            }
        }
}

// A point source anywhere, correlated by its delays, is exp(2 pi i (u l + v m + w (n -
// 1)) f / c), with uvw = r_2 - r_1 on the axes of the phase center, and those axes are
// what the header says of the apparent place.
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
        const auto f = obs.channel_frequencies(3, true);
        std::vector<io::dump> dumps;
        std::vector<array::uvw_axes> axes;
        for (unsigned k = 0; k < 2; k++) {
            auto d = noise_dump(params, 600 * k); // 20 minutes of drift
            const epoch middle = d.start.plus_seconds(1);
            axes.push_back(array::axes_of_radec(
                radec[0], radec[1], middle, array::orientation_of(obs, middle)));
            array::vec3 s;
            for (int x = 0; x < 3; x++)
                s[x] = l * axes[k].u[x] + m * axes[k].v[x] + n * axes[k].w[x];
            const auto tau = array::delays(obs, s);
            auto out = d.visibilities.begin();
            for (int ch = 0; ch < 3; ch++)
                for (int i = 0; i < 6; i++)
                    for (int j = i; j < 6; j++)
                        *out++ = std::complex<float>(
                            std::polar(1.0, -2 * M_PI * f[ch] * (tau[i] - tau[j])));
            dumps.push_back(d);
        }
        write_all(folder / "x.uvh5", params, dumps);
        const uvh5_reader file(folder / "x.uvh5");
        const auto uvw = file.numbers("Header/uvw_array");
        const auto data = file.complexes("Data/visdata");
        const auto first_antenna = file.integers("Header/ant_1_array");
        const auto second_antenna = file.integers("Header/ant_2_array");
        double worst = 0, worst_uvw = 0;
        for (std::size_t r = 0; r < 42; r++) {
            const double path =
                uvw[3 * r] * l + uvw[3 * r + 1] * m + uvw[3 * r + 2] * (n - 1);
            for (int ch = 0; ch < 3; ch++)
                worst = std::max(
                    worst,
                    error(data[3 * r + ch],
                          std::polar(1.0, 2 * M_PI * f[ch] * path / speed_of_light)));
            const auto& a = obs.antennas[first_antenna[r]].itrf;
            const auto& b = obs.antennas[second_antenna[r]].itrf;
            double u = 0;
            for (int x = 0; x < 3; x++)
                u += axes[r / 21].u[x] * (b[x] - a[x]);
            worst_uvw = std::max(worst_uvw, std::abs(u - uvw[3 * r]));
        }
        BOOST_CHECK_SMALL(worst, 1e-5);
        BOOST_CHECK_SMALL(worst_uvw, 1e-6);

        // w of the header's apparent place, in the frame that turns with the earth.
        for (std::size_t r : {0, 41}) {
            const double gha = file.numbers("Header/phase_center_app_ra")[r] -
                               file.numbers("Header/lst_array")[r] + 21 * M_PI / 180;
            const double dec = file.numbers("Header/phase_center_app_dec")[r];
            const auto& w = axes[r / 21].w;
            BOOST_CHECK_SMALL(w[0] - std::cos(dec) * std::cos(gha), 1e-9);
            BOOST_CHECK_SMALL(w[1] - std::cos(dec) * std::sin(gha), 1e-9);
            BOOST_CHECK_SMALL(w[2] - std::sin(dec), 1e-9);
        }
    }
}

BOOST_AUTO_TEST_CASE(samples_and_flags_say_what_is_valid)
{
    const scratch folder;
    auto params = small_file(3, "X", 4);
    params.observation.inputs[2].bad = true;
    auto d = noise_dump(params, 0);
    // Products 0-0 0-1 0-2 1-1 1-2 2-2; channel 1 of 0-1 is lost, channel 2 of it half.
    d.weights[1 * 6 + 1] = 0;
    d.weights[2 * 6 + 1] = 0.5f;
    d.visibilities[3 * 6 + 0] = NAN;
    write_all(folder / "x.uvh5", params, {d});

    const uvh5_reader file(folder / "x.uvh5");
    const auto samples = file.reals("Data/nsamples");
    const auto flags = file.booleans("Data/flags");
    const auto data = file.complexes("Data/visdata");
    BOOST_CHECK(std::vector<float>(samples.begin() + 4, samples.begin() + 8) ==
                (std::vector<float>{1, 0, 0.5, 1}));
    BOOST_CHECK(std::vector<char>(flags.begin() + 4, flags.begin() + 8) ==
                (std::vector<char>{0, 1, 0, 0}));
    BOOST_CHECK_EQUAL(data[5], std::complex<float>(0));
    // No number.
    BOOST_CHECK(flags[3] && samples[3] == 0 && data[3] == std::complex<float>(0));
    // The bad input: flagged, and still there.
    for (const int r : {2, 4, 5})
        BOOST_CHECK(flags[4 * r] && samples[4 * r] == 1 &&
                    data[4 * r] != std::complex<float>(0));
}

BOOST_AUTO_TEST_CASE(what_a_uvh5_file_cannot_hold_is_refused)
{
    check_what_is_refused(scratch(), ".uvh5");
}

namespace {

// Writes until it fails; then what is left must be whole dumps, each as it was written.
void check_full_disk(const std::string& path, const limited_writing& with_limit)
{
    const auto params = write_until_full(path, with_limit, "next dump");

    const uvh5_reader left(io::partial_path(path));
    const auto dumps = static_cast<std::size_t>(left.integers("Header/Ntimes").at(0));
    BOOST_TEST_MESSAGE(path << ": " << dumps << " dumps on the full disk");
    // Those of the last milliseconds may be missing.
    BOOST_REQUIRE_GE(dumps, 1u);
    BOOST_CHECK_EQUAL(left.integers("Header/Nblts").at(0), dumps * 55);
    BOOST_REQUIRE_EQUAL(left.shape("Data/visdata").at(0), dumps * 55);
    const auto f = left.numbers("Header/freq_array");
    const auto uvw = left.numbers("Header/uvw_array");
    const auto data = left.complexes("Data/visdata");
    double worst = 0;
    for (std::size_t k = 0; k < dumps; k++) {
        const auto d = noise_dump(params, static_cast<unsigned>(k));
        for (std::size_t r = 0; r < 55; r++)
            for (std::size_t c = 0; c < 512; c += 73) {
                const std::size_t row = 55 * k + r;
                const auto v =
                    std::conj(std::complex<double>(d.visibilities[c * 55 + r])) *
                    std::polar(1.0, -2 * M_PI * f[c] * uvw[3 * row + 2] / speed_of_light);
                worst = std::max(worst, error(data[row * 512 + c], v));
            }
    }
    BOOST_CHECK_SMALL(worst, 2e-6);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_the_whole_dumps)
{
    on_a_small_disk("x.uvh5", check_full_disk);
}

BOOST_AUTO_TEST_CASE(a_failing_write_leaves_the_whole_dumps)
{
    const scratch folder;
    for (const rlim_t limit : {3u << 20, 4u << 20, (5u << 20) + 12345})
        check_full_disk(folder / (std::to_string(limit) + ".uvh5"), [&](auto& write) {
            const file_size_limit limited(limit);
            write();
        });
}
