/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/stream_tags.h"
#include "io/recording.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <gnuradio/fringe/file_source.h>
#include <gnuradio/io_signature.h>
#include <mutex>

namespace gr {
namespace fringe {

namespace {

const std::string me = "file_source";

struct opened_file {
    std::unique_ptr<io::recording> recording;
    std::uint64_t first; // sample to start with
};

std::vector<opened_file> open_files(const std::vector<std::string>& paths,
                                    const io::recording_format& format,
                                    std::size_t inputs,
                                    const std::vector<std::uint64_t>& first)
{
    require(!paths.empty(), me, "paths", "none", "give at least one file");
    require(inputs % paths.size() == 0,
            me,
            "inputs",
            inputs,
            "must divide evenly by the " + std::to_string(paths.size()) + " files");
    require(format.self_describing || inputs > 0,
            me,
            "inputs",
            inputs,
            "recordings of format " + format.name +
                " have no header: say how many inputs there are (at least 1)");
    require(first.size() == 1 || first.size() == paths.size(),
            me,
            "start_samples",
            std::to_string(first.size()) + " values",
            "give one for all files or one for each of the " +
                std::to_string(paths.size()));
    std::vector<opened_file> files;
    for (std::size_t k = 0; k < paths.size(); ++k) {
        const std::uint64_t start = first[first.size() == 1 ? 0 : k];
        files.push_back({format.open(paths[k], {inputs / paths.size()}), start});
        const auto& info = files.back().recording->info();
        require(start < info.samples,
                me,
                "start_samples",
                start,
                paths[k] + " holds " + std::to_string(info.samples) + " samples of " +
                    std::to_string(info.streams) + " streams");
        require(start % format.granule == 0,
                me,
                "start_samples",
                start,
                "recordings of format " + format.name + " can start at multiples of " +
                    std::to_string(format.granule) + " samples");
        require(inputs == 0 || info.streams * paths.size() == inputs,
                me,
                "inputs",
                inputs,
                paths[k] + " holds " + std::to_string(info.streams) + " streams");
    }
    return files;
}

class file_source_impl : public file_source
{
public:
    file_source_impl(const io::recording_format& format,
                     std::vector<opened_file> files,
                     std::size_t block_samples,
                     double sample_rate,
                     double center_frequency,
                     const std::string& start_time,
                     std::uint64_t samples,
                     bool repeat);

    std::size_t inputs() const override { return d_inputs; }
    double sample_rate() const override { return d_rate; }
    double center_frequency() const override { return d_freq; }
    bool has_start_time() const override { return d_has_start; }
    epoch start_time() const override { return d_start; }
    std::uint64_t total_samples() const override { return d_total; }
    std::uint64_t samples_read() const override { return d_read; }
    std::string error() const override
    {
        std::lock_guard<std::mutex> lock(d_error_mutex);
        return d_error;
    }
    void finish() override { d_finish = true; }

    int general_work(int noutput_items,
                     gr_vector_int&,
                     gr_vector_const_void_star&,
                     gr_vector_void_star& output_items) override;

private:
    std::size_t read_block(std::uint8_t* out);
    void tag_start();

    const io::recording_format& d_format;
    std::vector<opened_file> d_files;
    const std::size_t d_inputs;
    const std::size_t d_block;
    const bool d_repeat;
    double d_rate;
    double d_freq;
    bool d_has_start = false;
    epoch d_start;
    std::uint64_t d_total;
    std::uint64_t d_position = 0; // within one pass over the files
    std::atomic<std::uint64_t> d_read{0};
    std::atomic<bool> d_finish{false};
    bool d_ended = false;
    mutable std::mutex d_error_mutex;
    std::string d_error;
};

std::size_t streams_of(const std::vector<opened_file>& files)
{
    std::size_t n = 0;
    for (const auto& f : files) {
        n += f.recording->info().streams;
    }
    return n;
}

file_source_impl::file_source_impl(const io::recording_format& format,
                                   std::vector<opened_file> files,
                                   std::size_t block_samples,
                                   double sample_rate,
                                   double center_frequency,
                                   const std::string& start_time,
                                   std::uint64_t samples,
                                   bool repeat)
    : gr::block(
          "fringe_file_source",
          gr::io_signature::make(0, 0, 0),
          gr::io_signature::make(
              1,
              1,
              item_bytes(me, format.encoding.bytes(streams_of(files), block_samples)))),
      d_format(format),
      d_files(std::move(files)),
      d_inputs(streams_of(d_files)),
      d_block(block_samples),
      d_repeat(repeat)
{
    use_whole_pages(*this, 0, format.encoding.bytes(d_inputs, block_samples));
    require(block_samples % format.granule == 0,
            me,
            "block_samples",
            block_samples,
            "must be a multiple of " + std::to_string(format.granule) + " for format " +
                format.name);
    const auto& info = d_files[0].recording->info();
    d_rate = sample_rate != 0 ? sample_rate : info.sample_rate;
    require(d_rate > 0 && d_rate < 1e12,
            me,
            "sample_rate",
            d_rate,
            "the recording does not say; give a positive rate in Hz");
    d_freq = center_frequency != 0 ? center_frequency : info.center_frequency;
    d_has_start = !start_time.empty() || info.has_start_time;
    d_start = start_time.empty() ? info.start_time : epoch::from_iso(start_time);
    d_start = d_start.plus_samples(static_cast<std::int64_t>(d_files[0].first), d_rate);

    std::uint64_t available = ~std::uint64_t(0);
    for (const auto& f : d_files) {
        available = std::min(available, f.recording->info().samples - f.first);
    }
    require(samples <= available,
            me,
            "samples",
            samples,
            "only " + std::to_string(available) + " are there from the start sample on");
    d_total = samples > 0 ? samples : available;
}

// Reads the next samples of every file into a block. Returns their number.
std::size_t file_source_impl::read_block(std::uint8_t* out)
{
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(d_block, d_total - d_position));
    const std::size_t granules = (count + d_format.granule - 1) / d_format.granule;
    if (count == d_block) {
        for (auto& f : d_files) {
            f.recording->read(f.first + d_position, count, out);
            out += d_format.encoding.bytes(f.recording->info().streams, d_block);
        }
        return count;
    }
    // A short block: streams stored one after the other keep the stride of a whole one.
    for (auto& f : d_files) {
        const std::size_t streams = f.recording->info().streams;
        const std::size_t whole = d_format.encoding.bytes(streams, d_block);
        const std::size_t part =
            d_format.encoding.bytes(streams, granules * d_format.granule);
        std::vector<std::uint8_t> read(part);
        f.recording->read(f.first + d_position, granules * d_format.granule, read.data());
        std::memset(out, 0, whole);
        const std::size_t rows = d_format.stream_major ? streams : 1;
        for (std::size_t r = 0; r < rows; ++r) {
            std::memcpy(
                out + r * (whole / rows), read.data() + r * (part / rows), part / rows);
        }
        out += whole;
    }
    return count;
}

void file_source_impl::tag_start()
{
    add_item_tag(0, 0, tag::rx_time(), tag::from_epoch(d_start));
    add_item_tag(0, 0, tag::rx_rate(), pmt::from_double(d_rate));
    add_item_tag(0, 0, tag::rx_freq(), pmt::from_double(d_freq));
}

int file_source_impl::general_work(int,
                                   gr_vector_int&,
                                   gr_vector_const_void_star&,
                                   gr_vector_void_star& output_items)
{
    if (d_ended || d_finish) {
        return WORK_DONE;
    }
    const std::uint64_t item = nitems_written(0);
    if (item == 0) {
        tag_start();
    }
    auto* out = static_cast<std::uint8_t*>(output_items[0]);
    std::size_t count = 0;
    try {
        count = read_block(out);
    } catch (const io::damaged_recording& e) {
        // What came before is whole: end the data here and say so downstream.
        d_logger->error("{:s}", e.what());
        std::lock_guard<std::mutex> lock(d_error_mutex);
        d_error = e.what();
        d_ended = true;
        add_item_tag(0, item, tag::damaged(), pmt::mp(d_error));
    }
    if (count < d_block) {
        add_item_tag(0, item, tag::samples(), pmt::from_uint64(count));
    }
    d_position += count;
    d_read += count;
    if (d_position == d_total) {
        d_position = 0;
        d_ended = d_ended || !d_repeat;
    }
    return 1;
}

} // namespace

file_source::sptr file_source::make(const std::vector<std::string>& paths,
                                    const std::string& format,
                                    std::size_t inputs,
                                    std::size_t block_samples,
                                    double sample_rate,
                                    double center_frequency,
                                    const std::string& start_time,
                                    const std::vector<std::uint64_t>& start_samples,
                                    std::uint64_t samples,
                                    bool repeat)
{
    const io::recording_format& f = io::format_by_name(format);
    require(block_samples > 0, me, "block_samples", block_samples, "must be at least 1");
    return gnuradio::make_block_sptr<file_source_impl>(
        f,
        open_files(paths, f, inputs, start_samples),
        block_samples,
        sample_rate,
        center_frequency,
        start_time,
        samples,
        repeat);
}

} // namespace fringe
} // namespace gr
