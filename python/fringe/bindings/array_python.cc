/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "array/geometry.h"
#include "array/leap_seconds.h"
#include "array/sky_frames.h"
#include "array/solar_system.h"
#include "bindings.h"
#include <gnuradio/fringe/epoch.h>
#include <gnuradio/fringe/observation.h>
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/operators.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sstream>

namespace py = pybind11;
using namespace py::literals;
using namespace gr::fringe;

namespace {

py::array_t<double>
channel_frequencies(const observation& obs, std::size_t channels, bool complex_samples)
{
    const std::vector<double> f = obs.channel_frequencies(channels, complex_samples);
    return py::array_t<double>(f.size(), f.data());
}

py::object corrections(const observation& obs, std::size_t channels, bool complex_samples)
{
    const auto c = obs.corrections(channels, complex_samples);
    if (c.empty()) {
        return py::none();
    }
    return py::array_t<std::complex<float>>({obs.inputs.size(), channels}, c.data());
}

py::array_t<double> rows(const std::vector<array::vec3>& list)
{
    py::array_t<double> out(std::vector<std::size_t>{list.size(), 3});
    auto o = out.mutable_unchecked<2>();
    for (std::size_t i = 0; i < list.size(); ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            o(i, j) = list[i][j];
        }
    }
    return out;
}

array::uvw_axes axes_of(const py::array_t<double, py::array::c_style>& m)
{
    if (m.ndim() != 2 || m.shape(0) != 3 || m.shape(1) != 3) {
        throw std::invalid_argument("axes: must be a 3 x 3 array with rows u, v, w");
    }
    const auto r = m.unchecked<2>();
    return {{r(0, 0), r(0, 1), r(0, 2)},
            {r(1, 0), r(1, 1), r(1, 2)},
            {r(2, 0), r(2, 1), r(2, 2)}};
}

// A list goes out as a copy: a handle on an element would dangle once the list grows.
template <typename T>
auto copied(std::vector<T> observation::*list)
{
    return py::cpp_function([list](const observation& obs) { return obs.*list; });
}

template <typename T>
auto assigned(std::vector<T> observation::*list)
{
    return [list](observation& obs, const std::vector<T>& value) { obs.*list = value; };
}

void bind_epoch(py::module& m)
{
    py::class_<epoch>(m,
                      "epoch",
                      "An instant: whole UTC seconds since 1970-01-01 and an exact "
                      "fraction in attoseconds.",
                      explained())
        .def(py::init<>())
        .def(py::init(&epoch::from_pair), "seconds"_a, "fraction"_a)
        .def_readwrite("seconds", &epoch::seconds)
        .def_readwrite("attos", &epoch::attos)
        .def_static("from_pair", &epoch::from_pair, "seconds"_a, "fraction"_a)
        .def_static("from_iso", &epoch::from_iso, "text"_a)
        .def("fraction", &epoch::fraction)
        .def("plus_half_samples", &epoch::plus_half_samples, "halves"_a, "rate"_a)
        .def("plus_samples", &epoch::plus_samples, "n"_a, "rate"_a)
        .def("plus_seconds", &epoch::plus_seconds, "dt"_a)
        .def("seconds_since", &epoch::seconds_since, "other"_a)
        .def("mjd_seconds", &epoch::mjd_seconds)
        .def("iso", &epoch::iso, "decimals"_a = 6)
        .def(py::self == py::self)
        .def(py::self != py::self)
        .def(py::self < py::self)
        .def("__hash__",
             [](const epoch& t) { return py::hash(py::make_tuple(t.seconds, t.attos)); })
        .def("__repr__", [](const epoch& t) { return "<epoch " + t.iso(9) + ">"; });
}

void bind_parts(py::module& m)
{
    py::class_<antenna>(m,
                        "antenna",
                        "One antenna (station); positions in meters, angles in degrees.",
                        explained())
        .def(py::init<>())
        .def_readwrite("name", &antenna::name)
        .def_readwrite("itrf", &antenna::itrf)
        .def_readwrite("enu", &antenna::enu)
        .def_readwrite("mount", &antenna::mount)
        .def_readwrite("receptors", &antenna::receptors)
        .def_readwrite("feed_angle", &antenna::feed_angle)
        .def("__repr__", [](const antenna& a) {
            std::ostringstream out;
            out << "<antenna " << a.name << ", enu " << a.enu[0] << " " << a.enu[1] << " "
                << a.enu[2] << " m>";
            return out.str();
        });
    py::class_<input>(m, "input", "One input of the correlator.", explained())
        .def(py::init<>())
        .def_readwrite("antenna", &input::antenna)
        .def_readwrite("polarization", &input::polarization)
        .def_readwrite("stream", &input::stream)
        .def_readwrite("inverted", &input::inverted)
        .def_readwrite("cable_delay", &input::cable_delay)
        .def_readwrite("gain", &input::gain)
        .def_readwrite("phase", &input::phase)
        .def_readwrite("bad", &input::bad)
        .def("__repr__", [](const input& in) {
            return "<input " + std::string(1, in.polarization) + " of antenna " +
                   std::to_string(in.antenna) + ", stream " + std::to_string(in.stream) +
                   ">";
        });
    py::class_<phase_center> center(
        m, "phase_center", "Where phase is zero; angles in radians.", explained());
    py::enum_<phase_center::kind>(center, "kind")
        .value("zenith", phase_center::kind::zenith)
        .value("radec", phase_center::kind::radec)
        .value("azel", phase_center::kind::azel)
        .value("body", phase_center::kind::body);
    center.def(py::init<>())
        .def_static(
            "at_radec",
            [](double ra, double dec, const std::string& name) {
                return phase_center{phase_center::kind::radec, ra, dec, name};
            },
            "ra"_a,
            "dec"_a,
            "name"_a = "")
        .def_static(
            "at_azel",
            [](double az, double el, const std::string& name) {
                return phase_center{phase_center::kind::azel, az, el, name};
            },
            "az"_a,
            "el"_a,
            "name"_a = "")
        .def_static(
            "named",
            &array::phase_center_by_name,
            "The phase center of a name: Sun, Moon, a planet, Cas A, Cyg A, ...; see "
            "source_names(). Raises ValueError.",
            "name"_a)
        .def_static(
            "from_text",
            &phase_center::from_text,
            "The phase center of \"zenith\", a name of source_names(), \"RA,DEC\" or "
            "\"az=AZ,el=EL\" (degrees, or 12h30m49.4s,+12d23m28s), both with \",NAME\" "
            "behind "
            "where one is wanted, or \"{ra: ..., dec: ...}\" as in an observation file. "
            "name: "
            "what complaints begin with. Raises ValueError.",
            "text"_a,
            "name"_a = "phase_center")
        .def_readwrite("frame", &phase_center::frame)
        .def_readwrite("longitude", &phase_center::longitude)
        .def_readwrite("latitude", &phase_center::latitude)
        .def_readwrite("name", &phase_center::name)
        .def("__repr__", [](const phase_center& p) {
            std::ostringstream out;
            out << "<phase_center" << (p.name.empty() ? "" : " ") << p.name;
            if (p.frame == phase_center::kind::zenith) {
                out << " zenith>";
            } else if (p.frame == phase_center::kind::body) {
                out << ", which moves>";
            } else {
                const bool celestial = p.frame == phase_center::kind::radec;
                out << (celestial ? " ra " : " az ") << p.longitude * 180 / M_PI
                    << (celestial ? " dec " : " el ") << p.latitude * 180 / M_PI
                    << " degrees>";
            }
            return out.str();
        });
    py::class_<sky_source> source(
        m,
        "point_source",
        "A point source of the simulated sky; az/el in radians.",
        explained());
    py::enum_<sky_source::kind>(source, "kind")
        .value("lm", sky_source::kind::lm)
        .value("azel", sky_source::kind::azel);
    source
        .def(py::init([](double l, double m, double flux, const std::string& name) {
                 return sky_source{name, sky_source::kind::lm, l, m, flux};
             }),
             "l"_a = 0.0,
             "m"_a = 0.0,
             "flux"_a = 1.0,
             "name"_a = "")
        .def_static(
            "at_azel",
            [](double az, double el, double flux, const std::string& name) {
                return sky_source{name, sky_source::kind::azel, az, el, flux};
            },
            "az"_a,
            "el"_a,
            "flux"_a = 1.0,
            "name"_a = "")
        .def_readwrite("name", &sky_source::name)
        .def_readwrite("frame", &sky_source::frame)
        .def_readwrite("a", &sky_source::a)
        .def_readwrite("b", &sky_source::b)
        .def_readwrite("flux", &sky_source::flux)
        .def("__repr__", [](const sky_source& s) {
            std::ostringstream out;
            const bool lm = s.frame == sky_source::kind::lm;
            const double unit = lm ? 1 : 180 / M_PI;
            out << "<point_source " << s.name << (lm ? " l " : " az ") << s.a * unit
                << (lm ? " m " : " el ") << s.b * unit << " flux " << s.flux << ">";
            return out.str();
        });
}

void bind_observation(py::module& m)
{
    py::class_<observation>(
        m,
        "observation",
        "One observation, described once: array, inputs, receiver, channels, pointing.\n"
        "\n"
        "Lists (antennas, inputs, sky) are handed over by value: change a copy and "
        "assign\n"
        "it back. See docs/observation.md for every field.",
        explained())
        .def(py::init<>())
        .def(py::init<const observation&>(), "other"_a)
        .def("_repr_html_",
             [](const py::object& self) {
                 return py::module::import("gnuradio.fringe.describing.representations")
                     .attr("observation_html")(self);
             })
        .def("__setattr__",
             [](const py::object& self, const py::str& name, const py::object& value) {
                 if (!py::hasattr(py::type::of(self), name)) {
                     py::module::import("gnuradio.fringe.describing.representations")
                         .attr("refuse_field")(self, name);
                 }
                 if (PyObject_GenericSetAttr(self.ptr(), name.ptr(), value.ptr()) != 0) {
                     throw py::error_already_set();
                 }
             })
        .def_readwrite("telescope", &observation::telescope)
        .def_readwrite("observer", &observation::observer)
        .def_readonly("site_latitude", &observation::site_latitude)
        .def_readonly("site_longitude", &observation::site_longitude)
        .def_readonly("site_height", &observation::site_height)
        .def_readonly("has_site", &observation::has_site)
        .def_property(
            "antennas", copied(&observation::antennas), assigned(&observation::antennas))
        .def_property(
            "inputs", copied(&observation::inputs), assigned(&observation::inputs))
        .def_readwrite("format", &observation::format)
        .def_readwrite("sample_rate", &observation::sample_rate)
        .def_readwrite("center_frequency", &observation::center_frequency)
        .def_readwrite("lower_sideband", &observation::lower_sideband)
        // A copy: an epoch taken from here stays what it was.
        .def_property(
            "start_time",
            [](const observation& o) { return o.start_time; },
            [](observation& o, const epoch& t) { o.start_time = t; })
        .def_readwrite("has_start_time", &observation::has_start_time)
        .def_readwrite("phase_center", &observation::phase_center)
        .def_readwrite("dut1", &observation::dut1)
        .def_readwrite("channels", &observation::channels)
        .def_readwrite("taps", &observation::taps)
        .def_readwrite("window", &observation::window)
        .def_readwrite("integration", &observation::integration)
        .def_readwrite("spectra", &observation::spectra)
        .def_readwrite("requantize", &observation::requantize)
        .def_readwrite("tracking", &observation::tracking)
        .def_readwrite("fringe_stopping", &observation::fringe_stopping)
        .def_property("sky", copied(&observation::sky), assigned(&observation::sky))
        .def_readwrite("receiver_noise", &observation::receiver_noise)
        .def_static(
            "example", &observation::example, "antennas"_a = 2, "spacing"_a = 10.0)
        .def_static("from_file", &observation::from_file, "path"_a)
        .def_static(
            "from_text", &observation::from_text, "yaml"_a, "name"_a = "observation")
        .def("to_text", &observation::to_text)
        .def("add_antenna", &observation::add_antenna, "name"_a, "enu"_a)
        .def("set_site",
             &observation::set_site,
             "latitude"_a,
             "longitude"_a,
             "height"_a = 0.0)
        .def("set_earth_orientation", &observation::set_earth_orientation, "path"_a)
        .def_property_readonly(
            "earth_orientation",
            [](const observation& o) {
                return o.earth_orientation ? o.earth_orientation->path() : "";
            },
            "Path of the file with UT1 - UTC and polar motion, or an empty text.")
        .def(
            "orientation",
            [](const observation& o, const epoch& t) {
                const array::orientation at = array::orientation_of(o, t);
                return py::make_tuple(at.dut1, at.xp, at.yp);
            },
            "time"_a,
            "UT1 - UTC in seconds, and polar motion xp, yp in radians, at an instant.")
        .def("check", &observation::check)
        .def("dual_polarization", &observation::dual_polarization)
        .def("channel_frequencies",
             &channel_frequencies,
             "channels"_a,
             "complex_samples"_a,
             "Sky frequency of each channel in Hz, ascending (float64 array).")
        .def("corrections",
             &corrections,
             "channels"_a,
             "complex_samples"_a,
             "Factors [input][channel] (complex64) that take cable delay, gain and phase "
             "out, or None when there is nothing to correct.")
        .def("streams", &observation::streams)
        .def("conjugated",
             [](const observation& obs) {
                 const auto flags = obs.conjugated();
                 return std::vector<bool>(flags.begin(), flags.end());
             })
        .def("__copy__", [](const observation& obs) { return observation(obs); })
        .def("__deepcopy__",
             [](const observation& obs, const py::dict&) { return observation(obs); })
        .def("__repr__", [](const observation& obs) {
            std::ostringstream out;
            out << "<observation " << obs.telescope << ": " << obs.antennas.size()
                << " antennas, " << obs.inputs.size() << " inputs, "
                << obs.center_frequency / 1e6 << " MHz, " << obs.sample_rate / 1e6
                << " MS/s>";
            return out.str();
        });
}

void bind_geometry(py::module& m)
{
    m.def("itrf_from_wgs84",
          &array::itrf_from_wgs84,
          "latitude"_a,
          "longitude"_a,
          "height"_a,
          "WGS84 latitude, longitude (degrees) and height (m) to ITRF meters.");
    m.def("itrf_from_enu", &array::itrf_from_enu, "observation"_a, "enu"_a);
    m.def("enu_from_itrf", &array::enu_from_itrf, "observation"_a, "itrf"_a);
    m.def(
        "axes_of_radec",
        [](double ra, double dec, const epoch& t, double dut1, double xp, double yp) {
            const array::uvw_axes a =
                array::axes_of_radec(ra, dec, t, array::orientation{dut1, xp, yp});
            return rows({a.u, a.v, a.w});
        },
        "ra"_a,
        "dec"_a,
        "time"_a,
        "dut1"_a = 0.0,
        "xp"_a = 0.0,
        "yp"_a = 0.0,
        "Rows u, v, w (unit vectors in ITRF) of an ICRS direction in radians; dut1 in "
        "seconds, polar motion in radians.");
    m.def(
        "axes_of_azel",
        [](const observation& obs, double az, double el) {
            const array::uvw_axes a = array::axes_of_azel(obs, az, el);
            return rows({a.u, a.v, a.w});
        },
        "observation"_a,
        "az"_a,
        "el"_a,
        "Rows u, v, w (unit vectors in ITRF) of an azimuth and elevation in radians.");
    m.def("radec_of_azel",
          &array::radec_of_azel,
          "observation"_a,
          "az"_a,
          "el"_a,
          "time"_a,
          "ICRS (ra, dec) in radians of an azimuth and elevation in radians.");
    m.def("phase_center_radec",
          &array::phase_center_radec,
          "observation"_a,
          "time"_a,
          "ICRS (ra, dec) in radians of the phase center at an instant.");
    m.def("phase_center_direction",
          &array::phase_center_direction,
          "observation"_a,
          "time"_a,
          "Unit vector in ITRF from the site towards the phase center at an instant.");
    m.def("_sky_frames", &array::sky_frames);
    m.def("_icrs_of_frame",
          &array::icrs_of_frame,
          "frame"_a,
          "year"_a,
          "longitude"_a,
          "latitude"_a,
          "time"_a);
    m.def("_leap_seconds", &array::leap_seconds, "time"_a);
    m.def("site_velocity",
          &array::site_velocity,
          "observation"_a,
          "time"_a,
          "Velocity of the site in m/s along the axes of the ICRS, seen from the "
          "barycenter "
          "of the solar system.");
    m.def("local_sidereal_time",
          &array::local_sidereal_time,
          "observation"_a,
          "time"_a,
          "Local apparent sidereal time of the site in radians, 0 ... 2 pi.");
    m.def("source_names",
          &array::source_names,
          "The names that phase_center.named() knows, those that move first.");
    m.def("source_direction",
          &array::source_direction,
          "observation"_a,
          "source"_a,
          "time"_a,
          "Unit vector in ITRF towards a source of the simulated sky.");
    m.def(
        "delays",
        [](const observation& obs, const array::vec3& s) {
            const std::vector<double> tau = array::delays(obs, s);
            return py::array_t<double>(tau.size(), tau.data());
        },
        "observation"_a,
        "direction"_a,
        "Geometric delays -(r_a - r_0).s/c in seconds, [antenna].");
    m.def(
        "antenna_uvw",
        [](const observation& obs, const py::array_t<double, py::array::c_style>& axes) {
            return rows(array::antenna_uvw(obs, axes_of(axes)));
        },
        "observation"_a,
        "axes"_a,
        "uvw in meters, [antenna][3]; a baseline i-j has uvw_i - uvw_j.");
    m.def(
        "antenna_uvw",
        [](const std::vector<array::vec3>& places,
           const py::array_t<double, py::array::c_style>& axes) {
            return rows(array::antenna_uvw(places, axes_of(axes)));
        },
        "places"_a,
        "axes"_a,
        "The same of places in ITRF, [antenna][3] in meters.");
}

} // namespace

void bind_array(py::module& m)
{
    bind_epoch(m);
    bind_parts(m);
    bind_observation(m);
    bind_geometry(m);
}
