/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The program check_tables: reads casacore's tables of unknown origin, of which the library may
// die. It prints "fine", or what is wrong. file_checks.h has what calls it.

#include "checks/bad_part.h"
#include "checks/process_limits.h"
#include "checks/tables_check.h"
#include <cstring>
#include <new>

int main(int count, char** words)
{
    if (count < 3 || count % 2 == 0) {
        std::fputs("usage: check_tables whole|some FOLDER ...\n", stderr);
        return 2;
    }
    gr::fringe::checks::limit_process(2048u << 20, 120);
    try {
        for (int k = 1; k < count; k += 2)
            gr::fringe::checks::read_tables(words[k + 1],
                                            std::strcmp(words[k], "whole") == 0);
    } catch (const std::bad_alloc&) {
        std::fputs("reading it takes too much memory", stdout);
        return 0;
    } catch (const gr::fringe::checks::bad_part& e) {
        std::fputs(e.what.c_str(), stdout);
        return 0;
    }
    std::fputs("fine", stdout);
    return 0;
}
