/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_GUARDED_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_GUARDED_BLOCK_H

#include <exception>
#include <gnuradio/block.h>
#include <gnuradio/thread/thread.h>
#include <mutex>
#include <string>

namespace gr {
namespace fringe {

/*!
 * A block whose work may fail. GNU Radio ends the thread of a block that throws and tells
 * nobody: the others wait for ever, or take what they have for all. A guarded block logs
 * what happened and ends the data instead, and a sink asks for failure_upstream() before
 * it takes them for whole.
 */
class guarded_block
{
public:
    virtual ~guarded_block() = default;
    //! The sentence on what ended the data, "" if nothing did.
    std::string failure() const;

protected:
    //! Returns what work() does, or ends the data when it throws.
    template <class Work>
    int guard(const gr::block& self, gr::logger& log, const Work& work)
    {
        try {
            if (d_held) {
                std::rethrow_exception(d_held);
            }
            return work();
        } catch (const boost::thread_interrupted&) {
            throw; // GNU Radio's way to stop a thread
        } catch (...) {
            failed(self, log, std::current_exception());
        }
        return gr::block::WORK_DONE;
    }

    //! Does a part of the work. What it throws is held until the next call where
    //! `produced` items have to go out first.
    template <class Part>
    void after_items(const int& produced, const Part& part)
    {
        try {
            part();
        } catch (const boost::thread_interrupted&) {
            throw;
        } catch (...) {
            if (produced == 0) {
                throw;
            }
            d_held = std::current_exception();
        }
    }

private:
    void failed(const gr::block& self, gr::logger& log, const std::exception_ptr& what);

    mutable std::mutex d_mutex;
    std::string d_failure;
    std::exception_ptr d_held;
};

//! Why the data that a block received are not whole: the failure of a block that they
//! came through, "" if none failed.
std::string failure_upstream(const gr::block& b);

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_GUARDED_BLOCK_H */
