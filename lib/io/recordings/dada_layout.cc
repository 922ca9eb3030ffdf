/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/dada_layout.h"
#include "io/recordings/header_keys.h"
#include <cmath>

namespace gr::fringe::io {

namespace {

constexpr std::uint64_t max_streams = 1u << 16;
constexpr std::size_t heap_samples = 256; // of MeerKAT's beamformer
// Recorders whose channels overlap sample them that much faster than they are wide.
constexpr double max_oversampling = 1.5;
constexpr std::uint64_t max_bytes = 1ull << 53;
constexpr double decimals = 0.01; // of numbers that are written with few

// What decides on the layout, and what can be read of it.
const std::vector<known_key> keys{{"HEADER", {"DADA"}},
                                  {"NDIM", {"1", "2"}},
                                  {"NBIT", {"8", "16", "32"}},
                                  {"ENDIAN", {"LITTLE", "BIG"}},
                                  {"ENCODING", {"TWOSCOMPLEMENT", "OFFSETBINARY"}},
                                  {"STATE", {"Nyquist", "Analytic"}},
                                  {"DSB", {"0", "1"}}};

// Recorders whose files have orders of samples of their own.
const char* const own_orders[] = {
    "CASPSR", "APSR", "UWB", "KAT7", "LOWCBF", "SKA1", "SPDA1K", "MOPSR", "BPSR"};

std::string encoding_name(const dada_header& header)
{
    const bool is_complex = header.whole("NDIM", 1, 1, 2) == 2;
    const auto bits = header.whole("NBIT", 8, 1, 64);
    const std::string prefix = is_complex ? "c" : "";
    const bool offset = header.text("ENCODING") == "OFFSETBINARY";
    if (bits == 32)
        return prefix + "f32";
    if (is_complex && offset && bits == 8)
        return "cu8_128";
    return prefix + (offset ? "u" : "i") + std::to_string(bits);
}

// 1 / TSAMP, which is a whole number of Hz if it is nearly one: TSAMP is in decimals.
double rate_of(const dada_header& header)
{
    const double microseconds = header.number("TSAMP");
    if (microseconds <= 0)
        return 0;
    const double rate = 1e6 / microseconds;
    return std::abs(rate - std::round(rate)) < 1e-9 * rate ? std::round(rate) : rate;
}

bool is_complex(const std::string& encoding)
{
    return encoding_by_name(encoding).is_complex;
}

} // namespace

dada_layout::dada_layout(const dada_header& header)
    : d_channels(header.whole("NCHAN", 1, 1, max_streams)),
      d_antennas(header.whole("NANT", 1, 1, max_streams)),
      d_polarizations(header.whole("NPOL", 1, 1, max_streams))
{
    check_keys(header);
    if (streams() > max_streams)
        throw damaged_recording(header.where() + ": " + header.words("NCHAN") +
                                ", NANT " + std::to_string(d_antennas) + " and NPOL " +
                                std::to_string(d_polarizations) + " are " +
                                std::to_string(streams()) + " streams; " +
                                std::to_string(max_streams) + " can be read");
    d_encoding = encoding_name(header);
    d_big_endian = header.text("ENDIAN") == "BIG";
    d_rate = rate_of(header);
    read_order(header);
    check_rate(header);
}

void dada_layout::check_keys(const dada_header& header) const
{
    refuse_other_values(
        header.where(), keys, [&](const std::string& key) { return header.text(key); });
    for (const char* name : own_orders) {
        if (header.text("INSTRUMENT") == name)
            throw std::invalid_argument(
                header.where() + ": " + header.words("INSTRUMENT") +
                ": this recorder has an order of samples of its own; MKBF and those of "
                "ORDER can be read");
    }
    const bool is_analytic = header.whole("NDIM", 1, 1, 2) == 2;
    if (header.has("STATE") && header.has("NDIM") &&
        (header.text("STATE")[0] == 'A' || header.text("STATE")[0] == 'a') != is_analytic)
        throw damaged_recording(header.where() + ": " + header.words("STATE") +
                                " contradicts " + header.words("NDIM") +
                                ": Nyquist samples have 1 dimension, Analytic ones 2");
    if (is_analytic && header.has("DSB") && header.number("DSB") == 0)
        throw std::invalid_argument(
            header.where() +
            ": DSB 0 with NDIM 2: complex samples of a single sideband have their "
            "frequency 0 at an edge of the band; DSB 1, in the middle, can be read");
}

void dada_layout::read_order(const dada_header& header)
{
    const std::string given = header.text("ORDER");
    d_heaps = header.text("INSTRUMENT") == "MKBF";
    if (d_heaps) {
        read_heaps(header);
        return;
    }
    // From the axis that runs fastest on; axes of one place need not be named.
    std::string order = given.empty() ? "TFP" : given;
    std::size_t step = 1;
    std::string left = "AFP";
    while (order.size() > 1) {
        const char axis = order.back();
        order.pop_back();
        const auto found = left.find(axis);
        if (found == std::string::npos)
            refuse_order(header);
        left.erase(found, 1);
        step_of(axis) = step;
        step *= size_of(axis);
    }
    for (const char axis : left) {
        if (size_of(axis) > 1)
            refuse_order(header);
    }
    // Without other axes the order does not matter.
    if (order != "T" && streams() > 1)
        refuse_order(header);
}

// MeerKAT's beamformer: [heap][polarization][channel][256 times].
void dada_layout::read_heaps(const dada_header& header)
{
    if (d_antennas > 1 || d_encoding != "ci8")
        throw std::invalid_argument(header.where() +
                                    ": INSTRUMENT MKBF: NANT 1, NBIT 8 and NDIM 2 can be "
                                    "read, not NANT " +
                                    std::to_string(d_antennas) + ", samples " +
                                    d_encoding);
    d_step_channel = heap_samples;
    d_step_polarization = heap_samples * d_channels;
    const std::uint64_t heap = 2 * heap_samples * streams();
    if (header.whole("RESOLUTION", 0, 0, max_bytes) % heap != 0)
        throw damaged_recording(
            header.where() + ": " + header.words("RESOLUTION") + " contradicts " +
            std::to_string(heap) + ", the bytes of a heap of " +
            std::to_string(heap_samples) + " samples of NCHAN " +
            std::to_string(d_channels) + " and NPOL " + std::to_string(d_polarizations));
}

void dada_layout::refuse_order(const dada_header& header) const
{
    const std::string given = header.text("ORDER");
    throw std::invalid_argument(
        header.where() + ": " + (given.empty() ? "no ORDER" : "ORDER " + given) +
        " with NANT " + std::to_string(d_antennas) + ", NCHAN " +
        std::to_string(d_channels) + " and NPOL " + std::to_string(d_polarizations) +
        "; time first and then each of " + (d_antennas > 1 ? "A (antenna), " : "") +
        "F (channel) and P (polarization), as in " + (d_antennas > 1 ? "TAFP" : "TFP") +
        ", can be read");
}

std::size_t& dada_layout::step_of(char axis)
{
    return axis == 'A'   ? d_step_antenna
           : axis == 'F' ? d_step_channel
                         : d_step_polarization;
}

std::size_t dada_layout::size_of(char axis) const
{
    return axis == 'A' ? d_antennas : axis == 'F' ? d_channels : d_polarizations;
}

// A channel's samples have room for as much as it is wide, or for somewhat more.
void dada_layout::check_rate(const dada_header& header) const
{
    const double room = d_rate / (is_complex(d_encoding) ? 1 : 2) / 1e6;
    const double width = header.number("BW") / static_cast<double>(d_channels);
    refuse_contradiction(
        header.where(),
        {"BW " + header.text("BW") + " / NCHAN " + std::to_string(d_channels) + " = " +
             number_text(width) + " MHz a channel",
         header.words("TSAMP") + " with NDIM " + (is_complex(d_encoding) ? "2" : "1") +
             ", " + number_text(room) + " MHz",
         width,
         room,
         decimals,
         max_oversampling});
}

coarse_channels dada_layout::bands(const dada_header& header) const
{
    coarse_channels bands;
    bands.count = d_channels;
    bands.inputs = d_antennas * d_polarizations;
    bands.center = header.number("FREQ") * 1e6;
    bands.width = header.number("BW") * 1e6 / static_cast<double>(d_channels);
    if (bands.width == 0) // what a channel's samples have room for
        bands.width = d_rate / (is_complex(d_encoding) ? 1 : 2);
    return bands;
}

sample_order dada_layout::order(std::size_t first_channel, std::size_t channels) const
{
    sample_order order;
    order.heap = d_heaps ? heap_samples : 1;
    order.step = d_heaps ? 1 : streams();
    for (std::size_t c = first_channel; c < first_channel + channels; ++c) {
        for (std::size_t a = 0; a < d_antennas; ++a) {
            for (std::size_t p = 0; p < d_polarizations; ++p)
                order.first.push_back(c * d_step_channel + a * d_step_antenna +
                                      p * d_step_polarization);
        }
    }
    return order;
}

std::string dada_layout::remark() const
{
    return d_antennas > 1
               ? "NANT " + std::to_string(d_antennas) + ": the inputs of a channel are " +
                     std::to_string(d_antennas) + " antennas of " +
                     std::to_string(d_polarizations) + " polarizations each"
               : "";
}

} // namespace gr::fringe::io
