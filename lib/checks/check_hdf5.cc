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

int main(int count, char** words)
{
    if (count != 2) {
        std::fputs("usage: check_hdf5 FILE\n", stderr);
        return 2;
    }
    gr::fringe::checks::limit_process(512u << 20, 10);
    const std::string wrong = gr::fringe::checks::wrong_hdf5(words[1]);
    std::fputs(wrong.empty() ? "fine" : wrong.c_str(), stdout);
    return 0;
}
