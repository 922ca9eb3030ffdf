/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/backends.h"
#include "kernels/xengine/cuda/backend.h"
#include "kernels/xengine/cuda/tiles_kernels.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

/*!
 * int8 spectra on tensor cores. What kernels see are whole groups of 128 spectra: groups
 * of which only a part is wanted, and spectra in rows, are brought into tiles of their own
 * before.
 */
class tile_xengine : public xengine
{
public:
    tile_xengine(const cuda_context& c, const xengine_params& p)
        : d_context(c),
          d_p(p),
          d_layout{p.inputs, p.channels, p.block_spectra},
          d_edge_layout{p.inputs, p.channels, tile_layout::width},
          d_plan{static_cast<int>(d_layout.input_groups()), d_layout.planes() == 3},
          d_small{static_cast<int>(d_layout.input_groups())},
          d_kernel(!has_hopper_kernels(c)           ? kernel::mma
                   : p.inputs <= small_plan::inputs ? kernel::small
                                                    : kernel::large),
          d_sums(c, p.channels * sums_per_channel()),
          d_tiles(c, p.layout == spectra_layout::channel_major ? d_layout.bytes() : 0),
          d_edge(c, p.layout == spectra_layout::tensor_tiles ? d_edge_layout.bytes() : 0)
    {
        c.use();
        if (d_kernel == kernel::large) {
            const std::size_t groups = (d_layout.input_groups() + 15) / 16;
            d_next_job = cuda_array<unsigned>(c, 1);
            check_cuda(cudaMemsetAsync(d_next_job.data(), 0, 4, c.compute), "clearing");
            if (d_plan.three) {
                d_stash = cuda_array<std::int8_t>(c, large_stash_bytes(c));
                d_wrapped = cuda_array<std::uint8_t>(c, p.channels * groups);
            }
        }
    }

    std::size_t blocks_together() const override
    {
        return d_kernel == kernel::large && d_p.layout == spectra_layout::tensor_tiles
                   ? tile_blocks_together(d_layout)
                   : 1;
    }

    void accumulate_blocks(const std::vector<const void*>& blocks,
                           std::size_t spectra) override
    {
        if (d_kernel != kernel::large || d_p.layout != spectra_layout::tensor_tiles ||
            spectra != d_p.block_spectra || blocks.size() > large_task::max_blocks) {
            xengine::accumulate_blocks(blocks, spectra);
            return;
        }
        const std::size_t count = blocks.size() * spectra;
        check_exact(d_spectra + count);
        if (blocks.empty()) {
            return;
        }
        d_context.use();
        d_spectra += count;
        add(d_layout, blocks, 0, blocks.size() * d_layout.time_groups());
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        if (first > d_p.block_spectra || count > d_p.block_spectra - first) {
            throw std::invalid_argument("xengine: spectra from " + std::to_string(first) +
                                        " and " + std::to_string(count) +
                                        " in all; there are " +
                                        std::to_string(d_p.block_spectra));
        }
        check_exact(d_spectra + count);
        if (count == 0) {
            return;
        }
        d_context.use();
        d_spectra += count;
        const auto in = static_cast<const std::int8_t*>(spectra);
        if (d_p.layout == spectra_layout::channel_major) {
            launch_to_tiles(
                d_context, d_layout, in, d_p.block_spectra, first, count, d_tiles.data());
            add(d_layout, {d_tiles.data()}, 0, groups(count));
        } else {
            add_tiles(in, first, first + count);
        }
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        if (first > d_p.channels || count > d_p.channels - first) {
            throw std::invalid_argument("xengine: channels from " +
                                        std::to_string(first) + " and " +
                                        std::to_string(count) + " in all; there are " +
                                        std::to_string(d_p.channels));
        }
        d_context.use();
        const auto to = static_cast<std::int32_t*>(out);
        const std::size_t values = 2 * baselines(d_p.inputs);
        if (d_fresh) {
            check_cuda(cudaMemsetAsync(to, 0, count * values * 4, d_context.compute),
                       "reading no sums");
        } else if (d_kernel == kernel::mma) {
            check_cuda(cudaMemcpyAsync(to,
                                       d_sums.data() + first * values,
                                       count * values * sizeof(std::int32_t),
                                       cudaMemcpyDeviceToDevice,
                                       d_context.compute),
                       "reading sums");
        } else if (d_kernel == kernel::small) {
            launch_read_small(d_context, d_layout, d_sums.data(), first, count, to);
        } else {
            launch_read_large(
                d_context, d_layout, d_plan, d_sums.data(), first, count, to);
        }
    }

    void clear() override
    {
        d_fresh = true;
        d_spectra = 0;
    }

private:
    enum class kernel { small, large, mma };
    static constexpr std::size_t width = tile_layout::width;

    static int groups(std::size_t spectra)
    {
        return static_cast<int>((spectra + width - 1) / width);
    }
    std::size_t sums_per_channel() const
    {
        return d_kernel == kernel::small   ? d_small.sums()
               : d_kernel == kernel::large ? d_plan.sums()
                                           : 2 * baselines(d_p.inputs);
    }

    void add_tiles(const std::int8_t* tiles, std::size_t first, std::size_t end)
    {
        // Beyond the end of a block is nothing but zeros.
        const std::size_t whole_end =
            end == d_p.block_spectra ? groups(end) : end / width;
        const std::size_t whole = groups(first);
        if (first % width != 0) {
            const std::size_t from = first / width * width;
            add_edge(tiles, first / width, first - from, std::min(end - from, width));
        }
        if (whole < whole_end) {
            add(d_layout, {tiles}, whole, whole_end - whole);
        }
        if (whole_end * width < end && whole <= whole_end) {
            add_edge(tiles, whole_end, 0, end - whole_end * width);
        }
    }
    void add_edge(const std::int8_t* tiles, int group, int begin, int end)
    {
        launch_mask(d_context, d_layout, tiles, group, begin, end, d_edge.data());
        add(d_edge_layout, {d_edge.data()}, 0, 1);
    }

    //! Groups of some blocks, one behind the other: of several for the large kernel only.
    void add(const tile_layout& layout,
             const std::vector<const void*>& blocks,
             int first,
             int count)
    {
        large_task t{};
        t.layout = layout;
        for (std::size_t n = 0; n < blocks.size(); n++) {
            t.blocks[n] = static_cast<const std::int8_t*>(blocks[n]);
        }
        t.tiles = t.blocks[0];
        t.first = first;
        t.count = count;
        t.sums = d_sums.data();
        t.segments = segments(count);
        t.fresh = d_fresh && d_kernel == kernel::large && t.segments == 1;
        if (d_fresh && !t.fresh) {
            check_cuda(
                cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes(), d_context.compute),
                "clearing sums");
        }
        d_fresh = false;
        if (d_kernel == kernel::mma) {
            launch_mma(d_context, t);
        } else if (d_kernel == kernel::small) {
            launch_small(d_context, t);
        } else {
            if (d_plan.three) {
                launch_wrapped(d_context, t, d_wrapped.data());
            }
            t.plan = d_plan;
            t.wrapped = d_wrapped.data();
            t.stash = reinterpret_cast<int4*>(d_stash.data());
            t.next_job = d_next_job.data();
            t.first_job = d_first_job;
            d_first_job += launch_large(d_context, t);
        }
    }

    //! Pieces of time, lest a few long jobs leave most of the GPU idle.
    int segments(int count) const
    {
        constexpr std::size_t jobs_wanted = 4; // of a multiprocessor
        constexpr int min_groups = 8;
        const bool large = d_kernel == kernel::large;
        const std::size_t jobs =
            d_p.channels * (large ? d_plan.jobs() * d_plan.sharing() : 1);
        const std::size_t wanted =
            (jobs_wanted * d_context.multiprocessors + jobs - 1) / jobs;
        const std::size_t possible = std::max(count / min_groups, 1);
        return static_cast<int>(std::min(wanted, possible));
    }

    const cuda_context& d_context;
    const xengine_params d_p;
    const tile_layout d_layout, d_edge_layout;
    const tile_plan d_plan;
    const small_plan d_small;
    const kernel d_kernel;
    cuda_array<std::int32_t> d_sums;
    cuda_array<std::int8_t> d_tiles; //!< a block that came in rows
    cuda_array<std::int8_t> d_edge;  //!< a group of which not all spectra are wanted
    cuda_array<std::int8_t> d_stash;
    cuda_array<std::uint8_t> d_wrapped;
    cuda_array<unsigned> d_next_job;
    unsigned d_first_job = 0;
    bool d_fresh = true; //!< nothing has been added since clear()
    std::size_t d_spectra = 0;
};

} // namespace

std::unique_ptr<xengine> make_cuda_xengine_i8_tiles(const cuda_context& c,
                                                    const xengine_params& p)
{
    return std::make_unique<tile_xengine>(c, p);
}

} // namespace gr::fringe::kernels
