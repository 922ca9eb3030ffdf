/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HEADER_KEYS_H
#define INCLUDED_FRINGE_IO_HEADER_KEYS_H

#include <functional>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! A key of a header that decides on the layout of samples, and its values that can be read.
//! Numbers are compared as numbers, words whatever their case.
struct known_key {
    const char* name;
    std::vector<std::string> values;
};

//! Throws std::invalid_argument (where, key, value, the values that can be read) for a key
//! with another value. `value` tells the text of a key, "" where the header does not have it.
void refuse_other_values(const std::string& where,
                         const std::vector<known_key>& keys,
                         const std::function<std::string(const std::string&)>& value);

//! Two numbers of a header that state one thing in different words.
struct two_numbers {
    std::string first; //!< the keys and their values, "OBSBW 2 / OBSNCHAN 4 = 0.5 MHz"
    std::string second;
    double a, b;        //!< the two; nothing is compared where one is 0
    double tolerance;   //!< of their ratio
    double maximum = 1; //!< b may be that many times a (oversampled filter banks)
};

//! Throws damaged_recording with both where they contradict each other.
void refuse_contradiction(const std::string& where, const two_numbers& numbers);

//! A number as headers have it, without the zeros of std::to_string.
std::string number_text(double value);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HEADER_KEYS_H */
