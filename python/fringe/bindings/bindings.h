/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BINDINGS_H
#define INCLUDED_FRINGE_BINDINGS_H

#include <pybind11/pybind11.h>

//! The metaclass of all classes here: it explains calls that they do not understand.
inline pybind11::metaclass explained()
{
    return pybind11::metaclass(
        pybind11::module::import("gnuradio.fringe.ground.arguments").attr("explained"));
}

//! Observation, time and geometry.
void bind_array(pybind11::module& m);
//! Delays of the antennas.
void bind_delays(pybind11::module& m);
//! Recording formats and files.
void bind_recordings(pybind11::module& m);
//! Sums of rows, and the program's own name.
void bind_certificates(pybind11::module& m);
//! Recordings of spectra.
void bind_spectra(pybind11::module& m);
//! The devices kernels can run on.
void bind_devices(pybind11::module& m);
//! The GNU Radio blocks.
void bind_blocks(pybind11::module& m);
//! The block that forms beams.
void bind_beams(pybind11::module& m);
//! The blocks that make smaller dumps of dumps.
void bind_reducing(pybind11::module& m);
//! The block that flags interference.
void bind_flagging(pybind11::module& m);
//! The block that undoes the bend of 1-bit and 2-bit correlations.
void bind_van_vleck(pybind11::module& m);
//! The block that finds interference before the X-engine.
void bind_kurtosis(pybind11::module& m);
void bind_pulses(pybind11::module& m);
//! Gridders, imaging weights, image files.
void bind_grids(pybind11::module& m);
void bind_images(pybind11::module& m);
//! Images of dumps on a device.
void bind_dump_imager(pybind11::module& m);
void bind_dump_peeler(pybind11::module& m);
void bind_deconvolution(pybind11::module& m);
void bind_overlap_save(pybind11::module& m);
void bind_clean_together(pybind11::module& m);
//! What streams are, for blocks written in Python.
void bind_streams(pybind11::module& m);
//! The parts of the Voltage Ring.
void bind_ring(pybind11::module& m);
//! The blocks for live data.
void bind_live(pybind11::module& m);

#endif /* INCLUDED_FRINGE_BINDINGS_H */
