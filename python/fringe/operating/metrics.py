#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Every metric that there is: its name, kind and help, once, for /metrics and for the table."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class metric:
    """One metric, as Prometheus has them: its name ends with its unit, and with _total where it
    only grows."""
    name: str
    title: str  #: in the table
    help: str  #: in /metrics
    unit: str = ""  #: in the table: "s", "bytes", "%" of a ratio
    of: str = ""  #: the metric that this one is a part of, of the same block

    @property
    def kind(self):
        """counter or gauge."""
        return "counter" if self.name.endswith("_total") else "gauge"


_METRICS = (
    metric("fringe_build_info", "version", "The version of gr-fringe, and what the correlator runs "
           "on, as labels; always 1."),
    # What comes in.
    metric("fringe_samples_total", "samples", "Samples of every input that were read; spectra, "
           "where the packets have spectra."),
    metric("fringe_packets_total", "packets", "Packets by cause: good, missing, late, duplicate, "
           "garbled, dropped (the flowgraph is too slow), foreign, kernel_dropped."),
    metric("fringe_stream_restarts_total", "restarts of the senders",
           "Times that the packets began again with another time."),
    metric("fringe_sample_faults_total", "samples with faults",
           "Samples of each input with a fault, by cause: missing, late, garbled, dropped and "
           "invalid are left out, blanked too; saturated and clipped ones were used."),
    metric("fringe_spectra_missing_total", "spectra missing",
           "Spectra that were expected and never came (gaps)."),
    # Interference.
    metric("fringe_cells_searched_total", "cells of spectra searched",
           "Cells of spectra (a channel of an input for a while) searched for interference."),
    metric("fringe_cells_flagged_total", "cells of spectra left out",
           "Cells of spectra left out as interference, by cause; any: by one cause or more.",
           of="fringe_cells_searched_total"),
    metric("fringe_visibilities_searched_total", "visibilities searched",
           "Visibilities searched for interference."),
    metric("fringe_visibilities_flagged_total", "visibilities flagged",
           "Visibilities flagged, by cause; any: by one cause or more.",
           of="fringe_visibilities_searched_total"),
    # What goes out.
    metric("fringe_dumps_total", "dumps made", "Dumps made by the correlator."),
    metric("fringe_dumps_written_total", "dumps written", "Dumps given to the files."),
    metric("fringe_dump_age_seconds", "age of the newest dump",
           "Seconds since a dump came to the sink, written or not.", "s"),
    metric("fringe_dump_timestamp_seconds", "time of the newest dump",
           "The end of the newest dump, UTC, since 1970.", "time"),
    metric("fringe_files", "files", "Files of this run on the disk."),
    metric("fringe_writing", "writing",
           "1 where dumps are written, 0 where a message stopped that."),
    metric("fringe_samples_written_total", "samples written",
           "Samples of every input that a recorder has written; spectra, where it writes these."),
    metric("fringe_ring_held_ratio", "ring, filled",
           "How much of a Voltage Ring has samples, 0 to 1; 1 from its length after the start on.",
           "%"),
    metric("fringe_ring_dumps_total", "dumps of the ring",
           "Dumps of a Voltage Ring by what became of them: whole, with_gaps (the stream overtook "
           "them), failed or refused."),
    metric("fringe_ring_dumps_writing", "dumps of the ring, now",
           "Dumps of a Voltage Ring that are being written."),
    metric("fringe_ring_overtaken_samples_total", "samples the ring lost to dumps",
           "Samples of each input that a dump of a Voltage Ring asked for, and that were "
           "overwritten before they were written."),
    metric("fringe_disk_free_bytes", "disk, free", "Free bytes of the disk of a folder of files.",
           "bytes"),
    metric("fringe_disk_size_bytes", "disk", "All bytes of that disk.", "bytes"),
    # Who waits for whom.
    metric("fringe_buffer_fill_ratio", "fill of buffers",
           "How full a buffer between two blocks is, 0 to 1: where it is full, the second one is "
           "waited for; where it is empty, it waits for the first one.", "%"),
    metric("fringe_buffer_items_total", "items taken from buffers",
           "Items that the second block has taken from the buffer."),
    metric("fringe_socket_waiting_bytes", "packets in the kernel",
           "Bytes of packets that wait in the kernel for the program, by port.", "bytes"),
    metric("fringe_thread_cpu_seconds_total", "time of cores used by threads",
           "Seconds of a core that threads have used, by the first 15 letters of their names: a "
           "block's thread has the block's name, fringe_worker computes for all blocks, "
           "fringe_receiver takes packets, fringe_writer writes files.", "s"),
    metric("fringe_thread_wait_seconds_total", "time that threads waited for a core",
           "Seconds that threads were ready and waited for a core.", "s"),
    metric("fringe_gpu_kernel_seconds_total", "time of kernels on the GPU",
           "Seconds that the kernels of a block took on its GPU, copies not among them. Kernels of "
           "another block that ran in between count for both.", "s"),
    metric("fringe_gpu_memory_free_bytes", "GPU memory, free",
           "Free bytes of the memory of a GPU, whatever uses the rest.", "bytes"),
    metric("fringe_gpu_memory_size_bytes", "GPU memory", "All bytes of the memory of a GPU.",
           "bytes"),
    # The Live Calibrator.
    metric("fringe_calibrations_total", "solutions of the calibrator",
           "Solutions of the Live Calibrator, by result: used or refused."),
    metric("fringe_calibration_dumps_skipped_total", "dumps the calibrator skipped",
           "Dumps that came while the Live Calibrator solved for others."),
    metric("fringe_calibration_coherence_ratio", "coherence before the last solution",
           "Mean cosine of the phases between the good inputs, of the dumps as they came."),
    metric("fringe_calibration_good_inputs", "good inputs", "Inputs that the last solution found "
           "to be good."),
    metric("fringe_calibration_age_seconds", "age of the last solution used",
           "Seconds since a solution of the Live Calibrator was used.", "s"),
    # The process, by the names that Prometheus has for every program.
    metric("process_cpu_seconds_total", "time of cores used",
           "Seconds of a core that the program has used.", "s"),
    metric("process_resident_memory_bytes", "memory", "Bytes of memory that the program has.",
           "bytes"),
    metric("process_open_fds", "open files", "Open files of the program, and connections."),
    metric("process_start_time_seconds", "start of the program",
           "When the program was started, UTC, since 1970.", "time"),
    # What the page adds, from the dumps that it gets.
    metric("fringe_dump_interval_seconds", "length of dumps", "Seconds from dump to dump.", "s"),
    metric("fringe_input_power", "power of inputs",
           "Autocorrelation of each input in the newest dump that the page has, mean over the "
           "channels."),
    metric("fringe_input_weight_ratio", "weight of inputs",
           "Valid part of the samples of each input in that dump, 0 to 1.", "%"),
    metric("fringe_page_dumps_received_total", "dumps that the page has", "Dumps that the web page "
           "has received."),
    metric("fringe_page_dumps_lost_total", "dumps lost to the page",
           "Dumps that did not reach the web page."),
    metric("fringe_page_dump_age_seconds", "age of the page's newest dump",
           "Seconds since a dump came to the web page.", "s"),
    metric("fringe_page_viewers", "viewers of the page", "Viewers of the web page."),
    metric("fringe_alert", "alerts",
           "1 for each alert that the web page shows, by its name; else 0."),
)
#: By name, in the order in which they are shown.
METRICS = {each.name: each for each in _METRICS}


def grouped(samples):
    """[(metric, [(labels, value)])] of samples, (name, labels, value), in the order of METRICS."""
    by_name = {}
    for name, labels, value in samples:
        by_name.setdefault(name, []).append((labels, value))
    return [(METRICS[name], by_name[name]) for name in METRICS if name in by_name]


def values_of(samples, name):
    """[(labels, value)] of one metric."""
    return [(labels, value) for its, labels, value in samples if its == name]
