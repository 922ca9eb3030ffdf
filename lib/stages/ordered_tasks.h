/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_ORDERED_TASKS_H
#define INCLUDED_FRINGE_STAGES_ORDERED_TASKS_H

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace gr::fringe {

/*!
 * Independent tasks for a pool of threads, whose results are taken in the order in which
 * the tasks were put.
 *
 * One thread puts tasks and takes results. What a task throws, take() throws.
 */
template <class Result>
class ordered_tasks
{
public:
    //! `finished` is called by a thread of the pool whenever a task has ended. Throws
    //! std::system_error when the system gives no thread.
    ordered_tasks(unsigned threads, std::function<void()> finished)
        : d_finished(std::move(finished)), d_open(d_queue.get_executor())
    {
        // Not asio::thread_pool: it waits for ever for the threads that it has when the
        // system refuses it one more.
        try {
            for (unsigned n = 0; n < threads; ++n) {
                d_threads.emplace_back([this] { d_queue.run(); });
            }
        } catch (...) {
            end();
            throw;
        }
    }
    //! Tasks that no thread has begun are dropped.
    ~ordered_tasks() { end(); }
    ordered_tasks(const ordered_tasks&) = delete;
    ordered_tasks& operator=(const ordered_tasks&) = delete;

    template <class Task>
    void put(Task task)
    {
        auto work = std::make_shared<std::packaged_task<Result()>>(std::move(task));
        d_results.push_back(work->get_future());
        boost::asio::post(d_queue, [this, work = std::move(work)]() mutable {
            (*work)();
            work.reset();
            d_finished();
        });
    }
    //! Tasks whose results were not taken yet.
    std::size_t size() const { return d_results.size(); }
    //! The oldest task has ended.
    bool ready() const
    {
        return !d_results.empty() &&
               d_results.front().wait_for(std::chrono::seconds(0)) ==
                   std::future_status::ready;
    }
    //! Waits for all tasks; their results stay.
    void wait() const
    {
        for (const auto& result : d_results) {
            result.wait();
        }
    }
    //! The result of the oldest task; waits for it.
    Result take()
    {
        auto oldest = std::move(d_results.front());
        d_results.pop_front();
        return oldest.get();
    }

private:
    void end()
    {
        d_queue.stop();
        for (std::thread& thread : d_threads) {
            thread.join();
        }
    }

    const std::function<void()> d_finished;
    std::deque<std::future<Result>> d_results;
    boost::asio::io_context d_queue;
    //! The threads wait for work while this lives.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> d_open;
    std::vector<std::thread> d_threads;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_ORDERED_TASKS_H */
