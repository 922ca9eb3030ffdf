/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/json_object.h"
#include "io/recordings/recording.h"
#include <cmath>

namespace gr::fringe::io {

json_object::json_object(const std::string& what, const std::string& text) : d_what(what)
{
    try {
        d_value = nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& e) {
        // Behind the library's own name and number of the error is the sentence.
        const std::string reason = e.what();
        const auto end = reason.find("] ");
        throw damaged_recording(
            what + ": is not JSON: " +
            (end == std::string::npos ? reason : reason.substr(end + 2)));
    }
}

json_object::json_object(const std::string& what, nlohmann::json value)
    : d_what(what), d_value(std::move(value))
{
}

bool json_object::has(const std::string& key) const
{
    return d_value.is_object() && d_value.contains(key);
}

bool json_object::has_object(const std::string& key) const
{
    return has(key) && d_value[key].is_object();
}

std::string json_object::text(const std::string& key) const
{
    return has(key) && d_value[key].is_string() ? d_value[key].get<std::string>() : "";
}

double json_object::number(const std::string& key, double missing) const
{
    if (!has(key))
        return missing;
    const double value = d_value[key].is_number() ? d_value[key].get<double>() : NAN;
    if (!std::isfinite(value))
        refuse(key, "is not a number");
    return value;
}

bool json_object::flag(const std::string& key, bool missing) const
{
    if (!has(key))
        return missing;
    if (!d_value[key].is_boolean())
        refuse(key, "must be true or false");
    return d_value[key].get<bool>();
}

std::uint64_t
json_object::whole(const std::string& key, double missing, double maximum) const
{
    const double value = number(key, missing);
    if (value < 0 || value > maximum || value != std::floor(value))
        refuse(key, "is not a whole number of a sensible size");
    return static_cast<std::uint64_t>(value);
}

json_object json_object::object(const std::string& key) const
{
    return {d_what, has_object(key) ? d_value[key] : nlohmann::json::object()};
}

std::vector<json_object> json_object::array(const std::string& key) const
{
    std::vector<json_object> all;
    if (has(key) && d_value[key].is_array()) {
        for (const nlohmann::json& value : d_value[key])
            all.push_back({d_what, value});
    }
    return all;
}

void json_object::refuse(const std::string& key, const std::string& why) const
{
    // A value may be as long as the file: its start tells which it is.
    std::string value =
        has(key)
            ? d_value[key].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
            : "";
    if (value.size() > 60)
        value = value.substr(0, 60) + "...";
    throw damaged_recording(d_what + ": '" + key + "' (" + value + ") " + why);
}

} // namespace gr::fringe::io
