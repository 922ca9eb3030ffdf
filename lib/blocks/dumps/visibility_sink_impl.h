/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_VISIBILITY_SINK_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_VISIBILITY_SINK_IMPL_H

#include "array/band_channels.h"
#include "blocks/base/guarded_block.h"
#include "blocks/dumps/dump_items.h"
#include "blocks/dumps/frequency_axis.h"
#include "blocks/dumps/sink_control.h"
#include "blocks/dumps/sink_file.h"
#include "blocks/ports/stream_tags.h"
#include <gnuradio/fringe/visibility_sink.h>

namespace gr::fringe {

class visibility_sink_impl : public visibility_sink, public guarded_block
{
public:
    visibility_sink_impl(const std::string& path,
                         const io::visibility_file_params& params,
                         std::size_t products,
                         std::size_t channels_per_item,
                         const array::band_channels& flagged);

    std::uint64_t dumps() const override { return d_file.dumps(); }
    std::string error() const override { return d_file.error(); }
    std::string path() const override
    {
        const auto all = files();
        return all.empty() ? "" : all.back();
    }
    std::vector<std::string> files() const override { return d_file.files(); }
    void set_last_words(std::function<std::string()> words) override
    {
        d_last_words = std::move(words);
    }
    void fail(const std::string& why) override { d_file.fail(why, *d_logger); }
    void begin_new_file() override { d_control.begin_new_file(); }
    void set_writing(bool writes) override { d_control.set_writing(writes); }
    bool writing() const override { return d_control.writing(); }
    double dump_age() const override { return d_control.dump_age(); }
    double dump_time() const override { return d_control.dump_time(); }
    std::pair<std::uint64_t, std::uint64_t> fill() const override
    {
        const auto waiting = d_file.waiting();
        return {waiting.bytes, waiting.room};
    }

    bool start() override;
    bool stop() override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override;

private:
    void take(std::size_t items, const gr_vector_const_void_star& in);
    void open_dump(std::uint64_t item);
    void close_dump();
    void follow_tuning(const item_tags& tags);
    void flag_channel(const std::optional<std::size_t>& channel,
                      const std::string& sent_as);
    std::vector<std::string> last_lines();

    sink_file d_file;
    sink_control d_control;
    frequency_axis d_axis;
    bool d_dated = true; // the data of this run have times
    const std::size_t d_channels;
    const std::size_t d_values; // of a dump
    const dump_items d_items;
    const array::band_channels d_flagged;
    io::dump d_dump;
    std::function<std::string()> d_last_words;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_VISIBILITY_SINK_IMPL_H */
