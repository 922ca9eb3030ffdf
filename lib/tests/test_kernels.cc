/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Every fast path against the generic reference: one table, a stated tolerance each.
#include "compare_beams.h"
#include "compare_blanking.h"
#include "compare_channelizer.h"
#include "compare_clean.h"
#include "compare_convolver.h"
#include "compare_kurtosis.h"
#include "compare_overlap_save.h"
#include "compare_peeling.h"
#include "compare_separable.h"
#include "compare_sums.h"
#include "compare_unpack.h"
#include <boost/test/data/test_case.hpp>
#include <ostream>

using namespace kernel_cases;

namespace {

struct row {
    const char* name;
    void (*compare)(double tolerance);
    double tolerance;
    bool of_spectra; // whose layout matters
};

std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.name; }

const row table[] = {
    {"unpack, all formats: equal bytes", unpack, 0, false},
    {"channelizer to float32: of the rms of the samples",
     any_channelizers<0>,
     5e-6,
     true},
    {"channelizer to 8 bits: beyond half a step", any_channelizers<8>, 5e-4, true},
    {"channelizer to 4 bits: beyond half a step", any_channelizers<4>, 5e-5, true},
    {"tracking to float32: of the rms of the samples",
     tracking_channelizers<0>,
     5e-6,
     true},
    {"tracking to 8 bits: beyond half a step", tracking_channelizers<8>, 5e-4, true},
    {"tracking to 4 bits: beyond half a step", tracking_channelizers<4>, 5e-5, true},
    {"channelizer of levels to float32: of the rms of the samples",
     channelizers_of_levels<0>,
     5e-6,
     true},
    {"channelizer of levels to 8 bits: beyond half a step",
     channelizers_of_levels<8>,
     5e-4,
     true},
    {"xengine float32: of the sum of the powers", xengine_f32, 1e-6, true},
    {"xengine float32 of small integers: equal", xengine_f32_integers, 0, true},
    {"xengine int8: equal", xengine_i8, 0, true},
    {"beams of float32, and their powers: of the rms", beamformer_f32, 3e-6, true},
    // Tensor cores cut off what does not fit into their sums: 3.2e-6 was seen with 137 inputs.
    {"beams of int8, and their powers: of the rms", beamformer_i8, 5e-6, true},
    {"the same by weights of 11 bits", half_beamformer_i8, 1.5e-3, true},
    {"filters by overlap and save: of the rms", overlap_saves, 3e-6, false},
    {"kurtosis sums of float32: relative", kurtosis_f32, 3e-6, true},
    {"kurtosis sums of int8: exact", kurtosis_i8, 0, true},
    {"integrator of float32: relative", integrator_f32, 2e-7, true},
    {"integrator of int32: relative", integrator_i32, 2e-7, true},
    {"blanking: levels of floats, relative; all else equal", blankings, 2e-7, false},
    {"convolver of W-projection: of the largest value", convolvers, 2e-6, false},
    {"the same in half precision, small fields", half_convolvers, 3e-3, false},
    {"images by W-projection, and back: rms", w_projections, 5e-6, false},
    {"separable images, and back: rms, each at its epsilon", separables, 1e-2, false},
    {"peeling: sums, and what is left, of the largest", peelings, 2e-6, false},
    {"minor cycles of CLEAN: of the highest pixel", minor_cycles, 3e-6, false},
};

const fast_kernels host[] = {
    {"cpu", backend::cpu, spectra_layout::channel_major},
    {"cpu, spectra as transforms make them", backend::cpu, spectra_layout::time_major},
    {"cpu, such spectra as items", backend::cpu, spectra_layout::time_major_items},
};

const fast_kernels devices[] = {
    {"cuda", backend::cuda, spectra_layout::channel_major},
    {"cuda, int8 spectra in tiles", backend::cuda, spectra_layout::tensor_tiles},
    {"cuda:1", {backend::cuda, 1}, spectra_layout::channel_major},
    {"cuda:1, int8 spectra in tiles", {backend::cuda, 1}, spectra_layout::tensor_tiles},
};

// What does not read spectra is compared once.
bool is_repeated(const row& kernel, const fast_kernels& fast)
{
    return !kernel.of_spectra && fast.layout != spectra_layout::channel_major;
}

} // namespace

namespace kernel_cases {
std::ostream& operator<<(std::ostream& out, const fast_kernels& k)
{
    return out << k.name;
}
} // namespace kernel_cases

BOOST_DATA_TEST_CASE(host_equals_generic,
                     boost::unit_test::data::make(table) *
                         boost::unit_test::data::make(host),
                     kernel,
                     fast)
{
    if (is_repeated(kernel, fast))
        return;
    tested() = fast;
    kernel.compare(kernel.tolerance);
}

BOOST_DATA_TEST_CASE(device_equals_generic,
                     boost::unit_test::data::make(table) *
                         boost::unit_test::data::make(devices),
                     kernel,
                     fast)
{
    if (is_repeated(kernel, fast))
        return;
    if (!has_device(fast.which.index)) {
        BOOST_TEST_MESSAGE("skipped: " << kernel.name << ", " << fast.name
                                       << ": no such device here");
        return;
    }
    if (fast.layout == spectra_layout::tensor_tiles &&
        layout_of_items(fast.which, {64, 1, 1, component::i8}) !=
            spectra_layout::tensor_tiles) {
        BOOST_TEST_MESSAGE("skipped: this device knows no tiles");
        return;
    }
    BOOST_TEST_MESSAGE("compared: " << kernel.name << ", " << fast.name);
    tested() = fast;
    kernel.compare(kernel.tolerance);
}
