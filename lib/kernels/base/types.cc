/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/types.h"

namespace gr::fringe::kernels {

component component_from_name(const std::string& name)
{
    for (const auto c :
         {component::i8, component::i16, component::f32, component::level}) {
        if (name == component_name(c)) {
            return c;
        }
    }
    throw std::invalid_argument("component: \"" + name +
                                "\" is not known; it must be i8, i16, f32 or level");
}

} // namespace gr::fringe::kernels
