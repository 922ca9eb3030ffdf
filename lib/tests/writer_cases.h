/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_WRITER_CASES_H
#define INCLUDED_FRINGE_TESTS_WRITER_CASES_H

#include "array/geometry.h"
#include "io/visibility_writer.h"
#include "kernels/types.h"
#include <csignal>
#include <fcntl.h>
#include <random>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

//! A file of a small array: every antenna has inputs of the polarisations `pols`.
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
    std::normal_distribution<double> metres(0, 150);
    for (std::size_t a = 0; a < antennas; a++) {
        antenna place;
        place.name = "T" + std::to_string(a);
        place.enu = {metres(random), metres(random), metres(random) / 50};
        place.itrf = array::itrf_from_enu(obs, place.enu);
        obs.antennas.push_back(place);
        for (const char p : pols) {
            input in;
            in.antenna = a;
            in.polarisation = p;
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

//! No file of this process can grow beyond so many bytes while this lives.
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

#endif /* INCLUDED_FRINGE_TESTS_WRITER_CASES_H */
