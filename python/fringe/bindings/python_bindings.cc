/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "files_python.h"

namespace py = pybind11;

PYBIND11_MODULE(fringe_python, m)
{
    m.attr("__version__") = FRINGE_VERSION;
    // The base classes of the blocks are known only once these are loaded.
    py::module::import("gnuradio.gr");
    bind_array(m);
    bind_delays(m);
    bind_recordings(m);
    bind_files(m);
    bind_certificates(m);
    bind_spectra(m);
    bind_devices(m);
    bind_kurtosis(m);
    bind_pulses(m);
    bind_blocks(m);
    bind_beams(m);
    bind_flagging(m);
    bind_van_vleck(m);
    bind_live(m);
    bind_reducing(m);
    bind_streams(m);
    bind_grids(m);
    bind_images(m);
    bind_dump_imager(m);
    bind_deconvolution(m);
    bind_clean_together(m);
}
