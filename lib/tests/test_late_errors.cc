/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Disks that say only at the end that they are full, as those of a network and with quotas
// do: this program's own fsync() and the like stand in for the system's.

#include "scratch.h"
#include "writer_cases.h"
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <sys/syscall.h>
#include <thread>

using namespace gr::fringe;
using std::filesystem::exists;

namespace {

std::atomic<bool> late_sync{false}, late_close{false};

int failed()
{
    errno = ENOSPC;
    return -1;
}

int sync(int file, long call)
{
    return late_sync ? failed() : static_cast<int>(syscall(call, file));
}

} // namespace

// Seen by the libraries, too.
#pragma GCC visibility push(default)
extern "C" {
int fsync(int file) { return sync(file, SYS_fsync); }
int fdatasync(int file) { return sync(file, SYS_fdatasync); }
int close(int file)
{
    const auto done = static_cast<int>(syscall(SYS_close, file));
    return late_close ? failed() : done;
}
}
#pragma GCC visibility pop

namespace {

const char* const names[] = {"x.ms", "x.uvh5", "x.uvfits", "x.ACC", "x.LCCSPC"};

std::unique_ptr<io::visibility_files> three_dumps(const std::string& path)
{
    const auto params = small_file(3, "X", 8);
    auto file = open_visibility_file(path, params);
    for (unsigned k = 0; k < 3; k++)
        file->write(noise_dump(params, k));
    return file;
}

// The file cannot be finished; nothing is promised of what is left of it.
void check_late(const std::string& path, std::atomic<bool>& late)
{
    const auto file = three_dumps(path);
    while (file->saved() == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    late = true;
    check_refused<std::runtime_error>([&] { file->finish(); }, {path, "No space left"});
    try {
        file->abandon();
    } catch (const std::runtime_error&) {
        // It says the same once more.
    }
    late = false;
    const std::string partial = io::partial_path(path);
    BOOST_CHECK(!exists(path));
    BOOST_CHECK(exists(partial));
    BOOST_CHECK_EQUAL(file->kept(), "what is in " + partial + " may not be whole");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_disk_that_cannot_keep_what_it_took_is_believed)
{
    for (const std::string name : names)
        BOOST_TEST_CONTEXT(name)
        {
            const scratch folder;
            check_late(folder / name, late_sync);
        }
}

// casacore closes its files by itself, and HDF5's tables were waited for.
BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_closed_is_not_whole)
{
    for (const std::string name : {"x.uvfits", "x.ACC", "x.LCCSPC"})
        BOOST_TEST_CONTEXT(name)
        {
            const scratch folder;
            check_late(folder / name, late_close);
        }
}

BOOST_AUTO_TEST_CASE(what_is_finished_is_on_the_disk)
{
    const scratch folder;
    for (const std::string name : names)
        BOOST_CHECK_NO_THROW(three_dumps(folder / name)->finish());
}
