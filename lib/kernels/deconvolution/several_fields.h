/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_SEVERAL_FIELDS_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_SEVERAL_FIELDS_H

#include "kernels/deconvolution/minor_cycle.h"
#include <vector>

namespace gr::fringe::kernels {

/*!
 * The minor cycle of fields that do not meet: each by itself, all down to one level, so that
 * sidelobes of a strong source of one field, which are seen in another, stay until the next major
 * cycle takes them away. Residual, model and use hold the fields one after the other; the mean is
 * that of the first.
 */
FRINGE_API std::unique_ptr<minor_cycle>
make_several_fields(std::vector<std::unique_ptr<minor_cycle>> fields);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_SEVERAL_FIELDS_H */
