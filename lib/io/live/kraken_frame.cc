/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/live/kraken_frame.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

constexpr std::size_t first_bytes = 1024, second_bytes = 32, second_channel_bytes = 8;
constexpr std::uint32_t first_word = 0x2bf7b95a, second_word = 0x4d434851;
constexpr std::uint32_t max_first_channels = 32, max_second_channels = 5;
constexpr std::uint32_t max_first_samples = 1 << 24, max_second_samples = 65536;
constexpr std::uint32_t second_stale = 0x200;

// Where the fields of version 1 lie.
namespace at {
constexpr std::size_t sync = 0, type = 4, hardware = 8, channels = 28, frequency = 40,
                      sample_rate = 56, samples = 64, time = 72, number = 84, bits = 100,
                      overdriven = 104, gains = 108, delay_sync = 236, iq_sync = 240,
                      noise_source = 248;
constexpr std::size_t hardware_bytes = 16;
} // namespace at

template <class T>
T little(const std::uint8_t* bytes)
{
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        bits |= std::uint64_t(bytes[i]) << 8 * i;
    }
    return static_cast<T>(bits);
}

std::uint32_t big(const std::uint8_t* bytes)
{
    return std::uint32_t(bytes[0]) << 24 | std::uint32_t(bytes[1]) << 16 |
           std::uint32_t(bytes[2]) << 8 | bytes[3];
}

float little_float(const std::uint8_t* bytes)
{
    const auto bits = little<std::uint32_t>(bytes);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

class checks
{
public:
    explicit checks(const std::string& who) : d_who(who) {}

    template <class T>
    void require(bool right, const char* field, T value, const std::string& what) const
    {
        if (!right) {
            std::ostringstream sentence;
            sentence << d_who << ": " << field << ": " << value << ": " << what;
            throw std::invalid_argument(sentence.str());
        }
    }
    template <class T>
    void within(T value, T least, T maximum, const char* field) const
    {
        require(value >= least && value <= maximum,
                field,
                value,
                "must be " + std::to_string(least) + " to " + std::to_string(maximum));
    }

private:
    const std::string& d_who;
};

std::string type_of_first(std::uint32_t type, bool noise, const checks& check)
{
    switch (type) {
    case 0:
        return noise ? "noise source" : "";
    case 1:
        return "dummy";
    case 2:
        return "ramp";
    case 3:
        return "calibration";
    case 4:
        return "trigger";
    default:
        check.require(false, "frame_type", type, "must be 0 to 4");
    }
    return {};
}

kraken_frame read_first(const std::uint8_t* bytes, const std::string& who)
{
    const checks check(who);
    check.require(
        little<std::uint32_t>(bytes + at::sync) == first_word,
        "sync_word",
        little<std::uint32_t>(bytes + at::sync),
        "must be 737655130; is this the port of a Heimdall DAQ's samples (5000)?");
    kraken_frame f;
    f.version = 1;
    f.header_bytes = first_bytes;
    f.sample_bytes = 2 * sizeof(float);
    const auto* name = reinterpret_cast<const char*>(bytes + at::hardware);
    f.hardware.assign(name, std::find(name, name + at::hardware_bytes, '\0'));
    std::replace_if(
        f.hardware.begin(),
        f.hardware.end(),
        [](char c) { return c < ' ' || c > '~'; },
        '?');
    const auto channels = little<std::uint32_t>(bytes + at::channels);
    check.within(channels, 1u, max_first_channels, "active_ant_chs");
    f.channels = channels;
    f.left_out = type_of_first(little<std::uint32_t>(bytes + at::type),
                               little<std::uint32_t>(bytes + at::noise_source) != 0,
                               check);
    const auto samples = little<std::uint32_t>(bytes + at::samples);
    check.within(samples, f.left_out.empty() ? 1u : 0u, max_first_samples, "cpi_length");
    f.samples = samples;
    if (samples > 0) {
        const auto bits = little<std::uint32_t>(bytes + at::bits);
        check.require(
            bits == 32, "sample_bit_depth", bits, "must be 32: complex float32");
    }
    const auto rate = little<std::uint64_t>(bytes + at::sample_rate);
    check.within(rate, std::uint64_t(1), std::uint64_t(1000000000), "sampling_freq");
    f.sample_rate = static_cast<double>(rate);
    const auto frequency = little<std::uint64_t>(bytes + at::frequency);
    check.within(
        frequency, std::uint64_t(0), std::uint64_t(1000000000000), "rf_center_freq");
    f.frequency = static_cast<double>(frequency);
    const auto time = little<std::uint64_t>(bytes + at::time);
    check.within(time, std::uint64_t(0), std::uint64_t(1) << 43, "time_stamp");
    f.milliseconds = static_cast<std::int64_t>(time);
    f.number = little<std::uint32_t>(bytes + at::number);
    f.overdriven = little<std::uint32_t>(bytes + at::overdriven);
    for (std::size_t k = 0; k < f.channels; ++k) {
        f.gains.push_back(little<std::uint32_t>(bytes + at::gains + 4 * k) / 10.0);
    }
    f.delays_aligned = little<std::uint32_t>(bytes + at::delay_sync) != 0;
    f.phases_aligned = little<std::uint32_t>(bytes + at::iq_sync) != 0;
    return f;
}

std::size_t channels_of_second(const std::uint8_t* bytes, const checks& check)
{
    check.require(
        big(bytes) == second_word,
        "magic",
        big(bytes),
        "must be 1296255057 (MCHQ); is this the port of Heimdall 2's samples (8091)?");
    const std::uint32_t channels = big(bytes + 4);
    check.within(channels, 1u, max_second_channels, "num_channels");
    return channels;
}

kraken_frame read_second(const std::uint8_t* bytes, const std::string& who)
{
    const checks check(who);
    kraken_frame f;
    f.version = 2;
    f.hardware = "Heimdall 2";
    f.channels = channels_of_second(bytes, check);
    f.header_bytes = second_bytes + second_channel_bytes * f.channels;
    f.sample_bytes = 2;
    const std::uint32_t samples = big(bytes + 8), state = big(bytes + 12),
                        noise = big(bytes + 16), retuning = big(bytes + 28);
    check.within(samples, 1u, max_second_samples, "samples_per_channel");
    check.within(noise, 0u, 1u, "noise_source");
    f.samples = samples;
    f.left_out = noise ? "noise source" : retuning ? "retuning" : "";
    // The low byte is the state; 4: the phases were measured, taken out and verified. A higher bit
    // reports settings that were changed since then.
    f.delays_aligned = (state & 0xffu) >= 1;
    f.phases_aligned = (state & 0xffu) == 4 && !(state & second_stale);
    for (std::size_t k = 0; k < f.channels; ++k) {
        const std::uint8_t* of = bytes + second_bytes + second_channel_bytes * k;
        const float frequency = little_float(of), gain = little_float(of + 4);
        check.require(frequency >= 0 && frequency <= 1e12f,
                      "frequency_hz",
                      frequency,
                      "must be 0 to 1e12");
        check.require(std::isfinite(gain) && std::abs(gain) <= 1000,
                      "gain_db",
                      gain,
                      "must be -1000 to 1000");
        if (k == 0) {
            f.frequency = frequency;
        }
        check.require(frequency == static_cast<float>(f.frequency),
                      "frequency_hz",
                      frequency,
                      "channels of several frequencies (a wideband scan) have nothing in "
                      "common; switch the scan off");
        f.gains.push_back(gain);
    }
    return f;
}

} // namespace

std::size_t kraken_frame::bytes_of_header(unsigned version,
                                          const std::uint8_t* bytes,
                                          std::size_t count,
                                          const std::string& who)
{
    if (version == 1) {
        return first_bytes;
    }
    if (version != 2) {
        throw std::invalid_argument(who + ": version: " + std::to_string(version) +
                                    ": must be 1 or 2");
    }
    return count < second_bytes
               ? second_bytes
               : second_bytes +
                     second_channel_bytes * channels_of_second(bytes, checks(who));
}

kraken_frame kraken_frame::read(unsigned version,
                                const std::uint8_t* bytes,
                                std::size_t count,
                                const std::string& who)
{
    const std::size_t whole = bytes_of_header(version, bytes, count, who);
    checks(who).require(
        count >= whole, "header", count, "must be " + std::to_string(whole) + " bytes");
    return version == 1 ? read_first(bytes, who) : read_second(bytes, who);
}

} // namespace gr::fringe::io
