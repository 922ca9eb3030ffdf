/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/guarded_block.h"
#include "blocks/live/spectrum_clock.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "io/packets/packet_settings.h"
#include "io/packets/spectra_packets.h"
#include "io/packets/udp_sender.h"
#include <atomic>
#include <gnuradio/fringe/packet_sink.h>
#include <gnuradio/io_signature.h>

namespace gr {
namespace fringe {

namespace {

const std::string me = "packet_sink";

class packet_sink_impl : public packet_sink, public guarded_block
{
public:
    packet_sink_impl(const io::spectra_params& p,
                     const std::vector<std::string>& addresses,
                     const std::optional<epoch>& synchronised,
                     double speed,
                     const std::string& interface,
                     unsigned hops);

    std::map<std::string, std::uint64_t> packets() const override
    {
        return {{"sent", d_sent}, {"withheld", d_withheld}, {"refused", d_refused}};
    }
    std::size_t packet_bytes() const override { return d_packets.packet_bytes(); }
    std::size_t packet_channels() const override
    {
        return d_packets.params().packet_channels;
    }
    std::size_t packet_spectra() const override { return d_packets.params().spectra; }
    std::string error() const override { return failure(); }

    bool start() override;
    bool stop() override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star&) override;

private:
    void take_item(std::uint64_t item, const std::int8_t* spectra);
    void begin(const epoch& time, double rate);
    void send();
    void count_packets();

    io::spectra_packets d_packets;
    io::udp_sender d_sender;
    const std::optional<epoch> d_given;
    const double d_speed;
    const std::size_t d_block;
    std::optional<spectrum_clock> d_clock;
    double d_rate = 0; // spectra per second
    bool d_complained = false;
    std::atomic<std::uint64_t> d_sent{0}, d_withheld{0}, d_refused{0};
};

packet_sink_impl::packet_sink_impl(const io::spectra_params& p,
                                   const std::vector<std::string>& addresses,
                                   const std::optional<epoch>& synchronised,
                                   double speed,
                                   const std::string& interface,
                                   unsigned hops)
    : gr::sync_block(
          "fringe_packet_sink",
          gr::io_signature::make(
              1, 1, item_bytes(me, p.inputs * p.channels * p.block_spectra * 2)),
          gr::io_signature::make(0, 0, 0)),
      d_packets(p),
      d_sender(addresses, interface, hops),
      d_given(synchronised),
      d_speed(speed),
      d_block(p.block_spectra)
{
    d_streams.expect(0,
                     stream_kind::spectra,
                     {{"inputs", p.inputs},
                      {"channels", p.channels},
                      {"block_spectra", p.block_spectra},
                      {"requantize", p.bits}});
}

bool packet_sink_impl::start()
{
    begin_run();
    d_clock.reset();
    return true;
}

bool packet_sink_impl::stop()
{
    count_packets();
    d_logger->info("packets: {:d} sent, {:d} withheld, {:d} refused",
                   d_sent.load(),
                   d_withheld.load(),
                   d_refused.load());
    return true;
}

int packet_sink_impl::work(int noutput_items,
                           gr_vector_const_void_star& input_items,
                           gr_vector_void_star&)
{
    return guard(*this, *d_logger, {noutput_items}, [&] {
        // One at a time: while its packets wait for their turn nothing can be done here.
        take_item(nitems_read(0), static_cast<const std::int8_t*>(input_items[0]));
        return 1;
    });
}

// The data begin, or go on behind a gap.
void packet_sink_impl::begin(const epoch& time, double rate)
{
    if (!d_clock) {
        const epoch start = d_given.value_or(epoch{time.seconds, 0});
        if (time < start) {
            throw stream_mismatch(alias() + ": sync_time: " + start.iso(0) +
                                  " must not be later than the data, which begin at " +
                                  time.iso(9));
        }
        d_clock.emplace(start, d_packets.params().points);
    }
    d_rate = rate;
    d_clock->begin(time, rate);
    d_packets.begin(d_clock->spectrum());
    d_sender.set_rate(d_speed * rate * d_packets.packets_a_spectrum() *
                      static_cast<double>(d_packets.packet_bytes()));
    d_logger->info(
        "sends {:.0f} packets of {:d} bytes a second from {:s} on, spectrum {:d} "
        "since {:s}",
        rate * d_packets.packets_a_spectrum(),
        d_packets.packet_bytes(),
        time.iso(9),
        d_clock->spectrum(),
        d_clock->synchronised().iso(0));
    if (d_clock->offset() != 0 && d_packets.params().layout == "snap2") {
        d_logger->warn("the spectra begin {:d} of {:d} samples behind a whole number of "
                       "spectra since sync_time, which the packets cannot say",
                       d_clock->offset(),
                       d_packets.params().points);
    }
}

void packet_sink_impl::take_item(std::uint64_t item, const std::int8_t* spectra)
{
    const item_tags tags(tags_of(*this, 0, item));
    if (tags.judged && !tags.judged->empty()) {
        throw stream_mismatch(
            alias() + ": the channelizer looks for interference, and says what it has "
                      "found when the spectra are sent already: use a kurtosis_flagger");
    }
    if (tags.rx_time) {
        const double rate = tags.rx_rate.value_or(d_rate);
        if (!(rate > 0)) {
            throw stream_mismatch(alias() + ": the spectra carry no rx_rate: give the "
                                            "source a sample rate");
        }
        begin(*tags.rx_time, rate);
    }
    if (!d_clock) {
        throw stream_mismatch(alias() + ": the spectra carry no time (rx_time), which "
                                        "packets need: give the source a start time");
    }
    const std::size_t count =
        std::min<std::size_t>(tags.spectra.value_or(d_block), d_block);
    for (std::size_t from = 0; from < count;) {
        const std::size_t taken = d_packets.fill(spectra, from, count - from);
        for (const invalid_run& r : tags.invalid) {
            const std::uint64_t first = std::max<std::uint64_t>(r.first, from);
            const std::uint64_t end =
                std::min<std::uint64_t>(r.first + r.count, from + taken);
            if (first < end) {
                d_packets.spoil(r.input, first - from, end - first);
            }
        }
        from += taken;
        if (d_packets.complete()) {
            send();
        }
    }
    count_packets();
}

void packet_sink_impl::send()
{
    const auto runs = d_packets.take(d_clock->synchronised().seconds, d_clock->offset());
    for (const auto& r : runs) {
        d_sender.send(r.range, r.packets, r.count, d_packets.packet_bytes(), [] {
            boost::this_thread::interruption_point(); // GNU Radio's way to stop a thread
        });
    }
}

void packet_sink_impl::count_packets()
{
    d_sent = d_sender.sent();
    d_withheld = d_packets.withheld();
    d_refused = d_sender.refused();
    if (d_refused > 0 && !d_complained) {
        d_complained = true;
        d_logger->warn("the system refuses to send packets: {:s}", d_sender.refusal());
    }
}

// ------------------------------------------------------------------------- parameters

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
