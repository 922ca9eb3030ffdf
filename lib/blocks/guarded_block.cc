/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/guarded_block.h"
#include "blocks/upstream.h"
#include <new>

namespace gr {
namespace fringe {

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

} // namespace

std::string guarded_block::failure() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_failure;
}

void guarded_block::failed(const gr::block& self,
                           gr::logger& log,
                           const std::exception_ptr& what)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_failure = self.name() + " failed: " + words_of(what);
    log.error("{:s}", d_failure);
}

std::string failure_upstream(const gr::block& b)
{
    for (const gr::block_sptr& one : upstream(b)) {
        const auto* guarded = dynamic_cast<const guarded_block*>(one.get());
        if (guarded && !guarded->failure().empty()) {
            return guarded->failure();
        }
    }
    return "";
}

} // namespace fringe
} // namespace gr
