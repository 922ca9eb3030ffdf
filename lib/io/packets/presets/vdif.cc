/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_presets.h"

namespace gr::fringe::io {

namespace {

unsigned log2_of(std::uint64_t channels)
{
    unsigned log2 = 0;
    while ((std::uint64_t(1) << log2) < channels && log2 < 31) {
        ++log2;
    }
    return log2;
}

/*
 * VDIF frames, release 1.1.1 (vlbi.org/vdif), one in a packet: little-endian words, bare or
 * behind a packet serial number of 8 bytes. The time is seconds since a half year's
 * beginning, and the number of the frame in the second: the rate must be known.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    const std::uint64_t rate = settings.rate("sample_rate", 0);
    const std::uint64_t bits = settings.whole("bits", 2);
    const std::uint64_t channels = settings.whole("channels", 1);
    const bool is_complex = settings.flag("complex", false);
    const bool legacy = settings.flag("legacy", false);
    const unsigned at = settings.flag("psn", false) ? 8 : 0;
    const std::uint64_t header = legacy ? 16 : 32;
    const std::uint64_t frame = settings.whole("frame_bytes", 8000 + header);
    if (channels == 0 || channels > 512 ||
        (std::uint64_t(1) << log2_of(channels)) != channels) {
        settings.fail("channels", "must be a power of two, up to 512");
    }
    if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16) {
        settings.fail("bits", "must be 1, 2, 4, 8 or 16");
    }
    const std::uint64_t sample_bits = bits * channels * (is_complex ? 2 : 1);
    if (frame <= header || frame % 8 != 0 || frame > 65000 ||
        (frame - header) * 8 % sample_bits != 0) {
        settings.fail(
            "frame_bytes",
            "must be a multiple of 8 that holds whole samples behind the header "
            "of " +
                std::to_string(header) + " bytes");
    }
    l.samples = (frame - header) * 8 / sample_bits;
    if (rate % l.samples != 0) {
        settings.fail("sample_rate",
                      "must be a multiple of the samples of a frame, " +
                          std::to_string(l.samples));
    }
    if (rate > 2000000000) {
        settings.fail("sample_rate", "must be 2e9 Hz at most");
    }
    const std::string prefix = is_complex ? "c" : "";
    const std::string code = bits == 16  ? prefix + "u16"
                             : bits == 8 ? (is_complex ? "cu8_128" : "u8")
                                         : prefix + "vdif" + std::to_string(bits);
    const auto station = settings.whole("station");
    l.header_bytes = at + header;
    l.streams = channels;
    l.wire = &wire_samples_by_name(code);
    const auto field = [at](const char* name, unsigned word, unsigned shift, unsigned n) {
        return packet_field{name, at + 4 * word, 4, shift, n, true};
    };
    l.must_be = {{field("legacy", 0, 30, 1), legacy},
                 {field("unassigned", 1, 30, 2), 0},
                 {field("frame_bytes", 2, 0, 24), frame / 8},
                 {field("channels", 2, 24, 5), log2_of(channels)},
                 {field("bits", 3, 26, 5), bits - 1},
                 {field("complex", 3, 31, 1), is_complex}};
    l.only = {{field("station", 3, 0, 16), station}};
    l.source = {{field("thread", 3, 16, 10)}};
    packet_term epoch{field("reference_epoch", 1, 24, 6),
                      static_cast<std::int64_t>(rate)};
    epoch.field.half_years = true;
    l.time = {epoch,
              {field("second", 0, 0, 30), static_cast<std::int64_t>(rate)},
              {field("frame", 1, 0, 24),
               static_cast<std::int64_t>(l.samples),
               0,
               rate / l.samples}};
    l.invalid = field("invalid", 0, 31, 1);
    l.tick_rate = rate;
    l.epoch = fringe::epoch{};
    return l;
}

} // namespace

packet_preset preset_vdif()
{
    return {"vdif", "VDIF frames, one in a packet; a thread is an input", make};
}

} // namespace gr::fringe::io
