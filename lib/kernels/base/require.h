/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_REQUIRE_H
#define INCLUDED_FRINGE_KERNELS_REQUIRE_H

#include <sstream>
#include <stdexcept>
#include <string>

namespace gr::fringe {

//! Throws std::invalid_argument with the sentence when !ok.
inline void require(bool ok, const std::string& sentence)
{
    if (!ok)
        throw std::invalid_argument(sentence);
}

//! Throws std::invalid_argument "where: sentence" when !ok.
inline void require(const std::string& where, bool ok, const std::string& sentence)
{
    if (!ok)
        throw std::invalid_argument(where + ": " + sentence);
}

//! Throws std::invalid_argument "where: parameter: value: what would be right" when !ok.
template <typename T>
void require(bool ok,
             const std::string& where,
             const std::string& parameter,
             const T& value,
             const std::string& right)
{
    if (!ok) {
        std::ostringstream s;
        s << where << ": " << parameter << ": " << value << ": " << right;
        throw std::invalid_argument(s.str());
    }
}

//! Throws std::invalid_argument "where: what from first and count in all; there are limit"
//! where first ... first + count - 1 are not among `limit`.
inline void require_range(const std::string& where,
                          const std::string& what,
                          std::size_t first,
                          std::size_t count,
                          std::size_t limit)
{
    require(where,
            first <= limit && count <= limit - first,
            what + " from " + std::to_string(first) + " and " + std::to_string(count) +
                " in all; there are " + std::to_string(limit));
}

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_KERNELS_REQUIRE_H */
