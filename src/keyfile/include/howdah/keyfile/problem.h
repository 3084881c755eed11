// The problems of a file that is read against a table of keys.
#pragma once

#include <string>
#include <vector>

namespace howdah::keyfile {

// A mistake in a file, or a hint about one of its keys.
struct Problem {
  std::string file;  // the path that the user gave
  int line = 0;      // 1-based; 0 for a --set, and for the file as a whole
  std::string key;   // "roles.worker.memory"; empty for the file as a whole
  std::string text;  // the mistake, and what to do
  // For a syntax error: the line of the file, and a line with a caret below the error. Otherwise empty.
  std::string excerpt = {};
  // Formats "job.yaml:7: roles.worker.memroy: unknown key; did you mean 'memory'?".
  std::string ToText() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

// The result of reading a file.
template <typename T>
struct Contents {
  T value;                        // valid only if problems is empty
  std::vector<Problem> problems;  // all problems, in the order of their lines
  std::vector<Problem> hints;     // about keys that are valid, but probably not as intended
};

}  // namespace howdah::keyfile
