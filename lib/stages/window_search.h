/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_WINDOW_SEARCH_H
#define INCLUDED_FRINGE_STAGES_WINDOW_SEARCH_H

#include "kernels/base/types.h"
#include "kernels/kurtosis/detector.h"
#include "stages/invalid_run.h"
#include <gnuradio/fringe/kurtosis_search.h>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * The spectra of a window of the search: as many as were asked for, to the nearest whole
 * number of blocks, so the same number in every window.
 *
 * Windows are counted from the begin of the block that makes the first spectrum, and anew
 * behind a gap. That block makes fewer spectra, because the filter has to take in samples
 * first: by as many is the first window shorter (missing_spectra()). So windows end with
 * blocks, whoever cuts them, and with the same blocks they are the same everywhere.
 */
FRINGE_API std::size_t window_spectra(const kurtosis_search& search,
                                      std::size_t inputs,
                                      std::size_t block_spectra);

//! Spectra that the first block lacks when the filter takes in so many transform lengths
//! before the first spectrum.
inline std::size_t missing_spectra(std::size_t fill, std::size_t block_spectra)
{
    return fill % block_spectra;
}

//! What a search asks of the detector. `quantized_bits`: of the spectra, 0 = float32.
//! Throws std::invalid_argument naming block and parameter.
FRINGE_API kernels::detector_params detector_of(const std::string& block,
                                                const kurtosis_search& search,
                                                std::size_t inputs,
                                                std::size_t channels,
                                                unsigned quantized_bits);

//! Cells with a cause, as runs.
FRINGE_API std::vector<kernels::cell_run>
runs_of(const std::vector<std::uint8_t>& causes);

//! The spectra of a window.
struct FRINGE_API counted_spectra {
    std::uint64_t spectra = 0;
    std::vector<std::uint32_t> valid; //!< [input]

    //! Counts spectra first ... first + count - 1 of an item, some of whose spectra are
    //! lost.
    void add(const std::vector<invalid_run>& lost, std::size_t first, std::size_t count);
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_WINDOW_SEARCH_H */
