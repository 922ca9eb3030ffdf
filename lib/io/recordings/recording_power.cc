/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_power.h"
#include "io/recordings/recording_files.h"
#include "io/recordings/recording_piece.h"
#include <algorithm>
#include <numeric>

namespace gr::fringe::io {

std::vector<double> recording_power(const std::string& path,
                                    const std::string& format,
                                    std::size_t streams,
                                    std::uint64_t first,
                                    std::size_t samples)
{
    const recording_format& f = format_by_name(format);
    const auto recording = open_recording(f, path, {streams});
    const recording_info& info = recording->info();
    const std::uint64_t left = first < info.samples ? info.samples - first : 0;
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(samples, left)) / f.granule *
        f.granule;
    std::vector<double> power(info.streams, 0.0);
    if (count == 0) {
        return power;
    }
    const kernels::encoding& e = encoding_of(f, info);
    std::vector<std::uint8_t> raw(e.bytes(info.streams, count));
    std::vector<lost_samples> lost;
    recording_piece(*recording, f, count).read(first, count, 0, raw.data(), lost);

    const std::size_t components = e.is_complex ? 2 : 1;
    std::vector<float> values(info.streams * count * components);
    std::vector<std::size_t> rows(info.streams);
    std::iota(rows.begin(), rows.end(), 0);
    const auto unpack = e.unpack[static_cast<int>(kernels::backend::cpu)]
                                [static_cast<int>(kernels::component::f32)];
    const std::size_t streams_per_part = info.streams / info.parts;
    for (std::size_t s = 0; s < info.streams; s += streams_per_part) {
        unpack(raw.data() + e.bytes(s, count),
               streams_per_part,
               count,
               &rows[s],
               values.data(),
               count);
    }
    const std::size_t row = count * components;
    std::vector<std::size_t> there(info.streams, count);
    for (const lost_samples& l : lost) {
        std::fill_n(values.begin() + l.stream * row + l.first * components,
                    l.count * components,
                    0.0f);
        there[l.stream] -= l.count;
    }
    for (std::size_t s = 0; s < info.streams; ++s) {
        const float* x = values.data() + s * row;
        const double sum = std::inner_product(x, x + row, x, 0.0);
        power[s] = there[s] > 0 ? sum / there[s] : 0;
    }
    return power;
}

} // namespace gr::fringe::io
