/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Processes that write visibility files and are killed at random instants: what saved()
// counted is in the file, which opens as it is.

#include "scratch.h"
#include "test_seed.h"
#include "uvh5_reader.h"
#include "writer_cases.h"
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <casacore/ms/MeasurementSets.h>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fitsio.h>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>

using namespace gr::fringe;

namespace {

constexpr int rounds = 20;
constexpr std::size_t antennas = 6, channels = 32, rows = 21;
constexpr std::size_t cells = rows * channels;

// Amplitudes of all cells, dump by dump; dump k has k + 1 everywhere.
using amplitudes = std::vector<double>;

template <class T>
amplitudes amplitudes_of(const T* first, std::size_t count)
{
    amplitudes all(count);
    for (std::size_t k = 0; k < count; k++)
        all[k] = std::abs(first[k]);
    return all;
}

amplitudes read_ms(const std::string& path)
{
    const casacore::MeasurementSet ms(path);
    const casacore::MSColumns c(ms);
    BOOST_CHECK_EQUAL(ms.antenna().nrow(), antennas);
    BOOST_CHECK_EQUAL(c.antenna1().getColumn().nelements(), ms.nrow());
    BOOST_CHECK_EQUAL(c.time().getColumn().nelements(), ms.nrow());
    BOOST_CHECK_EQUAL(c.flag().getColumn().nelements(), ms.nrow() * channels);
    BOOST_CHECK(!c.history().message()(0).empty());
    const auto data = c.data().getColumn();
    return amplitudes_of(data.data(), data.nelements());
}

amplitudes read_uvfits(const std::string& path)
{
    fitsfile* file = nullptr;
    int status = 0, naxis = 0, bitpix = 0, simple = 0, extend = 0, any = 0;
    LONGLONG axes[9];
    long pcount = 0, gcount = 0;
    fits_open_file(&file, path.c_str(), READONLY, &status);
    fits_read_imghdrll(
        file, 9, &simple, &bitpix, &naxis, axes, &pcount, &gcount, &extend, &status);
    BOOST_REQUIRE_EQUAL(status, 0);
    amplitudes all;
    std::vector<float> group(3 * channels);
    for (long g = 0; g < gcount; g++) {
        fits_read_img_flt(file, g + 1, 1, 3 * channels, 0, group.data(), &any, &status);
        for (std::size_t c = 0; c < channels; c++)
            all.push_back(std::hypot(group[3 * c], group[3 * c + 1]));
    }
    char table[] = "AIPS AN";
    long count = 0;
    fits_movnam_hdu(file, BINARY_TBL, table, 0, &status);
    fits_get_num_rows(file, &count, &status);
    BOOST_CHECK_EQUAL(count, antennas);
    int closed = 0;
    fits_close_file(file, &closed);
    BOOST_REQUIRE_EQUAL(status, 0);
    return all;
}

amplitudes read_uvh5(const std::string& path)
{
    const uvh5_reader file(path);
    // A dump is there with all its columns, or not at all.
    const auto held = static_cast<std::size_t>(file.integers("Header/Nblts").at(0));
    BOOST_CHECK_EQUAL(file.integers("Header/Ntimes").at(0) * rows, held);
    for (const char* name : {"Header/time_array", "Header/uvw_array", "Data/flags"})
        BOOST_CHECK_EQUAL(file.shape(name).at(0), held);
    BOOST_CHECK(!file.texts("Header/history").at(0).empty());
    const auto data = file.complexes("Data/visdata");
    return amplitudes_of(data.data(), data.size());
}

amplitudes read_acc(const std::string& path)
{
    const auto raw = read_bytes(path);
    std::vector<std::complex<float>> data(raw.size() / 8 / cells * cells);
    std::memcpy(static_cast<void*>(data.data()), raw.data(), data.size() * 8);
    const auto text = read_bytes(path + ".yml");
    const std::string side(text.begin(), text.end());
    std::size_t described = 0;
    for (auto at = side.find("\n- {start: "); at != std::string::npos;
         at = side.find("\n- {start: ", at + 1))
        described++;
    return amplitudes_of(data.data(), std::min(data.size(), described * cells));
}

struct kind {
    const char* name;
    amplitudes (*read)(const std::string&);
};
const kind kinds[] = {{"x.ms", read_ms},
                      {"x.uvfits", read_uvfits},
                      {"x.uvh5", read_uvh5},
                      {"x.ACC", read_acc}};
constexpr std::size_t files = std::size(kinds);

// What the writing process reports: dumps saved so far, for each file.
struct progress {
    std::atomic<std::uint64_t> saved[files];
};

[[noreturn]] void write_for_ever(const scratch& folder, progress& to)
{
    const auto params = small_file(antennas, "X", channels);
    std::vector<std::unique_ptr<io::visibility_files>> all;
    for (const auto& k : kinds)
        all.push_back(io::open_visibility_file(folder / k.name, params));
    auto d = noise_dump(params, 0);
    const epoch start = d.start;
    for (unsigned k = 0;; k++) {
        d.start = start.plus_seconds(2.0 * k);
        std::fill(d.visibilities.begin(), d.visibilities.end(), k + 1.0f);
        for (std::size_t f = 0; f < files; f++) {
            all[f]->write(d);
            to.saved[f] = all[f]->saved();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

void check(const amplitudes& all, std::uint64_t saved)
{
    BOOST_CHECK_EQUAL(all.size() % cells, 0u);
    BOOST_CHECK_GE(all.size() / cells, saved);
    std::uint64_t whole = 0;
    while (whole < all.size() / cells) {
        const double expected = static_cast<double>(whole) + 1;
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(whole * cells);
        if (std::any_of(first, first + cells, [&](double a) {
                return std::abs(a - expected) > 1e-5 * expected;
            }))
            break;
        whole++;
    }
    // The dump that was being written may be half there.
    BOOST_CHECK_GE(whole, saved);
    BOOST_CHECK_GE(whole + 1, all.size() / cells);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_killed_process_leaves_what_it_saved)
{
    std::mt19937 random(test_seed());
    std::uniform_int_distribution<int> microseconds(20000, 500000);
    void* page = mmap(nullptr,
                      sizeof(progress),
                      PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS,
                      -1,
                      0);
    BOOST_REQUIRE(page != MAP_FAILED);
    progress& from = *new (page) progress{};
    auto& saved = from.saved;
    std::uint64_t in_all[files] = {};
    for (int round = 0; round < rounds; round++) {
        const scratch folder;
        for (auto& s : saved)
            s = 0;
        const int pause = microseconds(random);
        const pid_t child = fork();
        if (child == 0) {
            try {
                write_for_ever(folder, from);
            } catch (const std::exception& e) {
                std::fputs(e.what(), stderr);
            }
            _exit(1);
        }
        // From the first dump on, so that a slow machine is killed at work, too.
        while (std::any_of(std::begin(saved),
                           std::end(saved),
                           [](const auto& s) { return s == 0; }) &&
               waitpid(child, nullptr, WNOHANG) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::microseconds(pause));
        kill(child, SIGKILL);
        int ended = 0;
        waitpid(child, &ended, 0);
        BOOST_REQUIRE_MESSAGE(WIFSIGNALED(ended), "it did not get to write");
        for (std::size_t f = 0; f < files; f++)
            BOOST_TEST_CONTEXT(kinds[f].name << ", killed after " << pause << " us")
            {
                in_all[f] += saved[f];
                check(kinds[f].read(io::partial_path(folder / kinds[f].name)), saved[f]);
            }
    }
    for (std::size_t f = 0; f < files; f++)
        BOOST_TEST_MESSAGE(kinds[f].name << ": " << in_all[f] << " dumps saved");
    munmap(page, sizeof(progress));
}
