/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_SCRATCH_H
#define INCLUDED_FRINGE_TESTS_SCRATCH_H

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

//! A folder of its own for a test, gone when it ends.
class scratch
{
public:
    scratch()
    {
        std::string name = std::filesystem::temp_directory_path() / "fringe-test-XXXXXX";
        if (!mkdtemp(&name[0]))
            throw std::runtime_error("cannot make " + name);
        d_folder = name;
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() { std::filesystem::remove_all(d_folder); }

    std::string operator/(const std::string& name) const { return d_folder / name; }

private:
    std::filesystem::path d_folder;
};

inline void write_bytes(const std::string& path, const std::vector<std::uint8_t>& bytes)
{
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

inline std::vector<std::uint8_t> read_bytes(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return std::vector<std::uint8_t>(std::istreambuf_iterator<char>(file), {});
}

//! That f() throws an E whose sentence holds every one of the words.
template <class E, class F>
void check_refused(F&& f, const std::vector<std::string>& words)
{
    BOOST_CHECK_EXCEPTION(f(), E, [&](const E& e) {
        const std::string sentence = e.what();
        for (const auto& word : words)
            BOOST_CHECK_MESSAGE(sentence.find(word) != std::string::npos,
                                "no '" << word << "' in: " << sentence);
        return true;
    });
}

#endif /* INCLUDED_FRINGE_TESTS_SCRATCH_H */
