#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A stand-in for a KrakenSDR, for tests: serves frames as its Heimdall programs do."""
import contextlib
import json
import socket
import struct
import threading

import numpy as np

#: Fields of version 1, as its header is laid out in C: offset and struct code.
FIELDS = {"sync_word": (0, "I"), "frame_type": (4, "I"), "unit_id": (24, "I"),
          "active_ant_chs": (28, "I"), "rf_center_freq": (40, "Q"), "adc_sampling_freq": (48, "Q"),
          "sampling_freq": (56, "Q"), "cpi_length": (64, "I"), "time_stamp": (72, "Q"),
          "cpi_index": (84, "I"), "data_type": (96, "I"), "sample_bit_depth": (100, "I"),
          "adc_overdrive_flags": (104, "I"), "if_gains": (108, "I"), "delay_sync_flag": (236, "I"),
          "iq_sync_flag": (240, "I"), "sync_state": (244, "I"), "noise_source_state": (248, "I"),
          "header_version": (1020, "I")}


def first_frame(data, index=0, milliseconds=1_780_000_000_000, **fields):
    """A frame of version 1 of complex64 [channel][time]."""
    header = bytearray(1024)
    header[8:13] = b"k4000"
    values = {"sync_word": 0x2bf7b95a, "active_ant_chs": len(data), "rf_center_freq": 1_420_000_000,
              "adc_sampling_freq": 2_400_000, "sampling_freq": 1_000_000,
              "cpi_length": data.shape[1], "time_stamp": milliseconds, "cpi_index": index,
              "data_type": 3, "sample_bit_depth": 32, "delay_sync_flag": 1, "iq_sync_flag": 1,
              "header_version": 7, **fields}
    for name, value in values.items():
        offset, code = FIELDS[name]
        struct.pack_into("<" + code, header, offset, value)
    for k in range(len(data)):
        struct.pack_into("<I", header, 108 + 4 * k, 403)
    return bytes(header) + data.astype("<c8").tobytes()


def second_frame(data, noise=0, changes=0, retuning=0, state=4, frequency=1.42e9):
    """A frame of version 2 of uint8 [channel][time][I, Q]."""
    header = struct.pack(">8I", 0x4d434851, len(data), data.shape[1], state, noise, changes, 0,
                         retuning)
    return header + len(data) * struct.pack("<2f", frequency, 40.2) + data.tobytes()


class kraken_server:
    """Serves frames to a client at a time on `address`, host:port: those of version 1 when they
    are asked for. Frames: bytes, or None where the connection ends. What every client is sent
    begins where the one before left off; the last one's connection stays open until close().
    control: the address of settings, whose commands are in `commands`."""

    def __init__(self, frames, version=1, peeks=1, answer=b"FNSD"):
        self._frames, self._version = list(frames), version
        self._peeks, self._answer = peeks, answer
        self._listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        self.address, self.control = (
            f"127.0.0.1:{listener.getsockname()[1]}" for listener in self._listeners)
        self.commands, self._done = [], threading.Event()
        for work in (self._serve, self._listen_to_settings):
            threading.Thread(target=work, daemon=True).start()

    @property
    def port(self):
        return self.address.rpartition(":")[2]

    def close(self):
        """Ends it."""
        self._done.set()
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _serve(self):
        at = 0
        with contextlib.suppress(OSError):
            while not self._done.is_set():
                client, _ = self._listeners[0].accept()
                with client, contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    # A client that only looks at the header does not use a frame up.
                    begin, self._peeks = at, self._peeks - 1
                    at = self._send(client, at)
                    at = begin if self._peeks >= 0 else at

    def _send(self, client, at):
        wanted = b"streaming"
        while at < len(self._frames) and not self._done.is_set():
            if self._version == 1 and client.recv(len(wanted)) != wanted:
                return at
            wanted = b"IQDownload"
            frame, at = self._frames[at], at + 1
            if frame is None:
                return at
            client.sendall(frame)
        while client.recv(64):  # until the client ends the connection
            pass
        return at

    def _listen_to_settings(self):
        with contextlib.suppress(OSError):
            while not self._done.is_set():
                client, _ = self._listeners[1].accept()
                with client:
                    while command := client.recv(128 if self._version == 1 else 4096):
                        self.commands.append(command if self._version == 1 else
                                             json.loads(command))
                        client.sendall(self._answer.ljust(128, b"\0") if self._version == 1 else
                                       b'{"settings": {}}\n' + self._answer + b"\n")


def whole(samples, length):
    """Samples [channel][time] ... cut into frames of a length."""
    return np.split(samples, range(length, samples.shape[1], length), axis=1)
