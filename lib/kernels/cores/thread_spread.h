/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CORES_THREAD_SPREAD_H
#define INCLUDED_FRINGE_KERNELS_CORES_THREAD_SPREAD_H

#include <atomic>
#include <chrono>
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * Threads that hardly ever wait, and so should each have a core of their own. The system
 * may leave two of them on one for milliseconds while another core is idle. Such a thread
 * moves to a core where none of them is; what else runs where stays the system's business.
 * Does nothing on systems other than Linux.
 */
class thread_spread
{
public:
    explicit thread_spread(unsigned threads);

    //! Thread k says so of itself: it begins; it works; it is about to sleep.
    void name(unsigned k) const;
    void works(unsigned k);
    void sleeps(unsigned k) { d_where[k].core = nowhere; }

private:
    static constexpr int nowhere = -1;
    //! On a cache line of its own.
    struct alignas(64) place {
        std::atomic<int> core{nowhere};
        std::chrono::steady_clock::time_point moved;
    };
    void move(unsigned k);

    std::vector<place> d_where;
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CORES_THREAD_SPREAD_H */
