/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/data_watch.h"
#include "blocks/stacked_input.h"
#include <algorithm>
#include <atomic>
#include <complex>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/fringe/stack.h>
#include <gnuradio/io_signature.h>
#include <mutex>

namespace gr {
namespace fringe {

namespace {

const std::string me = "stack";

class stack_impl : public stack
{
public:
    stack_impl(std::size_t inputs,
               std::size_t block_samples,
               std::size_t sample_bytes,
               double sample_rate,
               double center_frequency,
               const epoch& start_time);

    std::uint64_t samples_sent() const override { return d_sent; }
    std::uint64_t samples_missing() const override { return d_missing; }
    std::uint64_t samples_late() const override { return d_late; }
    std::string error() const override
    {
        std::lock_guard<std::mutex> lock(d_error_mutex);
        return d_error;
    }

    bool start() override
    {
        d_watch.start(d_logger);
        return true;
    }
    bool stop() override
    {
        d_watch.stop();
        return true;
    }
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    using arrivals = std::vector<stacked_input::arrival>;
    arrivals receive(const gr_vector_int& count, const gr_vector_const_void_star& in);
    bool begin(arrivals& from);
    void skip_common_gap();
    std::size_t fill(arrivals& from);
    bool advance(arrivals& from, std::uint8_t* out, std::uint64_t item);
    void send(std::uint8_t* out, std::uint64_t item, std::size_t samples);
    void fail(const std::string& why, std::uint64_t item);
    void keep_totals();
    std::uint8_t* row(std::size_t i) { return &d_rows[i * d_block * d_sample_bytes]; }

    const std::size_t d_block;
    const std::size_t d_sample_bytes;
    double d_freq;
    stack_axis d_axis;
    std::vector<stacked_input> d_inputs;
    std::vector<std::uint8_t> d_rows; // the block under way
    std::vector<invalid_run> d_lost;  // in it
    std::int64_t d_place = 0;         // of its first sample
    bool d_began = false;
    bool d_new_time = true; // the next item starts a stream or follows on a gap of all
    bool d_ended = false;
    data_watch d_watch;
    std::uint64_t d_skipped = 0; // samples left out of all inputs together
    std::atomic<std::uint64_t> d_sent{0}, d_missing{0}, d_late{0};
    mutable std::mutex d_error_mutex;
    std::string d_error;
};

stack_impl::stack_impl(std::size_t inputs,
                       std::size_t block_samples,
                       std::size_t sample_bytes,
                       double sample_rate,
                       double center_frequency,
                       const epoch& start_time)
    : gr::block("fringe_stack",
                gr::io_signature::make(static_cast<int>(inputs),
                                       static_cast<int>(inputs),
                                       static_cast<int>(sample_bytes)),
                gr::io_signature::make(
                    1, 1, item_bytes(me, inputs * block_samples * sample_bytes))),
      d_block(block_samples),
      d_sample_bytes(sample_bytes),
      d_freq(center_frequency),
      d_axis{start_time, sample_rate, false},
      d_rows(inputs * block_samples * sample_bytes),
      d_watch("input", inputs)
{
    for (std::size_t i = 0; i < inputs; ++i) {
        d_inputs.emplace_back(i, sample_bytes, block_samples);
    }
    set_tag_propagation_policy(TPP_DONT);
    use_whole_pages(*this, 0, output_signature()->sizeof_stream_item(0));
}

// Asks for samples of the inputs that hold the block up, but for none as soon as one of
// them has some: streams do not come evenly, and none shall be blocked by another.
void stack_impl::forecast(int, gr_vector_int& required)
{
    std::vector<bool> ended(d_inputs.size());
    std::size_t end = d_block;
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        ended[i] = input_ended(*this, i);
        end = ended[i] ? std::min(end, d_inputs[i].filled()) : end;
    }
    bool work = d_ended || end == 0; // a stream is over, and nothing is left of it
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        const bool there = detail()->input(i)->items_available() > 0;
        const bool wanted = !ended[i] && (!d_began || d_inputs[i].filled() < end);
        required[i] = wanted ? 1 : 0;
        work = work || (d_began && wanted && there);
        d_watch.waiting(i, wanted && !there);
        if (there && wanted) {
            d_watch.arrived(i);
        }
    }
    if (work) {
        std::fill(required.begin(), required.end(), 0);
    }
}

stack_impl::arrivals stack_impl::receive(const gr_vector_int& count,
                                         const gr_vector_const_void_star& in)
{
    arrivals all(d_inputs.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        stacked_input::arrival& a = all[i];
        const bool closed = input_closed(*this, i);
        a.samples = static_cast<const std::uint8_t*>(in[i]);
        a.count = static_cast<std::size_t>(count[i]);
        a.offset = nitems_read(i);
        a.last = closed && detail()->input(i)->items_available() == count[i];
        get_tags_in_range(a.tags, i, a.offset, a.offset + a.count);
        std::stable_sort(a.tags.begin(), a.tags.end(), tag_t::offset_compare);
    }
    return all;
}

// Finds the common start once the first sample of every input is there.
bool stack_impl::begin(arrivals& from)
{
    for (const auto& a : from) {
        if (a.count == 0) {
            d_ended = d_ended || a.last;
            return false;
        }
    }
    std::vector<item_tags> first;
    for (auto& a : from) {
        first.push_back(a.next_tags());
        const item_tags& tags = first.back();
        d_axis.rate = d_axis.rate > 0 ? d_axis.rate : tags.rx_rate.value_or(0);
        d_freq = d_freq != 0 ? d_freq : tags.rx_freq.value_or(0);
        if (tags.rx_time && (!d_axis.dated || d_axis.start < *tags.rx_time)) {
            d_axis.start = *tags.rx_time;
            d_axis.dated = true;
        }
    }
    if (!(d_axis.rate > 0)) {
        throw unstackable("stack: sample_rate: 0: no stream carries rx_rate, so give the "
                          "rate in Hz");
    }
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        d_inputs[i].begin(first[i], d_axis);
    }
    d_logger->info("first data: {:d} inputs at {:f} Hz from {:s} on{:s}",
                   d_inputs.size(),
                   d_axis.rate,
                   d_axis.start.iso(9),
                   d_axis.dated ? "" : " (no stream has an rx_time)");
    d_began = true;
    return true;
}

// Time that no input has samples of is left out, by a new rx_time.
void stack_impl::skip_common_gap()
{
    std::int64_t next = d_inputs[0].next();
    for (const stacked_input& one : d_inputs) {
        if (one.filled() > 0) {
            return;
        }
        next = std::min(next, one.next());
    }
    if (next > d_place) {
        d_skipped += static_cast<std::uint64_t>(next - d_place) * d_inputs.size();
        d_place = next;
        d_new_time = true;
    }
}

// Takes what has come. Returns the length that the block can have: all of it, or what
// there is of the stream that ended first.
std::size_t stack_impl::fill(arrivals& from)
{
    skip_common_gap();
    std::size_t end = d_block;
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        d_inputs[i].fill(from[i], d_axis, d_place, row(i), d_lost);
        const std::string news = d_inputs[i].take_news();
        if (!news.empty()) {
            d_logger->warn("{:s}", news);
        }
        if (from[i].last && from[i].left() == 0) {
            end = std::min(end, d_inputs[i].filled());
        }
    }
    return end;
}

// Goes on with the block under way; true when it was sent.
bool stack_impl::advance(arrivals& from, std::uint8_t* out, std::uint64_t item)
{
    if (!d_began && !begin(from)) {
        return false;
    }
    const std::size_t end = fill(from);
    for (const stacked_input& one : d_inputs) {
        if (one.filled() < end) {
            return false;
        }
    }
    d_ended = end < d_block;
    if (end == 0) {
        return false;
    }
    send(out, item, end);
    return true;
}

void stack_impl::send(std::uint8_t* out, std::uint64_t item, std::size_t samples)
{
    if (d_new_time && d_began) {
        add_item_tag(0,
                     item,
                     tag::rx_time(),
                     tag::from_epoch(d_axis.start.plus_samples(d_place, d_axis.rate)));
        add_item_tag(0, item, tag::rx_rate(), pmt::from_double(d_axis.rate));
        add_item_tag(0, item, tag::rx_freq(), pmt::from_double(d_freq));
        d_new_time = false;
    }
    if (samples < d_block) {
        add_item_tag(0, item, tag::samples(), pmt::from_uint64(samples));
        const std::size_t rest = (d_block - samples) * d_sample_bytes;
        for (std::size_t i = 0; i < d_inputs.size(); ++i) {
            std::fill_n(row(i) + samples * d_sample_bytes, rest, 0);
        }
    }
    std::vector<invalid_run> lost;
    for (invalid_run r : d_lost) {
        if (r.first < samples) {
            r.count = std::min<std::uint64_t>(r.count, samples - r.first);
            lost.push_back(r);
        }
    }
    if (!lost.empty()) {
        add_item_tag(0, item, tag::invalid(), from_invalid(lost));
    }
    std::copy(d_rows.begin(), d_rows.end(), out);
    d_sent += samples;
    d_place += static_cast<std::int64_t>(samples);
    d_lost.clear();
    for (stacked_input& one : d_inputs) {
        one.next_block();
    }
}

// Ends the data. What came before is whole, and is sent by the caller.
void stack_impl::fail(const std::string& why, std::uint64_t item)
{
    d_logger->error("{:s}", why);
    std::lock_guard<std::mutex> lock(d_error_mutex);
    d_error = why;
    d_ended = true;
    add_item_tag(0, item, tag::damaged(), pmt::mp(why));
}

void stack_impl::keep_totals()
{
    std::uint64_t missing = d_skipped, late = 0;
    for (const stacked_input& one : d_inputs) {
        missing += one.missing();
        late += one.late();
    }
    d_missing = missing;
    d_late = late;
}

int stack_impl::general_work(int noutput_items,
                             gr_vector_int& ninput_items,
                             gr_vector_const_void_star& input_items,
                             gr_vector_void_star& output_items)
{
    arrivals from = receive(ninput_items, input_items);
    auto* out = static_cast<std::uint8_t*>(output_items[0]);
    int produced = 0;
    try {
        while (!d_ended && produced < noutput_items &&
               advance(from, out, nitems_written(0) + produced)) {
            out += d_rows.size();
            ++produced;
        }
    } catch (const unstackable& e) {
        std::size_t samples = d_block;
        for (const stacked_input& one : d_inputs) {
            samples = std::min(samples, one.filled());
        }
        const std::uint64_t item = nitems_written(0) + produced++;
        fail(e.what(), item);
        send(out, item, samples);
    }
    keep_totals();
    for (std::size_t i = 0; i < from.size(); ++i) {
        consume(static_cast<int>(i), static_cast<int>(from[i].used));
    }
    return d_ended && produced == 0 ? static_cast<int>(WORK_DONE) : produced;
}

} // namespace

stack::sptr stack::make(std::size_t inputs,
                        std::size_t block_samples,
                        double sample_rate,
                        double center_frequency,
                        const std::string& start_time,
                        bool complex_samples)
{
    require(inputs > 0 && inputs <= 65536, me, "inputs", inputs, "must be 1 ... 65536");
    require(block_samples > 0 && block_samples <= std::size_t(1) << 31,
            me,
            "block_samples",
            block_samples,
            "must be 1 ... 2^31");
    require(sample_rate >= 0 && sample_rate < 1e12,
            me,
            "sample_rate",
            sample_rate,
            "must be a rate in Hz, or 0: as the streams' rx_rate says");
    return gnuradio::make_block_sptr<stack_impl>(
        inputs,
        block_samples,
        complex_samples ? sizeof(std::complex<float>) : sizeof(float),
        sample_rate,
        center_frequency,
        start_time.empty() ? epoch() : epoch::from_iso(start_time));
}

} // namespace fringe
} // namespace gr
