/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/framed_recording.h"
#include "kernels/unpack/decoders.h"
#include "kernels/unpack/packed_bits.h"
#include <ctime>

namespace gr::fringe::io {

namespace {

/*
 * VLBI Data Interchange Format, release 1.1.1 (vlbi.org/vdif): frames with a header of
 * eight little-endian 32-bit words, or four (legacy). Components are offset binary,
 * packed from the least significant bit on: all channels of an instant, a complex one's
 * real part first.
 */
struct vdif_words {
    // vlbi.org/vdif: of NICT, of the VLBA, and of threads that were merged into one, in
    // which a mask of 64 bits tells whose channels are valid.
    static constexpr unsigned nict_extension = 1, vlba_extension = 3, mask_extension = 4;
    std::uint32_t word[8] = {};

    explicit vdif_words(const std::uint8_t* raw, std::size_t count = 4)
    {
        for (std::size_t w = 0; w < count; ++w)
            word[w] = raw[4 * w] | raw[4 * w + 1] << 8 | raw[4 * w + 2] << 16 |
                      static_cast<std::uint32_t>(raw[4 * w + 3]) << 24;
    }
    std::uint32_t bits(unsigned w, unsigned first, unsigned count) const
    {
        return (word[w] >> first) & ((1u << count) - 1);
    }

    bool legacy() const { return bits(0, 30, 1); }
    std::size_t header_bytes() const { return legacy() ? 16 : 32; }
    std::size_t frame_bytes() const { return std::size_t(8) * bits(2, 0, 24); }
    std::size_t channels() const { return std::size_t(1) << bits(2, 24, 5); }
    bool is_complex() const { return bits(3, 31, 1); }
    unsigned version() const { return bits(2, 29, 3); }
    unsigned component_bits() const { return bits(3, 26, 5) + 1; }

    //! What all frames of a file have in common: the kind of header, the reference epoch,
    //! the length, the channels and the samples' kind.
    bool like(const vdif_words& o) const
    {
        constexpr std::uint32_t kind = 0x40000000, epoch = 0xff000000,
                                samples = 0xfc000000;
        return (word[0] & kind) == (o.word[0] & kind) &&
               (word[1] & epoch) == (o.word[1] & epoch) && word[2] == o.word[2] &&
               (word[3] & samples) == (o.word[3] & samples);
    }

    //! Seconds of the reference epoch since 1970: half years from 2000 on.
    std::uint64_t reference() const
    {
        std::tm date{};
        date.tm_year = 100 + static_cast<int>(bits(1, 24, 6) / 2);
        date.tm_mon = bits(1, 24, 1) ? 6 : 0;
        date.tm_mday = 1;
        return static_cast<std::uint64_t>(timegm(&date));
    }

    //! What the words behind the fourth hold; 0 = nothing that is known.
    unsigned extension() const
    {
        constexpr std::uint32_t sync = 0xacabfeed;
        const unsigned version = legacy() ? 0 : bits(4, 24, 8);
        return version == mask_extension && word[5] != sync ? 0 : version;
    }

    //! Lower sideband, which the VLBA's extension tells.
    bool inverted() const
    {
        constexpr std::uint32_t sync = 0xacabfeed;
        return extension() == vlba_extension && word[5] == sync && bits(7, 16, 1) == 0;
    }

    //! True where the mask of merged threads lacks a channel.
    bool is_masked() const
    {
        const unsigned length = bits(4, 16, 8);
        if (extension() != mask_extension || length == 0)
            return false;
        const std::uint64_t mask = word[6] | static_cast<std::uint64_t>(word[7]) << 32;
        const std::uint64_t all =
            length >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << length) - 1;
        return (mask & all) != all;
    }

    //! Hz, 0 = not given. Extensions 1 and 3 give the bandwidth of a channel.
    double sample_rate() const
    {
        if (extension() != nict_extension && extension() != vlba_extension)
            return 0;
        return bits(4, 0, 23) * (bits(4, 23, 1) ? 1e6 : 1e3) * (is_complex() ? 1 : 2);
    }

    //! The station's two letters; those without give a number.
    std::string station() const
    {
        const char letters[] = {static_cast<char>(bits(3, 8, 8)),
                                static_cast<char>(bits(3, 0, 8))};
        for (const char c : letters) {
            if (c < 33 || c > 126)
                return "";
        }
        return std::string(letters, 2);
    }
    std::string station_words() const
    {
        return station().empty() ? std::to_string(bits(3, 0, 16)) : station();
    }
};

std::string encoding_name(const vdif_words& w)
{
    const std::string complex = w.is_complex() ? "c" : "";
    switch (w.component_bits()) {
    case 8:
        return w.is_complex() ? "cu8_128" : "u8";
    case 16:
        return complex + "u16";
    default:
        return complex + "vdif" + std::to_string(w.component_bits());
    }
}

void check(const std::string& path, const vdif_words& w)
{
    const unsigned bits = w.component_bits();
    if (w.frame_bytes() <= w.header_bytes() || w.bits(1, 30, 2) != 0)
        throw damaged_recording(path + ": no VDIF frame header at byte 0 (it says " +
                                std::to_string(w.frame_bytes()) + "-byte frames)");
    if (w.version() > 1)
        throw std::invalid_argument(path + ": VDIF version " +
                                    std::to_string(w.version()) +
                                    "; 0 and 1 can be read");
    if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16)
        throw std::invalid_argument(path + ": VDIF of " + std::to_string(bits) +
                                    " bits; 1, 2, 4, 8 and 16 can be read");
}

// A second header where the first one says tells VDIF from anything else; a few more
// places are tried, as that one may be damaged.
void refuse_lone_header(const input_file& file, const vdif_words& first)
{
    const std::uint64_t step = first.frame_bytes();
    std::uint64_t at = step;
    for (; at <= 8 * step && at + first.header_bytes() <= file.size(); at += step) {
        std::uint8_t raw[16];
        file.read(at, raw, sizeof raw);
        if (vdif_words(raw).like(first))
            return;
    }
    if (at > step)
        throw damaged_recording(
            file.path() + ": no VDIF frame header at byte " + std::to_string(step) +
            ", where the first one says that the second frame begins");
}

// Threads of one number of two stations would be taken for one.
void refuse_several_stations(const input_file& file, const vdif_words& first)
{
    constexpr std::uint64_t frames = 256;
    const std::uint64_t step = first.frame_bytes();
    for (std::uint64_t n = 1; n < frames && (n + 1) * step <= file.size(); ++n) {
        std::uint8_t raw[16];
        file.read(n * step, raw, sizeof raw);
        const vdif_words w(raw);
        if (w.like(first) && w.bits(3, 0, 16) != first.bits(3, 0, 16))
            throw std::invalid_argument(
                file.path() + ": frames of several stations (" + first.station_words() +
                " at byte 0, " + w.station_words() + " at byte " +
                std::to_string(n * step) + "); files of one station can be read");
    }
}

std::unique_ptr<recording> open_vdif(const std::string& path,
                                     const recording_hints& hints)
{
    const input_file file(path);
    std::uint8_t raw[32] = {};
    if (file.size() < sizeof raw)
        throw damaged_recording(path + ": truncated: " + std::to_string(file.size()) +
                                " bytes do not hold a VDIF frame header");
    file.read(0, raw, sizeof raw);
    const vdif_words first(raw, 8);
    check(path, first);
    refuse_lone_header(file, first);
    refuse_several_stations(file, first);
    frame_layout layout;
    layout.header_bytes = first.header_bytes();
    layout.frame_bytes = first.frame_bytes();
    layout.channels = first.channels();
    layout.encoding = encoding_name(first);
    const double frame_samples =
        8.0 * static_cast<double>(layout.frame_bytes - layout.header_bytes) /
        (first.component_bits() * (first.is_complex() ? 2.0 : 1.0) *
         static_cast<double>(layout.channels));
    const double frame_rate = first.sample_rate() / frame_samples;
    if (frame_rate == static_cast<double>(static_cast<std::uint64_t>(frame_rate)))
        layout.frame_rate = static_cast<std::uint64_t>(frame_rate);
    layout.telescope = first.station();
    layout.inverted = first.inverted();
    const std::uint64_t reference = first.reference();
    layout.parse = [first, reference](const std::uint8_t* at, frame_header& header) {
        const vdif_words w(at, first.legacy() ? 4 : 8);
        if (!w.like(first))
            return false;
        header.second = reference + w.bits(0, 0, 30);
        header.number = w.bits(1, 0, 24);
        header.thread = w.bits(3, 16, 10);
        header.invalid = w.bits(0, 31, 1) || w.is_masked();
        return true;
    };
    return std::make_unique<framed_recording>(path, hints, layout);
}

// A second header in one of the places where the first one says that frames begin, with
// another time or thread: what repeats itself is no recording. A file of one frame ends
// where its header says.
bool is_vdif(const std::string& path, const std::vector<std::uint8_t>& start)
{
    if (start.size() < 32)
        return false;
    const vdif_words first(start.data());
    const std::uint64_t step = first.frame_bytes();
    if (step <= first.header_bytes() || first.bits(1, 30, 2) != 0)
        return false;
    const input_file file(path);
    for (std::uint64_t at = step; at <= 8 * step && at + 32 <= file.size(); at += step) {
        std::uint8_t raw[16];
        file.read(at, raw, sizeof raw);
        const vdif_words w(raw);
        if (w.like(first))
            return w.word[0] != first.word[0] || w.word[1] != first.word[1] ||
                   w.word[3] != first.word[3];
    }
    return file.size() == step;
}

} // namespace

recording_format format_vdif()
{
    recording_format f;
    f.name = "vdif";
    f.summary = "VLBI Data Interchange Format: real or complex, 1 to 16 bits, threads";
    f.self_describing = true;
    f.granule = framed_recording::granule;
    f.encoding.bits = 0;
    for (const bool is_complex : {false, true}) {
        for (const unsigned bits : {1, 2, 4}) {
            f.more_encodings.push_back(kernels::packed_bits(bits, is_complex));
            f.more_encodings.back().name =
                (is_complex ? "cvdif" : "vdif") + std::to_string(bits);
        }
    }
    f.more_encodings.push_back(kernels::interleaved_encoding<kernels::decoders::cu16>());
    f.more_encodings.back().name = "cu16";
    f.recognizes = is_vdif;
    f.open = open_vdif;
    return f;
}

} // namespace gr::fringe::io
