/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "files_python.h"

#include <cstring>
#include <stdexcept>

namespace py = pybind11;

namespace {

// Raises a sentence in which bytes of a file that are no UTF-8 may be quoted.
void raise_text(PyObject* kind, const char* sentence)
{
    PyObject* text = PyUnicode_DecodeUTF8(
        sentence, static_cast<Py_ssize_t>(std::strlen(sentence)), "replace");
    PyErr_SetObject(kind, text);
    Py_XDECREF(text);
}

// pybind11's own translation of these two would raise UnicodeDecodeError instead.
void translate(std::exception_ptr thrown)
{
    try {
        if (thrown)
            std::rethrow_exception(thrown);
    } catch (const std::invalid_argument& e) {
        raise_text(PyExc_ValueError, e.what());
    } catch (const std::range_error&) {
        throw; // a ValueError, as pybind11 has it
    } catch (const std::overflow_error&) {
        throw;
    } catch (const py::builtin_exception&) {
        throw;
    } catch (const std::runtime_error& e) {
        raise_text(PyExc_RuntimeError, e.what());
    }
}

} // namespace

PYBIND11_MODULE(fringe_python, m)
{
    py::register_exception_translator(translate);
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
    bind_ring(m);
    bind_grids(m);
    bind_images(m);
    bind_dump_imager(m);
    bind_dump_peeler(m);
    bind_deconvolution(m);
    bind_overlap_save(m);
    bind_clean_together(m);
}
