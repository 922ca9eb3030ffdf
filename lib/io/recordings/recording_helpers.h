/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_HELPERS_H
#define INCLUDED_FRINGE_IO_RECORDING_HELPERS_H

#include "io/recordings/recording.h"

namespace gr::fringe::io {

//! Throws std::invalid_argument unless a recording of `samples` samples holds first ...
//! first + count - 1, both multiples of the granule.
void check_read(const std::string& path,
                std::uint64_t samples,
                std::uint64_t first,
                std::size_t count,
                std::size_t granule = 1);

//! More samples than any recording has; sums and products of such numbers stay in 64 bits.
constexpr std::uint64_t max_samples_claimed = std::uint64_t(1) << 60;

//! n * factor / divisor, exactly. Throws damaged_recording (the file, `claim` and how many
//! samples that is) for more than max_samples_claimed.
std::uint64_t samples_claimed(const std::string& path,
                              const std::string& claim,
                              std::uint64_t n,
                              std::uint64_t factor,
                              std::uint64_t divisor = 1);

//! A format whose files tell everything, their encoding too, read by a class made of (path,
//! hints).
template <class Recording>
recording_format described_format(const char* name, const char* summary)
{
    recording_format f;
    f.name = name;
    f.summary = summary;
    f.self_describing = true;
    f.encoding.bits = 0;
    f.open = [](const std::string& path,
                const recording_hints& hints) -> std::unique_ptr<recording> {
        return std::make_unique<Recording>(path, hints);
    };
    return f;
}

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECORDING_HELPERS_H */
