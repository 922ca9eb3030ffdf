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
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace gr::fringe;
using io::damaged_recording;
using io::format_by_name;

namespace {

using bytes = std::vector<std::uint8_t>;

// What the documents of each format say, written down a second time: component `part` of
// the sample that begins at p.
struct format_case {
    const char* name;
    bool is_complex;
    unsigned sample_bytes;
    std::function<double(const std::uint8_t* p, unsigned part)> value;
};

double two(const std::uint8_t* p) { return p[0] + 256.0 * p[1]; }
double wrap(double v, double range) { return v >= range / 2 ? v - range : v; }
double number(const std::uint8_t* p)
{
    float f;
    std::memcpy(&f, p, 4);
    return f;
}

const std::vector<format_case> cases{
    {"i8", false, 1, [](auto p, unsigned) { return wrap(p[0], 256); }},
    {"u8", false, 1, [](auto p, unsigned) { return p[0] - 128.0; }},
    {"i16", false, 2, [](auto p, unsigned) { return wrap(two(p), 65536); }},
    {"u16", false, 2, [](auto p, unsigned) { return two(p) - 32768.0; }},
    {"f32", false, 4, [](auto p, unsigned) { return number(p); }},
    {"ci8", true, 2, [](auto p, unsigned k) { return wrap(p[k], 256); }},
    {"cu8", true, 2, [](auto p, unsigned k) { return p[k] - 127.4f; }},
    {"cu8_128", true, 2, [](auto p, unsigned k) { return p[k] - 128.0; }},
    {"ci16", true, 4, [](auto p, unsigned k) { return wrap(two(p + 2 * k), 65536); }},
    {"cf32", true, 8, [](auto p, unsigned k) { return number(p + 4 * k); }},
    {"mwa16",
     true,
     2,
     [](auto p, unsigned k) {
         const int word = p[0] + 256 * p[1];
         return wrap(k ? word / 32 % 32 : word % 32, 32);
     }},
    {"mwa8",
     true,
     1,
     [](auto p, unsigned k) { return wrap(k ? p[0] / 16 : p[0] % 16, 16) + 0.5; }},
};

// Those with test programs of their own.
const std::string elsewhere[] = {"tart",
                                 "mwa32t",
                                 "vdif",
                                 "mark5b",
                                 "dada",
                                 "guppi",
                                 "sigmf",
                                 "file_meta",
                                 "wav",
                                 "gqrx"};

bytes random_bytes(const format_case& c, std::size_t count)
{
    std::mt19937 random(1);
    bytes b(count);
    for (auto& x : b)
        x = static_cast<std::uint8_t>(random());
    if (std::string(c.name).find("f32") != std::string::npos)
        for (std::size_t n = 3; n < count; n += 4)
            b[n] &= 0xbf; // exponents below that of NaN and infinity
    return b;
}

// All components of all samples as the format's encoding unpacks them, [stream][time].
std::vector<double> unpacked(const kernels::encoding& e,
                             kernels::backend backend,
                             const bytes& raw,
                             std::size_t streams,
                             std::size_t samples)
{
    const std::size_t values = streams * samples * (e.is_complex ? 2 : 1);
    std::vector<std::size_t> rows(streams);
    for (std::size_t s = 0; s < streams; s++)
        rows[s] = s;
    bytes out(values * kernels::component_bytes(e.natural));
    e.unpack[static_cast<int>(backend)][static_cast<int>(e.natural)](
        raw.data(), streams, samples, rows.data(), out.data(), samples);
    std::vector<double> v(values);
    for (std::size_t n = 0; n < values; n++) {
        const auto at = out.data() + n * kernels::component_bytes(e.natural);
        v[n] = e.natural == kernels::component::i8    ? wrap(at[0], 256)
               : e.natural == kernels::component::i16 ? wrap(two(at), 65536)
                                                      : number(at);
    }
    return v;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_format_has_a_name_a_summary_and_a_test)
{
    for (const auto* f : io::formats()) {
        BOOST_CHECK(!f->summary.empty());
        BOOST_CHECK(&format_by_name(f->name) == f);
        const bool tested =
            std::count(std::begin(elsewhere), std::end(elsewhere), f->name) > 0 ||
            std::any_of(
                cases.begin(), cases.end(), [&](auto& c) { return c.name == f->name; });
        BOOST_CHECK_MESSAGE(tested, f->name << " has no reader test");
    }
    check_refused<std::invalid_argument>([] { format_by_name("ci7"); },
                                         {"ci7", "ci8", "tart"});
}

BOOST_AUTO_TEST_CASE(headerless_formats_are_read_as_they_are_described)
{
    const scratch folder;
    for (const auto& c : cases)
        for (const std::size_t streams : {1, 3, 64}) {
            BOOST_TEST_CONTEXT(c.name << ", " << streams << " streams")
            {
                const std::size_t samples = 157, first = 19, count = 101;
                const auto raw = random_bytes(c, samples * streams * c.sample_bytes);
                write_bytes(folder / "x", raw);
                const std::string name = c.name;
                const auto& format = format_by_name(name);
                BOOST_REQUIRE_EQUAL(format.encoding.is_complex, c.is_complex);
                const auto file = format.open(folder / "x", {streams});
                BOOST_REQUIRE_EQUAL(file->info().streams, streams);
                BOOST_REQUIRE_EQUAL(file->info().samples, samples);

                bytes part(format.encoding.bytes(streams, count));
                file->read(first, count, part.data());
                for (const auto b : {kernels::backend::generic, kernels::backend::cpu}) {
                    const auto v = unpacked(format.encoding, b, part, streams, count);
                    const unsigned parts = c.is_complex ? 2 : 1;
                    std::size_t wrong = 0, n = 0;
                    for (std::size_t s = 0; s < streams; s++)
                        for (std::size_t t = 0; t < count; t++)
                            for (unsigned k = 0; k < parts; k++) {
                                const auto at = ((first + t) * streams + s);
                                wrong += v[n++] != c.value(&raw[at * c.sample_bytes], k);
                            }
                    BOOST_CHECK_EQUAL(wrong, 0u);
                }
            }
        }
}

BOOST_AUTO_TEST_CASE(many_threads_read_one_headerless_file)
{
    const scratch folder;
    std::mt19937 random(9);
    bytes raw(12 * 30000);
    for (auto& b : raw)
        b = static_cast<std::uint8_t>(random());
    write_bytes(folder / "x", raw);
    for (const std::string name : {"ci8", "ci16", "u8"})
        check_read_by_many(folder / "x", name, 3, 7);
}

BOOST_AUTO_TEST_CASE(a_truncated_file_is_refused_in_every_headerless_format)
{
    const scratch folder;
    for (const auto& c : cases) {
        const std::size_t time_bytes = 3 * c.sample_bytes;
        const std::size_t whole = 10 * time_bytes;
        auto raw = random_bytes(c, whole + 1);
        write_bytes(folder / "x", raw);
        check_refused<damaged_recording>(
            [&] { format_by_name(c.name).open(folder / "x", {3}); },
            {folder / "x: truncated: " + std::to_string(whole + 1) + " bytes",
             std::to_string(time_bytes) + "-byte samples of 3 inputs",
             "at byte " + std::to_string(whole),
             "1 bytes too many"});
    }
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_are_found)
{
    const scratch folder;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    const char* words[] = {"NaN", "infinity", "-infinity"};
    for (const auto& c : cases) {
        if (std::string(c.name).find("f32") == std::string::npos)
            continue;
        for (int k = 0; k < 3; k++) {
            const std::size_t streams = 5, sample = 31, stream = 2;
            auto raw = random_bytes(c, 50 * streams * c.sample_bytes);
            const std::size_t at = (sample * streams + stream + 1) * c.sample_bytes - 4;
            std::memcpy(&raw[at], &bad[k], 4);
            write_bytes(folder / "x", raw);
            const auto file = format_by_name(c.name).open(folder / "x", {streams});
            bytes out(20 * streams * c.sample_bytes);
            file->read(0, 20, out.data());
            check_refused<damaged_recording>([&] { file->read(20, 20, out.data()); },
                                             {folder / "x: at byte " + std::to_string(at),
                                              "sample 31 of stream 2",
                                              words[k]});
        }
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_a_recording_is_refused)
{
    const scratch folder;
    const auto open = [&](const std::string& name, std::size_t streams) {
        return format_by_name("ci8").open(folder / name, {streams});
    };
    write_bytes(folder / "good", bytes(120));
    write_bytes(folder / "empty", {});
    std::filesystem::create_directory(folder / "folder");
    BOOST_REQUIRE_EQUAL(mkfifo((folder / "pipe").c_str(), 0600), 0);
    write_bytes(folder / "hdf", {0x89, 'H', 'D', 'F', 13, 10, 26, 10, 0, 0});

    using std::invalid_argument;
    check_refused<invalid_argument>([&] { open("good", 0); },
                                    {folder / "good", "how many inputs", "not 0"});
    check_refused<invalid_argument>(
        [&] { open("good", std::numeric_limits<std::size_t>::max()); }, {"inputs"});
    check_refused<invalid_argument>([&] { open("none", 2); },
                                    {folder / "none", "No such file"});
    check_refused<invalid_argument>([&] { open("empty", 2); },
                                    {folder / "empty: is empty"});
    check_refused<invalid_argument>([&] { open("folder", 2); },
                                    {folder / "folder: is a folder"});
    check_refused<invalid_argument>([&] { open("pipe", 2); }, {"not an ordinary file"});
    check_refused<invalid_argument>([&] { open("hdf", 1); }, {"HDF5", "tart"});
    // The administrator reads everything.
    if (geteuid() != 0) {
        chmod((folder / "good").c_str(), 0);
        check_refused<invalid_argument>([&] { open("good", 2); }, {"Permission"});
    }
}

BOOST_AUTO_TEST_CASE(a_file_that_shrinks_while_it_is_read_is_noticed)
{
    const scratch folder;
    write_bytes(folder / "x", bytes(400));
    const auto file = format_by_name("ci8").open(folder / "x", {2});
    bytes out(400);
    file->read(0, 100, out.data());
    std::filesystem::resize_file(folder / "x", 202);
    file->read(0, 50, out.data());
    check_refused<damaged_recording>([&] { file->read(0, 100, out.data()); },
                                     {folder / "x: ends at byte 202", "400"});
    check_refused<std::invalid_argument>([&] { file->read(90, 11, out.data()); },
                                         {"100 samples"});
}
