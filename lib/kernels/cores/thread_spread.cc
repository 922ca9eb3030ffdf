/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cores/thread_spread.h"
#ifdef __linux__
#include <cstdio>
#include <pthread.h>
#include <sched.h>
#endif

namespace gr {
namespace fringe {
namespace kernels {

thread_spread::thread_spread(unsigned threads) : d_where(threads) {}

#ifdef __linux__

void thread_spread::name(unsigned k) const
{
    char name[16]; // all that there is room for
    std::snprintf(name, sizeof(name), "fringe_core%u", k % 1000);
    pthread_setname_np(pthread_self(), name);
}

void thread_spread::works(unsigned k)
{
    const int here = sched_getcpu();
    d_where[k].core = here;
    for (unsigned other = 0; other < k; ++other) { // of two, the later one moves
        if (d_where[other].core == here) {
            move(k);
            return;
        }
    }
}

// To any core that it may use and none of the others does, and from there to wherever the
// system wants it. Not often: where there is no room for all, it would not end.
void thread_spread::move(unsigned k)
{
    const auto now = std::chrono::steady_clock::now();
    if (now - d_where[k].moved < std::chrono::milliseconds(10)) {
        return;
    }
    d_where[k].moved = now;
    cpu_set_t allowed;
    if (pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed) != 0) {
        return;
    }
    cpu_set_t free = allowed;
    for (const place& p : d_where) {
        const int core = p.core;
        if (core != nowhere) {
            CPU_CLR(static_cast<unsigned>(core), &free);
        }
    }
    if (CPU_COUNT(&free) > 0 &&
        pthread_setaffinity_np(pthread_self(), sizeof(free), &free) == 0) {
        pthread_setaffinity_np(pthread_self(), sizeof(allowed), &allowed);
    }
}

#else

void thread_spread::name(unsigned) const {}
void thread_spread::works(unsigned) {}
void thread_spread::move(unsigned) {}

#endif

} // namespace kernels
} // namespace fringe
} // namespace gr
