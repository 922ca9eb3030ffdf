/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Files that begin and end at different times, read as one.
#include "io/recordings/recording_set.h"
#include "scratch.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <thread>

using namespace gr::fringe;

namespace {

using bytes = std::vector<std::uint8_t>;

// What a stream has at a time, in samples of the set: any function of both.
unsigned sample(std::size_t stream, std::uint64_t time, unsigned bits)
{
    const std::uint64_t n = (time * 64 + stream) * 0x9e3779b97f4a7c15ull;
    return static_cast<unsigned>(n >> 40) & ((1u << bits) - 1);
}

// One station: real samples of `bits` bits, two threads, from a time on.
struct station {
    std::size_t first_stream;
    std::uint64_t begin; // samples
    std::size_t frames;
    unsigned bits;
    unsigned frame_samples = 64, frames_per_second = 500;
    std::uint64_t second = 1000; // when `begin` was 0

    bytes vdif() const
    {
        bytes file;
        for (std::size_t k = 0; k < 2 * frames; k++) {
            const std::uint64_t frame = begin / frame_samples + k / 2;
            const std::uint32_t thread = k % 2, data = frame_samples * bits / 8;
            std::vector<std::uint32_t> words(8 + data / 4);
            words[0] = static_cast<std::uint32_t>(second + frame / frames_per_second);
            words[1] = static_cast<std::uint32_t>(frame % frames_per_second) | 30u << 24;
            words[2] = (data + 32) / 8;
            words[3] = thread << 16 | (bits - 1) << 26;
            // Extension 1: the rate, in kHz of bandwidth.
            words[4] = 1u << 24 | frame_samples * frames_per_second / 2000;
            for (unsigned s = 0; s < frame_samples; s++)
                words[8 + s * bits / 32] |=
                    sample(first_stream + thread, frame * frame_samples + s, bits)
                    << s * bits % 32;
            for (const auto w : words)
                for (unsigned b = 0; b < 32; b += 8)
                    file.push_back(static_cast<std::uint8_t>(w >> b));
        }
        return file;
    }
    bool has(std::uint64_t time) const
    {
        return time >= begin && time < begin + frames * frame_samples;
    }
};

// Reads samples n ... n + count - 1 to a place of a block, and counts what is wrong.
std::size_t wrong_of(const io::recording_set& set,
                     const std::vector<station>& stations,
                     std::uint64_t n,
                     std::size_t count,
                     std::size_t at,
                     std::size_t block)
{
    const unsigned bits = stations[0].bits;
    bytes out(set.encoding().bytes(set.streams(), block), 0x55);
    std::vector<io::lost_samples> lost;
    set.read_piece({0, set.files()}, n, count, at, block, out.data(), lost);
    std::vector<int> marks(set.streams() * block);
    for (const auto& l : lost)
        for (std::uint64_t t = l.first; t < l.first + l.count; t++)
            marks.at(l.stream * block + t) += l.cause == io::loss::missing ? 1 : 100;
    std::size_t wrong = 0;
    for (std::size_t s = 0; s < set.streams(); s++)
        for (std::size_t t = 0; t < block; t++) {
            const std::size_t bit = (s * block + t) * bits;
            const unsigned got = out[bit / 8] >> bit % 8 & ((1u << bits) - 1);
            const std::uint64_t time = n + t - at;
            const bool inside = t >= at && t < at + count;
            const bool there = inside && stations[s / 2].has(time);
            wrong += marks[s * block + t] != (inside && !there ? 1 : 0);
            if (there)
                wrong += got != sample(s, time, bits);
            else if (inside && bits > 2) // what is lost is zero
                wrong += got != 1u << (bits - 1);
        }
    return wrong;
}

std::vector<std::string> write(const scratch& folder,
                               const std::vector<station>& stations)
{
    std::vector<std::string> paths;
    for (const station& s : stations) {
        paths.push_back(folder / ("s" + std::to_string(s.first_stream)));
        write_bytes(paths.back(), s.vdif());
    }
    return paths;
}

} // namespace

BOOST_AUTO_TEST_CASE(vdif_files_are_aligned_by_their_headers)
{
    const scratch folder;
    for (const unsigned bits : {1u, 2u, 4u, 8u}) {
        // 0.2 s apart: 6400 samples. The last one ends first.
        const std::vector<station> stations{
            {0, 6400, 300, bits}, {2, 0, 350, bits}, {4, 64, 210, bits}};
        const io::recording_set set(
            write(folder, stations), io::format_by_name("vdif"), 0, {0});
        BOOST_REQUIRE_EQUAL(set.samples(), 6400u + 300 * 64);
        BOOST_CHECK_EQUAL(set.times().notes().size(), 2u);
        std::mt19937 random(bits);
        std::size_t wrong = 0;
        for (int k = 0; k < 300; k++) {
            const std::size_t block = 8 * (1 + random() % 900);
            const std::size_t at = random() % 2 ? 0 : random() % block / 8 * 8;
            const std::size_t count = 1 + random() % (block - at);
            const std::uint64_t n = random() % (set.samples() - count);
            wrong += wrong_of(set, stations, n, count, at, block);
        }
        BOOST_CHECK_EQUAL(wrong, 0u);
    }
}

BOOST_AUTO_TEST_CASE(many_threads_read_files_of_different_times)
{
    const scratch folder;
    const std::vector<station> stations{{0, 0, 400, 2}, {2, 12800, 400, 2}};
    const io::recording_set set(
        write(folder, stations), io::format_by_name("vdif"), 0, {0});
    std::vector<std::size_t> wrong(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < wrong.size(); t++)
        threads.emplace_back([&, t] {
            for (std::uint64_t n = 1000 * t; n + 1000 <= set.samples(); n += 4000)
                wrong[t] += wrong_of(set, stations, n, 1000, 0, 1000);
        });
    for (auto& t : threads)
        t.join();
    BOOST_CHECK_EQUAL(wrong[0] + wrong[1] + wrong[2] + wrong[3], 0u);
}

BOOST_AUTO_TEST_CASE(headers_that_claim_years)
{
    const scratch folder;
    const station day{0, 0, 300, 8};
    station other = day;
    for (const std::uint64_t years : {0ull, 1ull, 30ull}) {
        other.second = day.second + (years ? years * 31557600 : 86400);
        auto both = day.vdif();
        const auto more = other.vdif();
        both.insert(both.end(), more.begin(), more.end());
        write_bytes(folder / "joined.vdif", both);
        const io::recording_set set(
            {folder / "joined.vdif"}, io::format_by_name("vdif"), 0, {0});
        BOOST_CHECK_GT(set.samples(), 32000u * 86400);
        check_refused<std::invalid_argument>([&] { set.refuse_gaps(set.samples()); },
                                             {"joined.vdif: ",
                                              "99.99",
                                              "% missing",
                                              "76800 bytes of samples are 38400",
                                              std::to_string(set.samples()),
                                              years > 1   ? "30 years"
                                              : years > 0 ? "365 days"
                                                          : "86400.6 s",
                                              "allow_gaps=True"});
        set.refuse_gaps(20000); // so much is there
        check_refused<std::invalid_argument>([&] { set.refuse_gaps(400000); }, {"90.4"});
        // What lies behind is read without looking for it in between.
        BOOST_CHECK_EQUAL(wrong_of(set, {day}, 10000, 16000, 0, 16000),
                          0u); // and behind the end
    }
    // In the wrong order, more than frames are looked at for theirs.
    station before = day;
    before.frames = other.frames = 5000;
    auto both = other.vdif();
    const auto first = before.vdif();
    both.insert(both.end(), first.begin(), first.end());
    write_bytes(folder / "joined.vdif", both);
    check_refused<io::damaged_recording>(
        [&] { io::format_by_name("vdif").open(folder / "joined.vdif", {}); },
        {"joined.vdif", "wrong order", "2015-01-01T00:16:4"});
}

BOOST_AUTO_TEST_CASE(a_file_that_has_little_of_what_all_span)
{
    const scratch folder;
    const std::vector<station> stations{{0, 0, 4000, 2}, {2, 6400, 300, 2}};
    const io::recording_set set(
        write(folder, stations), io::format_by_name("vdif"), 0, {0});
    check_refused<std::invalid_argument>([&] { set.refuse_gaps(set.samples()); },
                                         {"s2: 92.5 % missing",
                                          "19200 of the 256000",
                                          "all files span",
                                          "allow_gaps=True"});
    set.refuse_gaps(100000);
}
