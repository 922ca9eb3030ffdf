/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PMT_WORDS_H
#define INCLUDED_FRINGE_IO_PMT_WORDS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! A value as GNU Radio writes its polymorphic types into files: a number, a text, a truth
//! or several of them.
struct pmt_value {
    enum class kind { nothing, truth, number, text, several } is = kind::nothing;
    double number = 0;
    std::uint64_t whole = 0; //!< of a number without a fraction
    std::string text;
    std::vector<pmt_value> items;
};

/*!
 * Reads dictionaries, one after the other. GNU Radio's own reader is not for bytes of unknown
 * origin: it goes as deep as they say.
 */
class pmt_reader
{
public:
    //! `where` is for sentences: a file.
    pmt_reader(const std::string& where, const std::string& bytes);
    //! Throws damaged_recording where the next bytes are no dictionary of texts to values.
    std::map<std::string, pmt_value> dictionary();
    std::size_t at() const { return d_at; }

private:
    pmt_value value(unsigned depth);
    void several(pmt_value& into, std::size_t count, unsigned depth);
    std::uint64_t big_endian(std::size_t bytes);
    double real();
    [[noreturn]] void refuse(const std::string& what) const;

    const std::string d_where;
    const std::string& d_bytes;
    std::size_t d_at = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PMT_WORDS_H */
