/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/dumps/visibility_sink_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "kernels/base/types.h"
#include <gnuradio/fringe/dump_axes.h>
#include <gnuradio/fringe/flags.h>
#include <gnuradio/io_signature.h>
#include <sstream>

namespace gr::fringe {

namespace {

const std::string me = "visibility_sink";

// Times in the year 1970 are those of data that had none.
constexpr std::uint64_t first_date = 366 * 86400;
const char* const no_time =
    "the data have no time (rx_time): their dumps are counted from 1970-01-01 on";

} // namespace

visibility_sink_impl::visibility_sink_impl(const std::string& path,
                                           const io::visibility_file_params& params,
                                           std::size_t products,
                                           std::size_t channels_per_item,
                                           const array::band_channels& flagged)
    : gr::sync_block(
          "fringe_visibility_sink",
          gr::io_signature::make3(1,
                                  3,
                                  item_bytes(me, channels_per_item * products * 8),
                                  item_bytes(me, channels_per_item * products * 4),
                                  item_bytes(me, channels_per_item * products)),
          gr::io_signature::make(0, 0, 0)),
      d_file(path, params),
      d_control(*this, d_logger),
      d_axis(params.observation, params.channels, params.complex_samples),
      d_channels(params.channels),
      d_values(params.channels * products),
      d_items(channels_per_item * products, d_values),
      d_flagged(flagged)
{
    const stream_fields fields{{"inputs", params.observation.inputs.size()},
                               {"channels", params.channels},
                               {"channels_per_item", channels_per_item},
                               {"products", params.products},
                               {"baselines", products},
                               {"complex_samples", params.complex_samples}};
    d_streams.expect(0, stream_kind::visibilities, fields);
    d_streams.expect(1, stream_kind::weights, fields);
    d_streams.expect(2, stream_kind::flags, fields);
}

bool visibility_sink_impl::start()
{
    begin_run();
    d_dump = io::dump();
    d_dated = true;
    d_file.begin_run(*d_logger);
    return true;
}

void visibility_sink_impl::open_dump(std::uint64_t item)
{
    const item_tags tags(tags_of(*this, 0, item));
    follow_tuning(tags);
    const std::string why =
        d_axis.contradiction(alias(), tags.rx_freq, tags.channel_width);
    if (!why.empty()) {
        throw stream_mismatch(why);
    }
    if (!tags.interval) {
        throw stream_mismatch(
            alias() + ": interval: the dumps do not say how long they are, as their "
                      "spectra carry no rx_rate: give the source a sample rate");
    }
    const epoch next = d_dump.start.plus_seconds(d_dump.interval);
    d_dump.start = tags.rx_time.value_or(next); // without: one after the other
    if (d_dump.start.seconds_since(next) < -0.5 * d_dump.interval) {
        d_file.begin_next("the clock went back from " + next.iso(6) + " to " +
                              d_dump.start.iso(6),
                          *d_logger);
    }
    d_dump.interval = *tags.interval;
    d_dump.exposure = tags.exposure.value_or(d_dump.interval);
    if (d_dated && d_dump.start.seconds < first_date) {
        d_dated = false;
        d_logger->warn("{:s}", no_time);
    }
    if (tags.damaged) {
        d_file.fail("the data ended early: " + pmt::write_string(tags.damaged),
                    *d_logger);
    }
}

// Data of another frequency go into a file of their own. The first data have that of the
// observation.
void visibility_sink_impl::follow_tuning(const item_tags& tags)
{
    if (!d_file.has_dumps() || !d_axis.tuned_away(tags.rx_freq, tags.channel_width)) {
        return;
    }
    std::ostringstream why;
    why.precision(12);
    why << "tuned from " << d_axis.center_frequency() << " to " << *tags.rx_freq << " Hz";
    if (tags.rx_time) {
        why << " at " << tags.rx_time->iso(6);
    }
    d_axis.retune(*tags.rx_freq);
    d_file.tune(*tags.rx_freq);
    d_file.begin_next(why.str(), *d_logger);
}

// Flags a channel of the dump: the one that the sender has named, where it did.
void visibility_sink_impl::flag_channel(const std::optional<std::size_t>& channel,
                                        const std::string& sent_as)
{
    const std::string sent = d_streams.received(sent_as);
    if (!channel || sent == "none") {
        return;
    }
    const std::size_t products = d_values / d_channels;
    const std::size_t which = sent.empty() ? *channel : std::stoul(sent);
    if (which < d_channels) {
        d_dump.flags.resize(d_values);
        for (std::size_t p = 0; p < products; ++p) {
            d_dump.flags[which * products + p] |= bit(flag::band);
        }
    }
}

// Hands a whole dump to the file; one without a length carried tags only.
void visibility_sink_impl::close_dump()
{
    if (d_dump.interval > 0) {
        flag_channel(d_flagged.edge, "edge_channel");
        flag_channel(d_flagged.dc, "dc_channel");
        if (d_control.takes(d_dump, d_file, *d_logger)) {
            d_file.write(d_dump, *d_logger);
        }
    }
    dump_items::clear(d_dump);
}

// A broken file's items are taken and dropped, so that a flowgraph's other sinks get all.
// Items that are not what this sink expects end the flowgraph.
int visibility_sink_impl::work(int noutput_items,
                               gr_vector_const_void_star& input_items,
                               gr_vector_void_star&)
{
    const gr_vector_int available(input_items.size(), noutput_items);
    return guard(*this, *d_logger, available, [&] {
        try {
            take(static_cast<std::size_t>(noutput_items), input_items);
        } catch (const stream_mismatch&) {
            throw;
        } catch (const std::exception& e) {
            d_file.give_up(d_file.name() + ": " + name() + " failed: " + e.what(),
                           *d_logger);
        }
        return noutput_items;
    });
}

void visibility_sink_impl::take(std::size_t items, const gr_vector_const_void_star& in)
{
    for (std::size_t k = 0; k < items && !d_file.broken(); ++k) {
        if (d_items.begins(d_dump)) {
            open_dump(nitems_read(0) + k);
        }
        d_items.add(d_dump, in, k);
        if (d_items.whole(d_dump)) {
            close_dump();
        }
    }
}

// Lines for the end of the file's history.
std::vector<std::string> visibility_sink_impl::last_lines()
{
    // The function may own the flowgraph that owns this block, so it is released.
    std::function<std::string()> words;
    words.swap(d_last_words);
    std::vector<std::string> lines;
    if (!d_streams.received("time").empty()) {
        lines.push_back("time: " + d_streams.received("time"));
    } else if (!d_dated) {
        lines.push_back(no_time);
    }
    std::istringstream text(words && d_file.error().empty() ? words() : "");
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    return lines;
}

bool visibility_sink_impl::stop()
{
    const std::string failed = flowgraph_failure(*this);
    if (!failure().empty()) {
        d_file.fail(d_file.name() + ": " + failure(), *d_logger);
    } else if (!failed.empty()) {
        d_file.fail("the data ended early: " + failed, *d_logger);
    }
    const auto lines = last_lines();
    d_file.end_run(lines, *d_logger);
    return true;
}

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
                                            const std::string& satellite,
                                            bool keep_edge,
                                            bool flag_dc)
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
    array::band_channels flagged(obs, channels, complex_samples);
    flagged.edge = keep_edge ? std::nullopt : flagged.edge;
    flagged.dc = flag_dc ? flagged.dc : std::nullopt;
    return gnuradio::make_block_sptr<visibility_sink_impl>(
        path, p, pairs, per_item, flagged);
}

} // namespace gr::fringe
