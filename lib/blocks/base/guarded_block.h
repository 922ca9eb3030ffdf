/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_GUARDED_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_GUARDED_BLOCK_H

#include "blocks/ports/block_streams.h"
#include <exception>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/thread/thread.h>
#include <mutex>
#include <string>
#include <utility>

namespace gr::fringe {

/*!
 * A block whose work may fail. GNU Radio ends the thread of a block that throws and tells
 * nobody: the others wait for ever, or take what they have for all. A guarded block logs
 * what happened and ends the data instead, and a sink asks for flowgraph_failure() before
 * it takes them for whole. It also checks that its inputs are what it expects.
 */
class guarded_block
{
public:
    virtual ~guarded_block() = default;
    //! The sentence on what ended the data, "" if nothing did.
    std::string failure() const;

protected:
    //! To be called by start(): forgets what happened in an earlier run.
    void begin_run();

    //! Checks the streams (`available`: items at each input), and returns what work() does;
    //! or ends the data when one of them throws.
    template <class Work>
    int guard(gr::block& self,
              gr::logger& log,
              const gr_vector_int& available,
              const Work& work)
    {
        try {
            if (d_held) {
                std::rethrow_exception(std::exchange(d_held, nullptr));
            }
            d_streams.open(self, available);
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

    //! Whether a part of the work has failed, which ends the data in the next call.
    bool holds_failure() const { return static_cast<bool>(d_held); }

    block_streams d_streams; //!< what its inputs and outputs are

private:
    void failed(const gr::block& self, gr::logger& log, const std::exception_ptr& what);

    mutable std::mutex d_mutex;
    std::string d_failure;
    std::exception_ptr d_held;
};

//! Why the data of a flowgraph are not whole: the failure of a block that `b` is connected
//! with, "" if none failed. One that fails ends the data of all of them.
FRINGE_API std::string flowgraph_failure(const gr::block& b);

//! A block that is no guarded_block, one written in Python say, has ended the data of its
//! flowgraph: `sentence` says why; "" forgets it.
FRINGE_API void report_failure(const gr::basic_block& b, const std::string& sentence);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_GUARDED_BLOCK_H */
