/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "scratch.h"
#include "writer_cases.h"
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <yaml-cpp/yaml.h>

using namespace gr::fringe;
using io::open_visibility_file;
using std::filesystem::exists;

namespace {

template <class T>
std::vector<T> read_values(const std::string& path)
{
    const auto raw = read_bytes(path);
    std::vector<T> v(raw.size() / sizeof(T));
    if (!raw.empty())
        std::memcpy(static_cast<void*>(v.data()), raw.data(), raw.size());
    return v;
}

// What the two files hold of a dump.
struct pair_of_lfiles {
    std::vector<std::complex<float>> crosses; // [product i < j][channel]
    std::vector<float> autos;                 // [input][channel]

    void add(const io::dump& d, std::size_t inputs, std::size_t channels)
    {
        const std::size_t products = kernels::baselines(inputs);
        for (std::size_t i = 0; i < inputs; i++)
            for (std::size_t j = i; j < inputs; j++)
                for (std::size_t c = 0; c < channels; c++) {
                    const std::size_t at =
                        c * products + kernels::baseline_index(i, j, inputs);
                    const auto v = d.weights[at] > 0 ? d.visibilities[at] : 0;
                    if (i == j)
                        autos.push_back(v.real());
                    else
                        crosses.push_back(v);
                }
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(crosses_and_autos_are_in_their_places)
{
    const scratch folder;
    // One tile and less, several blocks, odd numbers; a single input has no crosses.
    for (const auto& [inputs, channels] :
         std::vector<std::pair<int, int>>{{1, 3}, {3, 5}, {31, 100}, {24, 5000}})
        for (const std::string name : {"x.LCCSPC", "x.LACSPC"}) {
            auto params = small_file(inputs, "X", channels);
            params.overwrite = true;
            const auto file = open_visibility_file(folder / name, params);
            pair_of_lfiles expected;
            for (unsigned k = 0; k < 3; k++) {
                auto d = noise_dump(params, k);
                d.weights[d.weights.size() / 2] = 0;
                file->write(d);
                expected.add(d, inputs, channels);
            }
            BOOST_CHECK(exists(folder / "x.partial.LCCSPC"));
            file->finish();
            BOOST_CHECK(read_values<std::complex<float>>(folder / "x.LCCSPC") ==
                        expected.crosses);
            BOOST_CHECK(read_values<float>(folder / "x.LACSPC") == expected.autos);
            for (const char* partial :
                 {"x.partial.LCCSPC", "x.partial.LACSPC", "x.partial.LCCSPC.yml"})
                BOOST_CHECK(!exists(folder / partial));
            BOOST_CHECK(!exists(folder / "x.LACSPC.yml"));

            const auto side = YAML::LoadFile(folder / "x.LCCSPC.yml");
            BOOST_CHECK_EQUAL(side["inputs"].as<int>(), inputs);
            BOOST_CHECK_EQUAL(side["channels"].as<int>(), channels);
            BOOST_CHECK_EQUAL(side["dumps"].size(), 3u);
            BOOST_CHECK_EQUAL(side["dumps"][1]["start"].as<std::string>(),
                              "2026-06-12T11:20:42.250000000");
        }
}

BOOST_AUTO_TEST_CASE(the_pair_is_named_by_either_file)
{
    const scratch folder;
    const auto params = small_file(2, "X", 4);
    for (const auto& [name, other] : std::vector<std::pair<std::string, std::string>>{
             {"a.lccspc", "a.lacspc"}, {"b.LACSPC", "b.LCCSPC"}}) {
        const auto file = open_visibility_file(folder / name, params);
        file->write(noise_dump(params, 0));
        file->finish();
        BOOST_CHECK(exists(folder / name) && exists(folder / other));
    }
    // Nothing is made while one of the three is in the way.
    for (const std::string name : {"c.LCCSPC", "c.LACSPC", "c.LCCSPC.yml"}) {
        write_bytes(folder / name, {1, 2, 3});
        check_refused<std::invalid_argument>(
            [&] { open_visibility_file(folder / "c.LACSPC", params); },
            {folder / name, "exists"});
        BOOST_CHECK(!exists(folder / "c.partial.LCCSPC"));
        std::filesystem::remove(folder / name);
    }
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_the_whole_dumps_of_both_files)
{
    const scratch folder;
    const auto params = small_file(4, "X", 100);
    const std::size_t dump_bytes = 6 * 100 * 8;
    const auto file = open_visibility_file(folder / "x.LCCSPC", params);
    check_refused<std::runtime_error>(
        [&] {
            const file_size_limit limit(3 * dump_bytes + 500);
            for (unsigned k = 0; k < 20; k++)
                file->write(noise_dump(params, k));
            file->finish();
        },
        {"x.LCCSPC", "cannot be written", "large"});
    file->abandon();
    BOOST_CHECK(!exists(folder / "x.LCCSPC"));
    pair_of_lfiles expected;
    for (unsigned k = 0; k < 3; k++)
        expected.add(noise_dump(params, k), 4, 100);
    BOOST_CHECK(read_values<std::complex<float>>(folder / "x.partial.LCCSPC") ==
                expected.crosses);
    BOOST_CHECK(read_values<float>(folder / "x.partial.LACSPC") == expected.autos);
    const auto side = YAML::LoadFile(folder / "x.partial.LCCSPC.yml");
    BOOST_CHECK_EQUAL(side["dumps"].size(), 3u);
}
