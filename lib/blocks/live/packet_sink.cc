/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The parameters of packet_sink.
#include "blocks/base/block_checks.h"
#include "blocks/live/packet_sink_impl.h"
#include "blocks/live/vdif_sink_impl.h"
#include "io/packets/packet_settings.h"

namespace gr::fringe {

namespace {

const std::string me = "packet_sink";

struct addressed {
    std::vector<std::string> addresses;
    std::vector<io::index_range> ranges;
};

// What is divided among the addresses.
struct numbered {
    const char* name;
    std::size_t count;
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

// Addresses as "host:port/first-last", or all without the numbers of channels or inputs.
addressed read_addresses(const std::vector<std::string>& texts, const numbered& all_of)
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
        require(first <= last && last < all_of.count,
                me,
                "addresses",
                text,
                all_of.name + (" must be of 0-" + std::to_string(all_of.count - 1)));
        all.ranges.push_back({first, last - first + 1});
    }
    if (all.ranges.empty() && !texts.empty()) {
        require(all_of.count % texts.size() == 0,
                me,
                "addresses",
                texts.size(),
                "must divide the " + std::to_string(all_of.count) + " " + all_of.name +
                    ", or name some for each: host:port/first-last");
        const std::size_t each = all_of.count / texts.size();
        for (std::size_t k = 0; k < texts.size(); ++k) {
            all.ranges.push_back({k * each, each});
        }
    }
    require(all.ranges.size() == texts.size(),
            me,
            "addresses",
            texts.size(),
            std::string("name ") + all_of.name + " for all of them, or for none");
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

void check_network(double speed, unsigned hops)
{
    require(speed >= 0 && speed < 1e6, me, "speed", speed, "must be 0 or more");
    require(hops <= 255, me, "hops", hops, "must be 0 ... 255");
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
                                    unsigned hops,
                                    double gain)
{
    require(gain >= 0 && gain < 1e9, me, "gain", gain, "must be 0 or more");
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
    check_network(speed, hops);
    require(first_channel < std::size_t(1) << 31,
            me,
            "first_channel",
            first_channel,
            "must be less than 2^31");
    const addressed to = read_addresses(addresses, {"channels", channels});
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
        p,
        packet_destinations{to.addresses, speed, interface, hops},
        read_instant(sync_time),
        static_cast<float>(gain));
}

packet_sink::sptr packet_sink::make_vdif(const std::vector<std::string>& addresses,
                                         const std::string& encoding,
                                         std::size_t inputs,
                                         std::size_t block_samples,
                                         std::size_t files,
                                         std::size_t frame_bytes,
                                         std::size_t first_input,
                                         unsigned station,
                                         double speed,
                                         const std::string& interface,
                                         unsigned hops)
{
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    check_network(speed, hops);
    const addressed to = read_addresses(addresses, {"inputs", inputs});
    io::vdif_params p;
    p.encoding = encoding;
    p.inputs = inputs;
    p.files = files;
    p.block_samples = block_samples;
    p.frame_bytes = frame_bytes;
    p.first_input = first_input;
    p.station = station;
    p.ranges = to.ranges;
    return gnuradio::make_block_sptr<vdif_sink_impl>(
        io::vdif_packets(p), packet_destinations{to.addresses, speed, interface, hops});
}

} // namespace gr::fringe
