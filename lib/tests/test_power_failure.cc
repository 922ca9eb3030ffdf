/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// A UVH5 file on a disk without power: this program's own pwrite() and the like remember
// what the disk had been asked to take.

#include "scratch.h"
#include "uvh5_reader.h"
#include "writer_cases.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <map>
#include <mutex>
#include <sys/syscall.h>
#include <thread>

using namespace gr::fringe;

namespace {

// What a file is on a disk that takes pages in any order, and what it was asked to take
// since it was last waited for.
struct disk {
    struct piece {
        std::size_t at;
        std::string bytes;
    };
    std::mutex mutex;
    std::string path; // of the file that is followed
    std::string image;
    std::vector<piece> pending;
    std::size_t size = 0; // as the system has it
    std::mt19937 random{7};
    std::vector<std::string> crashed; // what was found when the power came back

    void crash();
} followed;

constexpr std::size_t page = 4096;

// Of each page some of what was pending, in its order.
void disk::crash()
{
    std::map<std::size_t, std::vector<const piece*>> pages;
    for (const auto& p : pending)
        for (std::size_t n = p.at / page; n * page < p.at + p.bytes.size(); n++)
            pages[n].push_back(&p);
    std::string found = image;
    if (random() % 2)
        found.resize(size);
    for (const auto& [n, all] : pages) {
        const std::size_t some = random() % (all.size() + 1);
        for (std::size_t k = 0; k < some; k++) {
            const std::size_t from = std::max(all[k]->at, n * page);
            const std::size_t to = std::min(
                {all[k]->at + all[k]->bytes.size(), (n + 1) * page, found.size()});
            if (from < to)
                found.replace(
                    from, to - from, all[k]->bytes, from - all[k]->at, to - from);
        }
    }
    crashed.push_back(found);
}

bool is_followed(int file)
{
    if (followed.path.empty())
        return false;
    char name[4096];
    const auto link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t n = readlink(link.c_str(), name, sizeof name);
    return n > 0 && std::string(name, static_cast<std::size_t>(n)) == followed.path;
}

} // namespace

// Seen by the libraries, too.
#pragma GCC visibility push(default)
extern "C" {

int fdatasync(int file)
{
    const std::lock_guard<std::mutex> lock(followed.mutex);
    if (is_followed(file)) {
        followed.crash();
        followed.image.resize(followed.size);
        for (const auto& p : followed.pending)
            followed.image.replace(p.at, p.bytes.size(), p.bytes);
        followed.pending.clear();
        followed.crash();
    }
    return static_cast<int>(syscall(SYS_fdatasync, file));
}

int ftruncate(int file, off_t size)
{
    const std::lock_guard<std::mutex> lock(followed.mutex);
    if (is_followed(file))
        followed.size = static_cast<std::size_t>(size);
    return static_cast<int>(syscall(SYS_ftruncate, file, size));
}

ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t at)
{
    const ssize_t n = syscall(SYS_pwrite64, file, from, bytes, at);
    const std::lock_guard<std::mutex> lock(followed.mutex);
    if (n > 0 && is_followed(file)) {
        const auto start = static_cast<std::size_t>(at),
                   count = static_cast<std::size_t>(n);
        followed.pending.push_back({start, {static_cast<const char*>(from), count}});
        followed.size = std::max(followed.size, start + count);
        if (followed.random() % 16 == 0)
            followed.crash();
    }
    return n;
}
}
#pragma GCC visibility pop

// Whatever of the pages got to the disk: the file opens, with the dumps that it had when
// it was last waited for, at least.
BOOST_AUTO_TEST_CASE(uvh5_stands_a_power_failure)
{
    const scratch folder;
    const std::string path = folder / "x.uvh5", again = folder / "again.uvh5";
    const auto params = small_file(4, "X", 16);
    std::vector<std::size_t> after; // numbers of dumps saved before the crashes
    {
        const auto file = open_visibility_file(path, params);
        // The file of the constructor is whole; from here on it is followed.
        const auto now = read_bytes(io::partial_path(path));
        followed.image.assign(now.begin(), now.end());
        followed.size = now.size();
        followed.path = io::partial_path(path);
        for (unsigned k = 0; k < 30; k++) {
            file->write(noise_dump(params, k));
            while (file->saved() < k + 1)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const std::lock_guard<std::mutex> lock(followed.mutex);
            after.push_back(followed.crashed.size());
        }
        file->finish();
        followed.path.clear();
    }
    const auto first = noise_dump(params, 0);
    std::size_t opened = 0, saved = 0;
    for (std::size_t n = 0; n < followed.crashed.size(); n++) {
        const auto& bytes = followed.crashed[n];
        write_bytes(again, {bytes.begin(), bytes.end()});
        while (saved < after.size() && after[saved] <= n)
            saved++;
        const uvh5_reader left(again);
        const auto rows = static_cast<std::size_t>(left.integers("Header/Nblts").at(0));
        const std::size_t dumps = rows / 10;
        // The root of the last one may not have got there.
        BOOST_CHECK_GE(dumps + 1, saved);
        BOOST_REQUIRE_EQUAL(left.shape("Data/visdata").at(0), rows);
        const auto data = left.complexes("Data/visdata");
        for (std::size_t k = 0; k < dumps; k++) {
            const auto d = noise_dump(params, static_cast<unsigned>(k));
            for (std::size_t c = 0; c < 16; c++)
                BOOST_REQUIRE_CLOSE(std::abs(data[(10 * k) * 16 + c]),
                                    std::abs(d.visibilities[10 * c]),
                                    1e-3);
        }
        opened += dumps > 0;
    }
    BOOST_TEST_MESSAGE(followed.crashed.size()
                       << " power failures, " << opened << " of them with dumps");
    BOOST_CHECK_GT(opened, 50u);
}
