/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_piece.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>

using namespace gr::fringe;

namespace {

using bytes = std::vector<std::uint8_t>;

// A recording in memory that is read in groups of samples, as its format says, and has
// lost some runs.
class in_memory : public io::recording
{
public:
    in_memory(const io::recording_format& format, const io::recording_info& info)
        : d_format(format), d_info(info)
    {
        d_rows = format.stream_major ? info.streams : info.parts;
        d_bits = io::encoding_of(format, info).bits * info.streams / d_rows;
        std::mt19937 random(7);
        d_all.resize(d_rows * d_bits * info.samples / 8);
        for (auto& x : d_all)
            x = static_cast<std::uint8_t>(random());
        for (std::uint64_t n = 100; n + 200 < info.samples; n += 150 + random() % 400)
            d_lost.push_back({random() % info.streams,
                              n,
                              random() % 90,
                              random() % 2 ? io::loss::missing : io::loss::invalid});
    }
    const io::recording_info& info() const override { return d_info; }
    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<io::lost_samples>* lost) const override
    {
        BOOST_REQUIRE_EQUAL(first % d_format.granule + count % d_format.granule, 0u);
        BOOST_REQUIRE_LE(first + count, d_info.samples);
        const std::size_t row = d_info.samples * d_bits / 8;
        for (std::size_t r = 0; r < d_rows; r++)
            std::copy_n(d_all.begin() +
                            static_cast<std::ptrdiff_t>(r * row + first * d_bits / 8),
                        count * d_bits / 8,
                        out + r * (count * d_bits / 8));
        for (const auto& l : d_lost) {
            const auto from = std::max(l.first, first);
            const auto to = std::min(l.first + l.count, first + count);
            if (from < to)
                lost->push_back({l.stream, from - first, to - from, l.cause});
        }
    }

    const std::vector<io::lost_samples>& lost() const { return d_lost; }

private:
    const io::recording_format& d_format;
    io::recording_info d_info;
    std::size_t d_rows, d_bits;
    bytes d_all;
    std::vector<io::lost_samples> d_lost;
};

// [stream][time], every part of the file unpacked for itself.
std::vector<float> unpacked(const io::recording_format& format,
                            const io::recording_info& info,
                            const bytes& raw,
                            std::size_t samples)
{
    const auto& e = io::encoding_of(format, info);
    const std::size_t streams = info.streams / info.parts, width = e.is_complex ? 2 : 1;
    std::vector<float> x(info.streams * samples * width);
    std::vector<std::size_t> rows(info.streams);
    std::iota(rows.begin(), rows.end(), 0);
    for (std::size_t p = 0; p < info.parts; p++)
        e.unpack[0][2](raw.data() + e.bytes(p * streams, samples),
                       streams,
                       samples,
                       rows.data() + p * streams,
                       x.data(),
                       samples);
    return x;
}

struct packing {
    const char* format;
    const char* encoding; // "" = the format's own
    std::size_t parts, streams;
};

void check_any_place(const packing& p)
{
    const auto& format = io::format_by_name(p.format);
    io::recording_info info;
    info.encoding = p.encoding;
    info.parts = p.parts;
    info.streams = p.streams;
    info.samples = 4000;
    const in_memory file(format, info);
    const auto& e = io::encoding_of(format, info);
    const std::size_t width = e.is_complex ? 2 : 1;
    bytes raw(e.bytes(p.streams, info.samples));
    std::vector<io::lost_samples> runs;
    file.read(0, info.samples, raw.data(), &runs);
    const auto all = unpacked(format, info, raw, info.samples);

    std::mt19937 random(3);
    for (unsigned k = 0; k < 300; k++) {
        const std::size_t block = 8 * (1 + random() % 300);
        const std::size_t at = random() % block, count = random() % (block - at + 1);
        const std::uint64_t first = random() % (info.samples - count + 1);
        bytes got(e.bytes(p.streams, block)), before;
        for (auto& x : got)
            x = static_cast<std::uint8_t>(random());
        before = got;
        std::vector<io::lost_samples> lost{{77, 5, 6, io::loss::missing}};
        const io::recording_piece piece(file, format, block);
        BOOST_REQUIRE_EQUAL(piece.bytes(), got.size());
        piece.read(first, count, at, got.data(), lost);

        auto wanted = unpacked(format, info, before, block);
        const auto expect = [&](const auto& value) {
            for (std::size_t s = 0; s < p.streams; s++)
                for (std::size_t c = 0; c < count * width; c++)
                    wanted[(s * block + at) * width + c] = value(s, c);
        };
        expect([&](std::size_t s, std::size_t c) {
            return all[(s * info.samples + first) * width + c];
        });
        BOOST_REQUIRE(unpacked(format, info, got, block) == wanted);

        std::vector<io::lost_samples> known{lost[0]};
        for (const auto& l : file.lost()) {
            const auto from = std::max(l.first, first);
            const auto to = std::min(l.first + l.count, first + count);
            if (from < to)
                known.push_back({l.stream, from - first + at, to - from, l.cause});
        }
        BOOST_REQUIRE_EQUAL(lost.size(), known.size());
        for (std::size_t n = 0; n < known.size(); n++)
            BOOST_REQUIRE(
                lost[n].stream == known[n].stream && lost[n].first == known[n].first &&
                lost[n].count == known[n].count && lost[n].cause == known[n].cause);

        // Cleared, it is what a block of zero bytes is there.
        piece.clear(at, count, got.data());
        const auto zero = unpacked(format, info, bytes(e.bytes(p.streams, block)), block);
        expect([&](std::size_t, std::size_t) { return zero[0]; });
        BOOST_REQUIRE(unpacked(format, info, got, block) == wanted);
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(any_samples_of_any_packing_go_to_any_place)
{
    for (const packing& p : {packing{"vdif", "vdif1", 1, 1},
                             packing{"vdif", "vdif1", 3, 6},
                             packing{"vdif", "vdif2", 1, 1},
                             packing{"vdif", "vdif2", 2, 4},
                             packing{"vdif", "vdif2", 8, 8},
                             packing{"vdif", "cvdif2", 2, 2},
                             packing{"vdif", "vdif4", 3, 3},
                             packing{"vdif", "cvdif4", 1, 8},
                             packing{"vdif", "cu8", 2, 2},
                             packing{"mark5b", "", 1, 1},
                             packing{"mark5b", "", 1, 2},
                             packing{"mark5b", "", 1, 16},
                             packing{"guppi", "ci8", 3, 6},
                             packing{"ci16", "", 1, 5},
                             packing{"tart", "", 1, 24}})
        BOOST_TEST_CONTEXT(p.format << " " << p.encoding << ", " << p.streams
                                    << " streams in " << p.parts << " parts")
        {
            check_any_place(p);
        }
}
