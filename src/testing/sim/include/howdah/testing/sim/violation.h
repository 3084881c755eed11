// A broken rule of a simulation, and the receiver of a trace.
#pragma once

#include <functional>
#include <string>

namespace howdah::testing::sim {

// A rule that the simulated program broke.
struct Violation {
  std::string check;  // the rule, as a sentence
  std::string what;   // how it was broken
};

// Receives each line of a trace. If the function is empty, no trace is formatted.
using TraceSink = std::function<void(const std::string& line)>;

}  // namespace howdah::testing::sim
