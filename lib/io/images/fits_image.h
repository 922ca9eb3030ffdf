/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_IMAGES_FITS_IMAGE_H
#define INCLUDED_FRINGE_IO_IMAGES_FITS_IMAGE_H

#include <gnuradio/fringe/api.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gr::fringe::io {

//! A keyword of a header and its value.
using fits_key = std::pair<std::string, std::variant<std::string, double, int>>;

/*!
 * A FITS file of one image of float32, in memory. axes: lengths, that which runs fastest
 * first; history: lines of text. Throws std::runtime_error.
 */
FRINGE_API std::string fits_image(const std::vector<long>& axes,
                                  const float* values,
                                  const std::vector<fits_key>& keys,
                                  const std::vector<std::string>& history);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_IMAGES_FITS_IMAGE_H */
