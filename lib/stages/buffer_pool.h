/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BUFFER_POOL_H
#define INCLUDED_FRINGE_STAGES_BUFFER_POOL_H

#include "kernels/base/aligned.h"
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <mutex>
#include <vector>

namespace gr::fringe {

/*!
 * Buffers that are used again and again: memory that the system hands out afresh costs more
 * than a pass of the kernels over it.
 *
 * Any thread may take a buffer and any may release it. A buffer may outlive its pool.
 */
class FRINGE_API buffer_pool
{
public:
    using bytes = kernels::aligned_vector<std::uint8_t>;
    using buffer = std::shared_ptr<bytes>;

    //! A buffer of `size` bytes with unspecified contents. The pool gets it back when the
    //! last copy of the pointer is gone.
    buffer take(std::size_t size);

private:
    struct store {
        std::mutex mutex;
        std::vector<std::unique_ptr<bytes>> idle;
    };
    const std::shared_ptr<store> d_store = std::make_shared<store>();
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BUFFER_POOL_H */
