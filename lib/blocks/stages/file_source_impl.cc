/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/base/guarded_block.h"
#include "blocks/base/items_ahead.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/stages/shared_recording.h"
#include "io/recordings/ordered_blocks.h"
#include <gnuradio/fringe/file_source.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

namespace {

const std::string me = "file_source";

class file_source_impl : public file_source, public guarded_block, public shared_recording
{
public:
    file_source_impl(io::recording_set files,
                     std::size_t block_samples,
                     std::size_t item_samples,
                     double center_frequency,
                     std::uint64_t total,
                     bool repeat,
                     bool allow_gaps);

    stream_description description() const override
    {
        stream_description d{
            alias(),
            stream_kind::raw,
            static_cast<std::size_t>(output_signature()->sizeof_stream_item(0)),
            {{"format", encoding()},
             {"inputs", inputs()},
             {"files", parts()},
             {"block_samples", d_block}}};
        if (d_files.info().coarse_channels > 1) {
            d.fields["coarse_channels"] = std::to_string(d_files.info().coarse_channels);
        }
        return d;
    }
    std::size_t inputs() const override { return d_files.streams(); }
    std::string encoding() const override { return d_files.encoding().name; }
    std::size_t parts() const override { return d_files.parts(); }
    double sample_rate() const override { return d_rate; }
    double center_frequency() const override { return d_freq; }
    bool has_start_time() const override { return d_has_start; }
    epoch start_time() const override { return d_start; }
    std::uint64_t total_samples() const override { return d_total; }
    std::uint64_t samples_read() const override { return d_read; }
    std::uint64_t samples_missing() const override { return d_losses.total("missing"); }
    std::uint64_t samples_invalid() const override { return d_losses.total("invalid"); }
    loss_counter::counts losses() const override { return d_losses.by_cause(); }
    std::string error() const override { return damage(); }
    void finish() override { d_finish = true; }

    bool start() override
    {
        begin_run();
        const auto bytes =
            static_cast<std::size_t>(output_signature()->sizeof_stream_item(0));
        d_blocks.start(reading_threads(bytes));
        return true;
    }
    bool stop() override
    {
        d_blocks.stop(); // GNU Radio may free the ring, into which it is read
        d_losses.tell_end(d_read);
        return true;
    }
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star&,
                     gr_vector_void_star& output_items) override
    {
        return guard(*this, *d_logger, ninput_items, [&] {
            return send_item(static_cast<std::uint8_t*>(output_items[0]),
                             static_cast<std::size_t>(noutput_items));
        });
    }

private:
    int send_item(std::uint8_t* out, std::size_t places);
    io::ordered_blocks::item take_item(std::uint64_t item);
    void tag_start(std::uint64_t item);

    double d_rate;
    double d_freq;
    bool d_has_start = false;
    epoch d_start;
    io::ordered_blocks d_blocks;
};

file_source_impl::file_source_impl(io::recording_set files,
                                   std::size_t block_samples,
                                   std::size_t item_samples,
                                   double center_frequency,
                                   std::uint64_t total,
                                   bool repeat,
                                   bool allow_gaps)
    : gr::block(
          "fringe_file_source",
          gr::io_signature::make(0, 0, 0),
          gr::io_signature::make(
              1,
              1,
              item_bytes(me, files.encoding().bytes(files.streams(), item_samples)))),
      shared_recording(*this, d_logger, std::move(files), block_samples, total, repeat),
      d_blocks(d_files,
               {block_samples,
                item_samples,
                static_cast<std::size_t>(output_signature()->sizeof_stream_item(0))},
               total,
               repeat)
{
    d_streams.send(0, stream_kind::raw, description().fields);
    const std::size_t bytes = output_signature()->sizeof_stream_item(0);
    use_whole_pages(*this, 0, bytes, items_ahead(bytes));
    const io::recording_format& format = d_files.format();
    require(block_samples % format.granule == 0,
            me,
            "block_samples",
            block_samples,
            "must be a multiple of " + std::to_string(format.granule) + " for format " +
                format.name);
    require(block_samples % item_samples == 0 && item_samples % format.granule == 0,
            me,
            "item_samples",
            item_samples,
            "must divide the " + std::to_string(block_samples) +
                " samples of a block, and be a multiple of " +
                std::to_string(format.granule) + " for format " + format.name);
    const io::recording_info& info = d_files.info();
    d_rate = d_files.times().sample_rate();
    require(d_rate > 0 && d_rate < 1e12,
            me,
            "sample_rate",
            d_rate,
            "the recording does not say; give a positive rate in Hz");
    // Of several coarse channels none is at the frequency of the whole band.
    const double stated = info.coarse_channels > 1 ? 0 : info.center_frequency;
    d_freq = center_frequency != 0 ? center_frequency : stated;
    d_has_start = d_files.times().has_start_time();
    d_start = d_files.times().start_time();
    if (!allow_gaps) {
        d_files.refuse_gaps(d_total);
    }
    for (const std::string& note : d_files.times().notes()) {
        d_logger->info("{:s}", note);
    }
}

// On the first item of every run, as what was on its way when the flowgraph was changed is
// lost, and behind a gap.
void file_source_impl::tag_start(std::uint64_t item)
{
    const auto sent = static_cast<std::int64_t>(d_read.load());
    add_item_tag(
        0, item, tag::rx_time(), tag::from_epoch(d_start.plus_samples(sent, d_rate)));
    add_item_tag(0, item, tag::rx_rate(), pmt::from_double(d_rate));
    add_item_tag(0, item, tag::rx_freq(), pmt::from_double(d_freq));
}

// Takes the next item's samples of every file.
io::ordered_blocks::item file_source_impl::take_item(std::uint64_t item)
{
    std::vector<io::lost_samples> lost;
    io::ordered_blocks::item taken{0, true};
    try {
        taken = d_blocks.take(lost);
    } catch (const io::damaged_recording& e) {
        end_damaged(e.what());
        add_item_tag(0, item, tag::damaged(), pmt::mp(std::string(e.what())));
        return {0, true};
    }
    std::vector<invalid_run> runs;
    for (const io::lost_samples& l : lost) {
        runs.push_back({l.stream, l.first, l.count});
    }
    if (!runs.empty()) {
        add_item_tag(0, item, tag::invalid(), from_invalid(runs));
    }
    count_lost(lost);
    return taken;
}

// Sends one item a call, so that the next stage can begin.
int file_source_impl::send_item(std::uint8_t* out, std::size_t places)
{
    if (is_over() || d_blocks.ended()) {
        d_losses.tell_end(d_read);
        return WORK_DONE;
    }
    const std::uint64_t item = nitems_written(0);
    const std::uint64_t gap = d_repeat ? 0 : d_blocks.next() - d_read;
    if (gap > 0) {
        skip(gap);
        d_read += gap;
    }
    if (item == 0 || gap > 0) {
        tag_start(item);
    }
    d_blocks.begin(out, places);
    const auto taken = take_item(item);
    if (taken.ends_short) {
        add_item_tag(0, item, tag::samples(), pmt::from_uint64(taken.samples));
    }
    d_read += taken.samples;
    d_losses.tell(d_read);
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
                                    bool repeat,
                                    const std::string& prefer,
                                    bool allow_gaps,
                                    std::size_t item_samples)
{
    require(block_samples > 0, me, "block_samples", block_samples, "must be at least 1");
    io::time_settings settings;
    settings.first = start_samples;
    settings.sample_rate = sample_rate;
    settings.has_start_time = !start_time.empty();
    settings.start_time = start_time.empty() ? epoch() : epoch::from_iso(start_time);
    settings.prefer = io::preferred_by_name(prefer);
    io::recording_set files(paths, io::format_by_name(format), inputs, settings);
    require(samples <= files.samples(),
            me,
            "samples",
            samples,
            "only " + std::to_string(files.samples()) +
                " are there from the start sample on");
    const std::uint64_t total = samples > 0 ? samples : files.samples();
    return gnuradio::make_block_sptr<file_source_impl>(std::move(files),
                                                       block_samples,
                                                       item_samples > 0 ? item_samples
                                                                        : block_samples,
                                                       center_frequency,
                                                       total,
                                                       repeat,
                                                       allow_gaps);
}

} // namespace gr::fringe
