// Reads what Python prints when it dies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::diagnosis {

struct PythonException {
  std::string type;     // without its module: "JSONDecodeError"
  std::string message;  // one line
  std::string file;     // of the innermost frame that is the user's code, as seen from the working directory
  int line = 0;         // 0: no frame was printed

  std::string Where() const;   // "train.py line 7", or empty
  std::string ToText() const;  // "ValueError: bad batch 17 (train.py line 7)"
};

struct PythonFailure {
  PythonException last;                  // what ended the process
  std::optional<PythonException> first;  // what began it: the first of a chain, or of the exceptions in a group
  std::string link;                      // how first belongs to last: "caused by", "while handling", "the first"

  std::string ToText() const;
};

// The last traceback in lines, if there is one that is complete.
std::optional<PythonFailure> FindPythonFailure(const std::vector<std::string>& lines,
                                               std::string_view working_directory);

}  // namespace howdah::diagnosis
