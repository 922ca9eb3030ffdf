/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_WRITERS_H
#define INCLUDED_FRINGE_IO_WRITERS_H

#include "io/visibilities/visibility_writer.h"

namespace gr::fringe::io {

//! L-file: [dump][product][channel] complex64 in the machine's byte order, and beside it
//! a YAML file of the same name with ".yml" appended that says what is in it.
std::unique_ptr<visibility_writer> make_acc_writer(const std::string& path,
                                                   const visibility_file_params&);

//! The pair x.LCCSPC, cross-correlations [dump][product i < j][channel] complex64, and
//! x.LACSPC, autocorrelations [dump][input][channel] float32, whichever of the two `path`
//! names, in the machine's byte order; x.LCCSPC.yml says what is in them.
std::unique_ptr<visibility_writer> make_lfiles_writer(const std::string& path,
                                                      const visibility_file_params&);

//! UVH5 1.1 as pyuvdata's memo defines it, phased to the observation's phase center.
std::unique_ptr<visibility_writer> make_uvh5_writer(const std::string& path,
                                                    const visibility_file_params&);

//! UVFITS with the tables AIPS AN and AIPS FQ, phased to the observation's phase center.
std::unique_ptr<visibility_writer> make_uvfits_writer(const std::string& path,
                                                      const visibility_file_params&);

//! MeasurementSet 2.0, phased to the observation's phase center.
std::unique_ptr<visibility_writer>
make_measurement_set_writer(const std::string& path, const visibility_file_params&);

//! Throws std::invalid_argument unless a dump has the size that the file was made for.
void check_dump(const std::string& path, const visibility_file_params&, const dump&);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_WRITERS_H */
