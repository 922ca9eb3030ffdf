/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// A file that shows what was published last, and nothing in between.

#include "io/durable/shadow_file.h"
#include "scratch.h"
#include "writer_cases.h"
#include <boost/test/unit_test.hpp>
#include <fcntl.h>
#include <system_error>

using gr::fringe::io::shadow_file;

namespace {

constexpr std::size_t table = 10000; // more than a page

// Fills the root and a table of a side with a letter.
void put(shadow_file& file, int side, std::uint64_t at, char letter)
{
    const std::string text(table, letter);
    file.write_table(side, 0, text.data(), 96);
    file.write_table(side, at, text.data(), text.size());
}

int made(const std::string& path)
{
    return open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

char root_of(const std::string& path)
{
    const auto bytes = read_bytes(path);
    return bytes.empty() ? ' ' : static_cast<char>(bytes[0]);
}

} // namespace

BOOST_AUTO_TEST_CASE(tables_are_shown_when_they_are_published)
{
    const scratch folder;
    const std::string path = folder / "x";
    shadow_file file(made(path));
    const std::uint64_t at[] = {file.table_space(0, table), file.table_space(1, table)};
    // No page belongs to both.
    BOOST_CHECK_GE(std::max(at[0], at[1]) / 4096,
                   (std::min(at[0], at[1]) + table) / 4096 + 1);
    std::vector<std::uint8_t> shown;
    for (char letter = 'a'; letter < 'h'; letter++) {
        const int side = file.hidden();
        put(file, side, at[side], letter);
        BOOST_CHECK(read_bytes(path) == shown);
        std::string own(table, ' ');
        file.read(side, at[side], own.data(), own.size());
        BOOST_CHECK(own == std::string(table, letter));
        file.publish();
        BOOST_CHECK_EQUAL(file.hidden(), 1 - side);
        shown = read_bytes(path);
        BOOST_REQUIRE_GE(shown.size(), at[side] + table);
        BOOST_CHECK_EQUAL(root_of(path), letter);
        for (const std::size_t k : {at[side], at[side] + table - 1})
            BOOST_CHECK_EQUAL(shown[k], letter);
        // The other side is still what it was.
        if (letter > 'a')
            BOOST_CHECK_EQUAL(shown[at[1 - side]], letter - 1);
    }
    put(file, file.hidden(), at[file.hidden()], 'z');
    file.end();
    file.publish();
    BOOST_CHECK(read_bytes(path) == shown);
}

BOOST_AUTO_TEST_CASE(both_sides_get_the_same_places_for_data)
{
    const scratch folder;
    shadow_file file(made(folder / "x"));
    std::vector<std::uint64_t> places;
    for (const std::uint64_t bytes : {100, 5000, 7})
        places.push_back(file.data_space(0, bytes));
    BOOST_CHECK_GE(places[1], places[0] + 100);
    BOOST_CHECK_GE(places[2], places[1] + 5000);
    const auto tables = file.table_space(0, 10);
    BOOST_CHECK_GE(tables, places[2] + 7);
    BOOST_CHECK_EQUAL(file.data_space(1, 100), places[0]);
    BOOST_CHECK_EQUAL(file.data_space(1, 5000), places[1]);
    BOOST_CHECK_THROW(file.data_space(1, 8), std::logic_error);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_is_said_and_not_shown)
{
    const scratch folder;
    const std::string path = folder / "x";
    shadow_file file(made(path));
    const auto at = file.table_space(0, table);
    put(file, 0, at, 'a');
    file.publish();
    const auto before = read_bytes(path);
    put(file, 1, file.table_space(1, table), 'b');
    {
        const file_size_limit limited(before.size());
        BOOST_CHECK_THROW(file.publish(), std::system_error);
    }
    BOOST_CHECK(read_bytes(path) == before);
}
