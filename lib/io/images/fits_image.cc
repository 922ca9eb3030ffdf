/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/images/fits_image.h"
#include "io/visibilities/writers/fits_memory.h"
#include <functional>
#include <numeric>

namespace gr::fringe::io {

std::string fits_image(const std::vector<long>& axes,
                       const float* values,
                       const std::vector<fits_key>& keys,
                       const std::vector<std::string>& history)
{
    const auto count = std::accumulate(axes.begin(), axes.end(), 1L, std::multiplies<>());
    constexpr std::size_t header = 1 << 20; // thousands of lines
    fits_memory file(std::size_t(count) * sizeof(float) + header);
    file.image(axes);
    for (const auto& key : keys) {
        std::visit([&](const auto& value) { file.key(key.first, value); }, key.second);
    }
    for (const auto& line : history) {
        file.history(line);
    }
    file.pixels(values, std::size_t(count));
    return file.bytes();
}

} // namespace gr::fringe::io
