/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SAMPLES_COPY_H
#define INCLUDED_FRINGE_IO_SAMPLES_COPY_H

#include "io/packets/packet_layout.h"

namespace gr::fringe::io {

//! Some samples of a part of an item, and of a payload.
struct sample_range {
    std::size_t at = 0;    //!< the first sample in the item
    std::size_t from = 0;  //!< the first sample in the payload
    std::size_t count = 0; //!< samples of each stream
};

/*!
 * Copies payloads of samples into items [part][time][stream], or [part][stream][time] as
 * the payloads are, for `block` samples of each stream.
 */
class samples_copy
{
public:
    samples_copy(const packet_layout& layout, std::size_t parts)
        : d_layout(layout), d_parts(parts)
    {
    }

    std::size_t item_bytes(std::size_t block) const
    {
        return d_parts * part_bytes(block);
    }
    //! Whether an item has the samples as they are in the packets.
    bool verbatim() const { return d_layout.wire->convert == nullptr; }
    //! Copies a part of a payload.
    void copy(std::uint8_t* item,
              std::size_t block,
              std::size_t part,
              const sample_range& range,
              const std::uint8_t* payload) const;
    //! Fills a part of an item with zeros.
    void clear(std::uint8_t* item,
               std::size_t block,
               std::size_t part,
               std::size_t at,
               std::size_t count) const;
    //! Copies out of an item into a payload; for samples that are there as in the packets.
    void copy_back(const std::uint8_t* item,
                   std::size_t block,
                   std::size_t part,
                   const sample_range& range,
                   std::uint8_t* payload) const;

private:
    std::size_t part_bytes(std::size_t block) const
    {
        return bytes(block * d_layout.streams);
    }
    std::size_t bytes(std::size_t values) const
    {
        return values * d_layout.wire->raw_bits / 8;
    }
    // Runs that are contiguous in the item and in the payload, and the streams in each.
    std::size_t rows() const { return d_layout.stream_major ? d_layout.streams : 1; }
    std::size_t wide() const { return d_layout.stream_major ? 1 : d_layout.streams; }

    const packet_layout d_layout;
    const std::size_t d_parts;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SAMPLES_COPY_H */
