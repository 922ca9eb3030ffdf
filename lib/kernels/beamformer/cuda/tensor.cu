/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/beamformer/cuda/tensor_consumer.cuh"

namespace gr::fringe::kernels {

namespace {

using namespace beams;

template <bool Form, int Halves, int Parts>
__global__ void __launch_bounds__(threads, 1)
    form_beams(const __grid_constant__ beam_task task)
{
#if defined(FRINGE_HOPPER)
    using plan = stage_plan<Halves, Parts>;
    using my_ring = ring<plan::stages>;
    extern __shared__ char memory[];
    char* const bytes = memory + (1024 - shared_address(memory) % 1024) % 1024;
    my_ring& r = *reinterpret_cast<my_ring*>(bytes + plan::stages * plan::bytes);
    auto* const lists = reinterpret_cast<std::uint16_t*>(&r + 1);
    const job j(task);
    const beam_block& block = j.block();
    if (threadIdx.x == 0) {
        for (int k = 0; k < plan::stages; k++) {
            init_barrier(&r.full[k], warpgroup + 1);
            init_barrier(&r.empty[k], 2 * warpgroup / (warps_arrive ? 32 : 1));
        }
    }
    for (int half = 0; half < (Halves == 1 ? 2 : 1); half++) {
        for (unsigned n = threadIdx.x; n < block.counts[half]; n += threads) {
            lists[(half ? block.counts[0] : 0) + n] =
                task.w.lists[block.inputs[half] + n];
        }
    }
    publish_barriers();
    __syncthreads();
    if (threadIdx.x < warpgroup) {
        fewer_registers<40>();
        produce<Halves, Parts>(j, bytes, r, lists);
    } else {
        more_registers<232>();
        consumer<Form, Halves, Parts>(
            j, bytes, r, static_cast<int>(threadIdx.x) / warpgroup - 1)
            .consume();
    }
    if constexpr (!Form) {
        __syncthreads();
        if (threadIdx.x < 2 * beam_block::half) {
            send<Halves>(j, r, threadIdx.x);
        }
    }
#endif
}

template <bool Form, int Halves, int Parts>
void launch(const cuda_context& c, const beam_task& t)
{
    using plan = stage_plan<Halves, Parts>;
    const auto kernel = form_beams<Form, Halves, Parts>;
    const std::size_t bytes = 1024 + plan::stages * plan::bytes +
                              sizeof(ring<plan::stages>) +
                              t.w.longest * sizeof(std::uint16_t);
    check_cuda(cudaFuncSetAttribute(kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)),
               "shared memory for beams");
    const std::size_t blocks = t.p.channels * t.w.count * t.time_parts;
    kernel<<<static_cast<unsigned>(blocks), threads, bytes, c.compute>>>(t);
    check_launch("beams by tensor cores");
}

template <bool Form>
void launch(const cuda_context& c, const beam_task& t)
{
    if (t.p.pairs) {
        t.w.parts == 2 ? launch<Form, 1, 2>(c, t) : launch<Form, 1, 1>(c, t);
    } else {
        t.w.parts == 2 ? launch<Form, 2, 2>(c, t) : launch<Form, 2, 1>(c, t);
    }
}

} // namespace

void launch_tensor(const cuda_context& c, const beam_task& t)
{
    t.beams ? launch<true>(c, t) : launch<false>(c, t);
}

} // namespace gr::fringe::kernels
