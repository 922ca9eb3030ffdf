/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The program check_files: reads files of unknown origin, of which a library may die. It prints
// "fine", or what is wrong. file_checks.h has what calls it.

#include "checks/hdf5_check.h"
#include "checks/tables_check.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace {

void limit(int what, rlim_t value)
{
    struct rlimit now;
    if (getrlimit(what, &now) == 0) {
        now.rlim_cur = std::min(value, now.rlim_max);
        setrlimit(what, &now);
    }
}

// So many bytes more than there are now, and seconds of processor time.
void limit_process(rlim_t memory, rlim_t seconds)
{
    unsigned long pages = 0;
    if (std::FILE* own = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(own, "%lu", &pages) != 1)
            pages = 0;
        std::fclose(own);
    }
    if (pages > 0)
        limit(RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + memory);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_CORE, 0);
}

std::string checked_hdf5(const char* path)
{
    limit_process(512u << 20, 10);
    return gr::fringe::checks::wrong_hdf5(path);
}

// Words are "whole" or "some" and a path, in turn.
std::string checked_tables(int count, char** words)
{
    limit_process(2048u << 20, 120);
    try {
        for (int k = 0; k + 1 < count; k += 2)
            gr::fringe::checks::read_tables(words[k + 1],
                                            std::strcmp(words[k], "whole") == 0);
    } catch (const std::bad_alloc&) {
        return "reading it takes too much memory";
    }
    return "";
}

} // namespace

int main(int count, char** words)
{
    std::string wrong;
    if (count == 3 && std::strcmp(words[1], "hdf5") == 0) {
        wrong = checked_hdf5(words[2]);
    } else if (count > 3 && count % 2 == 0 && std::strcmp(words[1], "tables") == 0) {
        wrong = checked_tables(count - 2, words + 2);
    } else {
        std::fputs("usage: check_files hdf5 FILE | tables whole|some FOLDER ...\n",
                   stderr);
        return 2;
    }
    std::fputs(wrong.empty() ? "fine" : wrong.c_str(), stdout);
    return 0;
}
