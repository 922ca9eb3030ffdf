/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DEVICE_DEVICE_FACTORY_H
#define INCLUDED_FRINGE_KERNELS_DEVICE_DEVICE_FACTORY_H

#include "kernels/base/compute_target.h"
#include "kernels/device/device.h"
#include <atomic>
#include <memory>

namespace gr::fringe::kernels {

/*!
 * Makes a stage for devices. Each stage has one of these. The library of devices puts its
 * function in while it is loaded, so neither the stage knows the library, nor a device the
 * stages.
 *
 * The stage that it makes has the interface of the other backends, with these differences:
 * every block of data (and `saturated`, and what kurtosis::read() writes) is in the device's
 * memory, and a call returns when the work has been enqueued in the stream `compute`, not when
 * it is done. Small host arguments (gains, valid counts, cells) have been copied when a
 * call returns. Errors of work done earlier may be thrown by any call. The stage is used by
 * one thread at a time, which may be another one from call to call.
 */
template <class Stage, class... Params>
class device_factory
{
public:
    //! Makes the stage on device number `index`; the parameters have been checked.
    using function = std::unique_ptr<Stage> (*)(std::size_t index, const Params&... p);

    //! Returns true, so that it can initialize a static variable of the library.
    bool set(function make)
    {
        d_make = make;
        return true;
    }
    //! Throws device_error when no library of devices has been loaded.
    std::unique_ptr<Stage> make(const compute_target& where, const Params&... p) const
    {
        const function make = d_make;
        if (!make) {
            throw device_error("backend '" + where.name() +
                               "': no library of devices has been loaded");
        }
        return make(where.index, p...);
    }

private:
    std::atomic<function> d_make{nullptr};
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DEVICE_DEVICE_FACTORY_H */
