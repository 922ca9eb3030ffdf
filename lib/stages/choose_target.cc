/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/choose_target.h"
#include "kernels/device/devices.h"
#include <algorithm>
#include <optional>

namespace gr::fringe {

namespace {

using kernels::backend;
using kernels::compute_target;
using kernels::device_info;

const std::string gpu_word = "cuda:";

[[noreturn]] void refuse(const std::string& word, const std::string& why)
{
    throw std::invalid_argument("backend '" + word + "': " + why);
}

// Returns why a GPU does not work, "" when it does: a driver may show one that it does not
// open.
std::string why_not(const device_info& gpu)
{
    if (!gpu.refused.empty()) {
        return gpu.name + ": " + gpu.refused;
    }
    try {
        kernels::open_device(gpu.index);
        return "";
    } catch (const kernels::device_error& e) {
        return gpu.name + ": " + e.what();
    }
}

// Returns the first GPU that works; without one `why` says what is wrong with the last.
std::optional<compute_target> first_gpu(std::string& why)
{
    for (const device_info& gpu : kernels::find_devices(why)) {
        why = why_not(gpu);
        if (why.empty()) {
            return compute_target(backend::cuda, gpu.index);
        }
    }
    return std::nullopt;
}

std::string names_of(const std::vector<device_info>& gpus)
{
    std::string names;
    for (std::size_t n = 0; n < gpus.size(); ++n) {
        names += n == 0 ? "" : n + 1 == gpus.size() ? " and " : ", ";
        names += compute_target(backend::cuda, gpus[n].index).name();
    }
    return names;
}

compute_target numbered_gpu(const std::string& word, const std::string& digits)
{
    std::string why;
    const auto gpus = kernels::find_devices(why);
    if (gpus.empty()) {
        refuse(word, why + "; take cpu, or auto");
    }
    // No machine has so many that a longer number could be one of them.
    const std::size_t index = digits.size() > 9 ? SIZE_MAX : std::stoull(digits);
    if (index >= gpus.size()) {
        refuse(word,
               gpus.size() == 1 ? "this machine has one GPU, cuda:0"
                                : "this machine has " + std::to_string(gpus.size()) +
                                      " GPUs, " + names_of(gpus));
    }
    why = why_not(gpus[index]);
    if (!why.empty()) {
        refuse(word, why + "; take another GPU, cpu, or auto");
    }
    return {backend::cuda, index};
}

} // namespace

compute_target choose_target(const std::string& word)
{
    if (word == "generic") {
        return backend::generic;
    }
    if (word == "cpu") {
        return backend::cpu;
    }
    if (word == "auto" || word == "cuda") {
        std::string why;
        if (const auto gpu = first_gpu(why)) {
            return *gpu;
        }
        if (word == "cuda") {
            refuse(word, why + "; take cpu, or auto");
        }
        return backend::cpu;
    }
    const std::string digits =
        word.rfind(gpu_word, 0) == 0 ? word.substr(gpu_word.size()) : "";
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), [](char c) {
            return c >= '0' && c <= '9';
        })) {
        refuse(word,
               "it must be auto, cuda (the first GPU that works), cuda:0, cuda:1, ... "
               "(that GPU), cpu or generic");
    }
    return numbered_gpu(word, digits);
}

} // namespace gr::fringe
