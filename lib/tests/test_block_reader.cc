/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/block_reader.h"
#include "io/recordings/ordered_blocks.h"
#include "scratch.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gr::fringe;

namespace {

using bytes = std::vector<std::uint8_t>;

bytes noise(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    bytes b(count);
    for (auto& x : b)
        x = static_cast<std::uint8_t>(random());
    return b;
}

// VDIF of two threads, real 8-bit samples, of which every 7th frame is lost.
bytes vdif(std::size_t frames, std::size_t data_bytes, unsigned seed)
{
    bytes all;
    for (std::size_t n = 0; n < 2 * frames; n++) {
        if (n % 7 == 3)
            continue;
        const std::uint32_t words[8] = {
            static_cast<std::uint32_t>(100 + n / 2 / 500),
            static_cast<std::uint32_t>(n / 2 % 500) | 30u << 24,
            static_cast<std::uint32_t>((data_bytes + 32) / 8) | 1u << 29,
            'A' << 8 | 'b' | static_cast<std::uint32_t>(n % 2) << 16 | 7u << 26};
        for (const auto w : words)
            for (unsigned b = 0; b < 32; b += 8)
                all.push_back(static_cast<std::uint8_t>(w >> b));
        const auto data = noise(data_bytes, seed + static_cast<unsigned>(n));
        all.insert(all.end(), data.begin(), data.end());
    }
    return all;
}

struct one_block {
    bytes samples;
    std::vector<io::lost_samples> lost;
};

// Which samples of a block are lost, whatever the runs.
std::vector<int> marks(const one_block& b, std::size_t streams, std::size_t samples)
{
    std::vector<int> marks(streams * samples);
    for (const auto& l : b.lost)
        for (std::uint64_t t = l.first; t < l.first + l.count; t++)
            marks.at(l.stream * samples + t) += l.cause == io::loss::missing ? 1 : 100;
    return marks;
}

// Blocks of a recording, read one after the other.
std::vector<one_block> in_order(const io::recording_set& set, std::size_t block)
{
    std::vector<one_block> all;
    for (std::uint64_t n = 0; n < set.samples(); n += block) {
        one_block b{bytes(set.encoding().bytes(set.streams(), block), 0xee), {}};
        set.read(
            n,
            static_cast<std::size_t>(std::min<std::uint64_t>(block, set.samples() - n)),
            block,
            b.samples.data(),
            b.lost);
        all.push_back(std::move(b));
    }
    return all;
}

void check_ahead(const io::recording_set& set,
                 std::size_t block,
                 unsigned threads,
                 unsigned seed)
{
    const auto wanted = in_order(set, block);
    const std::size_t size = set.encoding().bytes(set.streams(), block);
    std::mt19937 random(seed);
    io::block_reader reader(set, block, threads);
    std::vector<bytes> ring(5, bytes(size));
    std::size_t begun = 0, taken = 0, wrong = 0;
    const auto begin = [&](std::size_t k) {
        auto& place = ring[k % ring.size()];
        place.assign(size, 0xdd);
        const std::uint64_t n = k * std::uint64_t(block);
        reader.begin(
            n,
            static_cast<std::size_t>(std::min<std::uint64_t>(block, set.samples() - n)),
            place.data());
    };
    while (taken < wanted.size()) {
        const std::size_t ahead = 1 + random() % ring.size();
        for (; begun < wanted.size() && begun - taken < ahead; begun++)
            begin(begun);
        if (random() % 10 == 0) { // a stop: what was not taken is read again
            reader.cancel();
            BOOST_REQUIRE_EQUAL(reader.size(), 0u);
            begun = taken;
            continue;
        }
        one_block got;
        got.lost = reader.next();
        got.samples = ring[taken % ring.size()];
        wrong += got.samples != wanted[taken].samples;
        wrong += marks(got, set.streams(), block) !=
                 marks(wanted[taken], set.streams(), block);
        taken++;
    }
    BOOST_CHECK_EQUAL(wrong, 0u);
}

} // namespace

BOOST_AUTO_TEST_CASE(blocks_come_whole_and_in_order)
{
    const scratch folder;
    write_bytes(folder / "a.ci8", noise(2 * 3 * 1000003, 1));
    write_bytes(folder / "b.ci8", noise(2 * 3 * 1100001, 2));
    write_bytes(folder / "x.vdif", vdif(1500, 2000, 5));
    write_bytes(folder / "y.vdif", vdif(1500, 2000, 5000));
    const io::recording_set plain(
        {folder / "a.ci8", folder / "b.ci8"}, io::format_by_name("ci8"), 6, {17});
    const io::recording_set frames(
        {folder / "x.vdif", folder / "y.vdif"}, io::format_by_name("vdif"), 0, {0});
    BOOST_REQUIRE_EQUAL(frames.streams(), 4u);
    for (const unsigned threads : {1u, 2u, 5u})
        // Blocks of many pieces, of one, and small ones.
        for (const std::size_t block :
             {std::size_t(400000), std::size_t(100008), std::size_t(8000)})
            BOOST_TEST_CONTEXT(threads << " threads, blocks of " << block)
            {
                check_ahead(plain, block, threads, threads);
                check_ahead(frames, block, threads, threads);
            }
}

// Into a ring with a varying number of free places, stopped and started again now and then.
BOOST_AUTO_TEST_CASE(a_recording_that_is_repeated_goes_on_without_a_break)
{
    const scratch folder;
    // Blocks of two items, the last one of one and a piece.
    constexpr std::size_t item = 35000, bytes_each = 4 * item, places = 6;
    constexpr std::uint64_t total = 6 * item + 12345;
    const auto file = noise(4 * 400000, 3);
    write_bytes(folder / "x.ci8", file);
    const io::recording_set set({folder / "x.ci8"}, io::format_by_name("ci8"), 2, {1000});
    std::mt19937 random(4);
    for (const bool repeat : {false, true}) {
        io::ordered_blocks blocks(set, {2 * item, item, bytes_each}, total, repeat);
        bytes ring(2 * places * bytes_each);
        std::size_t taken = 0, ahead = 1, wrong = 0;
        blocks.start(3);
        while (!blocks.ended() && taken < 25) {
            if (random() % 4 == 0) {
                blocks.stop();
                blocks.start(1 + random() % 4);
                ahead = 1;
            }
            // Free places only become more until blocks are taken.
            ahead = std::max<std::size_t>(ahead, 1 + random() % places);
            const std::size_t place = taken % places;
            std::uint8_t* const out = ring.data() + place * bytes_each;
            blocks.begin(out, std::min(ahead, 2 * places - place));
            std::vector<io::lost_samples> lost;
            const auto [samples, ends_short] = blocks.take(lost);
            const std::uint64_t from = (taken % 7) * item;
            BOOST_REQUIRE_EQUAL(samples, std::min<std::uint64_t>(item, total - from));
            BOOST_REQUIRE_EQUAL(ends_short, from == 6 * item);
            wrong += !lost.empty();
            const auto first =
                file.begin() + static_cast<std::ptrdiff_t>(4 * (1000 + from));
            const auto end = out + 4 * samples;
            wrong += !std::equal(out, end, first);
            wrong += std::any_of(end, out + bytes_each, [](auto b) { return b != 0; });
            ++taken;
            if (taken % places == 0) { // the ring begins anew
                blocks.stop();
                blocks.start(2);
                ahead = 1;
            }
        }
        BOOST_CHECK_EQUAL(taken, repeat ? 25u : 7u);
        BOOST_CHECK_EQUAL(wrong, 0u);
    }
}

BOOST_AUTO_TEST_CASE(a_file_that_became_shorter_ends_where_it_is_cut)
{
    const scratch folder;
    write_bytes(folder / "x", noise(8 << 20, 1));
    const io::recording_set set({folder / "x"}, io::format_by_name("ci8"), 2, {0});
    constexpr std::size_t block = 1 << 18; // a megabyte
    BOOST_REQUIRE_EQUAL(truncate((folder / "x").c_str(), (5 << 20) + 100), 0);
    for (const unsigned threads : {1u, 4u}) {
        io::block_reader reader(set, block, threads);
        std::vector<bytes> places(8, bytes(4 * block));
        for (std::size_t k = 0; k < 8; k++)
            reader.begin(k * block, block, places[k].data());
        const auto file = read_bytes(folder / "x");
        for (std::size_t k = 0; k < 5; k++) {
            reader.next();
            BOOST_CHECK(std::equal(
                places[k].begin(), places[k].end(), file.begin() + k * places[k].size()));
        }
        check_refused<io::damaged_recording>([&] { reader.next(); },
                                             {"ends at byte 5242980", "became shorter"});
        reader.cancel();
    }
}

// In a process of its own: memory for three stacks of threads, not for sixty.
BOOST_AUTO_TEST_CASE(a_thread_that_the_system_refuses_is_an_exception)
{
    const scratch folder;
    write_bytes(folder / "x", noise(1 << 20, 1));
    const io::recording_set set({folder / "x"}, io::format_by_name("ci8"), 2, {0});
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); // ends a child that hangs
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        struct rlimit stack;
        getrlimit(RLIMIT_STACK, &stack);
        const rlim_t each = std::min<rlim_t>(stack.rlim_cur, 8 << 20);
        const rlim_t maximum = pages * sysconf(_SC_PAGESIZE) + 4 * each;
        const struct rlimit memory {
            maximum, maximum
        };
        setrlimit(RLIMIT_AS, &memory);
        try {
            const io::block_reader reader(set, 1 << 10, 60);
            _exit(1);
        } catch (const std::system_error&) {
            _exit(0);
        } catch (...) {
            _exit(2);
        }
    }
    BOOST_REQUIRE_GT(child, 0);
    int status = -1;
    BOOST_REQUIRE_EQUAL(waitpid(child, &status, 0), child);
    BOOST_CHECK_EQUAL(status, 0);
}
