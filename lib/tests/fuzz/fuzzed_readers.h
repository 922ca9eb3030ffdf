/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_FUZZED_READERS_H
#define INCLUDED_FRINGE_TESTS_FUZZED_READERS_H

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

//! Readers of what comes from outside, for scripts/fuzz and test_fuzzed_readers.
namespace fuzzed {

using bytes = std::vector<std::uint8_t>;

struct reader {
    std::string name;
    //! Good inputs to begin with.
    std::function<std::vector<bytes>()> seeds;
    //! Reads an input: true where it is good, false where it is refused in a sentence. Any other
    //! exception than fault is a fault, too.
    std::function<bool(const bytes&)> take;
};

//! What a reader must never do, and did.
class fault : public std::exception
{
public:
    explicit fault(std::string what) : d_what(std::move(what)) {}
    const char* what() const noexcept override { return d_what.c_str(); }

private:
    const std::string d_what;
};

void add_recordings(std::vector<reader>& to);
void add_packets(std::vector<reader>& to);
void add_texts(std::vector<reader>& to);

inline std::vector<reader> readers()
{
    std::vector<reader> all;
    add_recordings(all);
    add_packets(all);
    add_texts(all);
    return all;
}

//! True where f() reads; false where it refuses in a sentence that has `name` in it. (What is no
//! text in it the command does not show: see cli/words.py.)
template <class F>
bool reads(const std::string& name, F&& f)
{
    const auto check = [&](const std::string& sentence) {
        if (sentence.find(name) == std::string::npos)
            throw fault("the sentence does not name " + name + ": " + sentence);
        return false;
    };
    try {
        f();
        return true;
    } catch (const std::invalid_argument& e) {
        return check(e.what());
    } catch (const std::runtime_error& e) {
        return check(e.what());
    }
}

//! A file in a folder of this process, in memory where there is /dev/shm.
class input_file
{
public:
    explicit input_file(const std::string& name);
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;
    ~input_file();
    void write(const bytes& content) const;
    const std::string& path() const { return d_path; }

private:
    std::string d_folder, d_path;
};

inline void put(bytes& to, const std::string& text)
{
    to.insert(to.end(), text.begin(), text.end());
}

inline void
put_number(bytes& to, std::uint64_t value, std::size_t count, bool big_endian = false)
{
    for (std::size_t k = 0; k < count; ++k)
        to.push_back(
            static_cast<std::uint8_t>(value >> 8 * (big_endian ? count - 1 - k : k)));
}

} // namespace fuzzed

#endif /* INCLUDED_FRINGE_TESTS_FUZZED_READERS_H */
