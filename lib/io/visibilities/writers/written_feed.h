/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_WRITTEN_FEED_H
#define INCLUDED_FRINGE_IO_WRITTEN_FEED_H

#include <gnuradio/fringe/observation.h>
#include <string>

namespace gr::fringe::io {

//! How an antenna is described in a visibility file.
struct written_feed {
    std::string mount;          //!< as observation files call it
    std::string hands;          //!< its receptors, of X Y R L
    std::vector<double> angles; //!< radians, of each receptor
};

//! The feed of antenna `number`, in a file whose correlations are of the polarizations `hands`.
//! Where the observation gives no mount, an antenna is fixed if the phase center is the zenith,
//! or an azimuth and elevation, and alt-az if it follows a direction among the stars.
written_feed
feed_of(const observation& obs, std::size_t number, const std::string& hands);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_WRITTEN_FEED_H */
