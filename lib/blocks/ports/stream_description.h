/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_STREAM_DESCRIPTION_H
#define INCLUDED_FRINGE_BLOCKS_STREAM_DESCRIPTION_H

#include <gnuradio/fringe/api.h>
#include <map>
#include <pmt/pmt.h>
#include <stdexcept>
#include <string>

namespace gr::fringe {

//! One property of a stream's items, named as the blocks' parameter is.
struct stream_field {
    std::string name;
    std::string value;

    stream_field(std::string field, std::string text)
        : name(std::move(field)), value(std::move(text))
    {
    }
    stream_field(std::string field, const char* text)
        : name(std::move(field)), value(text)
    {
    }
    stream_field(std::string field, bool yes)
        : name(std::move(field)), value(yes ? "True" : "False")
    {
    }
    template <typename number>
    stream_field(std::string field, number n)
        : name(std::move(field)), value(std::to_string(n))
    {
    }
};

//! Properties by name.
class stream_fields : public std::map<std::string, std::string>
{
public:
    using std::map<std::string, std::string>::map;
    stream_fields(std::initializer_list<stream_field> fields)
    {
        for (const stream_field& f : fields) {
            (*this)[f.name] = f.value;
        }
    }
};

//! What the items of a stream are, and who sends them.
struct FRINGE_API stream_description {
    std::string block;          //!< that sends them, or takes them
    std::string kind;           //!< "voltages", "spectra", ...
    std::size_t item_bytes = 0; //!< of one item
    stream_fields fields;       //!< inputs, channels, ...

    //! The value of the tag `stream`: a dictionary of symbols.
    pmt::pmt_t to_tag() const;
    //! Reads it; empty when the value is none.
    static stream_description from_tag(const pmt::pmt_t& value);
};

//! A stream is not what the block behind it expects: the sentence names both blocks and
//! both values.
class stream_mismatch : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

//! Why a block that expects `wanted` cannot take `sent`, "" when it can. Only fields that
//! both state are compared. Items of another size than those described have been
//! regrouped by a block in between, and are taken as they come.
FRINGE_API std::string mismatch(const stream_description& wanted,
                                const stream_description& sent);

//! Whether a field is a property of the samples that stages pass on with their results.
bool passed_on(const std::string& field);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_STREAM_DESCRIPTION_H */
