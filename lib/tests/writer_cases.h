/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_WRITER_CASES_H
#define INCLUDED_FRINGE_TESTS_WRITER_CASES_H

#include "array/geometry.h"
#include "io/visibilities/visibility_writer.h"
#include "kernels/base/types.h"
#include "scratch.h"
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <random>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

//! A file of a small array: every antenna has inputs of the polarizations `pols`.
inline gr::fringe::io::visibility_file_params
small_file(std::size_t antennas, const std::string& pols, std::size_t channels)
{
    using namespace gr::fringe;
    observation obs;
    obs.telescope = "SMALL";
    obs.observer = "nobody";
    obs.site_latitude = -30;
    obs.site_longitude = 21;
    obs.site_height = 1000;
    obs.has_site = true;
    obs.sample_rate = 2e6;
    obs.center_frequency = 150e6;
    obs.channels = channels;
    obs.integration = 2;
    obs.dut1 = 0.1;
    std::mt19937 random(4);
    std::normal_distribution<double> meters(0, 150);
    for (std::size_t a = 0; a < antennas; a++) {
        antenna place;
        place.name = "T" + std::to_string(a);
        place.enu = {meters(random), meters(random), meters(random) / 50};
        place.itrf = array::itrf_from_enu(obs, place.enu);
        obs.antennas.push_back(place);
        for (const char p : pols) {
            input in;
            in.antenna = a;
            in.polarization = p;
            in.stream = obs.inputs.size();
            obs.inputs.push_back(in);
        }
    }
    io::visibility_file_params params;
    params.observation = obs;
    params.channels = channels;
    params.history = "a test: with \"quotes\"";
    return params;
}

//! Dump k of a file, of noise and full weight.
inline gr::fringe::io::dump noise_dump(const gr::fringe::io::visibility_file_params& p,
                                       unsigned k)
{
    using namespace gr::fringe;
    std::mt19937 random(100 + k);
    std::normal_distribution<float> value;
    io::dump d;
    d.start = epoch::from_iso("2026-06-12T11:20:40.25").plus_seconds(2.0 * k);
    d.interval = 2;
    d.exposure = 1.5;
    const std::size_t cells =
        p.channels * kernels::baselines(p.observation.inputs.size());
    for (std::size_t n = 0; n < cells; n++)
        d.visibilities.emplace_back(value(random), value(random));
    d.weights.assign(cells, 1.0f);
    return d;
}

//! A disk of a few megabytes, where this user may mount one.
class tiny_disk
{
public:
    tiny_disk(const std::string& folder, const std::string& size) : d_folder(folder)
    {
        std::filesystem::create_directory(folder);
        d_mounted =
            mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    }
    ~tiny_disk()
    {
        if (d_mounted)
            umount2(d_folder.c_str(), MNT_DETACH);
    }
    bool mounted() const { return d_mounted; }

private:
    std::string d_folder;
    bool d_mounted;
};

//! No file of this process can grow beyond this number of bytes while this lives.
class file_size_limit
{
public:
    explicit file_size_limit(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN); // an error of write() instead
        getrlimit(RLIMIT_FSIZE, &d_before);
        const rlimit limit{bytes, d_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~file_size_limit() { setrlimit(RLIMIT_FSIZE, &d_before); }

private:
    rlimit d_before;
};

//! What no phased file can hold, and that nothing is left of it: `ending` with the dot.
inline void check_what_is_refused(const scratch& folder, const std::string& ending)
{
    using namespace gr::fringe;
    const std::string name = "x" + ending;
    const auto good = small_file(3, "X", 4);
    const auto open = [&](const io::visibility_file_params& p) {
        open_visibility_file(folder / name, p);
    };
    auto p = good;
    p.observation.inputs[1].polarization = 'R';
    check_refused<std::invalid_argument>([&] { open(p); }, {name, "polarizations"});
    p = good;
    p.observation.sample_rate = 0;
    check_refused<std::invalid_argument>([&] { open(p); }, {name, "sample_rate"});
    BOOST_CHECK(!std::filesystem::exists(folder / ("x.partial" + ending)));
    auto d = noise_dump(good, 0);
    d.weights.pop_back();
    const auto file = open_visibility_file(folder / name, good);
    check_refused<std::invalid_argument>(
        [&] {
            file->write(d);
            file->finish();
        },
        {"24 visibilities", "23"});
}

//! Runs a writing function where it will find too little space.
using limited_writing = std::function<void(const std::function<void()>&)>;

//! Writes dumps of 10 antennas x 512 channels until it fails, with `word` in the sentence.
//! What is left has the partial name.
inline gr::fringe::io::visibility_file_params write_until_full(
    const std::string& path, const limited_writing& with_limit, const std::string& word)
{
    using namespace gr::fringe;
    const auto params = small_file(10, "X", 512);
    const auto file = open_visibility_file(path, params);
    check_refused<std::runtime_error>(
        [&] {
            with_limit([&] {
                for (unsigned k = 0; k < 200; k++)
                    file->write(noise_dump(params, k));
                file->finish();
            });
        },
        {path, word});
    file->abandon();
    BOOST_CHECK(!std::filesystem::exists(path));
    return params;
}

//! A check of write_until_full() on a disk of 24 MB, skipped where none can be mounted.
inline void on_a_small_disk(
    const std::string& file,
    const std::function<void(const std::string&, const limited_writing&)>& check)
{
    const scratch folder;
    const tiny_disk disk(folder / "disk", "24m");
    if (!disk.mounted()) {
        BOOST_TEST_MESSAGE("SKIPPED: a_full_disk_leaves_the_whole_dumps: no right to "
                           "mount a small disk");
        return;
    }
    check(folder / ("disk/" + file), [](auto& write) { write(); });
}

#endif /* INCLUDED_FRINGE_TESTS_WRITER_CASES_H */
