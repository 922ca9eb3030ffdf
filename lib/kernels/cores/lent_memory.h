/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CORES_LENT_MEMORY_H
#define INCLUDED_FRINGE_KERNELS_CORES_LENT_MEMORY_H

#include "kernels/aligned.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

//! A ring whose addresses are but names of its items.
struct lent_ring {
    const char* end;
    std::size_t item_bytes;
    std::size_t readers;   //!< stages that read each item
    std::size_t items = 0; //!< that hold memory and began in this ring
};

//! The rings that are lent, and memory that their items do not need any more, by the thread
//! that worked on it last.
class lent_memory
{
public:
    using memory = aligned_vector<std::uint8_t>;

    explicit lent_memory(unsigned lines) : d_spare(lines) {}

    void lend(const void* ring,
              std::size_t ring_bytes,
              std::size_t item_bytes,
              std::size_t readers);
    //! No more; spare memory is gone.
    void end(const void* ring);
    //! The ring of an address, or null.
    std::shared_ptr<lent_ring> ring_of(const void* item) const;

    //! Memory for a thread: what it gave back last, or of another's what is not in its cache
    //! any more, or new.
    memory take(unsigned line, std::size_t bytes);
    void give_back(unsigned line, memory&& used);

private:
    std::map<const char*, std::shared_ptr<lent_ring>> d_rings; //!< by their first name
    //! [line], by size, the last used behind.
    std::vector<std::map<std::size_t, std::vector<memory>>> d_spare;
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CORES_LENT_MEMORY_H */
