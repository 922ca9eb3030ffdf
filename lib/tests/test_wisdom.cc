/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What FFTW has measured outlives the process: every use is in a process of its own.
#include "kernels/channelizer/channelizer.h"
#include "scratch.h"
#include <sys/wait.h>
#include <unistd.h>

using namespace gr::fringe::kernels;
namespace fs = std::filesystem;

namespace {

//! Spectra of always the same samples, made with the cache directory `cache`; empty when
//! the process failed.
std::vector<std::uint8_t> spectra(const scratch& folder, const std::string& cache)
{
    const std::string path = folder / "spectra";
    fs::remove(path);
    const pid_t child = fork();
    if (child == 0) {
        try {
            setenv("XDG_CACHE_HOME", cache.c_str(), 1);
            channelizer_params p;
            p.channels = 1000;
            p.block_spectra = 4;
            std::vector<float> in(2 * p.channels * p.block_spectra);
            for (std::size_t n = 0; n < in.size(); n++) {
                in[n] = static_cast<float>(n * n % 1009) - 504;
            }
            std::vector<std::uint8_t> out(in.size() * sizeof(float));
            const std::size_t samples = p.channels * p.block_spectra;
            make_channelizer(backend::cpu, p)
                ->process(in.data(), samples, samples, out.data(), nullptr);
            write_bytes(path, out);
        } catch (...) {
            _exit(1);
        }
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0 ? read_bytes(path) : std::vector<std::uint8_t>();
}

} // namespace

BOOST_AUTO_TEST_CASE(the_next_process_makes_the_same_bits_without_measuring)
{
    const scratch folder;
    const std::string file = folder / "gr-fringe/fftwf.wisdom";
    const auto first = spectra(folder, folder / "");
    BOOST_TEST(!first.empty());
    const auto measured = read_bytes(file);
    BOOST_REQUIRE(!measured.empty());
    const auto written = fs::last_write_time(file);
    for (int again = 0; again < 2; again++) {
        BOOST_TEST((spectra(folder, folder / "") == first));
        BOOST_TEST((fs::last_write_time(file) == written));
    }
    // Nothing half written is left behind.
    BOOST_TEST(std::distance(fs::directory_iterator(fs::path(file).parent_path()), {}) ==
               1);
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_written_anew)
{
    const scratch folder;
    const std::string file = folder / "gr-fringe/fftwf.wisdom";
    fs::create_directories(fs::path(file).parent_path());
    write_bytes(file, {'(', 'f', 'f', 't', 'w', 0, 255});
    const auto first = spectra(folder, folder / "");
    BOOST_TEST(!first.empty());
    BOOST_TEST(read_bytes(file).size() > 7);
    BOOST_TEST((spectra(folder, folder / "") == first));
}

BOOST_AUTO_TEST_CASE(no_place_to_write_is_no_error)
{
    const scratch folder;
    write_bytes(folder / "file", {0});
    BOOST_TEST(!spectra(folder, folder / "file").empty());
}
