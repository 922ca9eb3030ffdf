/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/guarded_block.h"
#include "blocks/ports/upstream.h"
#include <map>
#include <new>

namespace gr::fringe {

namespace {

std::string words_of(const std::exception_ptr& what)
{
    try {
        std::rethrow_exception(what);
    } catch (const std::bad_alloc&) {
        return "out of memory";
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception that does not say what it is";
    }
}

bool is_mismatch(const std::exception_ptr& what)
{
    try {
        std::rethrow_exception(what);
    } catch (const stream_mismatch&) {
        return true;
    } catch (...) {
        return false;
    }
}

// Failures of blocks that are no guarded_block, by their unique number.
struct reported_failures {
    std::mutex mutex;
    std::map<long, std::string> sentences;
};

reported_failures& reported()
{
    static reported_failures all;
    return all;
}

std::string failure_of(const gr::block& b)
{
    if (const auto* guarded = dynamic_cast<const guarded_block*>(&b)) {
        return guarded->failure();
    }
    std::lock_guard<std::mutex> lock(reported().mutex);
    const auto found = reported().sentences.find(b.unique_id());
    return found == reported().sentences.end() ? "" : found->second;
}

} // namespace

void report_failure(const gr::basic_block& b, const std::string& sentence)
{
    std::lock_guard<std::mutex> lock(reported().mutex);
    if (sentence.empty()) {
        reported().sentences.erase(b.unique_id());
    } else {
        reported().sentences[b.unique_id()] = sentence;
    }
}

void guarded_block::begin_run()
{
    d_streams.restart();
    std::lock_guard<std::mutex> lock(d_mutex);
    d_failure.clear();
}

std::string guarded_block::failure() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_failure;
}

void guarded_block::failed(const gr::block& self,
                           gr::logger& log,
                           const std::exception_ptr& what)
{
    const bool mismatch = is_mismatch(what); // its sentence names the block
    std::lock_guard<std::mutex> lock(d_mutex);
    d_failure = (mismatch ? "" : self.name() + " failed: ") + words_of(what);
    log.error("{:s}", d_failure);
}

std::string flowgraph_failure(const gr::block& b)
{
    const std::string own = failure_of(b);
    if (!own.empty()) {
        return own;
    }
    for (const gr::block_sptr& other : connected(b)) {
        const std::string why = failure_of(*other);
        if (!why.empty()) {
            return why;
        }
    }
    return "";
}

} // namespace gr::fringe
