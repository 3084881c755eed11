// The digest of a block that the executor computes. The body then costs a source no time, and the executor computes it
// several times as fast as the standard library of Python.
#pragma once

#include <cstdint>

#include "block_body.h"

namespace howdah::feed::server {

// crc: the CRC-32 of the body. digest.py of the Python package computes the same number, for rows that a source does
// not send again. Pure.
uint64_t DigestOf(int64_t first_row, int64_t rows, uint32_t crc);

uint32_t CrcOfBody(const BlockBody& body);

}  // namespace howdah::feed::server
