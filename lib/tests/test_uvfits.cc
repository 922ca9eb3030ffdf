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
#include <casacore/casa/Arrays/ArrayLogical.h>
#include <casacore/casa/Logging/LogFilter.h>
#include <casacore/casa/Logging/LogSink.h>
#include <casacore/ms/MeasurementSets.h>
#include <casacore/msfits/MSFits/MSFitsInput.h>
#include <cmath>
#include <fitsio.h>
#include <gnuradio/fringe/flags.h>
#include <thread>

using namespace gr::fringe;
using io::open_visibility_file;

namespace {

enum { UU, VV, WW, DATE, DATE_REST, BASELINE, FREQSEL, INTTIM, parameters };

// A UVFITS file by cfitsio; what cannot be read ends the test.
class reader
{
public:
    explicit reader(const std::string& path)
    {
        fits_open_file(&d_file, path.c_str(), READONLY, &d_status);
        check();
    }
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    ~reader()
    {
        int status = 0;
        fits_close_file(d_file, &status);
    }

    void check() { BOOST_REQUIRE_EQUAL(d_status, 0); }
    void table(const char* name)
    {
        fits_movnam_hdu(d_file, BINARY_TBL, const_cast<char*>(name), 0, &d_status);
        check();
    }
    int extensions()
    {
        int count = 0;
        fits_get_num_hdus(d_file, &count, &d_status);
        check();
        return count - 1;
    }
    double number(const char* key)
    {
        double value = 0;
        fits_read_key_dbl(d_file, key, &value, nullptr, &d_status);
        check();
        return value;
    }
    std::string text(const char* key)
    {
        char value[FLEN_VALUE] = "";
        fits_read_key_str(d_file, key, value, nullptr, &d_status);
        check();
        return value;
    }
    std::string header()
    {
        char* all = nullptr;
        int count = 0, status = 0;
        fits_hdr2str(d_file, 0, nullptr, 0, &all, &count, &d_status);
        check();
        const std::string copy = all;
        fits_free_memory(all, &status);
        return copy;
    }
    std::vector<float> group(long n, long values)
    {
        std::vector<float> all(static_cast<std::size_t>(parameters + values));
        int any = 0;
        fits_read_grppar_flt(d_file, n + 1, 1, parameters, all.data(), &d_status);
        fits_read_img_flt(
            d_file, n + 1, 1, values, 0, all.data() + parameters, &any, &d_status);
        check();
        return all;
    }
    std::vector<double> column(int number, long count)
    {
        std::vector<double> all(static_cast<std::size_t>(count));
        int any = 0;
        fits_read_col_dbl(d_file, number, 1, 1, count, 0, all.data(), &any, &d_status);
        check();
        return all;
    }

private:
    fitsfile* d_file = nullptr;
    int d_status = 0;
};

void write_all(const std::string& path,
               const io::visibility_file_params& params,
               const std::vector<io::dump>& dumps)
{
    const auto file = open_visibility_file(path, params);
    for (const auto& d : dumps)
        file->write(d);
    file->note("lost: nothing");
    file->finish();
}

} // namespace

BOOST_AUTO_TEST_CASE(headers_and_tables_describe_the_observation)
{
    const scratch folder;
    auto params = small_file(4, "XY", 6);
    params.history =
        "a command\nof two lines, the second of which is so long that it does "
        "not go on a single card";
    write_all(
        folder / "x.uvfits", params, {noise_dump(params, 0), noise_dump(params, 1)});
    BOOST_CHECK_EQUAL(std::filesystem::file_size(folder / "x.uvfits") % 2880, 0u);
    reader file(folder / "x.uvfits");
    BOOST_CHECK_EQUAL(file.number("GCOUNT"), 20);
    BOOST_CHECK_EQUAL(file.text("TELESCOP"), "SMALL");
    BOOST_CHECK_EQUAL(file.number("CRVAL3"), -5);
    BOOST_CHECK_EQUAL(file.number("CDELT3"), -1);
    BOOST_CHECK_EQUAL(file.number("CRVAL4"),
                      params.observation.channel_frequencies(6, true)[0]);
    BOOST_CHECK_EQUAL(file.number("CDELT4"), 2e6 / 6);
    BOOST_CHECK_EQUAL(file.number("PZERO4"), 2461203.5); // the midnight before
    const auto radec = array::phase_center_radec(
        params.observation, epoch::from_iso("2026-06-12T11:20:41.25"));
    BOOST_CHECK_CLOSE(file.number("CRVAL6"), radec[0] * 180 / M_PI, 1e-12);
    BOOST_CHECK_CLOSE(file.number("CRVAL7"), radec[1] * 180 / M_PI, 1e-12);
    const std::string header = file.header();
    for (const char* words : {"HISTORY a command ",
                              "HISTORY ngle card",
                              "HISTORY lost: nothing",
                              "HISTORY Written by gr-fringe"})
        BOOST_CHECK_MESSAGE(header.find(words) != std::string::npos, words);

    BOOST_CHECK_EQUAL(file.extensions(), 2); // no filler is left
    file.table("AIPS AN");
    const auto positions = file.column(2, 12);
    for (std::size_t a = 0; a < 4; a++)
        for (std::size_t k = 0; k < 3; k++)
            BOOST_CHECK_EQUAL(positions[3 * a + k],
                              params.observation.antennas[a].itrf[k]);
    BOOST_CHECK_EQUAL(file.number("UT1UTC"), 0.1);
    BOOST_CHECK_EQUAL(file.number("IATUTC"), 37);
    BOOST_CHECK_EQUAL(file.text("RDATE"), "2026-06-12");
    file.table("AIPS FQ");
    BOOST_CHECK_EQUAL(file.number("NO_IF"), 1);
    BOOST_CHECK_EQUAL(file.column(3, 1)[0], static_cast<float>(2e6 / 6));
}

// Everything where it belongs; AIPS's order of correlations is XX YY XY YX.
BOOST_AUTO_TEST_CASE(every_product_is_in_its_place)
{
    const scratch folder;
    const std::size_t channels = 7;
    for (const std::string pols : {"X", "Y", "XY", "RL"}) {
        BOOST_TEST_CONTEXT(pols)
        {
            auto params = small_file(5, pols, channels);
            params.overwrite = true;
            const std::size_t n = params.observation.inputs.size(),
                              products = kernels::baselines(n), hands = pols.size();
            std::vector<io::dump> dumps;
            for (unsigned k = 0; k < 3; k++)
                dumps.push_back(noise_dump(params, k));
            dumps[1].weights[2 * products] = 0; // 0-0 in channel 2
            dumps[2].flags.assign(dumps[2].weights.size(), 0);
            dumps[2].flags[3 * products] = bit(flag::mask);
            write_all(folder / "x.uvfits", params, dumps);
            reader file(folder / "x.uvfits");
            const int stokes = static_cast<int>(file.number("CRVAL3"));
            BOOST_CHECK_EQUAL(stokes, pols == "RL" ? -1 : pols == "Y" ? -6 : -5);
            const std::vector<std::array<std::size_t, 2>> order{
                {0, 0}, {1, 1}, {0, 1}, {1, 0}};
            const std::size_t correlations = hands * hands;
            const auto f = params.observation.channel_frequencies(channels, true);
            const float full = 2 * 2e6f / channels;
            double worst = 0;
            for (long g = 0; g < 45; g++) {
                const auto v =
                    file.group(g, static_cast<long>(3 * channels * correlations));
                const auto pair = static_cast<std::size_t>(v[BASELINE]);
                const std::size_t a = pair / 256 - 1, b = pair % 256 - 1;
                BOOST_REQUIRE(a <= b && b < 5);
                BOOST_CHECK_EQUAL(v[INTTIM], 2);
                // Two floats hold the instant to a nanosecond.
                const double seconds =
                    (static_cast<double>(v[DATE]) + v[DATE_REST]) * 86400;
                const double center = 11 * 3600 + 20 * 60 + 41.25 + 2.0 * (g / 15);
                BOOST_CHECK_SMALL(seconds - center, 1e-8);
                const auto& d = dumps[static_cast<std::size_t>(g / 15)];
                const float* cell = v.data() + parameters;
                for (std::size_t c = 0; c < channels; c++)
                    for (std::size_t k = 0; k < correlations; k++, cell += 3) {
                        const std::size_t i = a * hands + order[k][0],
                                          j = b * hands + order[k][1];
                        const std::size_t at =
                            c * products +
                            kernels::baseline_index(std::min(i, j), std::max(i, j), n);
                        std::complex<double> expected = d.visibilities[at];
                        if (i > j)
                            expected = std::conj(expected);
                        expected *= std::polar(1.0, -2 * M_PI * f[c] * v[WW]);
                        float weight = full;
                        if (d.weights[at] == 0) {
                            expected = 0;
                            weight = 0;
                        }
                        if (!d.flags.empty() && d.flags[at])
                            weight = -full;
                        BOOST_CHECK_EQUAL(cell[2], weight);
                        worst = std::max(
                            worst,
                            std::abs(std::complex<double>(cell[0], cell[1]) - expected));
                    }
            }
            // w is a float of seconds here: 1e-7 of 150 m at 150 MHz.
            BOOST_CHECK_SMALL(worst, 2e-4);
        }
    }
}

// casacore's importer, which is CASA's importuvfits, makes of it what is written as a
// MeasurementSet.
BOOST_AUTO_TEST_CASE(imported_it_is_the_measurement_set)
{
    casacore::LogSink::globalSink().filter(
        casacore::LogFilter(casacore::LogMessage::SEVERE));
    const scratch folder;
    const auto params = small_file(5, "XY", 16);
    std::vector<io::dump> dumps{noise_dump(params, 0), noise_dump(params, 1)};
    dumps[0].weights[7] = 0;
    write_all(folder / "x.uvfits", params, dumps);
    write_all(folder / "x.ms", params, dumps);
    casacore::MSFitsInput(folder / "imported.ms", folder / "x.uvfits").readFitsFile();
    const casacore::MeasurementSet first(folder / "x.ms"), second(folder / "imported.ms");
    const casacore::MSColumns first_columns(first), second_columns(second);
    BOOST_REQUIRE_EQUAL(second.nrow(), first.nrow());
    const auto same = [](const auto& a, const auto& b, double by) {
        return casacore::allNearAbs(a, b, by);
    };
    BOOST_CHECK(allEQ(first_columns.antenna1().getColumn(),
                      second_columns.antenna1().getColumn()));
    BOOST_CHECK(allEQ(first_columns.antenna2().getColumn(),
                      second_columns.antenna2().getColumn()));
    BOOST_CHECK(
        same(first_columns.time().getColumn(), second_columns.time().getColumn(), 1e-4));
    BOOST_CHECK(
        same(first_columns.uvw().getColumn(), second_columns.uvw().getColumn(), 1e-4));
    BOOST_CHECK(
        allEQ(first_columns.data().getColumn(), second_columns.data().getColumn()));
    BOOST_CHECK(
        allEQ(first_columns.flag().getColumn(), second_columns.flag().getColumn()));
    BOOST_CHECK(same(first_columns.antenna().position().getColumn(),
                     second_columns.antenna().position().getColumn(),
                     1e-6));
    BOOST_CHECK(same(first_columns.field().phaseDir().getColumn(),
                     second_columns.field().phaseDir().getColumn(),
                     1e-12));
    BOOST_CHECK(same(first_columns.spectralWindow().chanFreq().getColumn(),
                     second_columns.spectralWindow().chanFreq().getColumn(),
                     1));
    BOOST_CHECK(allEQ(first_columns.polarization().corrType().getColumn(),
                      second_columns.polarization().corrType().getColumn()));
}

BOOST_AUTO_TEST_CASE(a_file_that_grows_is_readable_all_the_time)
{
    const scratch folder;
    const std::string path = folder / "x.uvfits";
    // Groups of many sizes: the tables move when the filler before them is used up.
    for (const auto& [antennas, channels] :
         std::vector<std::pair<int, int>>{{1, 1}, {2, 3}, {3, 100}, {12, 64}}) {
        auto params = small_file(antennas, "X", channels);
        params.overwrite = true;
        const long rows = antennas * (antennas + 1) / 2;
        const auto file = open_visibility_file(path, params);
        for (unsigned k = 0; k < 150; k++) {
            auto d = noise_dump(params, 0);
            std::fill(d.visibilities.begin(), d.visibilities.end(), k + 1.0f);
            file->write(d);
            while (file->saved() <= k)
                std::this_thread::yield();
            if (k % 13 != 0 && k != 64 && k != 65)
                continue;
            reader partial(io::partial_path(path));
            BOOST_REQUIRE_EQUAL(partial.number("GCOUNT"), (k + 1) * rows);
            for (unsigned was = 0; was <= k; was++) {
                const auto v = partial.group((was + 1) * rows - 1, 3 * channels);
                for (long c = 0; c < channels; c++)
                    BOOST_REQUIRE_CLOSE(
                        std::hypot(v[parameters + 3 * c], v[parameters + 3 * c + 1]),
                        was + 1.0,
                        1e-4);
            }
            partial.table("AIPS AN");
            BOOST_CHECK_EQUAL(partial.column(4, antennas).back(), antennas);
        }
        file->finish();
    }
}

BOOST_AUTO_TEST_CASE(many_antennas_have_baselines_of_another_kind)
{
    const scratch folder;
    auto params = small_file(260, "X", 1);
    write_all(folder / "x.uvfits", params, {noise_dump(params, 0)});
    reader file(folder / "x.uvfits");
    const auto last = static_cast<long>(file.number("GCOUNT")) - 1;
    BOOST_CHECK_EQUAL(file.group(0, 3)[BASELINE], 65536 + 2048 + 1);
    BOOST_CHECK_EQUAL(file.group(last - 1, 3)[BASELINE], 65536 + 2048 * 259 + 260);
    BOOST_CHECK_EQUAL(file.group(last, 3)[BASELINE], 65536 + 2048 * 260 + 260);
}

BOOST_AUTO_TEST_CASE(what_a_uvfits_file_cannot_hold_is_refused)
{
    const scratch folder;
    check_what_is_refused(folder, ".uvfits");
}

namespace {

// What is left on a full disk are whole dumps, each as it was written.
void check_full_disk(const std::string& path, const limited_writing& with_limit)
{
    const auto params = write_until_full(path, with_limit, "x.uvfits");
    reader file(io::partial_path(path));
    const auto groups = static_cast<long>(file.number("GCOUNT"));
    BOOST_REQUIRE_EQUAL(groups % 55, 0);
    BOOST_REQUIRE_GE(groups, 2 * 55);
    for (long g = 0; g < groups; g += 55) {
        // An autocorrelation has no phase to turn.
        const auto d = noise_dump(params, static_cast<unsigned>(g / 55));
        const auto v = file.group(g, 3 * 512);
        for (std::size_t c = 0; c < 512; c++) {
            BOOST_REQUIRE_EQUAL(v[parameters + 3 * c], d.visibilities[c * 55].real());
            BOOST_REQUIRE_EQUAL(v[parameters + 3 * c + 1], d.visibilities[c * 55].imag());
        }
    }
    file.table("AIPS FQ");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_the_whole_dumps)
{
    on_a_small_disk("x.uvfits", check_full_disk);
}

BOOST_AUTO_TEST_CASE(a_failing_write_leaves_the_whole_dumps)
{
    const scratch folder;
    for (const rlim_t limit : {40u << 20, (45u << 20) + 12345}) {
        std::filesystem::remove(folder / "x.partial.uvfits");
        check_full_disk(folder / "x.uvfits", [&](auto& write) {
            const file_size_limit limited(limit);
            write();
        });
    }
}
