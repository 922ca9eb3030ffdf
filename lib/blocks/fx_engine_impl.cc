/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/cell_judge.h"
#include "blocks/channelizer_params.h"
#include "blocks/guarded_block.h"
#include "blocks/integration_message.h"
#include "blocks/items_ahead.h"
#include "blocks/occupancy_port.h"
#include "blocks/planned_corrections.h"
#include "blocks/raw_input.h"
#include "blocks/recorded_blocks.h"
#include "blocks/short_sum.h"
#include "blocks/stream_kinds.h"
#include "blocks/sum_cutter.h"
#include "blocks/upstream.h"
#include "kernels/channelizer/backends.h"
#include "stages/flagged_cells.h"
#include "stages/fx_workers.h"
#include "stages/stretch_plan.h"
#include <algorithm>
#include <cstring>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/fringe/fx_engine.h>
#include <gnuradio/fringe/threads.h>
#include <gnuradio/fringe/xengine.h>
#include <gnuradio/io_signature.h>

namespace gr {
namespace fringe {

namespace {

const std::string me = "fx_engine";

constexpr std::size_t longest_f32_sum = 4096; // so that float32 keeps its precision
constexpr std::size_t aimed_spectra = 768;    // of a stretch: begins cost half a per cent
constexpr std::size_t sums_bytes = 64 << 20;  // of a stretch

stretch_settings plan_settings(const fx_worker_settings& w,
                               const tracking::sptr& towards,
                               const std::optional<kurtosis_search>& flag,
                               double dump_seconds,
                               std::uint64_t dump_spectra)
{
    stretch_settings s;
    s.f = w.f;
    s.towards = towards;
    s.longest_sum =
        w.f.requantize_bits ? kernels::xengine::max_exact_spectra : longest_f32_sum;
    s.stretch_spectra = std::max(aimed_spectra, 2 * w.f.block_spectra);
    s.max_sums = std::max<std::size_t>(
        sums_bytes / (8 * w.f.channels * kernels::baselines(w.f.inputs)), 1);
    s.window = flag ? flag->window_of(w.f.inputs) : 0;
    s.dump_seconds = dump_seconds;
    s.dump_spectra = dump_spectra;
    s.mean_blocks = w.mean_blocks;
    return s;
}

class fx_engine_impl : public fx_engine, public guarded_block, public sum_cutter
{
public:
    fx_engine_impl(const fx_worker_settings& settings,
                   const stretch_settings& plan,
                   const std::optional<kurtosis_search>& flag,
                   std::size_t channels_per_item,
                   const file_source::sptr& recording,
                   unsigned threads);

    void set_integration(double seconds, std::uint64_t spectra) override
    {
        cut_for(stretch_plan::of_settings, seconds, spectra);
    }
    std::optional<epoch>
    cut_for(long integrator, double seconds, std::uint64_t spectra) override;
    void set_corrections(const std::vector<std::complex<float>>& corrections,
                         const epoch& from) override;
    loss_counter::counts losses() const override { return d_raw.losses(); }
    std::vector<std::uint64_t> saturated() const override
    {
        std::lock_guard<std::mutex> lock(d_counts_mutex);
        return d_clipped;
    }
    std::uint64_t judged() const override
    {
        return d_search ? d_search->occupancy().spectra() : 0;
    }
    std::vector<std::uint64_t> flagged() const override
    {
        return d_search ? d_search->occupancy().flagged() : std::vector<std::uint64_t>();
    }
    std::map<std::string, std::vector<std::uint64_t>> cells() const override
    {
        return d_search ? d_search->occupancy().cells()
                        : std::map<std::string, std::vector<std::uint64_t>>();
    }

    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    struct finished_sum {
        short_sum sum;
        buffer_pool::buffer values;
    };

    void forget_integrators();
    int work_on(int space, int available, const void* in, void* out);
    void take_item(const void* in, std::uint64_t item);
    void plan_item(const void* in, std::uint64_t item);
    void collect(stretch_sums done);
    void end_damaged(const std::string& sentence);
    void search(const stretch_sums& done, std::vector<finished_sum>& sums);
    void send_item(void* out, std::uint64_t item);
    bool plan_recorded();
    fx_worker_settings reading(fx_worker_settings s);
    bool ended(int available) const;
    void finish_data();
    void wake();

    const fx_worker_settings d_settings;
    const file_source::sptr d_recording; // null: samples come through the port
    recorded_blocks* const d_recorded;   // the same
    std::uint64_t d_position = 0;        // of its next block
    const std::size_t d_item_bytes, d_channels_per_item, d_max_tasks;
    const bool d_drop;
    const bool d_counts_losses; // no other block does, of this recording
    stretch_plan d_plan;
    std::optional<cell_judge> d_search;
    raw_input d_raw;
    pmt::pmt_t d_damaged;
    bool d_data_ended = false;
    std::exception_ptr d_failed; // what ended the data

    buffer_pool d_blocks;
    std::deque<finished_sum> d_finished;
    std::size_t d_sent_channels = 0; // of the first of them

    mutable std::mutex d_counts_mutex;
    std::vector<std::uint64_t> d_saturated, d_clipped; // [input]
    fx_workers d_workers; // the last: its threads end before anything else does
};

fx_engine_impl::fx_engine_impl(const fx_worker_settings& settings,
                               const stretch_settings& plan,
                               const std::optional<kurtosis_search>& flag,
                               std::size_t channels_per_item,
                               const file_source::sptr& recording,
                               unsigned threads)
    : gr::block(
          "fringe_fx_engine",
          gr::io_signature::make(
              recording ? 0 : 1,
              recording ? 0 : 1,
              item_bytes(
                  me,
                  settings.u.from.bytes(settings.f.inputs, settings.u.block_samples))),
          gr::io_signature::make(
              1,
              1,
              item_bytes(me,
                         channels_per_item * kernels::baselines(settings.f.inputs) * 8))),
      d_settings(settings),
      d_recording(recording),
      d_recorded(dynamic_cast<recorded_blocks*>(recording.get())),
      d_item_bytes(settings.u.from.bytes(settings.f.inputs, settings.u.block_samples)),
      d_channels_per_item(channels_per_item),
      d_max_tasks(2 * threads),
      d_drop(flag && flag->drop),
      d_counts_losses(d_recorded && d_recorded->claim_losses()),
      d_plan(plan),
      d_raw(*this,
            settings.f.inputs,
            [this](bool) {
                std::lock_guard<std::mutex> lock(d_counts_mutex);
                return d_saturated;
            }),
      d_saturated(settings.f.inputs),
      d_clipped(settings.f.inputs),
      d_workers(reading(settings), threads, [this] { wake(); })
{
    set_tag_propagation_policy(TPP_DONT);
    use_whole_pages(*this, 0, output_signature()->sizeof_stream_item(0));
    // GNU Radio makes the ring before a block twice as long as what it seems to take at
    // once. Two items are too few for a source to run ahead.
    if (!recording) {
        set_relative_rate(1, std::max<std::size_t>(items_ahead(d_item_bytes) / 2, 1));
    }
    if (flag) {
        d_search.emplace(
            detector_of("channelizer", *flag, settings.f.inputs, settings.f.channels),
            flag->period);
    }
    const fx_worker_settings& w = settings;
    stream_description wanted{alias(),
                              stream_kind::raw,
                              d_item_bytes,
                              {{"format", w.u.from.name},
                               {"inputs", w.f.inputs},
                               {"files", w.u.files},
                               {"block_samples", w.u.block_samples}}};
    d_streams.expect(0, wanted.kind, wanted.fields);
    if (d_recorded) {
        const stream_description recorded = d_recorded->description();
        wanted.item_bytes = recorded.item_bytes; // of other fields it may be another
        const std::string why = mismatch(wanted, recorded);
        if (!why.empty()) {
            throw std::invalid_argument(why);
        }
    }
    d_streams.send(0,
                   stream_kind::sums,
                   {{"inputs", w.f.inputs},
                    {"channels", w.f.channels},
                    {"channels_per_item", channels_per_item},
                    {"component", kernels::component_name(w.x.in)},
                    {"complex_samples", w.f.complex_samples},
                    {"taps", w.f.taps},
                    {"window", w.f.window},
                    {"sample_bits", w.u.from.bits / (w.u.from.is_complex ? 2 : 1)}});
    message_port_register_out(occupancy_port());
    add_integration_port(
        *this, d_logger, [this](double s, std::uint64_t m) { set_integration(s, m); });
    add_corrections_port(*this, d_logger, [this](planned_corrections::change c) {
        set_corrections(c.factors, c.from);
    });
}

std::optional<epoch>
fx_engine_impl::cut_for(long integrator, double seconds, std::uint64_t spectra)
{
    array::dump_clock(seconds, spectra); // refuses what makes no sense, here and now
    gr::thread::scoped_lock guard(d_setlock);
    return d_plan.set_dumps(integrator, seconds, spectra);
}

// Integrators that are no longer behind this block need no cuts.
void fx_engine_impl::forget_integrators()
{
    std::set<long> there;
    for (const gr::block_sptr& b : connected(*this)) {
        there.insert(b->unique_id());
    }
    gr::thread::scoped_lock guard(d_setlock);
    d_plan.keep_integrators(there);
}

void fx_engine_impl::set_corrections(const std::vector<std::complex<float>>& corrections,
                                     const epoch& from)
{
    kernels::check_corrections(d_settings.f, corrections);
    gr::thread::scoped_lock guard(d_setlock);
    d_plan.set_corrections(corrections, from);
}

bool fx_engine_impl::start()
{
    begin_run();
    forget_integrators();
    d_sent_channels = 0; // a sum that was being sent is sent once more
    if (!d_recorded) {
        d_raw.start(d_logger);
    }
    return true;
}

bool fx_engine_impl::stop()
{
    d_raw.stop();
    return true;
}

// A task has ended: work() is called although nothing new may have come in. Called by the
// threads of the pool.
void fx_engine_impl::wake()
{
    if (const auto detail = this->detail()) {
        detail->d_tpb.notify_msg();
    }
}

void fx_engine_impl::forecast(int, gr_vector_int& required)
{
    if (d_recorded) {
        return;
    }
    d_raw.waiting(detail()->input(0)->items_available() > 0);
    const bool something_to_send = !d_finished.empty() || d_workers.ready();
    required[0] = something_to_send || input_closed(*this) ? 0 : 1;
}

int fx_engine_impl::general_work(int noutput_items,
                                 gr_vector_int& ninput_items,
                                 gr_vector_const_void_star& input_items,
                                 gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        return d_recorded
                   ? work_on(noutput_items, 0, nullptr, output_items[0])
                   : work_on(
                         noutput_items, ninput_items[0], input_items[0], output_items[0]);
    });
}

// Plans what comes in, hands stretches to the workers and sends what they have finished, in
// the order of the stream. Waits only where nothing else can be done: for a worker when all
// of them have enough to do, or when the data have ended.
int fx_engine_impl::work_on(int space, int available, const void* in, void* out)
{
    gr::thread::scoped_lock lock(d_setlock);
    const std::size_t size = output_signature()->sizeof_stream_item(0);
    int produced = 0, taken = 0;
    bool over = false, waited = false;
    after_items(produced, [&] {
        // After a wait whoever stops the flowgraph or changes a setting has a turn.
        while (!over && !(waited && d_finished.empty())) {
            const bool full = d_workers.size() >= d_max_tasks;
            if (!d_finished.empty()) {
                if (produced == space) {
                    break;
                }
                send_item(static_cast<char*>(out) + produced * size,
                          nitems_written(0) + produced);
                ++produced;
            } else if (d_workers.ready() || (full && d_plan.ready())) {
                collect(d_workers.take());
                waited = true;
            } else if (d_plan.ready()) {
                d_workers.put(d_plan.take());
            } else if (taken < available && !d_failed) {
                take_item(static_cast<const char*>(in) + taken * d_item_bytes,
                          nitems_read(0) + taken);
                ++taken;
            } else if (d_recorded && !d_data_ended && plan_recorded()) {
                // There may be a stretch now.
            } else if (d_failed || ended(available)) {
                if (d_workers.size() > 0) {
                    collect(d_workers.take());
                    waited = true;
                } else if (!d_data_ended) {
                    d_data_ended = true;
                    d_plan.end();
                } else if (d_failed) {
                    std::rethrow_exception(d_failed);
                } else {
                    finish_data();
                    over = d_finished.empty();
                }
            } else {
                break;
            }
        }
    });
    if (!d_recorded) {
        consume_each(taken);
    }
    d_raw.tell();
    return over && produced == 0 ? static_cast<int>(WORK_DONE) : produced;
}

// No more samples will come.
bool fx_engine_impl::ended(int available) const
{
    return d_recorded || (available == 0 && input_ended(*this));
}

// The workers read the blocks of a recording themselves.
fx_worker_settings fx_engine_impl::reading(fx_worker_settings s)
{
    s.read = [this](const raw_block& block,
                    std::uint8_t* out,
                    std::vector<invalid_run>& invalid) {
        std::vector<io::lost_samples> lost;
        try {
            d_recorded->read_at(block.position, out, lost);
        } catch (const io::damaged_recording& e) {
            throw damaged_block(e.what());
        }
        for (const io::lost_samples& l : lost) {
            invalid.push_back({d_settings.u.rows[l.stream], l.first, l.count});
        }
        if (d_counts_losses && !block.counted.exchange(true)) {
            d_recorded->count_lost(lost);
        }
    };
    return s;
}

// Plans the next block of the recording; false at its end.
bool fx_engine_impl::plan_recorded()
{
    const std::size_t samples = d_recorded->samples_at(d_position);
    if (samples == 0) {
        return false;
    }
    if (d_position == 0) {
        d_plan.set_frequency(d_recording->center_frequency());
        d_plan.begin(d_recording->start_time(), d_recording->sample_rate());
    }
    auto block = std::make_shared<raw_block>();
    block->position = d_position;
    block->samples = samples;
    d_position += samples;
    d_raw.count(samples);
    d_recorded->taken_until(d_position);
    d_plan.add(std::move(block));
    return true;
}

// What fails here ends the data behind the items that came before.
void fx_engine_impl::take_item(const void* in, std::uint64_t item)
{
    try {
        plan_item(in, item);
    } catch (const std::exception&) {
        d_failed = std::current_exception();
    }
}

void fx_engine_impl::plan_item(const void* in, std::uint64_t item)
{
    std::vector<tag_t> found;
    get_tags_in_range(found, 0, item, item + 1);
    const item_tags tags(found);
    if (tags.rx_freq) {
        d_plan.set_frequency(*tags.rx_freq);
    }
    if (const auto start = tags.start(d_plan.time())) {
        if (const auto missing = d_plan.begin(start->time, start->rate)) {
            d_logger->warn("gap: {:d} samples of every input are missing", missing);
        }
    }
    d_damaged = tags.damaged ? tags.damaged : d_damaged;
    d_data_ended = false;
    auto block = std::make_shared<raw_block>();
    block->bytes = d_blocks.take(d_item_bytes);
    std::memcpy(block->bytes->data(), in, d_item_bytes);
    block->samples = std::min<std::uint64_t>(
        tags.samples.value_or(d_settings.u.block_samples), d_settings.u.block_samples);
    block->invalid = runs_of_inputs(tags.invalid, d_settings.u.rows);
    d_raw.took(tags, block->samples);
    d_plan.add(std::move(block));
}

// Takes over what a worker made of the oldest stretch.
void fx_engine_impl::collect(stretch_sums done)
{
    std::vector<finished_sum> sums;
    for (stretch_sums::sum& one : done.sums) {
        finished_sum next{short_sum(d_settings.f.inputs), std::move(one.values)};
        next.sum.start = one.of.start;
        next.sum.rate = one.of.rate;
        next.sum.freq = one.frequency;
        next.sum.counts = std::move(one.counts);
        if (d_settings.f.requantize_bits) {
            next.sum.gains = d_settings.f.gains;
            next.sum.gains.resize(d_settings.f.inputs, 1.0f);
        }
        sums.push_back(std::move(next));
    }
    search(done, sums);
    if (!done.damaged.empty()) {
        end_damaged(done.damaged);
    }
    std::move(sums.begin(), sums.end(), std::back_inserter(d_finished));
    std::lock_guard<std::mutex> lock(d_counts_mutex);
    for (std::size_t i = 0; i < d_settings.f.inputs; ++i) {
        d_saturated[i] += done.saturated[i];
        d_clipped[i] += done.clipped[i];
    }
}

// The recording cannot be read any further: what was planned behind that place is dropped.
void fx_engine_impl::end_damaged(const std::string& sentence)
{
    d_recorded->end_damaged(sentence);
    d_damaged = pmt::mp(sentence);
    d_data_ended = true;
    while (d_workers.size() > 0) {
        d_workers.take();
    }
    while (d_plan.ready()) {
        d_plan.take();
    }
}

// Looks for interference in the windows of a stretch, and leaves it out of their sums.
void fx_engine_impl::search(const stretch_sums& done, std::vector<finished_sum>& sums)
{
    auto sum = sums.begin();
    for (const stretch_sums::window& window : done.windows) {
        const auto end = sum + static_cast<std::ptrdiff_t>(window.sums);
        counted_spectra counted{0, window.valid};
        for (auto k = sum; k != end; ++k) {
            counted.spectra += k->sum.counts.spectra();
        }
        const auto& causes = d_search->judge(window.s1.data(),
                                             window.s2.data(),
                                             counted,
                                             sum->sum.start.value_or(epoch()),
                                             sum->sum.rate);
        const auto cells = d_drop ? runs_of(causes) : std::vector<cell_run>();
        for (; sum != end; ++sum) {
            clear_flagged(
                cells, d_settings.f.inputs, d_settings.f.channels, sum->values->data());
            sum->sum.flag(cells);
        }
        if (const auto message = d_search->message(false)) {
            message_port_pub(occupancy_port(), message);
        }
    }
}

// Writes one item of the first finished sum.
void fx_engine_impl::send_item(void* out, std::uint64_t item)
{
    const finished_sum& first = d_finished.front();
    if (d_sent_channels == 0) {
        for (const auto& [key, value] : first.sum.tags()) {
            add_item_tag(0, item, key, value);
        }
        if (first.sum.counts.spectra() == 0) {
            add_item_tag(0, item, tag::damaged(), d_damaged);
        }
    }
    const std::size_t size = output_signature()->sizeof_stream_item(0);
    std::memcpy(
        out, first.values->data() + d_sent_channels / d_channels_per_item * size, size);
    d_sent_channels += d_channels_per_item;
    if (d_sent_channels == d_settings.f.channels) {
        d_sent_channels = 0;
        d_damaged = first.sum.counts.spectra() == 0 ? nullptr : d_damaged;
        d_finished.pop_front();
    }
}

// All sums were sent. What is left to say goes with a sum of no spectra.
void fx_engine_impl::finish_data()
{
    if (d_search) {
        if (const auto message = d_search->message(true)) {
            message_port_pub(occupancy_port(), message);
        }
    }
    d_raw.tell_end();
    if (d_damaged) {
        const std::size_t bytes =
            8 * d_settings.f.channels * kernels::baselines(d_settings.f.inputs);
        d_finished.push_back({short_sum(d_settings.f.inputs), d_blocks.take(bytes)});
        std::fill_n(d_finished.back().values->data(), bytes, 0);
    }
}

} // namespace

fx_engine::sptr fx_engine::make(const std::string& format,
                                std::size_t inputs,
                                std::size_t channels,
                                std::size_t block_spectra,
                                unsigned taps,
                                const std::string& window,
                                const std::string& requantize,
                                const std::vector<float>& gains,
                                const std::vector<bool>& conjugate,
                                const std::vector<std::complex<float>>& corrections,
                                std::size_t files,
                                const std::vector<std::size_t>& streams,
                                double dump_seconds,
                                std::uint64_t dump_spectra,
                                std::size_t channels_per_item,
                                const tracking::sptr& towards,
                                const std::optional<kurtosis_search>& flag,
                                const std::string& backend,
                                const file_source::sptr& recording,
                                int threads,
                                std::size_t mean_blocks)
{
    require(threads >= 0 && threads <= 1024,
            me,
            "threads",
            threads,
            "must be 1 to 1024, or 0 for as many as set_threads() says");
    fx_worker_settings s;
    s.backend = kernels::backend_from_name(backend);
    require(s.backend != kernels::backend::cuda,
            me,
            "backend",
            backend,
            "must be cpu or generic; unpack, channelizer and xengine run on a GPU");
    block_spectra = item_spectra(block_spectra, inputs, channels);
    const std::size_t samples = block_spectra * channels;
    s.u = unpacker_params_of(format,
                             inputs,
                             std::max<std::size_t>(samples, 1),
                             mean_blocks > 0 ? "f32" : "auto",
                             files,
                             streams);
    s.mean_blocks = mean_blocks;
    if (!s.u.from.is_complex) {
        s.u.block_samples *= 2;
    }
    s.f = channelizer_params_of(inputs,
                                channels,
                                block_spectra,
                                s.u.from.is_complex,
                                kernels::component_name(s.u.to),
                                taps,
                                window,
                                requantize,
                                gains,
                                conjugate,
                                corrections,
                                towards,
                                flag.has_value());
    s.x = {inputs,
           channels,
           block_spectra,
           s.f.requantize_bits ? kernels::component::i8 : kernels::component::f32,
           kernels::spectra_layout::rows};
    s.choose_layout();
    return gnuradio::make_block_sptr<fx_engine_impl>(
        s,
        plan_settings(s, towards, flag, dump_seconds, dump_spectra),
        flag,
        item_channels(me, channels_per_item, inputs, channels),
        recording,
        static_cast<unsigned>(threads > 0 ? threads : fringe::threads()));
}

} // namespace fringe
} // namespace gr
