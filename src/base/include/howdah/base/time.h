// Time as values. Nothing here reads a clock: who needs the time is given it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace howdah {

// Microseconds since the Unix epoch, UTC. Within one process it never goes back: processes anchor a steady clock at the
// wall time of their start (os::process::Clock), so deadlines survive a step of the wall clock.
using Instant = std::chrono::sys_time<std::chrono::microseconds>;
using Duration = std::chrono::microseconds;

// "2026-11-21T06:45:12.301Z": UTC, milliseconds (RFC 3339).
std::string FormatInstant(Instant t);
// The reverse; nullopt for anything else.
std::optional<Instant> ParseInstant(std::string_view text);

// For people: "412ms", "3.2s", "3m12s", "2h05m", "3d04h".
std::string FormatDuration(Duration d);

// As job files and flags write them: "500ms 10s 5m 2h 1d", an unsigned whole number and one unit. nullopt otherwise,
// and for what does not fit into 100 years.
std::optional<Duration> ParseDuration(std::string_view text);
// The shortest text that ParseDuration reads back as d; d must be a whole number of milliseconds.
std::string DurationToText(Duration d);

}  // namespace howdah
