"""CRC-32C of many byte strings at once, with NumPy.

A CRC is linear: the one of a long string follows from those of its parts. All blocks of all strings are looked up in
tables together, and then joined in pairs, so that the time of a single NumPy call does not matter.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Sequence

from .. import _needs

np: Any = _needs.load("numpy", "howdah.data.tfrecord")

_POLYNOMIAL = 0x82F63B78
_BLOCK = 64  # bytes whose checksum is looked up at once
_MASK = 0xA282EAD8
_AT_ONCE = 16 << 20  # bytes in one step, which bounds the memory


def masked(strings: Sequence[Any]) -> Any:
    """The masked checksums of TFRecord, one per string, as an array of uint32."""
    sums = crc32c(strings)
    return ((sums >> np.uint32(15)) | (sums << np.uint32(17))) + np.uint32(_MASK)


def crc32c(strings: Sequence[Any]) -> Any:
    """The checksums of byte strings as an array of uint32."""
    lengths = np.array([len(string) for string in strings], np.int64)
    sums = np.empty(len(strings), np.uint32)
    begin = size = 0
    for end, length in enumerate(lengths.tolist()):
        if size + length > _AT_ONCE and end > begin:
            sums[begin:end] = _crc32c(strings[begin:end], lengths[begin:end])
            begin, size = end, 0
        size += length
    if begin < len(strings):
        sums[begin:] = _crc32c(strings[begin:], lengths[begin:])
    return sums


def _crc32c(strings: Sequence[Any], lengths: Any) -> Any:
    counts = -(-lengths // _BLOCK)  # blocks per string
    # Zeros before a string do not change the checksum that begins with 0, so each string ends at the end of a block.
    ends = np.cumsum(counts) * _BLOCK
    padded = np.zeros(int(ends[-1]) if len(ends) else 0, np.uint8)
    for string, end, length in zip(strings, ends.tolist(), lengths.tolist()):
        padded[end - length : end] = np.frombuffer(string, np.uint8)
    blocks = padded.reshape(-1, _BLOCK)
    values = np.zeros(len(blocks), np.uint32)
    for position, table in enumerate(_block_tables()):
        values ^= table[blocks[:, position]]
    level = _BLOCK.bit_length() - 1
    while counts.max(initial=0) > 1:
        odd = counts & 1
        values = np.insert(values, (np.cumsum(counts) - counts)[odd == 1], 0)
        values = _shift(level, values[0::2]) ^ values[1::2]
        counts = (counts + odd) // 2
        level += 1
    sums = np.zeros(len(lengths), np.uint32)
    sums[counts > 0] = values
    # The checksum begins with all bits set, which the zero bytes above left out.
    start = np.full(len(lengths), 0xFFFFFFFF, np.uint32)
    for level in range(int(lengths.max(initial=0)).bit_length()):
        has_bit = (lengths >> level) & 1 == 1
        start[has_bit] = _shift(level, start[has_bit])
    return sums ^ start ^ np.uint32(0xFFFFFFFF)


def _shift(level: int, values: Any) -> Any:
    """The checksums after 2**level zero bytes."""
    tables = _shift_tables(level)
    shifted = tables[0][values & 0xFF]
    for byte in (1, 2, 3):
        shifted ^= tables[byte][(values >> np.uint32(8 * byte)) & 0xFF]
    return shifted


@lru_cache(maxsize=None)
def _byte_table() -> Any:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = (table >> np.uint32(1)) ^ np.where(table & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
    return table


@lru_cache(maxsize=None)
def _shift_tables(level: int) -> Any:
    """Four tables, one per byte of a checksum, whose values are combined by exclusive or."""
    numbers = np.arange(256, dtype=np.uint32)
    inputs = np.stack([numbers << np.uint32(8 * byte) for byte in range(4)])
    if level == 0:
        return (inputs >> np.uint32(8)) ^ _byte_table()[inputs & 0xFF]
    return _shift(level - 1, _shift(level - 1, inputs))


@lru_cache(maxsize=None)
def _block_tables() -> Any:
    """For each position in a block: what a byte there contributes to the checksum of the block."""
    tables = [_byte_table()]
    for _ in range(_BLOCK - 1):
        tables.append(_shift(0, tables[-1]))
    return np.stack(tables[::-1])
