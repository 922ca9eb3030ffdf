/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BINDINGS_DUMP_FUNCTIONS_H
#define INCLUDED_FRINGE_BINDINGS_DUMP_FUNCTIONS_H

#include "blocks/dumps/described_dump.h"
#include <memory>
#include <pybind11/numpy.h>
#include <stdexcept>
#include <string>
#include <utility>

// Functions of Python that say what blocks on a device do with a dump.
namespace gr::fringe {

//! An array of Python's, converted and copied where it has another layout.
template <class T>
using array_of =
    pybind11::array_t<T, pybind11::array::c_style | pybind11::array::forcecast>;

//! A function of Python for threads of GNU Radio, which do not hold the interpreter's lock.
class python_function
{
public:
    explicit python_function(pybind11::function f)
        : d_function(new pybind11::function(std::move(f)), [](pybind11::function* p) {
              const pybind11::gil_scoped_acquire lock;
              delete p;
          })
    {
    }
    //! Gives what it returns to `take`. What it raises becomes a runtime_error.
    template <class Take, class... T>
    auto call(const Take& take, const T&... arguments) const
    {
        const pybind11::gil_scoped_acquire lock;
        try {
            return take((*d_function)(arguments...));
        } catch (const pybind11::error_already_set& e) {
            throw std::runtime_error(e.matches(PyExc_ValueError)
                                         ? std::string(pybind11::str(e.value()))
                                         : e.what());
        }
    }

private:
    std::shared_ptr<pybind11::function> d_function;
};

//! The arguments of such a function that describe a dump. Needs the interpreter's lock.
inline pybind11::dict described(const described_dump& d)
{
    pybind11::dict all;
    all["seconds"] = d.tags.start.seconds;
    all["fraction"] = d.tags.start.fraction();
    all["interval"] = d.tags.interval;
    all["timed"] = d.tags.timed;
    all["freq"] = d.tags.freq;
    all["channel_width"] = d.tags.channel_width;
    all["first"] = d.first;
    all["edge_channel"] = d.edge_channel;
    all["complex_samples"] = d.complex_samples;
    return all;
}

//! The numbers of an array, one row after the other.
template <class T>
std::vector<T> numbers_of(const pybind11::handle& array)
{
    const auto values = array.cast<array_of<T>>();
    return std::vector<T>(values.data(), values.data() + values.size());
}

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BINDINGS_DUMP_FUNCTIONS_H */
