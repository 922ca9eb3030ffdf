/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The parameters of packet_sink.
#include "blocks/block_checks.h"
#include "blocks/live/packet_sink_impl.h"
#include "io/packets/packet_settings.h"

namespace gr {
namespace fringe {

namespace {

const std::string me = "packet_sink";

struct addressed {
    std::vector<std::string> addresses;
    std::vector<io::channel_range> ranges;
};

std::size_t number(const std::string& address, const std::string& text)
{
    require(!text.empty() && text.size() < 9 &&
                text.find_first_not_of("0123456789") == std::string::npos,
            me,
            "addresses",
            address,
            "must be host:port or host:port/first-last, as in 10.0.0.1:7148/0-63");
    return std::stoul(text);
}

// Addresses as "host:port/first-last", or all without the numbers of channels.
addressed read_addresses(const std::vector<std::string>& texts, std::size_t channels)
{
    addressed all;
    for (const std::string& text : texts) {
        const std::size_t slash = text.find('/');
        all.addresses.push_back(text.substr(0, slash));
        if (slash == std::string::npos) {
            continue;
        }
        const std::string range = text.substr(slash + 1);
        const std::size_t dash = range.find('-');
        const std::size_t first = number(text, range.substr(0, dash));
        const std::size_t last =
            dash == std::string::npos ? first : number(text, range.substr(dash + 1));
        require(first <= last && last < channels,
                me,
                "addresses",
                text,
                "channels must be of 0-" + std::to_string(channels - 1));
        all.ranges.push_back({first, last - first + 1});
    }
    if (all.ranges.empty() && !texts.empty()) {
        require(channels % texts.size() == 0,
                me,
                "addresses",
                texts.size(),
                "must divide the " + std::to_string(channels) +
                    " channels, or name some for each: host:port/first-last");
        const std::size_t each = channels / texts.size();
        for (std::size_t k = 0; k < texts.size(); ++k) {
            all.ranges.push_back({k * each, each});
        }
    }
    require(all.ranges.size() == texts.size(),
            me,
            "addresses",
            texts.size(),
            "name channels for all of them, or for none");
    return all;
}

std::optional<epoch> read_instant(const std::string& text)
{
    if (text.empty()) {
        return std::nullopt;
    }
    io::packet_settings settings(me, {{"sync_time", text}});
    const auto instant = settings.instant("sync_time", "");
    require(instant && instant->attos == 0,
            me,
            "sync_time",
            text,
            "must be a whole second: ISO 8601, or seconds since 1970");
    return instant;
}

} // namespace

packet_sink::sptr packet_sink::make(const std::vector<std::string>& addresses,
                                    std::size_t inputs,
                                    std::size_t channels,
                                    std::size_t block_spectra,
                                    const std::string& layout,
                                    const std::string& requantize,
                                    bool complex_samples,
                                    std::size_t packet_channels,
                                    std::size_t spectra,
                                    std::size_t first_input,
                                    std::size_t all_inputs,
                                    std::size_t first_channel,
                                    const std::string& sync_time,
                                    double speed,
                                    const std::string& interface,
                                    unsigned hops)
{
    require(channels > 0 && channels <= 1u << 26,
            me,
            "channels",
            channels,
            "must be 1 ... 2^26");
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(requantize == "8" || requantize == "4",
            me,
            "requantize",
            requantize,
            "must be 8 or 4, as the channelizer's");
    require(speed >= 0 && speed < 1e6, me, "speed", speed, "must be 0 or more");
    require(hops <= 255, me, "hops", hops, "must be 0 ... 255");
    require(first_channel < std::size_t(1) << 31,
            me,
            "first_channel",
            first_channel,
            "must be less than 2^31");
    const addressed to = read_addresses(addresses, channels);
    io::spectra_params p;
    p.layout = layout;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = item_spectra(block_spectra, inputs, channels);
    p.bits = requantize == "8" ? 8 : 4;
    p.points = complex_samples ? channels : 2 * channels;
    p.packet_channels = packet_channels;
    p.spectra = spectra;
    p.first_input = first_input;
    p.all_inputs = all_inputs;
    p.first_channel = first_channel;
    p.ranges = to.ranges;
    return gnuradio::make_block_sptr<packet_sink_impl>(
        p, to.addresses, read_instant(sync_time), speed, interface, hops);
}

} // namespace fringe
} // namespace gr
