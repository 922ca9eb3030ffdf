/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_OBSERVATION_H
#define INCLUDED_FRINGE_OBSERVATION_H

#include <array>
#include <complex>
#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <memory>
#include <string>
#include <vector>

namespace gr::fringe {

namespace array {
class earth_orientation;
}

//! One antenna (station): its name, where it stands, and how its feed turns.
struct FRINGE_API antenna {
    std::string name;
    std::array<double, 3> itrf{}; //!< meters, ITRF (Earth-centered, Earth-fixed)
    std::array<double, 3> enu{};  //!< meters east, north, up of the site
    std::string mount;            //!< alt-az, equatorial, x-y or fixed; "" = not given
    std::string receptors; //!< linear (X, Y) or circular (R, L); "" = as its inputs
    //! Degrees of X and Y from the fixed axis of the mount, north through east. R and L have
    //! the first.
    std::array<double, 2> feed_angle{0, 90};
};

//! One input of the correlator: one polarization of one antenna, on one stream of the
//! recording.
struct FRINGE_API input {
    std::size_t antenna = 0; //!< index into observation::antennas
    char polarization = 'X'; //!< X Y R or L
    std::size_t stream =
        0; //!< place in the recording: files in order, then streams in a file
    bool inverted =
        false; //!< spectrum inverted by the receiver: conjugated at the channelizer
    double cable_delay = 0; //!< seconds by which the signal arrives late; taken out
    double gain = 1;        //!< voltage gain of the receiver; divided out
    double phase = 0; //!< degrees by which the receiver advances the phase; taken out
    bool bad = false; //!< known bad: correlated, but flagged in the output
};

//! Where phase is zero. A visibility file has one direction among the stars: for zenith and
//! azel it is the one they point to at the middle of the first dump, kept from then on. A body
//! of the solar system moves, and the visibilities are phased to where it is at each dump.
struct FRINGE_API phase_center {
    enum class kind {
        zenith, //!< the zenith of the site
        radec,  //!< ICRS right ascension, declination
        azel,   //!< azimuth (north through east), elevation
        body    //!< the Sun, the Moon or a planet, which `name` tells: it moves
    };
    kind frame = kind::zenith;
    double longitude = 0; //!< radians: right ascension or azimuth
    double latitude = 0;  //!< radians: declination or elevation
    std::string name;     //!< for the FIELD table; "" = made from the coordinates

    //! From "zenith", a name of source_names(), "RA,DEC", "az=AZ,el=EL", both with ",NAME" behind
    //! where one is wanted, or the field of an observation file, "{ra: ..., dec: ...}". Angles
    //! are degrees, 12h30m49.4s or +12d23m28s. name: what complaints begin with.
    static phase_center from_text(const std::string& text,
                                  const std::string& name = "phase_center");
};

//! A point source of the simulated sky.
struct FRINGE_API sky_source {
    enum class kind { lm, azel };
    std::string name;
    kind frame = kind::lm;
    double a = 0; //!< l (towards +u, east) or azimuth in radians
    double b = 0; //!< m (towards +v, north) or elevation in radians
    double flux =
        1; //!< power of the source in units of the receiver-noise power when that is 1
};

/*!
 * \brief One observation, described once: array, inputs, receiver, channels, pointing.
 * \ingroup fringe
 *
 * \details
 * Read from a YAML file (docs/observation.md lists every field with its unit and
 * default), so that the command line, a flowgraph in GNU Radio Companion and a script
 * mean the same thing. Inputs are numbered antenna-major, polarization fastest.
 *
 * Frequencies. Complex samples of rate fs cover center_frequency - fs/2 ... + fs/2; real
 * ones cover center_frequency - fs/4 ... + fs/4 (the positive half of their spectrum).
 * With sideband "lower" the recorded band is the mirror image of the sky's and every
 * input is conjugated.
 *
 * Every reader throws std::invalid_argument: file, field, value, and what would be right.
 */
class FRINGE_API observation
{
public:
    std::string telescope = "gr-fringe";
    std::string observer;
    double site_latitude = 0;  //!< degrees, WGS84, north positive
    double site_longitude = 0; //!< degrees, WGS84, east positive
    double site_height = 0;    //!< meters over the WGS84 ellipsoid
    bool has_site = false;     //!< false: the site was not given and lies at 0, 0
    std::vector<antenna> antennas;
    std::vector<input> inputs;

    std::string format;          //!< name of the recording format; "" = not given
    double sample_rate = 0;      //!< Hz; 0 = not given
    double center_frequency = 0; //!< Hz, sky frequency of the middle of the band
    bool lower_sideband = false; //!< the recorded spectrum is the sky's mirror image
    epoch start_time;            //!< of sample 0
    bool has_start_time = false;
    fringe::phase_center phase_center;
    double dut1 = 0; //!< UT1 - UTC in seconds, where there is no earth_orientation
    //! UT1 - UTC and polar motion through time; empty = dut1 and none
    std::shared_ptr<const array::earth_orientation> earth_orientation;

    bool tracking =
        false; //!< delays and fringes are taken out in the F-engine, see tracking
    bool fringe_stopping = true; //!< when tracking: the fringes, too

    std::size_t channels = 128;
    unsigned taps = 4;
    std::string window = "hann";
    double integration = 0;          //!< seconds per dump; 0 = by spectra
    std::size_t spectra = 0;         //!< spectra per dump; 0 = by seconds
    std::string requantize = "none"; //!< none, 8 or 4

    std::vector<sky_source> sky; //!< for the simulator
    double receiver_noise =
        1; //!< noise power of each input in the simulator, same unit as flux

    //! A small array that needs no file: n antennas in a row, east-west, `spacing` meters
    //! apart, 1 MS/s at 150 MHz, one source.
    static observation example(std::size_t antennas, double spacing = 10.0);
    //! Reads a YAML file.
    static observation from_file(const std::string& path);
    //! Reads YAML text; `name` stands for the file in messages.
    static observation from_text(const std::string& yaml,
                                 const std::string& name = "observation");
    //! The same observation as YAML text; from_text(to_text()) gives it back.
    std::string to_text() const;

    //! Adds an antenna `enu` meters east, north and up of the site; "" = named by its
    //! number. Inputs are not added.
    void add_antenna(const std::string& name, const std::array<double, 3>& enu);
    //! Moves the site, and with it the antennas, which keep their east, north and up.
    void set_site(double latitude, double longitude, double height);

    //! Takes UT1 - UTC and polar motion from a file: the IERS's finals2000A, or lines of
    //! MJD, UT1 - UTC (s), xp, yp (arcsec). Throws std::invalid_argument.
    void set_earth_orientation(const std::string& path);

    //! Throws std::invalid_argument when the parts do not fit together.
    void check() const;

    //! True when some antenna has two inputs (dual polarization).
    bool dual_polarization() const;

    //! Sky frequency in Hz of each of `channels` channels, ascending. Complex samples:
    //! all channels, FFT-shifted; real ones: the positive half without the Nyquist
    //! channel.
    std::vector<double> channel_frequencies(std::size_t channels,
                                            bool complex_samples) const;

    //! Factors [input][channel] that take cable delay, gain and phase out of each input's
    //! spectrum: exp(+2 pi i f cable_delay - i phase) / gain, f the sky frequency of the
    //! channel. Empty when there is nothing to correct. With tracking the cable delays are
    //! the tracking's and not in here.
    std::vector<std::complex<float>> corrections(std::size_t channels,
                                                 bool complex_samples) const;

    //! Place in the recording of each input, [input].
    std::vector<std::size_t> streams() const;
    //! 1 for each input whose spectrum must be conjugated (its own inversion, xor the
    //! sideband).
    std::vector<char> conjugated() const;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_OBSERVATION_H */
