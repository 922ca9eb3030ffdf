/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The ends that bench/network puts beside udp_source: a fast sender, and ceilings.
//
//   packets send ADDRESS PORT LAYOUT SOURCES GBPS SECONDS JOINED [FIRST START STEPS]
//       sends packets of all sources in turn, JOINED of them a message (UDP_SEGMENT), paced;
//       prints the packets sent, the seconds, and Gb/s. The sources are numbered from FIRST
//       on; it begins at START of the monotonic clock, as other senders do, with a twentieth
//       of the rate for 0.4 s, in which the receiver gets ready. It waits for the others where
//       they are behind, as stations are never apart; STEPS is a file that they share, a line of
//       the cache for each
//   packets receive PORT LAYOUT SOURCES ENGINE
//       the bare receiver: recvmmsg or the ring, the parser, one copy to the packet's place, and
//       nothing else; until its input ends; prints the packets placed and the seconds of
//       processor time
//   packets capture PORT LAYOUT SOURCES SAMPLES THREADS WINDOW BUFFER CORE ...
//       what udp_source does, without GNU Radio: threads that receive, on those cores, and one that
//       takes items of SAMPLES samples, on any other; WINDOW and BUFFER in seconds of the data;
//       until its input ends; prints what became of the packets, then as `receive`
//   packets place LAYOUT SOURCES
//       the same parser and copy without a network; prints packets and Gb/s, of a second of
//       processor time
//   packets window LAYOUT SOURCES SAMPLES
//       the same with udp_source's window in place of the copy, and items of SAMPLES samples that
//       are taken from it, in one thread; prints packets and Gb/s, of a second of processor time
//   packets spectra LAYOUT INPUTS CHANNELS SPECTRA BLOCK BITS
//       spectra in memory become packets as packet_sink makes them (LAYOUT: spead or snap2, SPECTRA
//       in a packet); udp_source's window takes them; and they become items of BLOCK spectra
//       again, in one thread, without a network; prints Gb/s of each of the three steps
//   packets memcpy
//       prints Gb/s
//
// LAYOUT: ska_low, or the path of bench/small_packets.yml.

#include "io/packets/packet_engine.h"
#include "io/packets/packet_parser.h"
#include "io/packets/packet_presets.h"
#include "io/packets/packet_receiver.h"
#include "io/packets/spectra_packets.h"
#include "kernels/base/stream_copy.h"
#include "io/packets/udp_capture.h"
#include "kernels/base/aligned.h"
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

using namespace gr::fringe;
using gr::fringe::kernels::aligned_vector;

namespace {

using bytes = aligned_vector<std::uint8_t>;

constexpr std::size_t messages = 64;
constexpr std::size_t message_bytes = 65536;
constexpr int buffer_bytes = 64 << 20;
constexpr std::uint64_t first_second = 1700000000;

double now()
{
    const auto t = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(t).count();
}

double processor_seconds()
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void put(std::uint8_t* at, std::uint64_t value, unsigned width)
{
    for (unsigned k = 0; k < width; ++k) {
        at[k] = static_cast<std::uint8_t>(value >> 8 * (width - 1 - k));
    }
}

// A SPEAD item: 16 bits of name, 48 bits of value.
void put_item(std::uint8_t* at, std::uint64_t name, std::uint64_t value)
{
    put(at, name, 2);
    put(at + 2, value, 6);
}

// Header of packet `number` of a source.
void write_header(const io::packet_layout& layout,
                  std::uint8_t* packet,
                  std::uint64_t number,
                  std::uint64_t source)
{
    if (!layout.spead) { // small_packets.yml
        put(packet, number, 8);
        put(packet + 8, source, 8);
        return;
    }
    put(packet, 0x5304020600000008, 8);
    put_item(packet + 8, 0x8001, number & 0xffffffff);
    put_item(packet + 16, 0x8004, layout.payload_bytes());
    put_item(packet + 24, 0x9027, first_second);
    put_item(
        packet + 32, 0x9600, number * static_cast<std::uint64_t>(layout.packet_ticks()));
    put_item(packet + 40, 0x9011, 100000000);
    put_item(packet + 48, 0xb000, 128);
    put_item(packet + 56, 0xb001, (source + 1) << 16);
    put_item(packet + 64, 0x3300, 0);
}

sockaddr_in name_of(const char* address, const char* port)
{
    sockaddr_in name{};
    name.sin_family = AF_INET;
    inet_pton(AF_INET, address, &name.sin_addr);
    name.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
    return name;
}

int socket_or_exit()
{
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd < 0) {
        std::perror("socket");
        std::exit(1);
    }
    return fd;
}

// How far some senders are, so that none is ahead of the others.
class steps
{
public:
    // A file has a line for each of the senders. No name: there is one sender.
    steps(const char* name, std::size_t sender) : d_sender(sender)
    {
        const int fd = name ? open(name, O_RDWR) : -1;
        const off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
        if (size <= 0) {
            return;
        }
        void* const at = mmap(nullptr,
                              static_cast<std::size_t>(size),
                              PROT_READ | PROT_WRITE,
                              MAP_SHARED,
                              fd,
                              0);
        if (at != MAP_FAILED) {
            d_lines = static_cast<line*>(at);
            d_senders = static_cast<std::size_t>(size) / sizeof(line);
        }
    }
    // Until all have done this number of steps, less a few, or it is too late.
    void wait(std::uint64_t step, double until)
    {
        constexpr std::uint64_t few = 2;
        if (d_senders == 0) {
            return;
        }
        d_lines[d_sender].step = step;
        for (std::size_t k = 0; k < d_senders; ++k) {
            while (d_lines[k].step + few < step && now() < until) {
            }
        }
    }
    void end()
    {
        if (d_senders > 0) {
            d_lines[d_sender].step = std::uint64_t(1) << 63;
        }
    }

private:
    struct alignas(64) line {
        std::atomic<std::uint64_t> step;
    };
    const std::size_t d_sender;
    line* d_lines = nullptr;
    std::size_t d_senders = 0;
};

int send_all(int count_of_words, char** words)
{
    const std::size_t first =
        count_of_words > 7 ? std::strtoul(words[7], nullptr, 10) : 0;
    const double start = count_of_words > 8 ? std::atof(words[8]) : 0;
    const io::packet_layout layout = io::packet_layout_of(words[2], {});
    const std::size_t sources = std::strtoul(words[3], nullptr, 10);
    const double rate = std::atof(words[4]) * 1e9, seconds = std::atof(words[5]);
    const std::size_t joined = std::strtoul(words[6], nullptr, 10);
    const std::size_t size = layout.packet_bytes(), message = joined * size;
    const std::size_t count =
        std::max<std::size_t>(1, (std::size_t(256) << 10) / message);

    const int fd = socket_or_exit();
    const sockaddr_in to = name_of(words[0], words[1]);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer_bytes, sizeof(buffer_bytes));
    const int segment = joined > 1 ? static_cast<int>(size) : 0;
    if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0 ||
        (segment &&
         setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)) != 0)) {
        std::perror("send");
        return 1;
    }
    bytes memory(count * message);
    std::generate(memory.begin(), memory.end(), [] {
        return static_cast<std::uint8_t>(std::rand());
    });
    std::vector<mmsghdr> headers(count);
    std::vector<iovec> pieces(count);
    for (std::size_t k = 0; k < count; ++k) {
        pieces[k] = {memory.data() + k * message, message};
        headers[k].msg_hdr.msg_iov = &pieces[k];
        headers[k].msg_hdr.msg_iovlen = 1;
    }
    while (now() < start) {
    }
    const double began = now(), a_batch = 8.0 * static_cast<double>(memory.size()) / rate;
    const double slow = start > 0 ? 0.4 : 0; // s
    steps together(count_of_words > 9 ? words[9] : nullptr, first / sources);
    std::uint64_t sent = 0, sent_slowly = 0;
    double due = began;
    while (now() - began < seconds + slow) {
        for (std::size_t k = 0; k < count * joined; ++k) {
            write_header(layout,
                         memory.data() + k * size,
                         (sent + k) / sources,
                         first + (sent + k) % sources);
        }
        std::size_t done = 0;
        while (done < count) {
            const int n = sendmmsg(
                fd, headers.data() + done, static_cast<unsigned>(count - done), 0);
            if (n > 0) {
                done += static_cast<std::size_t>(n);
            } else if (errno != ENOBUFS && errno != EAGAIN && errno != ECONNREFUSED) {
                std::perror("sendmmsg");
                return 1;
            }
        }
        sent += count * joined;
        const bool is_slow = now() - began < slow;
        sent_slowly = is_slow ? sent : sent_slowly;
        due = is_slow ? now() + 20 * a_batch : std::max(due, began + slow) + a_batch;
        together.wait(sent / (count * joined), began + seconds + slow);
        while (now() < due) {
        }
    }
    together.end();
    const double took = now() - began;
    std::printf("%llu %.6f %.3f\n",
                static_cast<unsigned long long>(sent),
                took,
                8e-9 * static_cast<double>((sent - sent_slowly) * size) / (took - slow));
    return 0;
}

// Puts packets to their places by time and source, as udp_source's window does.
class bare_window
{
public:
    bare_window(const io::packet_layout& layout, std::size_t sources)
        : d_parser(layout, sources),
          d_payload(layout.payload_bytes()),
          d_row((d_payload + 63) / 64 * 64),
          d_slots(
              std::max<std::size_t>(64, (std::size_t(256) << 20) / (sources * d_row))),
          d_memory(sources * d_slots * d_row)
    {
    }
    void take(const std::uint8_t* packet, std::size_t size)
    {
        const io::parsed_packet p = d_parser.parse(packet, size);
        if (p.what != io::parsed_packet::outcome::good) {
            return;
        }
        const auto slot = static_cast<std::uint64_t>(p.time) /
                          static_cast<std::uint64_t>(d_parser.layout().packet_ticks()) %
                          d_slots;
        kernels::stream_copy(
            d_memory.data() + (p.part * d_slots + slot) * d_row, p.payload, d_payload);
        ++d_good;
    }
    std::uint64_t good() const { return d_good; }

private:
    io::packet_parser d_parser;
    const std::size_t d_payload, d_row, d_slots;
    bytes d_memory;
    std::uint64_t d_good = 0;
};

std::size_t segment_bytes(msghdr& message, std::size_t size)
{
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO) {
            int step = 0;
            std::memcpy(&step, CMSG_DATA(c), sizeof(step));
            return static_cast<std::size_t>(step);
        }
    }
    return size;
}

bool input_ended()
{
    pollfd input{0, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
}

void say_received(const bare_window& window)
{
    kernels::stream_fence();
    std::printf("%llu %.3f\n",
                static_cast<unsigned long long>(window.good()),
                processor_seconds());
}

class bare_taker : public io::packet_taker
{
public:
    explicit bare_taker(bare_window& window) : d_window(window) {}
    void take(const std::uint8_t* packet, std::size_t size) override
    {
        d_window.take(packet, size);
    }
    void take_foreign() override {}
    void take_cut() override {}
    void flush() override {}

private:
    bare_window& d_window;
};

int receive_ring(char** words)
{
    const std::size_t sources = std::strtoul(words[2], nullptr, 10);
    bare_window window(io::packet_layout_of(words[1], {}), sources);
    io::udp_settings where;
    where.addresses = {std::string("0.0.0.0:") + words[0]};
    where.engine = words[3];
    io::udp_sockets sockets(where);
    const auto engines = io::make_packet_engines(sockets);
    bare_taker taker(window);
    std::printf("ready\n");
    std::fflush(stdout);
    while (!input_ended()) {
        engines.front()->serve(taker);
    }
    say_received(window);
    return 0;
}

int receive_all(char** words)
{
    const std::size_t sources = std::strtoul(words[2], nullptr, 10);
    bare_window window(io::packet_layout_of(words[1], {}), sources);
    const int fd = socket_or_exit(), yes = 1;
    const sockaddr_in here = name_of("0.0.0.0", words[0]);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof(buffer_bytes));
    setsockopt(fd, SOL_UDP, UDP_GRO, &yes, sizeof(yes));
    if (bind(fd, reinterpret_cast<const sockaddr*>(&here), sizeof(here)) != 0) {
        std::perror("bind");
        return 1;
    }
    bytes memory(messages * message_bytes);
    std::printf("ready\n");
    std::fflush(stdout);
    pollfd wait[2] = {{fd, POLLIN, 0}, {0, POLLIN, 0}};
    while (poll(wait, 2, -1) >= 0 && (wait[0].revents != 0 || wait[1].revents == 0)) {
        mmsghdr headers[messages] = {};
        iovec pieces[messages];
        alignas(cmsghdr) std::uint8_t control[messages][64];
        for (std::size_t k = 0; k < messages; ++k) {
            pieces[k] = {memory.data() + k * message_bytes, message_bytes};
            headers[k].msg_hdr.msg_iov = &pieces[k];
            headers[k].msg_hdr.msg_iovlen = 1;
            headers[k].msg_hdr.msg_control = control[k];
            headers[k].msg_hdr.msg_controllen = sizeof(control[k]);
        }
        const int came = recvmmsg(fd, headers, messages, MSG_DONTWAIT, nullptr);
        for (int k = 0; k < came; ++k) {
            const std::size_t size = headers[k].msg_len;
            const std::size_t step = segment_bytes(headers[k].msg_hdr, size);
            const std::uint8_t* at =
                memory.data() + static_cast<std::size_t>(k) * message_bytes;
            for (std::size_t from = 0; from < size; from += step) {
                window.take(at + from, std::min(step, size - from));
            }
        }
    }
    say_received(window);
    return 0;
}

// Memory that begins again behind its end, as GNU Radio's rings do.
class mirrored
{
public:
    explicit mirrored(std::size_t size)
    {
        const int fd = memfd_create("ring", 0);
        const auto map = [&](void* at, std::size_t length, int how) {
            return mmap(at, length, PROT_READ | PROT_WRITE, MAP_SHARED | how, fd, 0);
        };
        if (fd < 0 || ftruncate(fd, static_cast<off_t>(2 * size)) != 0 ||
            (d_base = map(nullptr, 2 * size, 0)) == MAP_FAILED ||
            map(data() + size, size, MAP_FIXED) == MAP_FAILED) {
            std::perror("ring");
            std::exit(1);
        }
        std::memset(data(), 1, 2 * size);
    }
    std::uint8_t* data() const { return static_cast<std::uint8_t*>(d_base); }

private:
    void* d_base = nullptr;
};

// Items are taken as by udp_source in front of a null sink, which lets go of them at once.
int capture_all(int count, char** words)
{
    const io::packet_layout layout = io::packet_layout_of(words[1], {});
    const std::size_t sources = std::strtoul(words[2], nullptr, 10);
    const std::size_t block = std::strtoul(words[3], nullptr, 10);
    io::udp_settings where;
    where.addresses = {std::string("0.0.0.0:") + words[0]};
    where.engine = "recvmmsg";
    where.threads = std::strtoul(words[4], nullptr, 10);
    std::vector<unsigned> cores;
    for (int k = 7; k < count; ++k) {
        cores.push_back(static_cast<unsigned>(std::atoi(words[k])));
    }
    const io::capture_sizes sizes{std::atof(words[5]), std::atof(words[6]), block};
    io::udp_capture capture(where, layout, sources, sizes, cores);
    const std::size_t item_bytes =
        sources * layout.streams * block * layout.wire->raw_bits / 8;
    const std::size_t window =
        capture.window().window() * layout.samples / block; // items
    const std::size_t ring = window + window / 4 + 4;
    const mirrored items(ring * item_bytes);
    if (!capture.advice().empty()) {
        std::fprintf(stderr, "%s\n", capture.advice().c_str());
    }
    capture.start([] {});
    std::atomic<bool> ended{false};
    std::thread taker([&] {
        std::uint64_t taken = 0;
        while (!ended) {
            std::uint8_t* const next = items.data() + taken % ring * item_bytes;
            capture.window().offer(next, ring, block);
            const auto t = capture.window().take(next, block, block);
            taken += t && t->samples > 0;
        }
    });
    std::printf("ready\n");
    std::fflush(stdout);
    while (!input_ended()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const io::packet_counts c = capture.counts();
    ended = true;
    taker.join();
    capture.stop();
    std::printf("missing %llu late %llu duplicate %llu garbled %llu buffer full %llu "
                "socket full %llu\n%llu %.3f\n",
                static_cast<unsigned long long>(c.missing),
                static_cast<unsigned long long>(c.late),
                static_cast<unsigned long long>(c.duplicate),
                static_cast<unsigned long long>(c.garbled),
                static_cast<unsigned long long>(c.dropped),
                static_cast<unsigned long long>(c.kernel_dropped),
                static_cast<unsigned long long>(c.good),
                processor_seconds());
    return 0;
}

int place_all(char** words)
{
    const io::packet_layout layout = io::packet_layout_of(words[0], {});
    const std::size_t sources = std::strtoul(words[1], nullptr, 10);
    const std::size_t size = layout.packet_bytes();
    const std::size_t count = (std::size_t(256) << 10) / size; // They stay in the cache.
    bare_window window(layout, sources);
    bytes packets(count * size);
    std::uint64_t sent = 0;
    const double began = processor_seconds();
    double ended = began;
    for (; ended - began < 1; ended = processor_seconds()) {
        for (std::size_t k = 0; k < count; ++k, ++sent) {
            write_header(
                layout, packets.data() + k * size, sent / sources, sent % sources);
            window.take(packets.data() + k * size, size);
        }
    }
    const double rate = static_cast<double>(window.good()) / (ended - began);
    std::printf("%.0f %.3f\n", rate, rate * 8e-9 * static_cast<double>(size));
    return 0;
}

int window_all(char** words)
{
    const io::packet_layout layout = io::packet_layout_of(words[0], {});
    const std::size_t sources = std::strtoul(words[1], nullptr, 10);
    const std::size_t block = std::strtoul(words[2], nullptr, 10);
    const std::size_t size = layout.packet_bytes();
    const std::size_t count = (std::size_t(256) << 10) / size; // They stay in the cache.
    const std::size_t row = sources * layout.payload_bytes();
    const std::size_t open = (std::size_t(16) << 20) / row; // slots
    io::packet_window window(layout, sources, open, 8 * open);
    io::packet_receiver receiver(io::packet_parser(layout, sources), window, sources);
    const std::size_t item_bytes =
        sources * layout.streams * block * layout.wire->raw_bits / 8;
    bytes packets(count * size);
    const std::size_t ring =
        std::max<std::size_t>(2, (std::size_t(64) << 20) / item_bytes);
    const mirrored items(ring * item_bytes);
    const gr::fringe::epoch clock{first_second, 0};
    std::uint64_t sent = 0, taken = 0;
    const double began = processor_seconds();
    double ended = began;
    for (; ended - began < 1; ended = processor_seconds()) {
        for (std::size_t k = 0; k < count; ++k, ++sent) {
            std::uint8_t* const packet = packets.data() + k * size;
            write_header(layout, packet, sent / sources, sent % sources);
            window.carry_out(
                receiver.sort_in(receiver.parser().parse(packet, size), size, clock, 0));
        }
        window.copied(0);
        window.close(false);
        while (window.waiting() * layout.samples > block + layout.samples) {
            std::uint8_t* const next = items.data() + taken++ % ring * item_bytes;
            window.offer(next, ring - 1, block);
            window.take(next, block, block);
        }
    }
    const double rate = static_cast<double>(window.counts().good) / (ended - began);
    std::printf("%.0f %.3f\n", rate, rate * 8e-9 * static_cast<double>(size));
    return 0;
}

// Adds up the time between its calls.
class stopwatch
{
public:
    explicit stopwatch(double& seconds) : d_seconds(seconds), d_began(now()) {}
    ~stopwatch() { d_seconds += now() - d_began; }

private:
    double& d_seconds;
    const double d_began;
};

int spectra_all(char** words)
{
    const auto number = [&](int k) { return std::strtoul(words[k], nullptr, 10); };
    io::spectra_params p;
    p.layout = words[0];
    p.inputs = number(1);
    p.channels = p.points = number(2);
    p.spectra = number(3);
    p.block_spectra = number(4);
    p.bits = static_cast<unsigned>(number(5));
    p.ranges = {{0, p.channels}};
    io::spectra_packets packets(p);
    std::map<std::string, std::string> settings{
        {"channels", words[2]},
        {"points", words[2]},
        {"packet_channels", std::to_string(packets.params().packet_channels)},
        {"sample_rate", "1000000"},
        {"bits", words[5]}};
    if (p.layout == "snap2") {
        settings["signals"] = words[1];
    } else {
        settings.insert({{"spectra", words[3]},
                         {"sync_time", std::to_string(first_second)},
                         {"wraps", "0"}});
    }
    const io::packet_layout layout = io::packet_layout_of(p.layout, settings);
    const std::size_t parts = p.inputs / layout.streams * layout.channel_blocks();
    const std::size_t item_bytes = 2 * p.inputs * p.channels * p.block_spectra;
    const std::size_t open = 2 * p.block_spectra / layout.samples + 2; // slots
    io::packet_window window(layout, parts, open, 4 * open);
    io::packet_receiver receiver(io::packet_parser(layout, parts), window, parts);
    const gr::fringe::epoch clock{first_second, 0};
    bytes from(item_bytes);
    std::generate(
        from.begin(), from.end(), [] { return static_cast<std::uint8_t>(std::rand()); });
    const std::size_t ring =
        std::max<std::size_t>(2, (std::size_t(64) << 20) / item_bytes);
    bytes items(ring * item_bytes, 1);
    std::uint64_t sent = 0, taken = 0;
    double make = 0, place = 0, order = 0;
    packets.begin(0);
    while (make + place + order < 1) {
        for (std::size_t at = 0; at < p.block_spectra;) {
            std::vector<io::spectra_packets::run> runs;
            {
                stopwatch watch(make);
                at += packets.fill(reinterpret_cast<const std::int8_t*>(from.data()),
                                   at,
                                   p.block_spectra - at);
                if (packets.complete()) {
                    runs = packets.take(first_second, 0);
                }
            }
            stopwatch watch(place);
            for (const auto& run : runs) {
                for (std::size_t k = 0; k < run.count; ++k, ++sent) {
                    receiver.take(run.packets + k * packets.packet_bytes(),
                                  packets.packet_bytes(),
                                  clock);
                }
            }
            window.close(false);
        }
        stopwatch watch(order);
        while (window.waiting() * layout.samples > p.block_spectra + layout.samples) {
            window.take(items.data() + taken++ % ring * item_bytes,
                        p.block_spectra,
                        p.block_spectra);
        }
    }
    if (window.counts().good != sent) {
        std::fprintf(stderr, "packets are lost\n");
        return 1;
    }
    const double gigabits =
        8e-9 * static_cast<double>(sent) * static_cast<double>(packets.packet_bytes());
    std::printf("%.1f %.1f %.1f\n", gigabits / make, gigabits / place, gigabits / order);
    return 0;
}

int copy_all()
{
    constexpr std::size_t size = std::size_t(256) << 20;
    bytes from(size, 1), to(size, 2);
    const double began = now();
    constexpr int times = 8;
    for (int k = 0; k < times; ++k) {
        std::memcpy(to.data(), from.data(), size);
        from[static_cast<std::size_t>(k)] = to[size - 1];
    }
    std::printf("%.3f\n", times * 8e-9 * static_cast<double>(size) / (now() - began));
    return 0;
}

} // namespace

int main(int count, char** words)
{
    const std::string what = count > 1 ? words[1] : "";
    if (what == "send" && (count == 9 || count == 11 || count == 12)) {
        return send_all(count - 2, words + 2);
    }
    if (what == "receive" && count == 6) {
        return std::string(words[5]) == "recvmmsg" ? receive_all(words + 2)
                                                   : receive_ring(words + 2);
    }
    if (what == "capture" && count >= 9) {
        return capture_all(count - 2, words + 2);
    }
    if (what == "place" && count == 4) {
        return place_all(words + 2);
    }
    if (what == "window" && count == 5) {
        return window_all(words + 2);
    }
    if (what == "spectra" && count == 8) {
        return spectra_all(words + 2);
    }
    if (what == "memcpy" && count == 2) {
        return copy_all();
    }
    std::fprintf(stderr, "see the head of packets.cc\n");
    return 2;
}
