// The header of a request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::hadoop::fileserver {

struct Request {
  int64_t id = 0;
  std::string op;
  std::string fs;        // the URI of the file system; "": the default one
  std::string path, to;  // absolute paths in it
  int64_t file = 0;      // an open file
  int64_t offset = 0, length = 0;
  int64_t until = 0;   // the end of the bytes that the client reads next; 0: not known
  int64_t memory = 0;  // the place in the shared memory for the bytes
  bool in_memory = false;
  bool overwrite = false, recursive = false;
  int64_t replication = 0, block_size = 0;  // 0: the default of the file system
  friend bool operator==(const Request&, const Request&) = default;
};

// Absent keys have their defaults, and other keys are ignored. Returns an error if the text is not a JSON object with
// an id and an operation, or if a key has a value of another type.
Result<Request> ParseRequest(std::string_view header);

}  // namespace howdah::hadoop::fileserver
