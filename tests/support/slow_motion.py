"""Plays the records of ended jobs in slow motion: each second of the recording counts as a minute.

Most checks of `howdah advise` judge only runs of 5 minutes or longer. This module copies the records of ended jobs and
multiplies the time axis of their records, so that a test needs seconds instead of minutes. The program that reads
the copies is the released one, and has no switch for tests. Values remain as they were measured: shares, bytes, and
the number of samples, which the program derives from `metrics.interval`. Times that the core has written into
sentences are not changed."""
import datetime
import json
import pathlib
import re
import shutil
import struct
import zlib

from machine import Machine

FACTOR = 60
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
DURATIONS = ("filling_seconds", "checkpointing_seconds", "cpu_seconds")
HEADER = struct.Struct("<8sIQIII")  # magic, version, and of the index: offset, size, size when decompressed, CRC-32C


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


class SlowMotion:
    """Maps times so that `end`, which is not before the end of any job, stays where it is. So the order of the jobs
    and the times between them keep their proportions."""

    def __init__(self, end):
        self.end = end

    def micros(self, at):
        return self.end - (self.end - at) * FACTOR

    def text(self, time):
        at = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
        mapped = self.micros(round(at.timestamp() * 1e6))
        when = datetime.datetime.fromtimestamp(mapped / 1e6, datetime.timezone.utc)
        return when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03}Z"

    def value(self, value, key=""):
        if isinstance(value, dict):
            return {name: self.value(field, name) for name, field in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, str) and TIME.fullmatch(value):
            return self.text(value)
        return value * FACTOR if key in DURATIONS else value

    def journal(self, path):
        lines = [json.dumps(self.value(json.loads(line)), separators=(",", ":"))
                 for line in path.read_text().splitlines()]
        path.write_text("\n".join(lines) + "\n")

    def metrics(self, path):
        """Changes the index of the file (docs/metrics.md): the begin of the first bucket, and the widths."""
        data = path.read_bytes()
        magic, version, offset, size, _, _ = HEADER.unpack_from(data)
        index = zlib.decompress(data[offset:offset + size])
        begun, at = read_varint(index, 0)
        width, at = read_varint(index, at)
        buckets, at = read_varint(index, at)
        quantile_width, at = read_varint(index, at)
        begun = self.micros(begun // 2) * 2  # a signed number that is not negative
        index = b"".join(map(varint, (begun, width * FACTOR, buckets, quantile_width * FACTOR))) + index[at:]
        packed = zlib.compress(index)
        header = HEADER.pack(magic, version, offset, len(packed), len(index), crc32c(packed))
        path.write_bytes(header + struct.pack("<I", crc32c(header)) + data[len(header) + 4:offset] + packed)


def end_of(journal):
    last = json.loads(journal.read_text().splitlines()[-1])["time"]
    return round(datetime.datetime.fromisoformat(last.replace("Z", "+00:00")).timestamp() * 1e6)


def slow_motion(machine, home):
    """Copies the jobs of the machine, all of which have ended, to the new HOWDAH_HOME, in slow motion."""
    slow = Machine(home)
    for job in machine.jobs():
        (slow.home / "jobs" / job).mkdir(parents=True)
        for name in ("job.json", "journal.jsonl", "metrics"):
            if (machine.home / "jobs" / job / name).exists():  # a job without samples has no metrics
                shutil.copy(machine.home / "jobs" / job / name, slow.home / "jobs" / job)
    jobs = [slow.home / "jobs" / job for job in slow.jobs()]
    motion = SlowMotion(max(end_of(job / "journal.jsonl") for job in jobs))
    for job in jobs:
        motion.journal(job / "journal.jsonl")
        if (job / "metrics").exists():
            motion.metrics(job / "metrics")
    return slow
