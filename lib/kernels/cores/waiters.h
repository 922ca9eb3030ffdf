/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CORES_WAITERS_H
#define INCLUDED_FRINGE_KERNELS_CORES_WAITERS_H

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

//! Threads that sleep until something is done, and are woken for nothing less. Guarded by the
//! mutex of the locks.
class waiters
{
public:
    using condition = std::function<bool()>;

    void wait(std::unique_lock<std::mutex>& lock, const condition& done)
    {
        if (done()) {
            return;
        }
        const auto me = std::make_shared<one>(done);
        d_all.push_back(me);
        me->wake.wait(lock, done);
        d_all.erase(std::find(d_all.begin(), d_all.end(), me));
    }

    //! Something was done. They are woken without the mutex, which they want.
    void wake(std::unique_lock<std::mutex>& lock)
    {
        std::vector<std::shared_ptr<one>> woken;
        for (const auto& w : d_all) {
            if (w->done()) {
                woken.push_back(w);
            }
        }
        if (!woken.empty()) {
            lock.unlock();
            for (const auto& w : woken) {
                w->wake.notify_one();
            }
            lock.lock();
        }
    }

private:
    struct one {
        explicit one(const condition& what) : done(what) {}
        const condition& done;
        std::condition_variable wake;
    };
    std::vector<std::shared_ptr<one>> d_all;
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CORES_WAITERS_H */
