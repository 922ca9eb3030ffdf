/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_presets.h"
#include "io/packets/packet_receiver.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <functional>
#include <map>
#include <random>

using namespace gr::fringe;
using namespace gr::fringe::io;

namespace {

using bytes = std::vector<std::uint8_t>;

constexpr std::size_t samples = 96; // of a packet: its payload is no multiple of 64
constexpr std::size_t parts = 3;
constexpr std::size_t header_bytes = 10;
constexpr std::size_t sample_bytes = 2; // ci8
const epoch clock_time{1800000000, 0};

// A packet: 0xabcd, the source, a counter of `bits` bits.
packet_layout layout(unsigned bits, const std::string& settings_wraps = "0")
{
    const std::string yaml = "header_bytes: 10\n"
                             "samples: 96\n"
                             "code: ci8\n"
                             "tick_rate: 9600\n"
                             "epoch: 2026-01-02T03:04:05.25\n"
                             "fields:\n"
                             "  magic: {offset: 0, bytes: 2}\n"
                             "  source: {offset: 2, bytes: 2}\n"
                             "  count: {offset: 4, bytes: 6, bits: " +
                             std::to_string(bits) +
                             "}\n"
                             "must_be: {magic: 0xabcd}\n"
                             "source: [{field: source}]\n"
                             "time: [{field: count, step: 96, wraps: true}]\n";
    packet_settings settings("test", {{"wraps", settings_wraps}});
    packet_layout l = packet_layout_from_yaml(yaml, "test.yml", settings);
    l.check();
    return l;
}

std::uint8_t sample_byte(std::size_t part, std::uint64_t slot, std::size_t k)
{
    return static_cast<std::uint8_t>((slot * 7 + part * 31 + k * 13 + 1) * 2654435761u >>
                                     13);
}

bytes packet(std::size_t part, std::uint64_t slot, std::uint64_t counter)
{
    bytes p(header_bytes + samples * sample_bytes);
    p[0] = 0xab;
    p[1] = 0xcd;
    p[2] = static_cast<std::uint8_t>(part >> 8);
    p[3] = static_cast<std::uint8_t>(part);
    for (unsigned k = 0; k < 6; ++k) {
        p[9 - k] = static_cast<std::uint8_t>(counter >> (8 * k));
    }
    for (std::size_t k = 0; k < samples * sample_bytes; ++k) {
        p[header_bytes + k] = sample_byte(part, slot, k);
    }
    return p;
}

struct sent_packet {
    std::size_t part;
    std::int64_t slot;
    enum { whole, truncated, junk, alien } kind;
};

// What must become of packets, by rules that are written here once more.
struct expectation {
    packet_counts counts;
    std::map<std::pair<std::int64_t, std::size_t>, char> places; // 'g', 'l' or 'd'

    expectation(const std::vector<sent_packet>& sent, std::size_t open)
        : window(static_cast<std::int64_t>(open))
    {
        for (const sent_packet& p : sent) {
            if (p.kind == sent_packet::junk || p.kind == sent_packet::alien) {
                ++(p.kind == sent_packet::junk ? counts.garbled : counts.foreign);
            } else if (p.kind == sent_packet::truncated) {
                ++counts.garbled;
                if (p.slot <= front() + window) {
                    put(p);
                }
            } else if (!waits(p)) {
                put(p);
                put_waiting();
            }
            closed = front() - window;
        }
        std::int64_t last = 0;
        for (const auto& [place, what] : places) {
            ++(what == 'g' ? counts.good : what == 'l' ? counts.late : nowhere);
            last = std::max(last, place.first);
        }
        counts.missing = static_cast<std::uint64_t>(last + 1) * parts - places.size();
        counts.garbled += waiting.size();
    }

private:
    void put(const sent_packet& p)
    {
        const bool still_open = p.slot > closed;
        newest[p.part] = std::max(newest[p.part], p.slot);
        char& place = places[{p.slot, p.part}];
        if (p.kind == sent_packet::truncated) {
            place = place == 0 ? 'd' : place;
        } else if (place == 'g' || place == 'l') {
            ++counts.duplicate;
        } else {
            place = still_open ? 'g' : 'l';
        }
    }

    // One that is far ahead waits for the next newer one of its source.
    bool waits(const sent_packet& p)
    {
        const auto held = waiting.find(p.part);
        if (held != waiting.end()) {
            const sent_packet before = held->second;
            if (p.slot == before.slot) {
                ++counts.duplicate;
                return true;
            }
            if (p.slot <= newest[p.part]) {
                return false;
            }
            waiting.erase(held);
            if (p.slot >= before.slot - window) {
                put(before);
                return false;
            }
            ++counts.garbled;
        }
        if (p.slot <= std::max(front(), newest[p.part]) + window) {
            return false;
        }
        waiting[p.part] = p;
        put_agreed(p.slot);
        return true;
    }

    // Or for most sources.
    void put_agreed(std::int64_t slot)
    {
        std::vector<sent_packet> agreed;
        for (const auto& [part, p] : waiting) {
            if (std::abs(p.slot - slot) <= window) {
                agreed.push_back(p);
            }
        }
        if (agreed.size() >= 2 && 2 * agreed.size() > newest.size()) {
            for (const sent_packet& p : agreed) {
                put(p);
                waiting.erase(p.part);
            }
        }
    }

    void put_waiting()
    {
        for (auto p = waiting.begin(); p != waiting.end();) {
            if (p->second.slot <= front() + window) {
                put(p->second);
                p = waiting.erase(p);
            } else {
                ++p;
            }
        }
    }

    // The newest slot that more than half of the sources have reached.
    std::int64_t front() const
    {
        std::int64_t best = 0;
        for (const auto& [part, slot] : newest) {
            std::size_t there = 0;
            for (const auto& other : newest) {
                there += other.second >= slot;
            }
            best = 2 * there > newest.size() ? std::max(best, slot) : best;
        }
        return best;
    }

    const std::int64_t window;
    std::int64_t closed = -1000;
    std::uint64_t nowhere = 0;
    std::map<std::size_t, std::int64_t> newest; // of each source that has come
    std::map<std::size_t, sent_packet> waiting; // the one of each source
};

struct run {
    packet_layout l;
    packet_window window;
    packet_receiver receiver;

    run(const packet_layout& layout, std::size_t open, std::size_t capacity)
        : l(layout),
          window(l, parts, open, capacity),
          receiver(packet_parser(l, parts), window, parts)
    {
    }
    void take(const bytes& p)
    {
        receiver.take(p.data(), p.size(), clock_time);
        window.close(false);
    }
    void end()
    {
        receiver.end();
        window.end();
    }
};

// Checks an item that begins `at` samples after the first against what was sent.
void check_item(const std::uint8_t* item,
                const packet_window::taken& t,
                std::uint64_t at,
                std::size_t block,
                const expectation& right)
{
    BOOST_REQUIRE_EQUAL(t.begins, at == 0);
    std::vector<std::vector<bool>> lost(parts, std::vector<bool>(t.samples));
    for (const auto& loss : t.lost) {
        BOOST_REQUIRE_LE(loss.first + loss.count, t.samples);
        std::fill_n(lost[loss.part].begin() + static_cast<std::ptrdiff_t>(loss.first),
                    loss.count,
                    true);
    }
    for (std::size_t part = 0; part < parts; ++part) {
        for (std::size_t k = 0; k < block; ++k) {
            const std::uint64_t n = at + k;
            const auto slot = static_cast<std::int64_t>(n / samples);
            const auto place = right.places.find({slot, part});
            const bool there =
                place != right.places.end() && place->second == 'g' && k < t.samples;
            if (k < t.samples) {
                BOOST_REQUIRE_EQUAL(lost[part][k], !there);
            }
            for (std::size_t b = 0; b < sample_bytes; ++b) {
                const std::size_t in_packet = n % samples * sample_bytes + b;
                const int wanted = there ? sample_byte(part, n / samples, in_packet) : 0;
                BOOST_REQUIRE_EQUAL(int(item[(part * block + k) * sample_bytes + b]),
                                    wanted);
            }
        }
    }
}

// Everything that can be taken, in items of `block`; checks each against what was sent.
std::uint64_t
check_samples(run& r, std::size_t block, const expectation& right, std::uint64_t at = 0)
{
    bytes item(parts * block * sample_bytes);
    for (;;) {
        const auto t = r.window.take(item.data(), block, block);
        BOOST_REQUIRE(t);
        if (t->samples == 0) {
            return at;
        }
        check_item(item.data(), *t, at, block, right);
        at += t->samples;
    }
}

std::vector<sent_packet>
injected(std::mt19937& random, std::size_t slots, double loss, std::size_t shift)
{
    struct timed {
        double when;
        sent_packet p;
    };
    std::bernoulli_distribution gone(loss), rare(0.02), burst(0.002);
    std::uniform_real_distribution<double> away(0, 1);
    std::vector<timed> all;
    std::size_t out = 0; // places that a burst still takes
    for (std::size_t slot = 0; slot < slots; ++slot) {
        for (std::size_t part = 0; part < parts; ++part) {
            const bool kept = slot == 0 || slot + 1 == slots;
            out = out > 0 ? out - 1 : burst(random) ? 40 : 0;
            sent_packet p{part, static_cast<std::int64_t>(slot), sent_packet::whole};
            const double now = static_cast<double>(slot);
            const bool lost = gone(random) || out > 0;
            if (kept) {
                all.push_back({now, p});
                continue;
            }
            if (rare(random)) {
                all.push_back({now, {part, 0, sent_packet::junk}});
            }
            if (rare(random)) {
                all.push_back({now, {part, 0, sent_packet::alien}});
            }
            if (lost) {
                continue;
            }
            p.kind = rare(random) ? sent_packet::truncated : sent_packet::whole;
            const double swapped = rare(random) ? away(random) * double(shift) : 0;
            const double delayed =
                rare(random) ? double(shift) + 1 + 20 * away(random) : 0;
            all.push_back({now + swapped + delayed, p});
            while (rare(random)) {
                all.push_back({now + away(random) * 3 * double(shift), p});
            }
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const timed& a, const timed& b) {
        return a.when < b.when;
    });
    std::vector<sent_packet> sent;
    for (const timed& t : all) {
        sent.push_back(t.p);
    }
    return sent;
}

bytes on_the_wire(const sent_packet& p,
                  std::uint64_t first,
                  unsigned bits,
                  std::mt19937& r)
{
    const std::uint64_t turn = std::uint64_t(1) << bits;
    const auto slot = static_cast<std::uint64_t>(p.slot);
    bytes b = packet(p.part, slot, (first + slot) % turn);
    if (p.kind == sent_packet::truncated) { // The header is left.
        b.resize(header_bytes + r() % (samples * sample_bytes));
    } else if (p.kind == sent_packet::junk) {
        b[r() % 2] ^= static_cast<std::uint8_t>(1 + r() % 255);
        b.resize(r() % (b.size() + 1));
    } else if (p.kind == sent_packet::alien) {
        b[2] = static_cast<std::uint8_t>(1 + r() % 255);
    }
    return b;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_packet_is_counted_once)
{
    std::mt19937 seed(test_seed());
    std::size_t number = 0;
    for (const double loss : {0.0, 0.01, 0.1, 0.5, 0.9}) {
        for (const unsigned bits : {24u, 32u, 48u}) {
            const unsigned s = seed();
            BOOST_TEST_CONTEXT("loss " << loss << ", counter of " << bits
                                       << " bits, seed " << s)
            {
                std::mt19937 random(s);
                const std::size_t open = 4 + random() % 30, slots = 600;
                // The counter wraps on the way.
                const std::uint64_t first =
                    (std::uint64_t(1) << bits) - 1 - random() % slots;
                run r(layout(bits), open, slots + 2 * open);
                const auto sent = injected(random, slots, loss, open - 1);
                for (const sent_packet& p : sent) {
                    r.take(on_the_wire(p, first, bits, random));
                }
                r.end();
                const expectation right(sent, open);
                const packet_counts c = r.receiver.counts();
                BOOST_TEST(c.good == right.counts.good);
                BOOST_TEST(c.missing == right.counts.missing);
                BOOST_TEST(c.late == right.counts.late);
                BOOST_TEST(c.duplicate == right.counts.duplicate);
                BOOST_TEST(c.garbled == right.counts.garbled);
                BOOST_TEST(c.foreign == right.counts.foreign);
                BOOST_TEST(c.dropped == 0u);
                const std::uint64_t went = check_samples(r, 50 + random() % 300, right);
                BOOST_TEST(went == slots * samples);
                ++number;
            }
        }
    }
    BOOST_TEST(number == 15u);
}

// The reader offers the items that come next, some or none, takes while packets come, and
// takes its offer back now and then. What it takes is the same as without an offer.
BOOST_AUTO_TEST_CASE(payloads_go_to_the_items_that_are_offered)
{
    std::mt19937 seed(test_seed());
    for (const std::size_t block : {96u, 100u, 288u, 331u, 50u}) {
        for (const double loss : {0.0, 0.1, 0.7}) {
            const unsigned s = seed();
            BOOST_TEST_CONTEXT("loss " << loss << ", items of " << block << ", seed "
                                       << s)
            {
                std::mt19937 random(s);
                const std::size_t open = 4 + random() % 30, slots = 600;
                run r(layout(48), open, slots + 2 * open);
                const auto sent = injected(random, slots, loss, open - 1);
                const expectation right(sent, open);
                const std::size_t item_bytes = parts * block * sample_bytes,
                                  items = slots * samples / block + 128;
                bytes memory(items * item_bytes, 0xee);
                std::size_t taken = 0, early = 0; // items; those with payloads before
                for (const sent_packet& p : sent) {
                    r.take(on_the_wire(p, 500, 48, random));
                    std::uint8_t* const next = memory.data() + taken * item_bytes;
                    if (random() % 8 == 0) {
                        r.window.offer(next, random() % 100, block);
                    }
                    if (random() % 100 == 0) {
                        r.window.withdraw();
                        std::fill(next, memory.data() + memory.size(), 0xdd);
                    }
                    const bool looks = random() % 8 == 0;
                    while (looks && r.window.waiting() * samples > block + samples) {
                        std::uint8_t* const item = memory.data() + taken * item_bytes;
                        early += std::any_of(item, item + item_bytes, [](int b) {
                            return b != 0xee && b != 0xdd;
                        });
                        const auto t = r.window.take(item, block, block);
                        if (!t && taken == 0) { // It counts from before the first packet.
                            break;
                        }
                        BOOST_REQUIRE(t);
                        BOOST_REQUIRE_EQUAL(t->samples, block);
                        check_item(item, *t, taken * block, block, right);
                        ++taken;
                    }
                }
                r.window.withdraw();
                r.end();
                BOOST_TEST(taken > 0u);
                BOOST_TEST((early > 0) == (block >= samples)); // Others are too short.
                BOOST_TEST(check_samples(r, block, right, taken * block) ==
                           slots * samples);
            }
        }
    }
}

// So much that helpers copy it, a source each: megabytes that were not offered, in one item.
BOOST_AUTO_TEST_CASE(a_long_item_from_rows_is_whole)
{
    std::mt19937 random(test_seed());
    for (const double loss : {0.0, 0.1}) {
        constexpr std::size_t open = 5, slots = 5000;
        run r(layout(48), open, slots + 2 * open);
        const auto sent = injected(random, slots, loss, open - 1);
        const expectation right(sent, open);
        for (const sent_packet& p : sent) {
            r.take(on_the_wire(p, 500, 48, random));
        }
        r.end();
        BOOST_TEST(check_samples(r, slots / 2 * samples + 31, right) == slots * samples);
    }
}

BOOST_AUTO_TEST_CASE(time_is_exact)
{
    // 2^48 packets of 10 ms each, and 3 more turns of the counter before.
    run r(layout(48, "3"), 4, 64);
    const std::uint64_t counter = (std::uint64_t(1) << 48) - 7;
    for (std::uint64_t k = 0; k < 20; ++k) {
        for (std::size_t part = 0; part < parts; ++part) {
            r.take(packet(part, k, (counter + k) % (std::uint64_t(1) << 48)));
        }
    }
    r.end();
    bytes item(parts * 100 * sample_bytes);
    const auto t = r.window.take(item.data(), 100, 100);
    BOOST_REQUIRE(t);
    BOOST_REQUIRE(t->begins);
    // (4 * 2^48 - 7) / 100 s, in integers.
    const std::uint64_t hundredths = 4 * (std::uint64_t(1) << 48) - 7;
    const epoch start = epoch::from_iso("2026-01-02T03:04:05.25");
    BOOST_TEST(t->start.seconds == start.seconds + (hundredths + 25) / 100);
    BOOST_TEST(t->start.attos == (hundredths + 25) % 100 * 10000000000000000ull);
}

BOOST_AUTO_TEST_CASE(the_clock_says_how_often_a_counter_has_wrapped)
{
    run r(layout(24, "clock"), 4, 64);
    const epoch start = epoch::from_iso("2026-01-02T03:04:05.25");
    const std::uint64_t since = (clock_time.seconds - start.seconds) * 100; // packets
    for (std::uint64_t k = 0; k < 20; ++k) {
        r.take(packet(0, k, (since + k) % (1 << 24)));
    }
    r.end();
    bytes item(parts * 100 * sample_bytes);
    const auto t = r.window.take(item.data(), 100, 100);
    BOOST_REQUIRE(t);
    BOOST_TEST(t->start.seconds == clock_time.seconds);
    BOOST_TEST(t->start.attos == 250000000000000000ull);
}

// The senders start again, and their clock steps: forwards, backwards, by half a packet.
BOOST_AUTO_TEST_CASE(a_new_time_begins_a_stretch)
{
    for (const std::int64_t step : {5000, -5000, 100000000}) {
        run r(layout(48), 8, 2000);
        const std::int64_t first = 1000000;
        const std::size_t slots = 100;
        for (std::size_t k = 0; k < 2 * slots; ++k) {
            const std::int64_t counter = first + std::int64_t(k) + (k < slots ? 0 : step);
            if (k == 50) { // One that stands alone changes nothing.
                r.take(packet(0, k, first + 77777777));
            }
            for (std::size_t part = 0; part < parts; ++part) {
                r.take(packet(part, k, static_cast<std::uint64_t>(counter)));
            }
        }
        r.end();
        const packet_counts c = r.receiver.counts();
        BOOST_TEST(c.good == 2 * slots * parts);
        BOOST_TEST(c.missing == 0u);
        BOOST_TEST(c.garbled == 1u);
        BOOST_TEST(r.receiver.stretches() == 2u);
        bytes item(parts * 1000 * sample_bytes);
        std::uint64_t went = 0;
        std::vector<epoch> starts;
        for (;;) {
            const auto t = r.window.take(item.data(), 1000, 1000);
            BOOST_REQUIRE(t);
            if (t->samples == 0) {
                break;
            }
            if (t->begins) {
                starts.push_back(t->start);
            }
            BOOST_TEST(t->lost.empty());
            went += t->samples;
        }
        BOOST_TEST(went == 2 * slots * samples);
        BOOST_REQUIRE_EQUAL(starts.size(), 2u);
        BOOST_TEST(starts[1].seconds_since(starts[0]) ==
                   double(std::int64_t(slots) + step) / 100);
    }
}

// What comes of three sources, all of the same time, when packets of other times are among it.
static void
check_that_no_time_moves(const std::function<std::vector<bytes>(std::size_t)>& strange,
                         std::size_t number)
{
    const std::size_t slots = 600;
    run r(layout(48), 8, 200);
    bytes item(parts * samples * sample_bytes);
    for (std::size_t k = 0; k < slots; ++k) {
        for (std::size_t part = 0; part < parts; ++part) {
            r.take(packet(part, k, 5000 + k));
        }
        for (const bytes& p : strange(k)) {
            r.take(p);
        }
        while (r.window.waiting() > 2) {
            BOOST_REQUIRE(r.window.take(item.data(), samples, samples));
        }
    }
    r.end();
    const packet_counts c = r.receiver.counts();
    BOOST_TEST(c.good == slots * parts);
    BOOST_TEST(c.garbled == number);
    BOOST_TEST(c.missing + c.late + c.dropped + c.duplicate == 0u);
    BOOST_TEST(r.receiver.stretches() == 1u);
    BOOST_TEST(r.receiver.left_out().packets == number);
    BOOST_TEST(r.receiver.left_out().part == 0u);
}

BOOST_AUTO_TEST_CASE(packets_that_are_ahead_move_no_time)
{
    // One each 20 slots, as far ahead as the buffer reaches.
    check_that_no_time_moves(
        [](std::size_t k) {
            return k % 20 == 7 ? std::vector<bytes>{packet(0, k, 5000 + k + 190)}
                               : std::vector<bytes>{};
        },
        30);
    // Two hundred of one source in a row, which agree, ten days ahead.
    check_that_no_time_moves(
        [](std::size_t k) {
            std::vector<bytes> many;
            for (std::size_t n = 0; k == 300 && n < 200; ++n) {
                many.push_back(packet(0, k, 86400000 + n));
            }
            return many;
        },
        200);
}

// A source 100 slots ahead of the other two, for good: nothing is lost of any.
BOOST_AUTO_TEST_CASE(a_source_that_runs_ahead_is_waited_for)
{
    const std::size_t slots = 600, ahead = 100;
    run r(layout(48), 8, 400);
    bytes item(parts * samples * sample_bytes);
    std::uint64_t lost = 0;
    const auto take = [&] {
        const auto t = r.window.take(item.data(), samples, samples);
        BOOST_REQUIRE(t);
        for (const auto& loss : t->lost) {
            lost += loss.count;
        }
        return t->samples;
    };
    for (std::size_t k = 0; k < slots; ++k) {
        for (std::size_t part = 0; part < parts; ++part) {
            r.take(packet(part, k, 5000 + k + (part == 2 ? ahead : 0)));
        }
        if (k == slots / 2) {
            BOOST_TEST(r.window.front().lead(2) == std::int64_t(ahead));
            BOOST_TEST(r.window.front().lead(1) == 0);
        }
        while (r.window.waiting() > 2) {
            take();
        }
    }
    r.end();
    while (take() > 0) {
    }
    const packet_counts c = r.receiver.counts();
    BOOST_TEST(c.good == slots * parts);
    BOOST_TEST(c.late + c.garbled + c.dropped == 0u);
    // One begins 100 slots later, and the other two end so much earlier.
    BOOST_TEST(c.missing == parts * ahead);
    BOOST_TEST(lost == parts * ahead * samples);
}

// Two of three sources stop: the third one goes on alone.
BOOST_AUTO_TEST_CASE(sources_that_stop_hold_nothing_up)
{
    const std::size_t slots = 900, stop = 100;
    run r(layout(48), 8, 400);
    bytes item(parts * samples * sample_bytes);
    for (std::size_t k = 0; k < slots; ++k) {
        for (std::size_t part = 0; part < (k < stop ? parts : 1); ++part) {
            r.take(packet(part, k, 5000 + k));
        }
        while (r.window.waiting() > 2) {
            BOOST_REQUIRE(r.window.take(item.data(), samples, samples));
        }
    }
    r.end();
    const packet_counts c = r.receiver.counts();
    BOOST_TEST(c.good == slots + 2 * stop);
    BOOST_TEST(c.missing == 2 * (slots - stop));
    BOOST_TEST(c.late + c.garbled + c.dropped == 0u);
}

BOOST_AUTO_TEST_CASE(what_finds_the_buffer_full_is_dropped)
{
    const std::size_t open = 4, kept = 40, slots = 60;
    run r(layout(48), open, kept);
    for (std::size_t k = 0; k < slots; ++k) {
        for (std::size_t part = 0; part < parts; ++part) {
            r.take(packet(part, k, 500 + k));
        }
    }
    packet_counts c = r.receiver.counts();
    BOOST_TEST(c.good + c.dropped == slots * parts);
    BOOST_TEST(c.missing == 0u);
    BOOST_TEST(c.dropped > 0u);
    bytes item(parts * samples * sample_bytes);
    for (std::size_t k = 0; k < 30; ++k) { // It makes room, and what comes is good again.
        BOOST_REQUIRE(r.window.take(item.data(), samples, samples));
    }
    const std::uint64_t before = c.dropped;
    for (std::size_t part = 0; part < parts; ++part) {
        r.take(packet(part, slots, 500 + slots));
    }
    c = r.receiver.counts();
    BOOST_TEST(c.dropped == before);
    r.end();
    c = r.receiver.counts();
    BOOST_TEST(c.good + c.dropped == (slots + 1) * parts);
    BOOST_TEST(c.missing == 0u);
    std::uint64_t lost = 0, taken = 30;
    for (;; ++taken) {
        const auto t = r.window.take(item.data(), samples, samples);
        BOOST_REQUIRE(t);
        if (t->samples == 0) {
            break;
        }
        for (const auto& loss : t->lost) {
            lost += loss.count;
        }
    }
    BOOST_TEST(taken == slots + 1);
    BOOST_TEST(lost == before * samples);
}
