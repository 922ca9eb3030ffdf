/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/base/guarded_block.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "kernels/base/types.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <gnuradio/fringe/baseline_select.h>
#include <gnuradio/io_signature.h>
#include <vector>

namespace gr::fringe {

namespace {

const std::string me = "baseline_select";

class baseline_select_impl : public baseline_select, public guarded_block
{
public:
    baseline_select_impl(std::size_t inputs,
                         std::size_t channels,
                         std::size_t i,
                         std::size_t j,
                         bool normalize,
                         std::size_t channels_per_item)
        : gr::block("fringe_baseline_select",
                    gr::io_signature::make(
                        1,
                        1,
                        item_bytes(me,
                                   channels_per_item * kernels::baselines(inputs) *
                                       sizeof(std::complex<float>))),
                    gr::io_signature::make(
                        1, 1, item_bytes(me, channels * sizeof(std::complex<float>)))),
          d_inputs(inputs),
          d_channels(channels),
          d_per_item(channels_per_item),
          d_normalize(normalize)
    {
        d_streams.expect(0,
                         stream_kind::visibilities,
                         dump_fields(inputs, channels, channels_per_item));
        d_streams.send(0, stream_kind::one_baseline, {{"channels", channels}});
        // Several items in, one vector out: rx_time is moved by hand.
        set_tag_propagation_policy(TPP_DONT);
        use_whole_pages(*this, 0, channels * sizeof(std::complex<float>));
        set_baseline(i, j);
    }

    bool start() override
    {
        begin_run();
        d_spectrum.clear(); // the rest of that dump is gone with its ring
        return true;
    }

    void set_baseline(std::size_t i, std::size_t j) override
    {
        for (const std::size_t k : {i, j}) {
            require(k < d_inputs,
                    me,
                    "baseline",
                    k,
                    "inputs are numbered 0 ... " + std::to_string(d_inputs - 1));
        }
        gr::thread::scoped_lock guard(d_setlock);
        d_new_i = i;
        d_new_j = j;
    }

    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override
    {
        return guard(*this, *d_logger, ninput_items, [&] {
            return select(noutput_items,
                          ninput_items[0],
                          static_cast<const std::complex<float>*>(input_items[0]),
                          static_cast<std::complex<float>*>(output_items[0]));
        });
    }

private:
    int select(int noutput_items,
               int available,
               const std::complex<float>* in,
               std::complex<float>* out);
    std::complex<float> value(const std::complex<float>* row) const;

    const std::size_t d_inputs;
    const std::size_t d_channels;
    const std::size_t d_per_item;
    const bool d_normalize;
    std::size_t d_new_i = 0, d_new_j = 0; // as asked
    std::size_t d_i = 0, d_j = 0;         // of the dump under way
    std::vector<std::complex<float>> d_spectrum;
};

std::complex<float> baseline_select_impl::value(const std::complex<float>* row) const
{
    const auto at = [&](std::size_t a, std::size_t b) {
        return row[kernels::baseline_index(a, b, d_inputs)];
    };
    const auto v = d_i <= d_j ? at(d_i, d_j) : std::conj(at(d_j, d_i));
    if (!d_normalize) {
        return v;
    }
    const float power = at(d_i, d_i).real() * at(d_j, d_j).real();
    return power > 0 ? v / std::sqrt(power) : 0;
}

int baseline_select_impl::select(int noutput_items,
                                 int available,
                                 const std::complex<float>* in,
                                 std::complex<float>* out)
{
    gr::thread::scoped_lock lock(d_setlock);
    const std::size_t row = kernels::baselines(d_inputs);
    int consumed = 0, produced = 0;
    while (produced < noutput_items && consumed < available) {
        if (d_spectrum.empty()) {
            d_i = d_new_i;
            d_j = d_new_j;
            for (const tag_t& t : tags_of(*this, 0, nitems_read(0) + consumed)) {
                if (!pmt::eq(t.key, tag::stream())) { // the output has its own
                    add_item_tag(0, nitems_written(0) + produced, t.key, t.value);
                }
            }
        }
        for (std::size_t c = 0; c < d_per_item; ++c, in += row) {
            d_spectrum.push_back(value(in));
        }
        ++consumed;
        if (d_spectrum.size() == d_channels) {
            out = std::copy(d_spectrum.begin(), d_spectrum.end(), out);
            d_spectrum.clear();
            ++produced;
        }
    }
    consume_each(consumed);
    return produced;
}

} // namespace

baseline_select::sptr baseline_select::make(std::size_t inputs,
                                            std::size_t channels,
                                            std::size_t i,
                                            std::size_t j,
                                            bool normalize,
                                            std::size_t channels_per_item)
{
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    return gnuradio::make_block_sptr<baseline_select_impl>(
        inputs,
        channels,
        i,
        j,
        normalize,
        item_channels(me, channels_per_item, inputs, channels));
}

} // namespace gr::fringe
