/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DUMP_ITEMS_H
#define INCLUDED_FRINGE_BLOCKS_DUMP_ITEMS_H

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <gnuradio/types.h>

namespace gr::fringe {

/*!
 * Puts a dump together from its items, each of which holds some of its channels.
 *
 * The items are those of a block's inputs: visibilities on port 0, weights (1 where the port
 * is not connected) on port 1, flags (none where it is not) on port 2. A Dump has vectors
 * `visibilities`, `weights` and `flags`.
 */
class dump_items
{
public:
    //! Values ([channel][baseline]) in an item and in a dump.
    dump_items(std::size_t item_values, std::size_t dump_values)
        : d_item_values(item_values), d_dump_values(dump_values)
    {
    }

    //! True where the next item is the first of a dump.
    template <typename Dump>
    bool begins(const Dump& d) const
    {
        return d.visibilities.empty();
    }

    //! True when the dump has all its items.
    template <typename Dump>
    bool whole(const Dump& d) const
    {
        return d.visibilities.size() == d_dump_values;
    }

    //! Appends item number `index` of those that lie at `in`.
    template <typename Dump>
    void add(Dump& d, const gr_vector_const_void_star& in, std::size_t index) const
    {
        append(d.visibilities, static_cast<const std::complex<float>*>(in[0]), index);
        if (in.size() > 1) {
            append(d.weights, static_cast<const float*>(in[1]), index);
        } else {
            d.weights.resize(d.visibilities.size(), 1.0f);
        }
        if (in.size() > 2) {
            append(d.flags, static_cast<const std::uint8_t*>(in[2]), index);
        }
    }

    //! Drops what there is of a dump; the next item is the first of another.
    template <typename Dump>
    static void clear(Dump& d)
    {
        d.visibilities.clear();
        d.weights.clear();
        d.flags.clear();
    }

    //! Copies `count` values of a dump from value `first` on into an item of each output:
    //! visibilities, and weights and flags where these are connected.
    template <typename Dump>
    static void copy(const Dump& d,
                     std::size_t first,
                     std::size_t count,
                     const gr_vector_void_star& out)
    {
        std::copy_n(
            &d.visibilities[first], count, static_cast<std::complex<float>*>(out[0]));
        if (out.size() > 1) {
            std::copy_n(&d.weights[first], count, static_cast<float*>(out[1]));
        }
        if (out.size() > 2) {
            std::copy_n(&d.flags[first], count, static_cast<std::uint8_t*>(out[2]));
        }
    }

private:
    template <typename Values, typename T>
    void append(Values& to, const T* from, std::size_t index) const
    {
        to.reserve(d_dump_values);
        from += index * d_item_values;
        to.insert(to.end(), from, from + d_item_values);
    }

    const std::size_t d_item_values, d_dump_values;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DUMP_ITEMS_H */
