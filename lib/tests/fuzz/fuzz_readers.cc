/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// libFuzzer's part of a program that fuzzes the reader FRINGE_FUZZED, of whose good inputs it
// puts copies into FRINGE_SEEDS; see scripts/fuzz.

#include "fuzzed_readers.h"
#include <algorithm>
#include <cstdio>
#include <fstream>

namespace {

std::vector<fuzzed::reader> all;
const fuzzed::reader* chosen = nullptr;

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    all = fuzzed::readers();
    const char* name = std::getenv("FRINGE_FUZZED");
    const char* folder = std::getenv("FRINGE_SEEDS");
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const auto& r) { return name && r.name == name; });
    if (found == all.end() || !folder) {
        for (const auto& r : all)
            std::printf("%s\n", r.name.c_str());
        std::exit(name ? 2 : 0);
    }
    chosen = &*found;
    const auto seeds = chosen->seeds();
    for (std::size_t k = 0; k < seeds.size(); ++k) {
        if (!chosen->take(seeds[k])) {
            std::fprintf(stderr, "%s: seed %zu is refused\n", name, k);
            std::exit(2);
        }
        std::ofstream(std::string(folder) + "/seed" + std::to_string(k), std::ios::binary)
            .write(reinterpret_cast<const char*>(seeds[k].data()),
                   static_cast<std::streamsize>(seeds[k].size()));
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    try {
        chosen->take(fuzzed::bytes(data, data + size));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::abort();
    }
    return 0;
}
