/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/coarse_channels.h"
#include <algorithm>
#include <cstring>

namespace gr {
namespace fringe {
namespace io {

namespace {

class picked_recording : public recording
{
public:
    picked_recording(std::unique_ptr<recording> all,
                     std::size_t channel,
                     const recording_info& info)
        : d_all(std::move(all)), d_info(info)
    {
        const auto& e = encoding_by_name(info.encoding);
        d_all_bytes = e.bytes(d_all->info().streams, 1);
        d_bytes = e.bytes(info.streams, 1);
        d_offset = channel * d_bytes;
        d_info.samples = d_all->info().samples;
        d_info.remarks = d_all->info().remarks;
    }

    const recording_info& info() const override { return d_info; }

    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>*) const override
    {
        // As much at a time as stays in the core's cache.
        constexpr std::size_t bytes = 1u << 18;
        const std::size_t most = std::max<std::size_t>(1, bytes / d_all_bytes);
        static thread_local std::vector<std::uint8_t> samples;
        samples.resize(most * d_all_bytes);
        for (std::size_t done = 0; done < count;) {
            const std::size_t some = std::min(most, count - done);
            d_all->read(first + done, some, samples.data(), nullptr);
            for (std::size_t n = 0; n < some; ++n)
                std::memcpy(out + (done + n) * d_bytes,
                            samples.data() + n * d_all_bytes + d_offset,
                            d_bytes);
            done += some;
        }
    }

private:
    std::unique_ptr<recording> d_all;
    recording_info d_info;
    std::size_t d_all_bytes, d_bytes, d_offset;
};

} // namespace

void coarse_channels::describe(const std::string& path,
                               const recording_hints& hints,
                               recording_info& info) const
{
    const bool all = hints.coarse_channel == recording_hints::all_channels;
    if (!all && hints.coarse_channel >= count)
        throw std::invalid_argument(path + ": holds " + std::to_string(count) +
                                    " coarse channels, counted from 0; there is no " +
                                    std::to_string(hints.coarse_channel));
    info.coarse_channels = all ? count : 1;
    info.streams = info.coarse_channels * polarisations;
    info.inverted = width < 0;
    info.center_frequency = all || center == 0 ? center : frequency(hints.coarse_channel);
    if (hints.streams != 0 && hints.streams != info.streams)
        throw std::invalid_argument(
            path + ": holds " + std::to_string(info.coarse_channels) + " channels of " +
            std::to_string(polarisations) + " polarisations, not the " +
            std::to_string(hints.streams) + " inputs that were said");
}

std::unique_ptr<recording> one_coarse_channel(std::unique_ptr<recording> all,
                                              std::size_t channel,
                                              const recording_info& info)
{
    return std::make_unique<picked_recording>(std::move(all), channel, info);
}

} // namespace io
} // namespace fringe
} // namespace gr
