/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SAMPLE_ORDER_H
#define INCLUDED_FRINGE_IO_SAMPLE_ORDER_H

#include "io/recordings/recording.h"

namespace gr::fringe::io {

//! Where the samples of streams lie in a recording that is read as [time][stream] though it
//! lies in heaps of another order. A heap is `heap` times of all streams.
struct sample_order {
    std::size_t heap = 1;
    std::size_t step = 1;           //!< samples from a time of a stream to the next
    std::vector<std::size_t> first; //!< of each stream that is read, its place in a heap

    //! True where all streams lie as they are read.
    bool in_place() const
    {
        for (std::size_t s = 0; s < first.size(); ++s) {
            if (first[s] != s)
                return false;
        }
        return heap == 1 && step == first.size();
    }
};

//! The streams of `order` of a recording of whole bytes, [time][stream]; info: what they are.
std::unique_ptr<recording> in_order(const std::string& path,
                                    std::unique_ptr<recording> all,
                                    const sample_order& order,
                                    const recording_info& info);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SAMPLE_ORDER_H */
