/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_FX_WORKERS_H
#define INCLUDED_FRINGE_STAGES_FX_WORKERS_H

#include "stages/fx_worker.h"
#include "stages/ordered_tasks.h"

namespace gr::fringe {

//! A pool of threads that take stretches to sums. Results come in the order of the
//! stretches.
class FRINGE_API fx_workers
{
public:
    //! `finished`: see ordered_tasks. Throws as fx_worker and ordered_tasks do.
    fx_workers(const fx_worker_settings& settings,
               unsigned threads,
               std::function<void()> finished);

    void put(stretch s);
    //! Stretches that were put and not taken.
    std::size_t size() const { return d_tasks.size(); }
    bool ready() const { return d_tasks.ready(); }
    //! Waits until no stretch is worked on.
    void wait() const { d_tasks.wait(); }
    //! What became of the oldest stretch; waits for it, and throws what its worker threw.
    stretch_sums take() { return d_tasks.take(); }

private:
    std::unique_ptr<fx_worker> idle_worker();
    void release(std::unique_ptr<fx_worker> worker);

    const fx_worker_settings d_settings;
    buffer_pool d_sums;
    std::mutex d_mutex; // of what follows
    std::vector<std::unique_ptr<fx_worker>> d_idle;
    std::mutex d_making;
    ordered_tasks<stretch_sums> d_tasks; // the last: its threads use the others
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_FX_WORKERS_H */
