/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_YAML_FIELD_H
#define INCLUDED_FRINGE_ARRAY_YAML_FIELD_H

#include <array>
#include <optional>
#include <string>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace gr::fringe::array {

/*!
 * One value of a YAML file that knows its way there, so that whatever is wrong with it is
 * reported as "FILE, line 12: field inputs[3].antenna: ...". Everything throws
 * std::invalid_argument in that form.
 */
class yaml_field
{
public:
    yaml_field(YAML::Node node, std::string file, std::string path);

    [[noreturn]] void fail(const std::string& why) const;

    bool is_map() const { return d_node.IsMap(); }
    bool is_list() const { return d_node.IsSequence(); }
    //! Refuses a field that is not a map, and keys that are not in `known`.
    void allow(const std::vector<std::string>& known) const;
    //! The value of a key, where it is given.
    std::optional<yaml_field> get(const std::string& key) const;
    //! The same for a key that has to be there.
    yaml_field need(const std::string& key) const;
    //! The entries of a list.
    std::vector<yaml_field> items() const;

    std::string text() const;
    //! Text that is one of the choices.
    std::string choice(const std::vector<std::string>& choices) const;
    bool flag() const;
    double number() const;
    double positive() const;
    //! A positive time, in seconds.
    double seconds() const;
    std::size_t count() const;
    //! Three numbers.
    std::array<double, 3> vector() const;
    //! Degrees, 12h30m49.4s, 12:30:49.4 (hours if `hours`) or +12d23m28s, in radians.
    double angle(bool hours) const;

private:
    YAML::Node d_node;
    std::string d_file, d_path;
};

//! Choices in words: a, b or c.
std::string one_of(const std::vector<std::string>& choices);

//! Assigns what is given; leaves the default otherwise.
template <typename T, typename Reader>
void read(const yaml_field& map, const std::string& key, T& to, Reader reader)
{
    if (const std::optional<yaml_field> f = map.get(key)) {
        to = static_cast<T>((*f.*reader)());
    }
}

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_YAML_FIELD_H */
