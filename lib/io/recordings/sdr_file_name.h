/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SDR_FILE_NAME_H
#define INCLUDED_FRINGE_IO_SDR_FILE_NAME_H

#include <gnuradio/fringe/epoch.h>
#include <string>

namespace gr::fringe::io {

//! What the names of files of SDR programs say: SDRSharp_20150804_204753Z_100000000Hz_IQ.wav,
//! HDSDR_20150804_204753Z_100000kHz_RF.wav, gqrx_20150804_204753_100000000_1800000_fc.raw.
struct sdr_file_name {
    explicit sdr_file_name(const std::string& path);

    bool has_time = false;
    bool is_utc = false;         //!< the time ends with Z
    epoch time;                  //!< to a second
    double frequency = 0;        //!< Hz; 0 = not in the name
    double frequency_within = 0; //!< Hz, by its unit
    double sample_rate = 0;      //!< Hz; 0 = not in the name
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SDR_FILE_NAME_H */
