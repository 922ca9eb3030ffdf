/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_DUMP_AXES_ERRORS_H
#define INCLUDED_FRINGE_ARRAY_DUMP_AXES_ERRORS_H

#include <gnuradio/fringe/dump_axes.h>
#include <stdexcept>

namespace gr::fringe {

[[noreturn]] inline void
refuse(const std::string& field, const std::string& value, const std::string& right)
{
    throw std::invalid_argument("dump_axes: " + field + ": " + value + ": " + right);
}

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_ARRAY_DUMP_AXES_ERRORS_H */
