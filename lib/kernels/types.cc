/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/types.h"
#include "kernels/device/devices.h"

namespace gr {
namespace fringe {
namespace kernels {

component component_from_name(const std::string& name)
{
    for (const auto c : {component::i8, component::i16, component::f32}) {
        if (name == component_name(c)) {
            return c;
        }
    }
    throw std::invalid_argument("component: \"" + name +
                                "\" is not known; it must be i8, i16 or f32");
}

backend backend_from_name(const std::string& name)
{
    if (name == "auto" || name == "cuda") {
        try {
            default_device();
            return backend::cuda;
        } catch (const device_error& e) {
            if (name == "cuda") {
                throw std::invalid_argument(e.what());
            }
            return backend::cpu;
        }
    }
    if (name == "cpu") {
        return backend::cpu;
    }
    if (name == "generic") {
        return backend::generic;
    }
    throw std::invalid_argument("backend: \"" + name +
                                "\" is not known; it must be auto, cuda, cpu or generic");
}

} // namespace kernels
} // namespace fringe
} // namespace gr
