/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/tar_file.h"
#include "io/recordings/recording.h"
#include <algorithm>

namespace gr::fringe::io {

namespace {

constexpr std::uint64_t block = 512;
constexpr std::size_t max_members = 10000, max_name = 1u << 16;

std::string text_at(const std::string& header, std::size_t at, std::size_t bytes)
{
    const std::string text = header.substr(at, bytes);
    return text.substr(0, text.find('\0'));
}

// Octal digits, or eight bytes behind a mark.
std::uint64_t number_at(const std::string& header, std::size_t at, std::size_t bytes)
{
    std::uint64_t value = 0;
    if (static_cast<unsigned char>(header[at]) == 0x80) {
        for (std::size_t k = bytes - 8; k < bytes; ++k)
            value = value << 8 | static_cast<unsigned char>(header[at + k]);
        return value;
    }
    for (const char c : text_at(header, at, bytes)) {
        if (c >= '0' && c <= '7')
            value = value << 3 | static_cast<std::uint64_t>(c - '0');
    }
    return value;
}

std::string read(const input_file& file, std::uint64_t at, std::uint64_t bytes)
{
    std::string text(static_cast<std::size_t>(bytes), '\0');
    file.read(at, reinterpret_cast<std::uint8_t*>(&text[0]), text.size());
    return text;
}

// "27 path=long/name\n", one line for each key; "" where the key is not there.
std::string pax_value(const std::string& lines, const std::string& key)
{
    const std::string found = " " + key + "=";
    const auto at = lines.find(found);
    return at == std::string::npos
               ? ""
               : lines.substr(at + found.size(),
                              lines.find('\n', at) - at - found.size());
}

} // namespace

bool is_tar(const std::vector<std::uint8_t>& start)
{
    const std::string magic = "ustar";
    return start.size() >= block &&
           std::equal(magic.begin(), magic.end(), start.begin() + 257);
}

std::vector<tar_member> tar_members(const input_file& file)
{
    std::vector<tar_member> members;
    std::string long_name, long_size; // of the member behind
    for (std::uint64_t at = 0;
         at + block <= file.size() && members.size() < max_members;) {
        const std::string header = read(file, at, block);
        if (header[0] == '\0') // the end
            break;
        const char type = header[156];
        std::uint64_t bytes = number_at(header, 124, 12);
        if (!long_size.empty() && long_size.size() < 19 &&
            long_size.find_first_not_of("0123456789") == std::string::npos)
            bytes = std::stoull(long_size);
        const std::uint64_t begin = at + block;
        if (bytes > file.size() - begin)
            throw damaged_recording(
                file.path() + ": truncated: the archive's file at byte " +
                std::to_string(at) + " has " + std::to_string(bytes) + " bytes, " +
                std::to_string(file.size() - begin) + " are there");
        if (type == 'x' || type == 'L') {
            const std::string words =
                read(file, begin, std::min<std::uint64_t>(bytes, max_name));
            long_name = type == 'x' ? pax_value(words, "path")
                                    : words.substr(0, words.find('\0'));
            long_size = type == 'x' ? pax_value(words, "size") : "";
        } else {
            const std::string folder = text_at(header, 345, 155);
            const std::string name =
                (folder.empty() ? "" : folder + "/") + text_at(header, 0, 100);
            if (type == '0' || type == '\0')
                members.push_back(
                    {long_name.empty() ? name : long_name, begin, begin + bytes});
            long_name = long_size = "";
        }
        at = begin + (bytes + block - 1) / block * block;
    }
    return members;
}

} // namespace gr::fringe::io
