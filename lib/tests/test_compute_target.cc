/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Compute targets: their words, what is refused and how, and stages without a device. The
// program runs as test_compute_target without a library of devices, and as
// test_compute_target_stand_in with two stand-ins, the first of which cannot be used.
#include "kernels/device/devices.h"
#include "kernels/xengine/xengine.h"
#include "stages/choose_target.h"
#include <boost/test/unit_test.hpp>
#include <cstdlib>

using namespace gr::fringe;
using namespace gr::fringe::kernels;

namespace {

// The sentence that refuses a word, "" when it is not.
std::string sentence(const std::string& word)
{
    try {
        choose_target(word);
        return "";
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
}

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

bool two_stand_ins() { return std::getenv("FRINGE_STAND_IN_DEVICES") != nullptr; }

} // namespace

BOOST_AUTO_TEST_CASE(names_of_targets)
{
    BOOST_TEST(compute_target().name() == "cpu");
    BOOST_TEST(compute_target(backend::generic).name() == "generic");
    BOOST_TEST(compute_target(backend::cuda).name() == "cuda:0");
    BOOST_TEST(compute_target(backend::cuda, 13).name() == "cuda:13");
    BOOST_TEST((choose_target("cpu") == compute_target(backend::cpu)));
    BOOST_TEST((choose_target("generic") == compute_target(backend::generic)));
    BOOST_TEST((compute_target(backend::cuda, 1) != compute_target(backend::cuda, 0)));
}

BOOST_AUTO_TEST_CASE(words_that_are_none)
{
    for (const std::string word : {"",
                                   "gpu",
                                   "Cuda",
                                   "cuda:",
                                   "cuda:-1",
                                   "cuda:1 ",
                                   "cuda: 1",
                                   "cuda:0x1",
                                   "cuda1"}) {
        BOOST_TEST(has(sentence(word), "backend '" + word + "': it must be auto, cuda"));
        BOOST_TEST(has(sentence(word), "cpu or generic"));
    }
}

BOOST_AUTO_TEST_CASE(without_devices)
{
    std::string why;
    if (!find_devices(why).empty()) {
        return;
    }
    BOOST_TEST((choose_target("auto") == compute_target(backend::cpu)));
    for (const std::string word : {"cuda", "cuda:0", "cuda:99999999999999999999999"}) {
        BOOST_TEST(sentence(word) ==
                   "backend '" + word + "': " + why + "; take cpu, or auto");
    }
    BOOST_CHECK_THROW(open_device(0), device_error);
    BOOST_CHECK_THROW(make_xengine(backend::cuda, {1, 1, 1, component::f32}),
                      device_error);
}

BOOST_AUTO_TEST_CASE(of_two_devices)
{
    if (!two_stand_ins()) {
        return;
    }
    const compute_target second(backend::cuda, 1);
    BOOST_TEST((choose_target("auto") == second)); // the first says why not
    BOOST_TEST((choose_target("cuda") == second));
    BOOST_TEST((choose_target("cuda:1") == second));
    BOOST_TEST((choose_target("cuda:01") == second));
    BOOST_TEST(sentence("cuda:0") ==
               "backend 'cuda:0': stand-in: it is too hot; take another "
               "GPU, cpu, or auto");
    for (const std::string word : {"cuda:2", "cuda:3", "cuda:99999999999999999999999"}) {
        BOOST_TEST(sentence(word) ==
                   "backend '" + word + "': this machine has 2 GPUs, cuda:0 and cuda:1");
    }
    BOOST_TEST(open_device(1).get() == open_device(1).get());
    BOOST_TEST(open_device(1)->info().index == 1);
}
