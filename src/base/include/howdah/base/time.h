// Time as values. Nothing here reads a clock: callers pass the time in.
#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace howdah {

// Microseconds since the Unix epoch, UTC. Monotonic within one process: processes anchor a steady clock at the wall
// time of their start (os::process::Clock), so deadlines survive a step of the wall clock.
using Instant = std::chrono::sys_time<std::chrono::microseconds>;
using Duration = std::chrono::microseconds;

// The time of a file, as in struct stat: since the Unix epoch, cut to whole microseconds.
Instant ToInstant(const timespec& time);

// Formats "2026-11-21T06:45:12.301Z": UTC with milliseconds (RFC 3339).
std::string FormatInstant(Instant t);
// Parses the output of FormatInstant. Returns nullopt for anything else.
std::optional<Instant> ParseInstant(std::string_view text);

// Formats a duration for people: "412ms", "3.2s", "3m12s", "2h05m", "3d04h".
std::string FormatDuration(Duration d);

// Parses one duration in the notation of job files and flags: an unsigned whole number and one unit, as in "500ms",
// "10s", "5m", "2h" or "1d". Returns nullopt for anything else, and for more than 100 years.
std::optional<Duration> ParseDuration(std::string_view text);
// Returns the shortest text that ParseDuration converts back to `d`. `d` must be a whole number of milliseconds.
std::string DurationToText(Duration d);

}  // namespace howdah
