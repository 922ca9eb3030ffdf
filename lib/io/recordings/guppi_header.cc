/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/guppi_header.h"
#include "io/recordings/header_keys.h"
#include "io/recordings/recording.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace gr::fringe::io {

namespace {

constexpr std::size_t card_bytes = 80;
constexpr std::size_t max_cards = 4096;
constexpr double unix_epoch_mjd = 40587;

std::string trimmed(const std::string& text)
{
    const auto first = text.find_first_not_of(" '");
    const auto last = text.find_last_not_of(" '");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

class cards
{
public:
    cards(const input_file& file, std::uint64_t offset)
        : d_where(file.path() + ": in the block header at byte " + std::to_string(offset))
    {
        std::string card(card_bytes, ' ');
        for (std::size_t k = 0; k < max_cards; ++k) {
            if (offset + (k + 1) * card_bytes > file.size())
                break;
            file.read(offset + k * card_bytes,
                      reinterpret_cast<std::uint8_t*>(&card[0]),
                      card_bytes);
            if (trimmed(card) == "END") {
                d_bytes = (k + 1) * card_bytes;
                return;
            }
            if (card[8] != '=')
                break;
            // A comment begins with a slash behind the value, which may be quoted.
            std::string value = card.substr(9);
            const auto quote = value.find('\'');
            const auto close =
                quote == std::string::npos ? quote : value.find('\'', quote + 1);
            if (close != std::string::npos)
                value = value.substr(quote, close - quote);
            else
                value = value.substr(0, value.find('/'));
            d_values[trimmed(card.substr(0, 8))] = trimmed(value);
        }
        throw damaged_recording(d_where + ": no END of its 80-character cards; is this "
                                          "GUPPI raw data?");
    }

    std::uint64_t bytes() const { return d_bytes; }
    std::string text(const std::string& key) const
    {
        const auto value = d_values.find(key);
        return value == d_values.end() ? "" : value->second;
    }
    double number(const std::string& key, double missing) const
    {
        const std::string value = text(key);
        if (value.empty())
            return missing;
        try {
            std::size_t used = 0;
            const double number = std::stod(value, &used);
            if (used == value.size() && std::isfinite(number))
                return number;
        } catch (const std::logic_error&) {
        }
        throw damaged_recording(d_where + ": " + key + " '" + value +
                                "' is not a number");
    }
    std::uint64_t whole(const std::string& key, double missing, double least) const
    {
        constexpr double maximum = 9007199254740992.0;
        const double value = number(key, missing);
        if (value < least || value > maximum || value != std::floor(value))
            throw damaged_recording(d_where + ": " + key + " '" + text(key) +
                                    "' must be a whole number, at least " +
                                    std::to_string(static_cast<int>(least)));
        return static_cast<std::uint64_t>(value);
    }
    const std::string& where() const { return d_where; }

private:
    std::string d_where;
    std::uint64_t d_bytes = 0;
    std::map<std::string, std::string> d_values;
};

// What decides on the layout, and what can be read of it. NPOL counts products: 4 of two
// polarizations. PKTFMT SIMPLE has [time][channel] in its blocks.
const std::vector<known_key> keys{
    {"NBITS", {"8", "16"}},
    {"NPOL", {"1", "2", "4"}},
    {"DIRECTIO", {"0", "1"}},
    {"PKTFMT", {"1SFA", "FAST4K", "PARKES", "SPEAD", "VDIF", "ATASNAPV", "GUPPI"}},
    {"DATATYPE", {"INTEGER"}},
    {"FD_POLN", {"LIN", "CIRC", "LINEAR", "CIRCULAR"}}};

// Recorders whose channels overlap sample them that much faster than they are wide.
constexpr double max_oversampling = 1.5;
constexpr double decimals = 0.01; // of numbers that are written with few

} // namespace

guppi_header::guppi_header(const input_file& file, std::uint64_t offset)
{
    const cards c(file, offset);
    bytes = c.bytes();
    if (c.whole("DIRECTIO", 0, 0) != 0)
        bytes += (512 - bytes % 512) % 512;
    refuse_other_values(
        c.where(), keys, [&](const std::string& key) { return c.text(key); });
    bits = c.whole("NBITS", 8, 1);
    block_bytes = c.whole("BLOCSIZE", 0, 1);
    antennas = c.whole("NANTS", 1, 1);
    const auto all_channels = c.whole("OBSNCHAN", 0, 1);
    if (all_channels % antennas != 0)
        throw damaged_recording(c.where() + ": OBSNCHAN " + std::to_string(all_channels) +
                                " is not a multiple of NANTS " +
                                std::to_string(antennas) +
                                ", whose channels it counts together");
    channels = all_channels / antennas;
    polarizations = c.whole("NPOL", 1, 1) == 1 ? 1 : 2;
    overlap = c.whole("OVERLAP", 0, 0);
    if (all_channels > block_bytes ||
        block_bytes % (all_channels * sample_bytes()) != 0 || overlap >= block_samples())
        throw damaged_recording(c.where() + ": BLOCSIZE " + std::to_string(block_bytes) +
                                " does not fit OBSNCHAN " + std::to_string(all_channels) +
                                ", " + std::to_string(polarizations) +
                                " polarizations of " + std::to_string(bits) +
                                " bits and OVERLAP " + std::to_string(overlap));
    packet = c.whole("PKTIDX", 0, 0);
    packets_per_block = c.whole("PIPERBLK", 0, 0);
    const auto packet_bytes = c.whole("PKTSIZE", 0, 0);
    if (packets_per_block == 0 && packet_bytes > 0)
        packets_per_block =
            (block_samples() - overlap) * sample_bytes() * all_channels / packet_bytes;
    if (c.text("PKTIDX").empty())
        packets_per_block = 0; // blocks follow closely
    const double seconds = c.number("TBIN", 0);
    if (seconds > 0) {
        sample_rate = 1 / seconds;
        // TBIN is in decimals; rates are whole numbers of Hz.
        if (std::abs(sample_rate - std::round(sample_rate)) < 1e-9 * sample_rate)
            sample_rate = std::round(sample_rate);
    }
    center_frequency = c.number("OBSFREQ", 0) * 1e6;
    channel_width = c.number("OBSBW", 0) * 1e6 / static_cast<double>(channels);
    const std::string width_words =
        "OBSBW " + c.text("OBSBW") + " / OBSNCHAN " + std::to_string(all_channels) +
        (antennas > 1 ? " of NANTS " + std::to_string(antennas) : "") + " = " +
        number_text(channel_width / 1e6) + " MHz a channel";
    refuse_contradiction(
        c.where(),
        {width_words,
         "TBIN " + c.text("TBIN") + ", " + number_text(sample_rate / 1e6) + " MHz",
         channel_width,
         sample_rate,
         decimals,
         max_oversampling});
    refuse_contradiction(c.where(),
                         {width_words,
                          "CHAN_BW " + c.text("CHAN_BW"),
                          channel_width,
                          c.number("CHAN_BW", 0) * 1e6,
                          decimals});
    if (channel_width == 0)
        channel_width = sample_rate;
    telescope = c.text("TELESCOP");
    source = c.text("SRC_NAME");
    if (!c.text("STT_IMJD").empty()) {
        const double day = c.number("STT_IMJD", 0) - unix_epoch_mjd;
        start_time.seconds = static_cast<std::uint64_t>(std::max(0.0, day)) * 86400 +
                             c.whole("STT_SMJD", 0, 0);
        start_time = start_time.plus_seconds(c.number("STT_OFFS", 0));
        has_start_time = true;
    }
}

std::string guppi_header::unlike(const guppi_header& o) const
{
    std::string keys_of;
    const auto compare = [&](bool same, const char* keys) {
        if (!same)
            keys_of += (keys_of.empty() ? "" : ", ") + std::string(keys);
    };
    compare(channels == o.channels && antennas == o.antennas, "OBSNCHAN, NANTS");
    compare(polarizations == o.polarizations && bits == o.bits, "NPOL, NBITS");
    compare(block_bytes == o.block_bytes && overlap == o.overlap, "BLOCSIZE, OVERLAP");
    compare(sample_rate == o.sample_rate, "TBIN");
    compare(center_frequency == o.center_frequency && channel_width == o.channel_width,
            "OBSFREQ, OBSBW");
    compare(has_start_time == o.has_start_time && start_time == o.start_time,
            "STT_IMJD, STT_SMJD, STT_OFFS");
    return keys_of;
}

} // namespace gr::fringe::io
