/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_CLEAN_REPORT_PYTHON_H
#define INCLUDED_FRINGE_CLEAN_REPORT_PYTHON_H

#include "kernels/deconvolution/clean.h"
#include <pybind11/pybind11.h>

//! Why CLEAN ended, in a word.
inline const char* name_of(gr::fringe::kernels::clean_end end)
{
    switch (end) {
    case gr::fringe::kernels::clean_end::threshold:
        return "threshold";
    case gr::fringe::kernels::clean_end::iterations:
        return "iterations";
    case gr::fringe::kernels::clean_end::stalled:
        return "stalled";
    default:
        return "diverged";
    }
}

//! What CLEAN did, as Python has it.
inline pybind11::dict described(const gr::fringe::kernels::clean_report& report)
{
    pybind11::dict d;
    d["end"] = name_of(report.end);
    d["iterations"] = report.iterations;
    d["major_cycles"] = report.major_cycles;
    d["peak"] = report.peak;
    d["sigma"] = report.sigma;
    d["threshold"] = report.threshold;
    d["flux"] = report.flux;
    return d;
}

#endif /* INCLUDED_FRINGE_CLEAN_REPORT_PYTHON_H */
