/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/guarded_block.h"
#include "blocks/stream_tags.h"
#include "io/visibility_writer.h"
#include "kernels/types.h"
#include <algorithm>
#include <atomic>
#include <gnuradio/fringe/dump_axes.h>
#include <gnuradio/fringe/visibility_sink.h>
#include <gnuradio/io_signature.h>
#include <mutex>
#include <sstream>

namespace gr {
namespace fringe {

namespace {

const std::string me = "visibility_sink";

class visibility_sink_impl : public visibility_sink, public guarded_block
{
public:
    visibility_sink_impl(std::unique_ptr<io::visibility_files> writer,
                         const std::string& path,
                         std::size_t products,
                         std::size_t channels,
                         std::size_t channels_per_item)
        : gr::sync_block(
              "fringe_visibility_sink",
              gr::io_signature::make3(1,
                                      3,
                                      item_bytes(me, channels_per_item * products * 8),
                                      item_bytes(me, channels_per_item * products * 4),
                                      item_bytes(me, channels_per_item * products)),
              gr::io_signature::make(0, 0, 0)),
          d_writer(std::move(writer)),
          d_path(path),
          d_values(channels * products),
          d_item_values(channels_per_item * products)
    {
    }

    std::uint64_t dumps() const override { return d_dumps; }
    std::string error() const override
    {
        std::lock_guard<std::mutex> lock(d_error_mutex);
        return d_error;
    }
    std::string path() const override
    {
        const auto all = files();
        return all.empty() ? "" : all.back();
    }
    std::vector<std::string> files() const override { return d_writer->files(); }
    void set_last_words(std::function<std::string()> words) override
    {
        d_last_words = std::move(words);
    }

    bool stop() override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override;

private:
    void take(std::size_t items,
              const std::complex<float>* v,
              const float* w,
              const std::uint8_t* flags);
    void open_dump(std::uint64_t item);
    void close_dump();
    void fail(const std::string& why);
    void abandon();
    void note_last_words(const std::function<std::string()>& words);

    const std::unique_ptr<io::visibility_files> d_writer;
    const std::string d_path;
    const std::size_t d_values;      // of a dump
    const std::size_t d_item_values; // of an item
    io::dump d_dump;
    std::atomic<std::uint64_t> d_dumps{0};
    bool d_broken = false; // the file cannot be written any further
    bool d_stopped = false;
    std::function<std::string()> d_last_words;
    mutable std::mutex d_error_mutex;
    std::string d_error;
};

void visibility_sink_impl::fail(const std::string& why)
{
    std::lock_guard<std::mutex> lock(d_error_mutex);
    if (d_error.empty()) {
        d_error = why;
        d_logger->error("{:s}", why);
    }
}

void visibility_sink_impl::open_dump(std::uint64_t item)
{
    std::vector<tag_t> found;
    get_tags_in_range(found, 0, item, item + 1);
    const item_tags tags(found);
    d_dump.start = tags.rx_time.value_or(
        d_dump.start.plus_seconds(d_dump.interval)); // without tags: one after the other
    d_dump.interval = tags.interval.value_or(d_dump.interval > 0 ? d_dump.interval : 1.0);
    d_dump.exposure = tags.exposure.value_or(d_dump.interval);
    if (tags.damaged) {
        fail("the data ended early: " + pmt::write_string(tags.damaged));
    }
}

// Hands a whole dump to the file.
void visibility_sink_impl::close_dump()
{
    const bool empty = d_dump.interval <= 0; // carried news, no data
    try {
        if (!empty) {
            d_writer->write(d_dump);
            ++d_dumps;
        }
    } catch (const std::exception& e) {
        fail(e.what());
        d_broken = true;
    }
    d_dump.visibilities.clear();
    d_dump.weights.clear();
    d_dump.flags.clear();
}

// A broken file's items are taken and dropped, so that a flowgraph's other sinks get all.
int visibility_sink_impl::work(int noutput_items,
                               gr_vector_const_void_star& input_items,
                               gr_vector_void_star&)
{
    const int done = guard(*this, *d_logger, [&] {
        take(static_cast<std::size_t>(noutput_items),
             static_cast<const std::complex<float>*>(input_items[0]),
             input_items.size() > 1 ? static_cast<const float*>(input_items[1]) : nullptr,
             input_items.size() > 2 ? static_cast<const std::uint8_t*>(input_items[2])
                                    : nullptr);
        return noutput_items;
    });
    if (done != noutput_items) { // the log has it
        std::lock_guard<std::mutex> lock(d_error_mutex);
        d_error = d_error.empty() ? d_path + ": " + failure() : d_error;
        d_broken = true;
    }
    return noutput_items;
}

void visibility_sink_impl::take(std::size_t items,
                                const std::complex<float>* v,
                                const float* w,
                                const std::uint8_t* flags)
{
    for (std::size_t k = 0; k < items && !d_broken; ++k) {
        if (d_dump.visibilities.empty()) {
            open_dump(nitems_read(0) + k);
            d_dump.visibilities.reserve(d_values);
            d_dump.weights.reserve(d_values);
        }
        d_dump.visibilities.insert(d_dump.visibilities.end(), v, v + d_item_values);
        if (w) {
            d_dump.weights.insert(d_dump.weights.end(), w, w + d_item_values);
            w += d_item_values;
        } else {
            d_dump.weights.resize(d_dump.visibilities.size(), 1.0f);
        }
        if (flags) {
            d_dump.flags.insert(d_dump.flags.end(), flags, flags + d_item_values);
            flags += d_item_values;
        }
        v += d_item_values;
        if (d_dump.visibilities.size() == d_values) {
            close_dump();
        }
    }
}

void visibility_sink_impl::note_last_words(const std::function<std::string()>& words)
{
    if (!words) {
        return;
    }
    std::istringstream lines(words());
    for (std::string line; std::getline(lines, line);) {
        d_writer->note(line);
    }
}

bool visibility_sink_impl::stop()
{
    if (d_stopped) {
        return true;
    }
    d_stopped = true;
    // What it holds on to is let go: it may be the flowgraph that holds this block.
    std::function<std::string()> words;
    words.swap(d_last_words);
    const std::string failed = failure_upstream(*this);
    if (!failed.empty()) {
        fail("the data ended early: " + failed);
    }
    if (d_dumps == 0) {
        fail(d_path + ": no dump was received, so no file was written");
    }
    try {
        if (error().empty()) {
            note_last_words(words);
            d_writer->finish();
        }
    } catch (const std::exception& e) {
        fail(e.what());
    }
    if (!error().empty()) {
        abandon();
    }
    return true;
}

// What there is of the file is known when nobody writes to it any more.
void visibility_sink_impl::abandon()
{
    try {
        d_writer->abandon();
    } catch (const std::exception& e) {
        d_logger->error("{:s}", e.what());
    }
    if (d_dumps == 0) {
        return;
    }
    const std::string kept = d_writer->kept();
    d_logger->error("{:s}", kept);
    std::lock_guard<std::mutex> lock(d_error_mutex);
    d_error += "; " + kept;
}

} // namespace

visibility_sink::sptr visibility_sink::make(const observation& obs,
                                            const std::string& path,
                                            std::size_t channels,
                                            bool complex_samples,
                                            std::size_t channels_per_item,
                                            bool overwrite,
                                            const std::string& history,
                                            double roll_seconds,
                                            const std::string& products,
                                            double smearing_loss,
                                            double field_radius,
                                            double longest_average,
                                            const std::string& satellite)
{
    const std::size_t inputs = obs.inputs.size();
    require(inputs > 0, me, "obs", "no inputs", "give an observation with antennas");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    dump_selection keep;
    keep.products = products;
    const std::size_t pairs =
        products == "all"
            ? kernels::baselines(inputs)
            : dump_axes(obs, channels, complex_samples, keep).baselines.size();
    const std::size_t per_item = product_channels(me, channels_per_item, pairs, channels);
    io::visibility_file_params p;
    p.observation = obs;
    p.channels = channels;
    p.complex_samples = complex_samples;
    p.overwrite = overwrite;
    p.history = history;
    p.roll_seconds = roll_seconds;
    p.products = products;
    p.averaging = {smearing_loss, field_radius, longest_average};
    if (!satellite.empty()) {
        p.satellite = std::make_shared<const array::satellite_track>(
            array::satellite_track::from_file(satellite));
    }
    return gnuradio::make_block_sptr<visibility_sink_impl>(
        io::open_visibility_file(path, p), path, pairs, channels, per_item);
}

} // namespace fringe
} // namespace gr
