/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The program check_hdf5: reads an HDF5 file of unknown origin, of which the library may die. It
// prints "fine", or what is wrong. file_checks.h has what calls it.

#include "checks/hdf5_check.h"
#include "checks/process_limits.h"
#include <sys/stat.h>

// A small file that takes long is one of which the library makes a circle.
static rlim_t seconds_for(const char* path)
{
    constexpr rlim_t least = 2, longest = 10, bytes_a_second = 8u << 20;
    struct stat status;
    if (stat(path, &status) != 0)
        return least;
    return std::min(least + static_cast<rlim_t>(status.st_size) / bytes_a_second,
                    longest);
}

int main(int count, char** words)
{
    if (count != 2) {
        std::fputs("usage: check_hdf5 FILE\n", stderr);
        return 2;
    }
    gr::fringe::checks::limit_process(512u << 20, seconds_for(words[1]));
    const std::string wrong = gr::fringe::checks::wrong_hdf5(words[1]);
    std::fputs(wrong.empty() ? "fine" : wrong.c_str(), stdout);
    return 0;
}
