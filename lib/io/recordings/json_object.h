/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_JSON_OBJECT_H
#define INCLUDED_FRINGE_IO_JSON_OBJECT_H

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * A JSON object that a recording says of itself with. What is refused is refused by
 * damaged_recording, with the name of the file and of the field.
 */
class json_object
{
public:
    //! `what`: the file, or the part of it, that the text is of. Throws damaged_recording
    //! when the text is not JSON.
    json_object(const std::string& what, const std::string& text);

    bool has(const std::string& key) const;
    bool has_object(const std::string& key) const;
    //! A string; "" where the key is missing.
    std::string text(const std::string& key) const;
    //! A number, or `missing` where the field is not there.
    double number(const std::string& key, double missing) const;
    //! True or false, or `missing` where the field is not there.
    bool flag(const std::string& key, bool missing) const;
    //! A whole number from 0 to `maximum`.
    std::uint64_t whole(const std::string& key, double missing, double maximum) const;
    //! The object under a key; one without fields where the key is missing.
    json_object object(const std::string& key) const;
    //! The values of an array; no values where the key is missing.
    std::vector<json_object> array(const std::string& key) const;

    [[noreturn]] void refuse(const std::string& key, const std::string& why) const;

private:
    json_object(const std::string& what, nlohmann::json value);

    std::string d_what;
    nlohmann::json d_value;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_JSON_OBJECT_H */
