/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/spectra/spectra_facts.h"
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

template <class T>
void require(bool good,
             const std::string& name,
             const char* what,
             const T& value,
             const char* right)
{
    if (good)
        return;
    std::ostringstream text;
    text << name << ": " << what << ": " << value << ": must be " << right;
    throw std::invalid_argument(text.str());
}

} // namespace

void spectra_facts::check(const std::string& name) const
{
    require(inputs > 0 && inputs <= 65535, name, "inputs", inputs, "1 ... 65535");
    require(
        channels > 0 && channels <= 1u << 26, name, "channels", channels, "1 ... 2^26");
    require(block > 0 && block <= 1u << 24, name, "block", block, "1 ... 2^24 spectra");
    require(bits == 4 || bits == 8, name, "bits", bits, "4 or 8");
    require(rate > 0 && rate < 1e12,
            name,
            "rate",
            rate,
            "a positive number of spectra a second");
    require(std::abs(frequency) < 1e15,
            name,
            "center_frequency",
            frequency,
            "a number of Hz");
    require(packet_channels > 0 && packet_channels <= channels &&
                channels % packet_channels == 0,
            name,
            "packet_channels",
            packet_channels,
            "a divisor of the number of channels");
    require(block_bytes() <= 1u << 31,
            name,
            "block",
            block,
            "so many spectra that they take at most 2 GiB");
}

} // namespace gr::fringe::io
