// Serves files of a cluster to one process, through pipes. It is the implementation of howdah.fs: the Python package
// has no HDFS client of its own.
//
// A message is a frame in both directions: two big-endian numbers of 4 bytes, the sizes of a header and a payload, then
// the header (a JSON object) and the payload (bytes). Each request has an `id`, and its answer the same id. Requests
// for one open file are carried out in order. Other requests run at the same time, and their answers come in any order.
// The client may share a memory file: bytes that it reads are then written there, and not into the payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/hdfs/file_system.h"

namespace howdah::hadoop::fileserver {

struct Mounted {
  std::unique_ptr<hdfs::FileSystem> files;
  uint32_t umask = 022;  // new files have the permission 0666 without these bits, new directories 0777
};

// The file systems to serve. Both functions are called on several threads.
struct Source {
  // Opens the file system of a URI such as "hdfs://ns1". "": the default file system.
  std::function<Result<Mounted>(const std::string& uri)> open;
  // Changes when newer credentials are available. The server then opens its file systems again.
  std::function<int64_t()> version;
};

// The most bytes of a header and of a payload in a request, and of the payload of an answer to `read`.
inline constexpr size_t kMaxHeader = size_t{256} << 10, kMaxPayload = size_t{16} << 20;
inline constexpr size_t kMaxThreads = 16;

// Descriptors. memory: a memory file that is sealed against shrinking; -1: none.
struct Streams {
  int in = -1, out = -1, memory = -1;
};

// Serves until the input ends. Then requests that have not begun are dropped, and files that were not closed are
// deleted. Returns an error if the input is not a
// sequence of valid frames. on_end is called when the input has ended; requests in progress may then take until their
// own time limits.
Status Serve(const Streams& streams, const Source& source, const std::function<void()>& on_end = {});

}  // namespace howdah::hadoop::fileserver
