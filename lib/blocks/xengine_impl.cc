/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/dump_cuts.h"
#include "blocks/block_checks.h"
#include "blocks/integration_message.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/ports/upstream.h"
#include "blocks/rfi/judged_sums.h"
#include "blocks/sum_cutter.h"
#include "blocks/summing_block.h"
#include "kernels/xengine/xengine.h"
#include <algorithm>
#include <gnuradio/fringe/xengine.h>
#include <gnuradio/io_signature.h>
#include <set>
#include <stdexcept>

namespace gr {
namespace fringe {

namespace {

const std::string me = "xengine";

class xengine_impl : public xengine, public summing_block, public sum_cutter
{
public:
    xengine_impl(const kernels::xengine_params& p,
                 std::uint64_t sum_spectra,
                 double dump_seconds,
                 std::uint64_t dump_spectra,
                 std::size_t channels_per_item,
                 kernels::backend backend);

    bool start() override;
    void set_integration(double seconds, std::uint64_t spectra) override
    {
        if (seconds != 0 || spectra != 0) {
            cut_for(own_length, seconds, spectra);
            return;
        }
        gr::thread::scoped_lock guard(d_setlock);
        d_cuts.forget(own_length);
    }
    std::optional<epoch>
    cut_for(long integrator, double seconds, std::uint64_t spectra) override;
    kernels::spectra_layout wanted_layout() const override
    {
        return d_on ? d_on->layout(d_p) : kernels::spectra_layout::rows;
    }

private:
    bool take(const void* in, std::uint64_t item) override;
    void flush() override;
    void tag_sum(std::uint64_t item) override;
    void write_sum(std::size_t first,
                   std::size_t count,
                   const gr_vector_void_star& out) override;
    bool sum_sent() override;
    short_sum& first_sum();
    void opened() override;
    void forget_integrators();
    void forget_unjudged();
    void open_item(std::uint64_t item);
    void judge(const std::vector<cell_run>& cells);
    void describe_sum();
    bool add_some(const void* spectra);
    void end_sum();
    std::uint64_t sum_end() const;

    kernels::xengine_params d_p;
    const kernels::backend d_backend;
    std::unique_ptr<kernels::xengine> d_kernel;
    const std::uint64_t d_sum_spectra;
    //! Where sums end, for each integrator by its number. A parameter of this block stands
    //! for an integrator in another flowgraph.
    array::dump_cuts d_cuts;
    static constexpr long own_length = -1;

    array::timeline d_time;   // of spectra
    std::uint64_t d_next = 0; // next spectrum to come
    bool d_item_open = false; // the tags of the current item were read
    std::uint64_t d_item_spectra = 0, d_item_done = 0;
    std::vector<invalid_run> d_item_invalid;
    std::vector<cell_run> d_item_flagged;

    std::uint64_t d_sum_end = 0; // where the sum under way must end
    short_sum d_sum;
    bool d_late = false; // verdicts on the spectra come behind them
    judged_sums d_judged;
    std::vector<float> d_gains;
    double d_freq = 0;
    pmt::pmt_t d_damaged;
};

xengine_impl::xengine_impl(const kernels::xengine_params& p,
                           std::uint64_t sum_spectra,
                           double dump_seconds,
                           std::uint64_t dump_spectra,
                           std::size_t channels_per_item,
                           kernels::backend backend)
    : gr::block(
          "fringe_xengine",
          gr::io_signature::make(1,
                                 1,
                                 item_bytes(me,
                                            p.inputs * p.channels * p.block_spectra *
                                                kernels::component_bytes(p.in) * 2)),
          gr::io_signature::make(
              1,
              1,
              item_bytes(me, channels_per_item * kernels::baselines(p.inputs) * 8))),
      summing_block(device_of(backend), false, p.channels, channels_per_item),
      d_p(p),
      d_backend(backend),
      d_kernel(kernels::make_xengine(backend, p)),
      d_sum_spectra(sum_spectra),
      d_sum(p.inputs),
      d_judged(p.inputs, p.channels)
{
    const char* component = kernels::component_name(p.in);
    d_streams.expect(0,
                     stream_kind::spectra,
                     {{"inputs", p.inputs},
                      {"channels", p.channels},
                      {"block_spectra", p.block_spectra},
                      {"component", component}});
    d_streams.send(0,
                   stream_kind::sums,
                   {{"inputs", p.inputs},
                    {"channels", p.channels},
                    {"channels_per_item", channels_per_item},
                    {"component", component}});
    if (dump_seconds != 0 || dump_spectra != 0) {
        set_integration(dump_seconds, dump_spectra);
    }
    add_integration_port(
        *this, d_logger, [this](double s, std::uint64_t m) { set_integration(s, m); });
}

// The item under way is gone with its ring, and so may be what was sent of a sum: it is sent
// once more.
bool xengine_impl::start()
{
    d_item_open = false;
    forget_unjudged();
    return summing_block::start();
}

// The verdict on spectra may have been lost on its way.
void xengine_impl::forget_unjudged()
{
    if (!d_late || d_sending) {
        return;
    }
    const std::uint64_t spectra = d_sum.counts.spectra() + d_judged.spectra();
    if (spectra > 0) {
        d_logger->warn("{:d} spectra are left out, which had not been searched for "
                       "interference when the flowgraph was changed",
                       spectra);
    }
    d_judged.forget_all();
    d_kernel->clear();
    d_sum.clear();
}

// The channelizer before says in which layout its spectra come.
void xengine_impl::opened()
{
    if (d_in.layout() != d_p.layout) {
        d_p.layout = d_in.layout();
        d_kernel = kernels::make_xengine(d_backend, d_p);
    }
    forget_integrators();
}

// Integrators that are no longer behind this block need no cuts.
void xengine_impl::forget_integrators()
{
    std::set<long> there{own_length};
    for (const gr::block_sptr& b : connected(*this)) {
        there.insert(b->unique_id());
    }
    d_cuts.keep(there);
}

std::optional<epoch>
xengine_impl::cut_for(long integrator, double seconds, std::uint64_t spectra)
{
    gr::thread::scoped_lock guard(d_setlock);
    if (d_cuts.set(integrator, seconds, spectra, d_next)) {
        d_sum_end = d_next; // the sum under way ends here
    }
    return d_time.started() ? std::optional<epoch>(d_time.at(d_next)) : std::nullopt;
}

// Where a sum that starts with the next spectrum must end.
std::uint64_t xengine_impl::sum_end() const
{
    return d_cuts.end(d_time, d_next, d_sum_spectra);
}

// Reads the tags of the item that comes next. A gap ends the sum before it.
void xengine_impl::open_item(std::uint64_t item)
{
    std::vector<tag_t> found;
    get_tags_in_range(found, 0, item, item + 1);
    item_tags tags(found);
    if (tags.judged) {
        judge(*tags.judged);
    }
    if (const auto start = tags.start(d_time)) {
        const std::uint64_t n = d_time.begin(start->time, start->rate, d_next);
        if (n != d_next) {
            end_sum();
            d_next = n;
        }
    }
    if (!tags.gains.empty() && tags.gains != d_gains) {
        end_sum();
        d_gains = tags.gains;
    }
    d_freq = tags.rx_freq.value_or(d_freq);
    d_damaged = tags.damaged ? tags.damaged : d_damaged;
    d_item_spectra = std::min<std::uint64_t>(tags.spectra.value_or(d_p.block_spectra),
                                             d_p.block_spectra);
    d_item_invalid = tags.invalid;
    d_item_flagged = tags.flagged;
    d_item_done = 0;
    d_item_open = true;
}

// The verdict on all spectra since the last one: what they went into can be sent.
void xengine_impl::judge(const std::vector<cell_run>& cells)
{
    if (d_on) {
        throw std::runtime_error(
            "xengine: the channelizer before judges its spectra late, which a GPU's sums "
            "do not wait for; put a kurtosis_flagger between them");
    }
    if (d_late || !cells.empty()) {
        d_judged.judge(cells, d_sum);
        d_sending = d_judged.any() || d_sum.counts.spectra() > 0;
    }
    d_late = true;
}

// What is known of a sum that begins with the next spectrum.
void xengine_impl::describe_sum()
{
    if (d_time.started()) {
        d_sum.start = d_time.at(d_next);
        d_sum.rate = d_time.rate();
    }
    d_sum.freq = d_freq;
    d_sum.gains = d_gains;
}

// Adds spectra of the open item up to its end or that of the sum; true at the item's end.
bool xengine_impl::add_some(const void* spectra)
{
    if (d_sum.counts.spectra() == 0) {
        describe_sum();
        d_sum_end = sum_end();
    }
    const std::uint64_t count = std::min(d_item_spectra - d_item_done,
                                         d_sum_end > d_next ? d_sum_end - d_next : 0);
    if (count > 0) {
        d_kernel->accumulate(spectra, d_item_done, count);
        d_sum.counts.add(d_item_invalid, d_item_done, count);
        d_sum.flagged.add(d_item_flagged, count, d_sum.counts.last_invalid());
    }
    d_item_done += count;
    d_next += count;
    if (d_next >= d_sum_end) {
        end_sum();
    }
    return d_item_done == d_item_spectra;
}

// The sum under way is sent, or waits for the verdict on its spectra.
void xengine_impl::end_sum()
{
    if (d_sum.counts.spectra() == 0 || d_sending) {
        return;
    }
    if (d_late) {
        d_judged.hold(d_sum, *d_kernel);
        d_sum.clear();
        return;
    }
    d_sending = true;
}

// Sums that were held come first, then the one under way.
short_sum& xengine_impl::first_sum() { return d_judged.any() ? d_judged.first() : d_sum; }

void xengine_impl::tag_sum(std::uint64_t item)
{
    short_sum& sum = first_sum();
    if (sum.counts.spectra() == 0) { // it brings tags only
        describe_sum();
    }
    for (const auto& [key, value] : sum.tags()) {
        add_item_tag(0, item, key, value);
    }
    if (!d_judged.any() && d_damaged) {
        add_item_tag(0, item, tag::damaged(), d_damaged);
        d_damaged = nullptr;
    }
}

void xengine_impl::write_sum(std::size_t first,
                             std::size_t count,
                             const gr_vector_void_star& out)
{
    if (d_judged.any()) {
        d_judged.read_first(first, count, out[0]);
    } else {
        d_kernel->read(first, count, out[0]);
    }
    d_judged.drop(first, count, out[0]);
}

bool xengine_impl::sum_sent()
{
    if (d_judged.any()) {
        d_judged.forget_first();
        if (d_judged.any() || d_sum.counts.spectra() > 0 || d_damaged) {
            return true;
        }
    } else {
        d_kernel->clear();
        d_sum.clear();
    }
    d_judged.forget_verdict();
    return false;
}

bool xengine_impl::take(const void* in, std::uint64_t item)
{
    if (!d_item_open) {
        open_item(item);
        if (d_sending) { // sums before a gap, or judged by now
            return false;
        }
    }
    d_item_open = !add_some(in);
    return !d_item_open;
}

void xengine_impl::flush()
{
    if (!d_late) {
        end_sum();
    }
    // News of damage must arrive even when there is no sum left to carry it.
    d_sending = d_judged.any() || d_sum.counts.spectra() > 0 || d_damaged;
}

} // namespace

xengine::sptr xengine::make(std::size_t inputs,
                            std::size_t channels,
                            std::size_t block_spectra,
                            const std::string& component,
                            std::uint64_t sum_spectra,
                            double dump_seconds,
                            std::uint64_t dump_spectra,
                            std::size_t channels_per_item,
                            const std::string& backend)
{
    kernels::xengine_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = item_spectra(block_spectra, inputs, channels);
    p.in = kernels::component_from_name(component);
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    require(sum_spectra > 0, me, "sum_spectra", sum_spectra, "must be at least 1");
    require(
        p.in != kernels::component::i8 ||
            sum_spectra <= kernels::xengine::max_exact_spectra,
        me,
        "sum_spectra",
        sum_spectra,
        "int32 sums of int8 products are exact up to 65535 spectra; the integrator adds "
        "them up further");
    return gnuradio::make_block_sptr<xengine_impl>(
        p,
        sum_spectra,
        dump_seconds,
        dump_spectra,
        item_channels(me, channels_per_item, inputs, channels),
        kernels::backend_from_name(backend));
}

} // namespace fringe
} // namespace gr
