/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_CHECKS_PROCESS_LIMITS_H
#define INCLUDED_FRINGE_CHECKS_PROCESS_LIMITS_H

#include <algorithm>
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>

namespace gr::fringe::checks {

//! Limits of a program that reads files of unknown origin: bytes beside those that it has now, and
//! seconds of processor time. It leaves no core file.
inline void limit_process(rlim_t memory, rlim_t seconds)
{
    const auto limit = [](auto what, rlim_t value) {
        struct rlimit now;
        if (getrlimit(what, &now) == 0) {
            now.rlim_cur = std::min(value, now.rlim_max);
            setrlimit(what, &now);
        }
    };
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

} // namespace gr::fringe::checks

#endif /* INCLUDED_FRINGE_CHECKS_PROCESS_LIMITS_H */
