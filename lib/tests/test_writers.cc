/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/async_writer.h"
#include "io/visibilities/rolling_writer.h"
#include "io/visibilities/visibility_formats.h"
#include "scratch.h"
#include "writer_cases.h"
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstring>
#include <yaml-cpp/yaml.h>

using namespace gr::fringe;
using io::open_visibility_file;
using std::filesystem::exists;

namespace {

using complexes = std::vector<std::complex<float>>;

complexes read_complexes(const std::string& path)
{
    const auto raw = read_bytes(path);
    complexes v(raw.size() / sizeof(complexes::value_type));
    std::memcpy(static_cast<void*>(v.data()), raw.data(), raw.size());
    return v;
}

// [product][channel], 0 where there is no weight.
complexes turned(const io::dump& d, std::size_t channels)
{
    const std::size_t products = d.visibilities.size() / channels;
    complexes v;
    for (std::size_t p = 0; p < products; p++)
        for (std::size_t c = 0; c < channels; c++)
            v.push_back(d.weights[c * products + p] > 0 ? d.visibilities[c * products + p]
                                                        : 0);
    return v;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_partial_file_says_so_in_its_name)
{
    BOOST_CHECK_EQUAL(io::partial_path("dir/x.ms"), "dir/x.partial.ms");
    BOOST_CHECK_EQUAL(io::partial_path("x.ACC"), "x.partial.ACC");
    BOOST_CHECK_EQUAL(io::partial_path("/a.b/x.y.ms/"), "/a.b/x.y.partial.ms");
}

BOOST_AUTO_TEST_CASE(the_ending_chooses_the_format)
{
    const scratch folder;
    const auto params = small_file(2, "X", 4);
    BOOST_CHECK_EQUAL(io::visibility_formats().size(), 6u);
    for (const char* name : {"x.txt", "x", "", "ms"})
        check_refused<std::invalid_argument>(
            [&] { open_visibility_file(folder / name, params); },
            {".ms", ".ACC", ".uvh5"});
    for (const char* name : {"x.ms", "x.ACC", "x.uvh5", "x.LCCSPC"}) {
        auto none = params;
        none.channels = 0;
        check_refused<std::invalid_argument>(
            [&] { open_visibility_file(folder / name, none); }, {"channel"});
        none = params;
        none.observation.inputs.clear();
        check_refused<std::invalid_argument>(
            [&] { open_visibility_file(folder / name, none); }, {"input"});
        check_refused<std::invalid_argument>(
            [&] { open_visibility_file(folder / "no/" + name, params); },
            {folder / "no", "does not exist"});
    }
}

BOOST_AUTO_TEST_CASE(acc_holds_products_of_channels_and_a_description)
{
    const scratch folder;
    // One tile and less, several blocks, odd numbers.
    for (const auto& [antennas, channels] :
         std::vector<std::pair<int, int>>{{1, 1}, {3, 5}, {31, 100}, {24, 5000}}) {
        const std::string path = folder / "x.ACC";
        auto params = small_file(antennas, "X", channels);
        params.overwrite = true;
        const auto file = open_visibility_file(path, params);
        complexes expected;
        for (unsigned k = 0; k < 3; k++) {
            auto d = noise_dump(params, k);
            d.weights[d.weights.size() / 2] = 0;
            file->write(d);
            const auto t = turned(d, channels);
            expected.insert(expected.end(), t.begin(), t.end());
        }
        file->finish();
        BOOST_CHECK(read_complexes(path) == expected);
        BOOST_CHECK(!exists(io::partial_path(path)));

        const auto side = YAML::LoadFile(path + ".yml");
        BOOST_CHECK_EQUAL(side["inputs"].as<int>(), antennas);
        BOOST_CHECK_EQUAL(side["products"].as<int>(), antennas * (antennas + 1) / 2);
        BOOST_CHECK_EQUAL(side["channels"].as<int>(), channels);
        BOOST_CHECK(side["complex_samples"].as<bool>());
        BOOST_CHECK_EQUAL(side["history"].as<std::string>(), params.history + "\n");
        BOOST_CHECK(side["frequencies"].as<std::vector<double>>() ==
                    params.observation.channel_frequencies(channels, true));
        const auto text = side["observation"].as<std::string>();
        BOOST_CHECK_EQUAL(observation::from_text(text).to_text(),
                          params.observation.to_text());
        BOOST_REQUIRE_EQUAL(side["dumps"].size(), 3u);
        BOOST_CHECK_EQUAL(side["dumps"][1]["start"].as<std::string>(),
                          "2026-06-12T11:20:42.250000000");
        BOOST_CHECK_EQUAL(side["dumps"][1]["interval"].as<double>(), 2);
        BOOST_CHECK_EQUAL(side["dumps"][1]["exposure"].as<double>(), 1.5);
    }
}

BOOST_AUTO_TEST_CASE(nothing_is_replaced_unless_asked_for)
{
    const scratch folder;
    for (const std::string name : {"x.ACC", "x.ms", "x.uvh5"}) {
        const std::string path = folder / name;
        auto params = small_file(2, "X", 4);
        const auto make = [&] {
            const auto file = open_visibility_file(path, params);
            file->write(noise_dump(params, 0));
            file->finish();
        };
        make();
        check_refused<std::invalid_argument>(make, {path + ": exists", "overwrite=True"});
        // Half a file of an earlier run is not thrown away either.
        std::filesystem::rename(path, io::partial_path(path));
        check_refused<std::invalid_argument>(
            make, {io::partial_path(path), "earlier run", "overwrite=True"});
        params.overwrite = true;
        make();
        // The old one stays until the new one is whole.
        {
            const auto file = open_visibility_file(path, params);
            file->write(noise_dump(params, 0));
            file->write(noise_dump(params, 1));
            BOOST_CHECK(exists(path));
            file->finish();
            BOOST_CHECK(!exists(io::partial_path(path)));
        }
        // What is of another kind is never replaced.
        std::filesystem::remove_all(path);
        if (name == "x.ms")
            write_bytes(path, {1});
        else
            std::filesystem::create_directory(path);
        check_refused<std::invalid_argument>(make, {path, "never replaced"});
        std::filesystem::remove_all(path);
        std::filesystem::remove(path + ".yml");
        // A folder is no MeasurementSet because of its name.
        if (name == "x.ms") {
            std::filesystem::create_directory(path);
            check_refused<std::invalid_argument>(make, {"a folder", "never replaced"});
            std::filesystem::remove(path);
        }
        // Something came into being in the meantime.
        params.overwrite = false;
        const auto file = open_visibility_file(path, params);
        file->write(noise_dump(params, 0));
        write_bytes(path, {1, 2, 3});
        check_refused<std::runtime_error>([&] { file->finish(); },
                                          {path, "came into being"});
        file->abandon();
        BOOST_CHECK_EQUAL(file->kept(), "the first dump is in " + io::partial_path(path));
        BOOST_CHECK_EQUAL(read_bytes(path).size(), 3u);
        BOOST_CHECK(exists(io::partial_path(path)));
        BOOST_CHECK(!exists(path + ".yml"));
    }
}

BOOST_AUTO_TEST_CASE(an_abandoned_file_keeps_its_partial_name)
{
    const scratch folder;
    for (const char* name : {"x.ACC", "x.ms", "x.uvh5", "x.LCCSPC"}) {
        const std::string path = folder / name;
        const auto params = small_file(3, "X", 8);
        open_visibility_file(path, params)->abandon();
        BOOST_CHECK(!exists(io::partial_path(path)) && !exists(path));
        check_refused<std::runtime_error>(
            [&] { open_visibility_file(path, params)->finish(); }, {"not one dump"});
        BOOST_CHECK(!exists(io::partial_path(path)) && !exists(path));
        {
            const auto file = open_visibility_file(path, params);
            file->write(noise_dump(params, 0));
            // Destroyed without a word.
        }
        BOOST_CHECK(exists(io::partial_path(path)) && !exists(path));
    }
    for (const char* name :
         {"x.partial.ACC.yml", "x.partial.LACSPC", "x.partial.LCCSPC.yml"})
        BOOST_CHECK(exists(folder / name));
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_the_whole_dumps_of_an_acc_file)
{
    const scratch folder;
    const std::string path = folder / "x.ACC";
    const auto params = small_file(4, "X", 100);
    const std::size_t dump_bytes = 10 * 100 * 8;
    const auto file = open_visibility_file(path, params);
    const auto all = [&] {
        const file_size_limit limit(3 * dump_bytes + 500);
        for (unsigned k = 0; k < 20; k++)
            file->write(noise_dump(params, k));
        file->finish();
    };
    check_refused<std::runtime_error>(all, {path, "cannot be written", "large"});
    file->abandon();
    BOOST_CHECK(!exists(path));
    const auto left = read_complexes(io::partial_path(path));
    complexes expected;
    for (unsigned k = 0; k < 3; k++) {
        const auto t = turned(noise_dump(params, k), 100);
        expected.insert(expected.end(), t.begin(), t.end());
    }
    BOOST_CHECK(left == expected);
    const auto side = YAML::LoadFile(io::partial_path(path) + ".yml");
    BOOST_CHECK_EQUAL(side["dumps"].size(), 3u);
}

BOOST_AUTO_TEST_CASE(a_new_file_every_so_often_loses_no_dump)
{
    const scratch folder;
    BOOST_CHECK_EQUAL(io::dated_path("dir/x.ms", epoch::from_iso("2026-06-12T22:00:05")),
                      "dir/x_20260612_220005.ms");
    auto params = small_file(3, "X", 8);
    params.roll_seconds = 10;
    const std::size_t dump_bytes = 6 * 8 * 8;
    const auto file = open_visibility_file(folder / "x.ACC", params);
    BOOST_CHECK(file->files().empty());
    // Dumps begin a little early, as the first spectrum of one may.
    for (unsigned k = 0; k < 12; k++) {
        auto d = noise_dump(params, k);
        d.start = epoch::from_iso("2026-06-12T11:20:36").plus_seconds(2.0 * k - 1e-4);
        file->write(d);
    }
    file->note("nothing was lost");
    file->finish();
    const std::vector<std::string> names{folder / "x_20260612_112035.ACC",
                                         folder / "x_20260612_112040.ACC",
                                         folder / "x_20260612_112050.ACC"};
    BOOST_CHECK(file->files() == names);
    BOOST_CHECK_EQUAL(file->saved(), 12u);
    unsigned k = 0;
    for (const auto& [name, dumps] : std::vector<std::pair<std::string, unsigned>>{
             {names[0], 2}, {names[1], 5}, {names[2], 5}}) {
        BOOST_CHECK_EQUAL(read_bytes(name).size(), dumps * dump_bytes);
        complexes expected;
        for (const unsigned end = k + dumps; k < end; k++) {
            const auto t = turned(noise_dump(params, k), 8);
            expected.insert(expected.end(), t.begin(), t.end());
        }
        BOOST_CHECK(read_complexes(name) == expected);
        const auto side = YAML::LoadFile(name + ".yml");
        BOOST_CHECK_EQUAL(side["dumps"].size(), dumps);
        BOOST_CHECK_EQUAL(static_cast<bool>(side["notes"]), name == names[2]);
    }
    // What fails later fails at once, and other lengths are refused.
    check_refused<std::invalid_argument>(
        [&] { open_visibility_file(folder / "no/x.ms", params); }, {"does not exist"});
    for (const double seconds : {-1.0, 0.5, 1.5}) {
        params.roll_seconds = seconds;
        check_refused<std::invalid_argument>(
            [&] { open_visibility_file(folder / "x.ms", params); }, {"x.ms", "whole"});
    }
    BOOST_CHECK_EQUAL(std::distance(std::filesystem::directory_iterator(folder / ""), {}),
                      6);
}

namespace {

// Counts, waits and fails as it is set.
struct fake_writer : io::visibility_files {
    std::atomic<int>& written;
    std::atomic<bool>& open;
    int fails_at;
    fake_writer(std::atomic<int>& w, std::atomic<bool>& o, int f)
        : written(w), open(o), fails_at(f)
    {
    }
    void write(const io::dump&) override
    {
        while (!open)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (written == fails_at)
            throw std::runtime_error("x.ms: the disk is full");
        written++;
    }
    std::uint64_t saved() const override { return 0; }
    void note(const std::string&) override {}
    void finish() override {}
    void abandon() override {}
    std::vector<std::string> files() const override { return {}; }
    std::string kept() const override { return ""; }
};

} // namespace

BOOST_AUTO_TEST_CASE(the_queue_is_bounded_and_loses_nothing)
{
    std::atomic<int> written{0}, queued{0};
    std::atomic<bool> open{false};
    const auto params = small_file(2, "X", 100);
    const std::size_t dump_bytes = 3 * 100 * 12;
    io::async_writer writer(std::make_unique<fake_writer>(written, open, -1),
                            4 * (dump_bytes + sizeof(io::dump)));
    std::thread feeder([&] {
        for (unsigned k = 0; k < 50; k++) {
            writer.write(noise_dump(params, k));
            queued++;
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    BOOST_CHECK_EQUAL(queued, 4);
    open = true;
    feeder.join();
    writer.finish();
    BOOST_CHECK_EQUAL(written, 50);
    check_refused<std::runtime_error>([&] { writer.write(noise_dump(params, 0)); },
                                      {"after the end"});
}

BOOST_AUTO_TEST_CASE(an_error_of_the_thread_reaches_the_caller)
{
    std::atomic<int> written{0};
    std::atomic<bool> open{true};
    const auto params = small_file(2, "X", 100);
    io::async_writer writer(std::make_unique<fake_writer>(written, open, 3), 1);
    check_refused<std::runtime_error>(
        [&] {
            for (unsigned k = 0; k < 50; k++)
                writer.write(noise_dump(params, k));
        },
        {"the disk is full"});
    check_refused<std::runtime_error>([&] { writer.finish(); }, {"the disk is full"});
    BOOST_CHECK_EQUAL(written, 3);
    writer.abandon();
}
