/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/input_file.h"
#include "io/recordings/mwa32t_group.h"
#include "io/recordings/recording_helpers.h"
#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>

namespace gr::fringe::io {

namespace {

using namespace mwa32t;

// Counters are compared at the ends of spans of this number of groups when a file is opened. Up
// to 15/16 of a span's time can be lost before the counter would wrap unseen within it.
constexpr std::size_t span_groups = 4096;
// Counters that jump by more than this on average do not count: the words are not in
// step.
constexpr std::uint64_t max_lost_per_group = 2000;

/*
 * The file of one receiver of the 32-tile Murchison Widefield Array: its groups as they
 * were sent. Lost ones keep their place in time.
 *
 * What is known of a whole file is the time of the first group of every span, so that
 * opening reads a few bytes per span and memory stays small. Within a span the counters
 * are followed when it is read. The span that was read last is kept, so that short blocks
 * do not read theirs again and again.
 */
class mwa32t_recording : public recording
{
public:
    mwa32t_recording(const std::string& path, const recording_hints& hints);
    const recording_info& info() const override { return d_info; }
    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>* lost) const override;

private:
    struct loaded_span {
        std::size_t span;
        std::vector<std::uint8_t> raw;
        std::vector<std::uint64_t> times; // of its groups, from its first one on
    };
    using span_read = std::shared_ptr<const loaded_span>;

    std::uint16_t counter(std::uint64_t group) const;
    std::size_t groups_of(std::size_t span) const;
    span_read load(std::size_t span) const;
    span_read groups_in(std::size_t span) const;
    std::uint64_t length_of(std::size_t span, std::uint16_t next) const;

    input_file d_file;
    recording_info d_info;
    std::string d_damage;                      // the sentence on it
    std::uint64_t d_sound = ~std::uint64_t(0); // samples before the damage
    std::uint64_t d_groups;
    std::vector<std::uint64_t> d_times; // of each span's first group, and the end
    mutable std::mutex d_mutex;
    mutable span_read d_last; // guarded by d_mutex
};

// The counter of a group between two others.
std::uint16_t counter_between(const std::uint8_t* raw)
{
    return mwa32t::counter_between(
        word_at(raw - group_bytes), word_at(raw), word_at(raw + group_bytes));
}

mwa32t_recording::mwa32t_recording(const std::string& path, const recording_hints& hints)
    : d_file(path), d_groups(d_file.size() / group_bytes)
{
    if (hints.streams != 0 && hints.streams != streams)
        throw std::invalid_argument(
            path + ": recordings of one MWA-32T receiver hold 16 inputs, not the " +
            std::to_string(hints.streams) + " that were given");
    if (d_groups == 0)
        throw damaged_recording(path + ": truncated: " + std::to_string(d_file.size()) +
                                " bytes do not hold a group of 34");
    const std::uint64_t spans = (d_groups + span_groups - 1) / span_groups;
    std::uint64_t time = 0;
    std::uint16_t at = counter(0);
    const std::string first = std::to_string(at);
    for (std::size_t s = 0; s < spans; ++s) {
        d_times.push_back(time);
        const std::uint64_t next = (s + 1) * span_groups;
        const bool last = next >= d_groups;
        const std::size_t groups = groups_of(s);
        const std::uint16_t end = counter(last ? d_groups - 1 : next);
        const auto whole = static_cast<std::uint16_t>(groups - (last ? 1 : 0));
        // A last span's end is one group behind its last counter.
        const bool none_lost = static_cast<std::uint16_t>(end - at) == whole;
        try {
            time += none_lost ? groups : length_of(s, last ? end + 1 : end);
        } catch (const damaged_recording& e) {
            if (s == 0)
                throw;
            // What comes before is sound and can be read.
            d_damage = e.what();
            d_sound = time;
            time += groups;
            d_groups = s * span_groups + groups;
            break;
        }
        at = end;
    }
    d_times.push_back(time);
    d_info.encoding = "mwa16";
    d_info.streams = streams;
    d_info.samples = time;
    d_info.telescope = "MWA-32T";
    d_info.remarks = "first counter " + first;
    if (!d_damage.empty())
        d_info.remarks += ", damaged from sample " + std::to_string(d_sound) + " on";
    if (time > d_groups) {
        d_info.missing = time - d_groups;
        d_info.remarks += ", " + std::to_string(time - d_groups) + " of " +
                          std::to_string(time) + " groups lost";
    }
    if (d_file.size() % group_bytes != 0)
        d_info.remarks += ", cut within its last group";
}

std::uint16_t mwa32t_recording::counter(std::uint64_t group) const
{
    std::uint8_t raw[3 * group_bytes];
    const bool inside = group > 0 && group + 1 < d_groups;
    const std::uint8_t* middle = raw + (inside ? group_bytes : 0);
    d_file.read((group - (inside ? 1 : 0)) * group_bytes,
                raw,
                (inside ? 2 : 0) * group_bytes + 2);
    return inside ? counter_between(middle) : word_at(middle);
}

std::size_t mwa32t_recording::groups_of(std::size_t span) const
{
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(span_groups, d_groups - span * span_groups));
}

mwa32t_recording::span_read mwa32t_recording::load(std::size_t span) const
{
    const std::size_t groups = groups_of(span);
    const auto loaded = std::make_shared<loaded_span>();
    loaded->span = span;
    auto& raw = loaded->raw;
    auto& times = loaded->times;
    raw.resize(groups * group_bytes);
    d_file.read(span * span_groups * group_bytes, raw.data(), raw.size());
    times.assign(groups, 0);
    std::uint16_t last = counter(span * span_groups);
    for (std::size_t g = 1; g < groups; ++g) {
        const std::uint16_t next = g + 1 < groups ? counter_between(&raw[g * group_bytes])
                                                  : counter(span * span_groups + g);
        times[g] = times[g - 1] + steps(last, next);
        last = next;
    }
    // Where the ends say that nothing is lost, counters that differ are damaged.
    if (span + 1 < d_times.size() && d_times[span + 1] - d_times[span] == groups)
        std::iota(times.begin(), times.end(), 0);
    return loaded;
}

mwa32t_recording::span_read mwa32t_recording::groups_in(std::size_t span) const
{
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        if (d_last && d_last->span == span)
            return d_last;
    }
    auto loaded = load(span);
    std::lock_guard<std::mutex> lock(d_mutex);
    d_last = loaded;
    return loaded;
}

// From a span's first group to the group after its last one, whose counter is `next`.
std::uint64_t mwa32t_recording::length_of(std::size_t span, std::uint16_t next) const
{
    const auto loaded = load(span);
    const std::size_t groups = groups_of(span);
    const std::uint64_t length =
        loaded->times.back() + steps(counter(span * span_groups + groups - 1), next);
    if (groups > 8 && length > groups * max_lost_per_group)
        throw damaged_recording(
            d_file.path() + ": from byte " +
            std::to_string(span * span_groups * group_bytes) +
            " on the first word of every 17 does not count up by one; groups of a "
            "counter and 16 samples were expected");
    return length;
}

void mwa32t_recording::read(std::uint64_t first,
                            std::size_t count,
                            std::uint8_t* out,
                            std::vector<lost_samples>* lost) const
{
    check_read(d_file.path(), d_info.samples, first, count);
    const std::uint64_t end = first + count;
    if (end > d_sound)
        throw damaged_recording(d_damage);
    std::uint64_t done = first; // the block is filled up to here
    const auto skip_to = [&](std::uint64_t time) {
        std::memset(out + (done - first) * sample_bytes, 0, (time - done) * sample_bytes);
        for (std::size_t s = 0; lost && time > done && s < streams; ++s)
            lost->push_back({s, done - first, time - done, loss::missing});
        done = time;
    };
    const auto after = std::upper_bound(d_times.begin(), d_times.end() - 1, first);
    for (auto span = static_cast<std::size_t>(after - d_times.begin()) - 1;
         done < end && span + 1 < d_times.size();
         ++span) {
        const auto loaded = groups_in(span);
        const auto& times = loaded->times;
        const std::uint64_t start = d_times[span];
        const auto from =
            std::lower_bound(times.begin(), times.end(), done - std::min(done, start));
        for (auto g = static_cast<std::size_t>(from - times.begin());
             g < times.size() && start + times[g] < end;
             ++g) {
            skip_to(start + times[g]);
            std::memcpy(out + (done - first) * sample_bytes,
                        loaded->raw.data() + g * group_bytes + 2,
                        sample_bytes);
            ++done;
        }
    }
    skip_to(end);
}

// The first word of most groups is one more than that of the group before.
bool is_mwa32t(const std::string&, const std::vector<std::uint8_t>& start)
{
    constexpr std::size_t least = 64;
    const std::size_t groups = start.size() / group_bytes;
    std::size_t next = 0;
    for (std::size_t g = 1; g < groups; ++g)
        next += steps(word_at(&start[(g - 1) * group_bytes]),
                      word_at(&start[g * group_bytes])) == 1;
    return groups >= least && 4 * next >= 3 * groups;
}

} // namespace

recording_format format_mwa32t()
{
    auto f = described_format<mwa32t_recording>(
        "mwa32t", "complex 5 + 5 bits, 16 inputs and a counter (MWA-32T receiver)");
    f.recognizes = is_mwa32t;
    return f;
}

} // namespace gr::fringe::io
