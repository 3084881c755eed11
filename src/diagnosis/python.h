// Reads Python tracebacks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::diagnosis {

struct PythonException {
  std::string type;     // the class without its module: "JSONDecodeError"
  std::string message;  // one line
  std::string file;     // the file of the innermost frame in the user's code, relative to the working directory
  int line = 0;         // 0 if no frame was printed

  std::string Location() const;  // "train.py line 7", or empty
  std::string ToText() const;    // "ValueError: bad batch 17 (train.py line 7)"
};

struct PythonFailure {
  PythonException last;                  // the exception that ended the process
  std::optional<PythonException> first;  // the first exception of the chain or the group, if there is one
  std::string link;                      // relation of `last` to `first`: "caused by", "while handling", "the first"

  std::string ToText() const;
};

// Returns the last complete traceback in the lines, or nullopt if there is none.
std::optional<PythonFailure> FindPythonFailure(const std::vector<std::string>& lines,
                                               std::string_view working_directory);

}  // namespace howdah::diagnosis
