/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording.h"
#include "read_by_many.h"
#include "scratch.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>

using namespace gr::fringe;
using io::damaged_recording;

namespace {

using bytes = std::vector<std::uint8_t>;

// A VDIF file written word by word from the specification.
struct vdif_file {
    unsigned bits = 2;
    bool is_complex = false;
    unsigned log_channels = 0;
    std::vector<unsigned> threads{0};
    bool legacy = false;
    unsigned data_bytes = 64;
    unsigned frames_per_second = 50;
    unsigned frames = 120; // of a thread
    unsigned first_number = 30;
    std::uint32_t extension = 0; // word 4
    std::uint32_t second = 1000;
    unsigned burst = 1;   // frames of a thread behind each other
    bool in_turn = false; // threads lie in one order

    std::size_t channels() const { return std::size_t(1) << log_channels; }
    std::size_t components() const { return channels() * (is_complex ? 2 : 1); }
    std::size_t frame_samples() const { return 8 * data_bytes / bits / components(); }
    std::size_t header_bytes() const { return legacy ? 16 : 32; }
    std::size_t streams() const { return threads.size() * channels(); }

    //! Code of a component: any function that differs between near ones.
    unsigned code(std::size_t thread, std::uint64_t sample, std::size_t component) const
    {
        const auto n = (sample * components() + component) * 2654435761u + thread * 40503;
        return static_cast<unsigned>((n >> 13) & ((1ull << bits) - 1));
    }
    double value(unsigned code) const
    {
        const double two[] = {-3.3359, -1, 1, 3.3359};
        return bits == 1   ? 2.0 * code - 1
               : bits == 2 ? two[code]
                           : double(code) - (1u << (bits - 1));
    }

    bytes frame(std::size_t thread, std::uint64_t n, bool invalid) const
    {
        const std::uint64_t number = first_number + n;
        const auto length = static_cast<std::uint32_t>(header_bytes() + data_bytes);
        std::vector<std::uint32_t> words(header_bytes() / 4);
        words[0] = static_cast<std::uint32_t>(second + number / frames_per_second) |
                   (legacy ? 1u << 30 : 0) | (invalid ? 1u << 31 : 0);
        words[1] = static_cast<std::uint32_t>(number % frames_per_second) | 27u << 24;
        words[2] = length / 8 | log_channels << 24 | 1u << 29;
        words[3] = ('E' << 8 | 'f') | threads[thread] << 16 | (bits - 1) << 26 |
                   (is_complex ? 1u << 31 : 0);
        if (!legacy)
            words[4] = extension;
        std::vector<std::uint32_t> data(data_bytes / 4);
        for (std::size_t k = 0; k < frame_samples() * components(); k++) {
            const auto sample = n * frame_samples() + k / components();
            data[k * bits / 32] |= code(thread, sample, k % components())
                                   << (k * bits % 32);
        }
        words.insert(words.end(), data.begin(), data.end());
        bytes out;
        for (const auto w : words)
            for (unsigned b = 0; b < 32; b += 8)
                out.push_back(static_cast<std::uint8_t>(w >> b));
        return out;
    }

    //! 0 = there, 1 = missing, 2 = marked invalid.
    using fate = std::function<int(std::size_t thread, std::uint64_t frame)>;
    bytes all(const fate& is = nullptr, unsigned seed = 3) const
    {
        std::mt19937 random(seed);
        bytes out;
        for (std::uint64_t first = 0; first < frames; first += burst) {
            std::vector<std::size_t> order(threads.size());
            for (std::size_t t = 0; t < order.size(); t++)
                order[t] = t;
            if (!in_turn)
                std::shuffle(order.begin(), order.end(), random);
            for (const auto t : order)
                for (auto n = first; n < std::min<std::uint64_t>(first + burst, frames);
                     n++) {
                    const int state = is ? is(t, n) : 0;
                    if (state == 1)
                        continue;
                    const auto f = frame(t, n, state == 2);
                    out.insert(out.end(), f.begin(), f.end());
                }
        }
        return out;
    }
};

std::unique_ptr<io::recording> open(const std::string& path, std::size_t streams = 0)
{
    return io::format_by_name("vdif").open(path, {streams});
}

// Reads samples first ... of every stream, unpacked, and compares with what was
// written.
void check_samples(const vdif_file& v,
                   io::recording& file,
                   std::uint64_t first,
                   std::size_t count,
                   const vdif_file::fate& is = nullptr)
{
    const auto& e = io::encoding_by_name(file.info().encoding);
    BOOST_REQUIRE_EQUAL(file.info().parts, v.threads.size());
    BOOST_REQUIRE_EQUAL(e.is_complex, v.is_complex);
    bytes block(e.bytes(v.streams(), count), 0xee);
    std::vector<io::lost_samples> lost;
    file.read(first, count, block.data(), &lost);
    std::vector<int> state(v.streams() * count);
    for (const auto& l : lost) {
        BOOST_REQUIRE(l.stream < v.streams() && l.count > 0);
        BOOST_REQUIRE_LE(l.first + l.count, count);
        for (auto t = l.first; t < l.first + l.count; t++)
            state[l.stream * count + t] = l.cause == io::loss::missing ? 1 : 2;
    }
    const std::size_t width = v.is_complex ? 2 : 1;
    std::vector<std::size_t> rows(v.streams());
    for (std::size_t s = 0; s < rows.size(); s++)
        rows[s] = s;
    std::size_t wrong = 0;
    for (const int backend : {0, 1}) {
        std::vector<float> x(v.streams() * count * width);
        for (std::size_t t = 0; t < v.threads.size(); t++)
            e.unpack[backend][2](block.data() + e.bytes(t * v.channels(), count),
                                 v.channels(),
                                 count,
                                 &rows[t * v.channels()],
                                 x.data(),
                                 count);
        for (std::size_t s = 0; s < v.streams(); s++) {
            const auto thread = s / v.channels();
            int wanted = 0;
            for (std::size_t n = 0; n < count; n++) {
                const auto sample = first + n;
                if (is && (n == 0 || sample % v.frame_samples() == 0))
                    wanted = is(thread, sample / v.frame_samples());
                wrong += state[s * count + n] != wanted;
                for (std::size_t p = 0; p < width; p++) {
                    const auto code =
                        v.code(thread, sample, s % v.channels() * width + p);
                    const float got = x[(s * count + n) * width + p];
                    if (wanted == 0)
                        wrong += got != static_cast<float>(v.value(code));
                    else if (v.bits > 2)
                        wrong += got != 0;
                }
            }
        }
    }
    BOOST_CHECK_EQUAL(wrong, 0u);
}

void check_everywhere(const vdif_file& v,
                      io::recording& file,
                      std::size_t step,
                      const vdif_file::fate& is = nullptr)
{
    const auto samples = file.info().samples;
    for (std::uint64_t n = 0; n < samples; n += step)
        check_samples(
            v, file, n, std::size_t(std::min<std::uint64_t>(step, samples - n)), is);
}

int random_fate(std::size_t thread, std::uint64_t frame, double lost)
{
    if (frame == 0 || frame == 119)
        return 0;
    std::mt19937 random(static_cast<unsigned>(frame * 64 + thread));
    random.discard(4);
    const double x = random() / 4294967296.0;
    return x < lost ? (x < lost / 3 ? 2 : 1) : 0;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_kind_of_vdif_is_read)
{
    const scratch folder;
    for (const unsigned bits : {1, 2, 4, 8, 16})
        for (const bool is_complex : {false, true})
            for (const unsigned log_channels : {0, 1, 3})
                for (const bool legacy : {false, true}) {
                    vdif_file v;
                    v.bits = bits;
                    v.is_complex = is_complex;
                    v.log_channels = log_channels;
                    v.legacy = legacy;
                    v.threads = {5, 0, 1023};
                    std::sort(v.threads.begin(), v.threads.end());
                    BOOST_TEST_CONTEXT(bits << " bits, complex " << is_complex << ", "
                                            << v.channels() << " channels, legacy "
                                            << legacy)
                    {
                        write_bytes(folder / "x", v.all());
                        const auto file = open(folder / "x", v.streams());
                        const auto& info = file->info();
                        BOOST_CHECK_EQUAL(info.telescope, "Ef");
                        BOOST_CHECK_EQUAL(info.sample_rate, 50.0 * v.frame_samples());
                        BOOST_REQUIRE_EQUAL(info.samples,
                                            120 * v.frame_samples() / 8 * 8);
                        BOOST_CHECK(info.has_start_time);
                        // Half year 27 begins in July 2013; 30 frames at 50 a second.
                        BOOST_CHECK_EQUAL(info.start_time.iso(3),
                                          "2013-07-01T00:16:40.600");
                        check_everywhere(v, *file, 264);
                        check_samples(v, *file, 8, 128); // and back
                    }
                }
}

BOOST_AUTO_TEST_CASE(missing_and_invalid_frames_keep_their_place)
{
    const scratch folder;
    for (const double lost : {0.01, 0.3, 0.9})
        for (const std::size_t threads : {1, 2, 8}) {
            vdif_file v;
            v.bits = threads == 2 ? 4 : 2;
            v.threads.clear();
            for (unsigned t = 0; t < threads; t++)
                v.threads.push_back(t);
            v.frames_per_second = 250;
            v.extension = 3u << 24 | static_cast<unsigned>(v.frame_samples() / 8); // kHz
            v.first_number = v.frames_per_second - 40;
            const auto is = [&](std::size_t t, std::uint64_t n) {
                return random_fate(t, n, lost);
            };
            BOOST_TEST_CONTEXT(lost << " lost of " << threads << " threads")
            {
                write_bytes(folder / "x", v.all(is));
                const auto file = open(folder / "x");
                BOOST_REQUIRE_EQUAL(file->info().samples, 120 * v.frame_samples());
                check_everywhere(v, *file, 64, is);
                check_everywhere(v, *file, 1000 * 8, is);
                check_samples(v, *file, 512, 2048, is);
            }
        }
}

// A spectrometer's frames: one sample of many channels. Their number is no
// multiple of 8.
BOOST_AUTO_TEST_CASE(one_sample_of_many_channels_a_frame)
{
    const scratch folder;
    for (const unsigned frames : {1u, 3u, 123u})
        for (const unsigned bits : {2u, 4u, 8u}) {
            vdif_file v;
            v.bits = bits;
            v.is_complex = bits == 4;
            v.log_channels = 10;
            v.threads = {0, 1};
            v.data_bytes = static_cast<unsigned>(bits * v.components() / 8);
            v.frames = frames;
            BOOST_TEST_CONTEXT(frames << " frames of " << bits << " bits")
            {
                BOOST_REQUIRE_EQUAL(v.frame_samples(), 1u);
                write_bytes(folder / "x", v.all());
                const auto file = open(folder / "x");
                BOOST_CHECK_EQUAL(file->info().streams, 2048u);
                BOOST_REQUIRE_EQUAL(file->info().samples, frames);
                check_everywhere(v, *file, 7);
            }
        }
}

BOOST_AUTO_TEST_CASE(threads_lie_in_any_order)
{
    const scratch folder;
    for (const unsigned burst : {2u, 7u, 60u, 300u})
        for (const std::size_t threads : {2, 5})
            for (const double lost : {0.0, 0.2}) {
                vdif_file v;
                v.threads.clear();
                for (unsigned t = 0; t < threads; t++)
                    v.threads.push_back(3 * t);
                v.burst = burst;
                v.frames = 1000;
                v.frames_per_second = 400;
                std::vector<int> fates(threads * v.frames);
                for (std::size_t k = 0; k < fates.size(); k++)
                    fates[k] = k / threads % 999 == 0
                                   ? 0
                                   : random_fate(k % threads, k / threads, lost);
                const auto is = [&](std::size_t t, std::uint64_t n) {
                    return fates[n * threads + t];
                };
                BOOST_TEST_CONTEXT(burst << " frames of each of " << threads
                                         << " threads, " << lost << " lost")
                {
                    write_bytes(folder / "x", v.all(is));
                    const auto file = open(folder / "x");
                    BOOST_REQUIRE_EQUAL(file->info().samples, 1000 * v.frame_samples());
                    BOOST_CHECK_EQUAL(file->info().sample_rate,
                                      400.0 * v.frame_samples());
                    BOOST_CHECK_EQUAL(file->info().start_time.iso(3),
                                      "2013-07-01T00:16:40.075");
                    check_everywhere(v, *file, 64 * 256, is);
                    check_samples(v, *file, 512, 2048, is);
                    check_samples(v, *file, 700 * 256, 256 * 8, is);
                    check_samples(v, *file, 300 * 256, 256 * 8, is);
                }
            }
}

// Frames that lie as they are due are copied straight from the file, others one by one.
BOOST_AUTO_TEST_CASE(threads_lie_in_turn)
{
    const scratch folder;
    for (const double lost : {0.0, 0.002, 0.1})
        for (const unsigned bits : {2u, 8u})
            for (const std::size_t threads : {1, 3, 300}) {
                vdif_file v;
                v.threads.clear();
                for (unsigned t = 0; t < threads; t++)
                    v.threads.push_back((7 * t + 2) % 1009);
                std::sort(v.threads.begin(), v.threads.end());
                v.in_turn = true;
                v.bits = bits;
                v.frames = threads > 100 ? 40 : 1500;
                v.frames_per_second = v.frames / 2;
                v.first_number = 5;
                std::vector<int> fates(threads * v.frames);
                for (std::size_t k = 0; k < fates.size(); k++)
                    fates[k] = k / threads % (v.frames - 1) == 0
                                   ? 0
                                   : random_fate(k % threads, k / threads, lost);
                const auto is = [&](std::size_t t, std::uint64_t n) {
                    return fates[n * threads + t];
                };
                BOOST_TEST_CONTEXT(threads << " threads of " << bits << " bits, " << lost
                                           << " lost")
                {
                    auto raw = v.all(is);
                    write_bytes(folder / "x", raw);
                    const auto file = open(folder / "x");
                    const std::size_t samples = v.frames * v.frame_samples();
                    BOOST_REQUIRE_EQUAL(file->info().samples, samples);
                    check_everywhere(v, *file, samples / 5 / 8 * 8 - 16, is);
                    check_samples(v, *file, 24, 8, is);
                    check_samples(v, *file, samples / 2, samples / 4 / 8 * 8, is);
                    // Into rows of a longer block.
                    const std::size_t count = samples / 3 / 8 * 8, first = 40;
                    const std::size_t row = count * bits / 8, apart = row + 5;
                    bytes block(threads * row), rows(threads * apart, 0xee);
                    std::vector<io::lost_samples> none, some;
                    file->read(first, count, block.data(), &none);
                    BOOST_REQUIRE(
                        file->read_rows(first, count, rows.data(), apart, some));
                    BOOST_CHECK_EQUAL(none.size(), some.size());
                    std::size_t wrong = 0;
                    for (std::size_t t = 0; t < threads; t++) {
                        const auto* at = rows.data() + t * apart;
                        wrong += !std::equal(at, at + row, block.data() + t * row);
                        wrong += std::count(at + row, at + apart, 0xee) != 5;
                    }
                    BOOST_CHECK_EQUAL(wrong, 0u);
                }
            }
}

BOOST_AUTO_TEST_CASE(frames_have_any_legal_length)
{
    const scratch folder;
    for (const unsigned data_bytes : {8u, 16u, 24u, 1000u, 8032u, 200008u}) {
        vdif_file v;
        v.data_bytes = data_bytes;
        v.threads = {0, 9};
        v.frames = data_bytes > 100000 ? 7 : 120;
        v.frames_per_second = v.frames / 2;
        v.first_number = 1;
        BOOST_TEST_CONTEXT(data_bytes << " bytes of samples")
        {
            write_bytes(folder / "x", v.all());
            const auto file = open(folder / "x");
            BOOST_REQUIRE_EQUAL(file->info().samples, v.frames * v.frame_samples());
            check_everywhere(v, *file, std::max<std::size_t>(8, 3 * v.frame_samples()));
        }
    }
}

BOOST_AUTO_TEST_CASE(many_threads_read_one_vdif_file)
{
    const scratch folder;
    for (const double lost : {0.0, 0.001, 0.3}) {
        vdif_file v;
        v.threads = {1, 3, 4};
        v.frames = 4000;
        v.frames_per_second = 2000;
        v.extension = 3u << 24 | static_cast<unsigned>(v.frame_samples()); // kHz
        const auto is = [&](std::size_t t, std::uint64_t n) {
            return n > 500 && n < 3500 ? random_fate(t, n, lost) : 0;
        };
        BOOST_TEST_CONTEXT(lost << " lost")
        {
            write_bytes(folder / "x", v.all(is));
            const auto file = open(folder / "x");
            BOOST_REQUIRE_EQUAL(file->info().samples, 4000 * v.frame_samples());
            // Far ahead of where reading has ended, and back.
            for (const std::uint64_t frame : {0, 3000, 3200, 1000, 1100, 3800, 0, 70})
                check_samples(v, *file, frame * v.frame_samples() + 64, 2000 * 8, is);
            check_read_by_many(folder / "x", "vdif", 0, 5);
        }
    }
}

BOOST_AUTO_TEST_CASE(damage_between_frames_costs_those_frames_only)
{
    const scratch folder;
    vdif_file v;
    v.threads = {0, 1};
    const std::size_t frame_bytes = v.header_bytes() + v.data_bytes;
    const auto whole = v.all(nullptr);
    write_bytes(folder / "x", whole);
    const auto is_at = [&](std::size_t place) {
        return [&, place](std::size_t t, std::uint64_t n) {
            return n == place / 2 && whole[place * frame_bytes + 14] == t ? 1 : 0;
        };
    };
    // Bytes lost within a frame's header or its samples.
    for (const std::size_t place : {2, 100, 201, 238}) {
        for (const std::size_t byte : {12, 40, 95}) {
            auto raw = whole;
            raw.erase(raw.begin() + place * frame_bytes + byte);
            BOOST_TEST_CONTEXT("frame " << place << ", byte " << byte)
            {
                write_bytes(folder / "x", raw);
                const auto file = open(folder / "x");
                BOOST_REQUIRE_EQUAL(file->info().samples, 120 * v.frame_samples());
                check_everywhere(v, *file, 512, is_at(place));
            }
        }
    }
    // A header that says a time far off, or another thread.
    for (const std::size_t place : {3, 100, 238})
        for (const auto& flip : {std::make_pair(3, 0x10), std::make_pair(14, 0x80)}) {
            auto raw = whole;
            raw[place * frame_bytes + flip.first] ^= flip.second;
            write_bytes(folder / "x", raw);
            const auto file = open(folder / "x");
            BOOST_TEST_CONTEXT("header " << place << ", byte " << flip.first)
            {
                BOOST_REQUIRE_EQUAL(file->info().samples, 120 * v.frame_samples());
                check_everywhere(v, *file, 512, is_at(place));
            }
        }
}

BOOST_AUTO_TEST_CASE(a_cut_vdif_recording_is_read_to_the_cut)
{
    const scratch folder;
    vdif_file v;
    const std::size_t frame_bytes = v.header_bytes() + v.data_bytes;
    const auto whole = v.all();
    for (const std::size_t left : {0, 1, 31, 32, 33, 36, 95}) {
        auto raw = whole;
        raw.resize(110 * frame_bytes + left);
        write_bytes(folder / "x", raw);
        const auto file = open(folder / "x");
        const std::size_t samples = left > 32 ? (left - 32) * 8 / 2 / 8 * 8 : 0;
        BOOST_TEST_CONTEXT(left << " bytes of a frame")
        {
            BOOST_REQUIRE_EQUAL(file->info().samples, 110 * v.frame_samples() + samples);
            check_everywhere(v, *file, 504);
        }
    }
}

BOOST_AUTO_TEST_CASE(the_sample_rate_is_from_the_header_or_from_the_seconds)
{
    const scratch folder;
    vdif_file v;
    v.frames = 15;
    v.first_number = 4; // all in one second
    write_bytes(folder / "x", v.all());
    auto file = open(folder / "x");
    BOOST_CHECK_EQUAL(file->info().sample_rate, 0);
    BOOST_CHECK(!file->info().has_start_time);
    BOOST_CHECK(file->info().remarks.find("4 frames of unknown rate after 2013-07-01") !=
                std::string::npos);
    v.extension = 3u << 24 | 1u << 23 | 16; // 16 MHz: 32 MS/s real
    write_bytes(folder / "x", v.all());
    file = open(folder / "x");
    BOOST_CHECK_EQUAL(file->info().sample_rate, 32e6);
    BOOST_CHECK_EQUAL(file->info().start_time.iso(9), "2013-07-01T00:16:40.000032000");
    // Frames that go on behind that number, or turn over at half of it, say
    // better.
    v = vdif_file();
    v.extension = 1u << 24 | 16; // 32 kHz: 125 frames of 256 a second
    v.frames = 1000;
    for (const unsigned rate : {125, 250}) {
        v.frames_per_second = rate;
        write_bytes(folder / "x", v.all());
        BOOST_CHECK_EQUAL(open(folder / "x")->info().sample_rate, rate * 256.0);
    }
    v.extension = 1u << 24 | 32;
    v.frames_per_second = 125;
    write_bytes(folder / "x", v.all());
    BOOST_CHECK_EQUAL(open(folder / "x")->info().sample_rate, 32000);
}

BOOST_AUTO_TEST_CASE(a_recording_that_ends_right_behind_a_second)
{
    const scratch folder;
    for (const std::size_t threads : {1, 3})
        for (const unsigned before : {1u, 2u, 9u, 49u})
            for (const unsigned behind : {1u, 2u, 3u, 7u, 8u, 9u}) {
                vdif_file v;
                v.threads.clear();
                for (unsigned t = 0; t < threads; t++)
                    v.threads.push_back(t);
                v.first_number = v.frames_per_second - before;
                v.frames = before + behind;
                BOOST_TEST_CONTEXT(threads << " threads, " << before << " frames and "
                                           << behind)
                {
                    write_bytes(folder / "x", v.all());
                    const auto file = open(folder / "x");
                    BOOST_CHECK_EQUAL(file->info().sample_rate, 50.0 * v.frame_samples());
                    BOOST_REQUIRE_EQUAL(file->info().samples,
                                        v.frames * v.frame_samples());
                    check_everywhere(v, *file, 512);
                }
            }
}

// cat later earlier: read with every sample in its place, or refused with a sentence.
BOOST_AUTO_TEST_CASE(recordings_joined_in_the_wrong_order)
{
    const scratch folder;
    unsigned refused = 0, right = 0;
    for (const std::size_t threads : {1, 2})
        for (const unsigned earlier : {2u, 3u, 7u, 12u, 20u, 33u, 70u, 500u, 4500u})
            for (const unsigned later : {2u, 3u, 7u, 12u, 20u, 33u, 70u, 500u, 4500u}) {
                vdif_file v;
                v.threads.clear();
                for (unsigned t = 0; t < threads; t++)
                    v.threads.push_back(t);
                v.data_bytes = 16;
                v.frames_per_second = 40;
                v.frames = earlier + later;
                const auto whole = v.all();
                const auto cut =
                    whole.begin() + earlier * threads * (v.header_bytes() + v.data_bytes);
                bytes raw(cut, whole.end());
                raw.insert(raw.end(), whole.begin(), cut);
                write_bytes(folder / "x", raw);
                BOOST_TEST_CONTEXT(threads << " threads, " << later << " frames before "
                                           << earlier << " earlier ones")
                {
                    try {
                        const auto file = open(folder / "x");
                        BOOST_REQUIRE_EQUAL(file->info().samples,
                                            v.frames * v.frame_samples());
                        // A few frames far from their place may be missing.
                        const auto count = static_cast<std::size_t>(file->info().samples);
                        bytes block(threads * count * v.bits / 8);
                        std::vector<io::lost_samples> lost;
                        file->read(0, count, block.data(), &lost);
                        std::size_t first_lost = v.frames;
                        for (const auto& l : lost)
                            first_lost =
                                std::min(first_lost, l.first / v.frame_samples());
                        BOOST_CHECK(first_lost == v.frames ||
                                    (later < 8 && first_lost == earlier));
                        check_samples(v, *file, 0, count, [&](auto, std::uint64_t n) {
                            return n >= first_lost ? 1 : 0;
                        });
                        right++;
                    } catch (const damaged_recording& e) {
                        BOOST_CHECK_MESSAGE(
                            std::string(e.what()).find("joined in the wrong order") !=
                                std::string::npos,
                            e.what());
                        BOOST_CHECK(std::max(earlier, later) > 32);
                        refused++;
                    }
                }
            }
    BOOST_CHECK_GT(refused, 0u);
    BOOST_CHECK_GT(right, 0u);
    // In the middle of a long file.
    vdif_file v;
    v.frames = 20000;
    v.frames_per_second = 400;
    const auto whole = v.all();
    const auto frame = [&](std::size_t n) {
        return whole.begin() +
               static_cast<std::ptrdiff_t>(n * (v.header_bytes() + v.data_bytes));
    };
    bytes raw(frame(0), frame(6000));
    raw.insert(raw.end(), frame(12000), frame(15000));
    raw.insert(raw.end(), frame(6000), frame(12000));
    raw.insert(raw.end(), frame(15000), whole.end());
    write_bytes(folder / "x", raw);
    check_refused<damaged_recording>([&] { open(folder / "x"); },
                                     {"goes back in time", "joined in the wrong order"});
}

BOOST_AUTO_TEST_CASE(what_is_not_vdif_is_refused)
{
    const scratch folder;
    const auto refused = [&](auto error, const bytes& raw, std::vector<std::string> w) {
        write_bytes(folder / "x", raw);
        w.push_back(folder / "x");
        check_refused<decltype(error)>([&] { open(folder / "x"); }, w);
    };
    const damaged_recording damaged("");
    const std::invalid_argument wrong("");
    refused(damaged, bytes(1000), {"no VDIF frame header at byte 0"});
    refused(damaged, bytes(31, 1), {"truncated", "31"});
    vdif_file v;
    const bytes first = v.frame(0, 0, false);
    refused(damaged, bytes(first.begin(), first.begin() + 33), {"truncated"});
    auto raw = v.all();
    raw.insert(raw.begin() + 50, 1);
    refused(damaged, raw, {"no VDIF frame header at byte 96"});
    v.bits = 32;
    refused(wrong, v.all(), {"32 bits", "1, 2, 4, 8 and 16"});
    v.bits = 16;
    v.log_channels = 10;
    raw = v.frame(0, 0, false);
    refused(wrong, raw, {"1024 channels"});
    v = vdif_file();
    v.threads = {1, 2};
    write_bytes(folder / "x", v.all());
    check_refused<std::invalid_argument>([&] { open(folder / "x", 3); },
                                         {"2 streams", "3"});
    const auto file = open(folder / "x");
    bytes block(4096);
    check_refused<std::invalid_argument>([&] { file->read(4, 8, block.data()); },
                                         {"groups of 8"});
    check_refused<std::invalid_argument>(
        [&] { file->read(120 * 256 - 8, 16, block.data()); }, {"30720 samples"});
}
