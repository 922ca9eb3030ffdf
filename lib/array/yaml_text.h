/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_YAML_TEXT_H
#define INCLUDED_FRINGE_ARRAY_YAML_TEXT_H

#include <gnuradio/fringe/api.h>
#include <string>
#include <yaml-cpp/yaml.h>

namespace gr::fringe::array {

//! What a YAML text of unknown origin says. Throws YAML::ParserException where it is none,
//! and where its aliases (*name) would unfold to much more than is written: a few lines can
//! name gigabytes, or themselves.
FRINGE_API YAML::Node load_yaml(const std::string& text);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_YAML_TEXT_H */
