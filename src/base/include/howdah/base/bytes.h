// Amounts of memory: the notation of job files, and text for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah {

// Parses an amount such as "4GiB": a whole number without a sign, directly followed by a unit. The units are KiB MiB
// GiB TiB, KB MB GB TB, and Hadoop's k m g t (powers of 1024). Returns nullopt for anything else, and for amounts that
// do not fit into 63 bits.
std::optional<int64_t> ParseBytes(std::string_view text);

// Returns the shortest text that ParseBytes converts back to `bytes`, if `bytes` is a whole number of KiB. Otherwise
// returns the number of KiB, rounded up.
std::string BytesToText(int64_t bytes);

// Formats an amount for people, with at most one decimal: "4.1 GiB", "512 MiB", "17 B".
std::string FormatBytes(int64_t bytes);

}  // namespace howdah
