/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "checks/tables_check.h"
#include "checks/bad_part.h"
#include <algorithm>
#include <casacore/casa/Containers/Record.h>
#include <casacore/casa/Containers/ValueHolder.h>
#include <casacore/casa/Exceptions/Error.h>
#include <casacore/casa/Logging/LogIO.h>
#include <casacore/casa/Logging/LogSink.h>
#include <casacore/tables/Tables/TableProxy.h>
#include <filesystem>
#include <new>

namespace gr::fringe::checks {

namespace {

namespace fs = std::filesystem;
using casacore::Int64;
using casacore::TableProxy;

constexpr Int64 some_cells = 64;
constexpr Int64 rows_at_a_time = 1 << 18;
constexpr Int64 arrays_at_a_time = 1 << 12;
constexpr Int64 rows_at_any_rate = 1 << 17; // that a table may have

// What casacore refuses is no harm.
template <typename F>
void survive(F&& read)
{
    try {
        read();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const casacore::AllocError&) {
        throw std::bad_alloc();
    } catch (const std::exception&) {
    }
}

void read_cell(TableProxy& table, const casacore::String& column, Int64 row)
{
    survive([&] {
        if (table.cellContentsDefined(column, row))
            table.getCell(column, row);
    });
}

// Arrays of one shape are read together, which is quick; casacore dies of others.
void read_arrays(TableProxy& table,
                 const casacore::String& column,
                 Int64 start,
                 Int64 count)
{
    bool alike = false, done = false;
    survive([&] { alike = table.getColumnDescription(column, true).isDefined("shape"); });
    if (!alike)
        survive([&] {
            const auto shapes =
                table.getColumnShapeString(column, start, count, 1, false);
            alike = std::all_of(shapes.begin(), shapes.end(), [&](const auto& s) {
                return s == shapes[0];
            });
        });
    if (alike)
        survive([&] {
            table.getColumn(column, start, count, 1);
            done = true;
        });
    for (Int64 k = 0; !done && k < count; k++)
        read_cell(table, column, start + k);
}

void read_column(TableProxy& table, const casacore::String& column, bool whole)
{
    const Int64 rows = table.nrows();
    if (table.isScalarColumn(column)) {
        for (Int64 start = 0; start < rows; start += rows_at_a_time)
            table.getColumn(column, start, std::min(rows_at_a_time, rows - start), 1);
    } else if (whole) {
        for (Int64 start = 0; start < rows; start += arrays_at_a_time)
            read_arrays(table, column, start, std::min(arrays_at_a_time, rows - start));
    } else {
        const Int64 cells = std::min(some_cells, rows);
        for (Int64 k = 0; k < cells; k++)
            read_cell(table, column, cells > 1 ? k * (rows - 1) / (cells - 1) : 0);
    }
}

// Of the files of a table, without its subtables.
Int64 bytes_of(const std::string& path)
{
    Int64 bytes = 0;
    for (const auto& entry : fs::directory_iterator(path))
        bytes += entry.is_regular_file() ? static_cast<Int64>(entry.file_size()) : 0;
    return bytes;
}

// A flag of a row takes a bit, and nothing takes less.
void check_rows(const std::string& path, Int64 rows)
{
    const Int64 bytes = bytes_of(path);
    if (rows > rows_at_any_rate && rows / 8 > bytes)
        throw bad_part{"its table " + fs::path(path).filename().string() +
                       " claims to have " + std::to_string(rows) + " rows in " +
                       std::to_string(bytes) + " bytes"};
}

void read_table(const std::string& path, bool whole)
{
    survive([&] {
        TableProxy table(path, casacore::Record(), casacore::Table::Old);
        check_rows(path, table.nrows());
        for (const auto& column : table.columnNames())
            survive([&] { read_column(table, column, whole); });
    });
}

} // namespace

void read_tables(const std::string& path, bool whole)
{
    read_table(path, whole);
    for (const auto& entry : fs::directory_iterator(path))
        if (fs::is_regular_file(entry.path() / "table.dat"))
            read_table(entry.path().string(), true);
}

} // namespace gr::fringe::checks
