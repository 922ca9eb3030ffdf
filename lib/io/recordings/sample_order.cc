/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/sample_order.h"
#include "io/recordings/recording_helpers.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::io {

namespace {

class ordered_recording : public recording
{
public:
    ordered_recording(const std::string& path,
                      std::unique_ptr<recording> all,
                      const sample_order& order,
                      const recording_info& info)
        : d_path(path), d_all(std::move(all)), d_order(order), d_info(info)
    {
        const auto& e = encoding_by_name(info.encoding);
        d_sample_bytes = e.bytes(1, 1);
        d_time_bytes = e.bytes(d_all->info().streams, 1);
        const std::uint64_t samples = d_all->info().samples;
        d_info.samples = samples / order.heap * order.heap;
        d_info.remarks = d_all->info().remarks;
        if (d_info.samples == 0)
            throw damaged_recording(path + ": truncated: holds " +
                                    std::to_string(samples) + " samples, no heap of " +
                                    std::to_string(order.heap));
        if (d_info.samples < samples)
            d_info.remarks += (d_info.remarks.empty() ? "" : ", ") +
                              std::string("cut within a heap of samples");
        for (std::size_t s = 1; s < order.first.size(); ++s)
            d_together = d_together && order.first[s] == order.first[0] + s;
    }

    const recording_info& info() const override { return d_info; }

    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>*) const override
    {
        check_read(d_path, d_info.samples, first, count);
        // As much at a time as stays in the core's cache.
        constexpr std::size_t bytes = 1u << 18;
        const std::size_t heaps =
            std::max<std::size_t>(1, bytes / (d_order.heap * d_time_bytes));
        static thread_local std::vector<std::uint8_t> samples;
        samples.resize(heaps * d_order.heap * d_time_bytes);
        for (std::size_t done = 0; done < count;) {
            const std::uint64_t begin = (first + done) / d_order.heap * d_order.heap;
            const auto skipped = static_cast<std::size_t>(first + done - begin);
            const std::size_t some =
                std::min(heaps * d_order.heap - skipped, count - done);
            const std::size_t whole =
                (skipped + some + d_order.heap - 1) / d_order.heap * d_order.heap;
            d_all->read(begin, whole, samples.data(), nullptr);
            for (std::size_t n = 0; n < some; ++n)
                put(samples.data(), skipped + n, out + (done + n) * row_bytes());
            done += some;
        }
    }

private:
    std::size_t row_bytes() const { return d_order.first.size() * d_sample_bytes; }

    // Time n of heaps that begin at `heaps`.
    void put(const std::uint8_t* heaps, std::size_t n, std::uint8_t* out) const
    {
        const std::uint8_t* from = heaps +
                                   n / d_order.heap * d_order.heap * d_time_bytes +
                                   n % d_order.heap * d_order.step * d_sample_bytes;
        if (d_together) {
            std::memcpy(out, from + d_order.first[0] * d_sample_bytes, row_bytes());
            return;
        }
        for (std::size_t s = 0; s < d_order.first.size(); ++s)
            std::memcpy(out + s * d_sample_bytes,
                        from + d_order.first[s] * d_sample_bytes,
                        d_sample_bytes);
    }

    const std::string d_path;
    const std::unique_ptr<recording> d_all;
    const sample_order d_order;
    recording_info d_info;
    bool d_together = true; // the streams lie one beside the other
    std::size_t d_time_bytes, d_sample_bytes;
};

} // namespace

std::unique_ptr<recording> in_order(const std::string& path,
                                    std::unique_ptr<recording> all,
                                    const sample_order& order,
                                    const recording_info& info)
{
    return std::make_unique<ordered_recording>(path, std::move(all), order, info);
}

} // namespace gr::fringe::io
