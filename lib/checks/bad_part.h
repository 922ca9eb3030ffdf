/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_CHECKS_BAD_PART_H
#define INCLUDED_FRINGE_CHECKS_BAD_PART_H

#include <string>

namespace gr::fringe::checks {

//! What is wrong with something in a file, in words. It is thrown where that is found.
struct bad_part {
    std::string what;
};

} // namespace gr::fringe::checks

#endif /* INCLUDED_FRINGE_CHECKS_BAD_PART_H */
