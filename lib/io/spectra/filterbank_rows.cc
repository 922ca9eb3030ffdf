/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/spectra/filterbank_rows.h"
#include "io/durable/whole_writes.h"
#include <algorithm>
#include <cerrno>
#include <system_error>

namespace gr::fringe::io {

namespace {

void append(int file, const char* at, std::size_t bytes)
{
    if (write_whole(file, at, bytes) < bytes) {
        throw std::system_error(errno, std::generic_category());
    }
}

} // namespace

void append_filterbank_rows(const std::vector<int>& files,
                            const std::vector<std::string>& heads,
                            const float* means,
                            std::size_t times,
                            std::size_t rows,
                            std::size_t channels)
{
    const std::size_t own = rows / std::max<std::size_t>(files.size(), 1);
    std::vector<float> some(times * own * channels);
    for (std::size_t n = 0; n < files.size(); ++n) {
        float* to = some.data();
        for (std::size_t t = 0; t < times; ++t) {
            const float* from = means + (t * rows + n * own) * channels;
            for (std::size_t row = 0; row < own; ++row, from += channels) {
                to = std::reverse_copy(from, from + channels, to);
            }
        }
        if constexpr (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
            for (float& value : some) {
                auto* bytes = reinterpret_cast<char*>(&value);
                std::reverse(bytes, bytes + sizeof value);
            }
        }
        if (n < heads.size()) {
            append(files[n], heads[n].data(), heads[n].size());
        }
        append(files[n],
               reinterpret_cast<const char*>(some.data()),
               some.size() * sizeof(float));
    }
}

} // namespace gr::fringe::io
