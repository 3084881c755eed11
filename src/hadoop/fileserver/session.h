// Carries out requests, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "howdah/hadoop/fileserver/serve.h"
#include "memory.h"
#include "request.h"

namespace howdah::hadoop::fileserver {

struct Answer {
  std::string header, payload;
};

// File systems with their connections, and open files. Not thread-safe: each thread of the server has one.
class Session {
 public:
  // The numbers of open files are first_file, first_file + step, and so on, so that they show the session.
  // memory: null if the client shares none.
  Session(const Source& source, const Memory* memory, int64_t first_file, int64_t step)
      : source_(source), memory_(memory), next_file_(first_file), step_(step) {}

  Answer Do(const Request& request, std::string_view payload);
  size_t open_files() const { return readers_.size() + writers_.size(); }

 private:
  struct Call {
    const Request& request;
    std::string_view payload;
    std::string body;  // the payload of the answer
  };
  using Fields = nlohmann::json;  // of the header of an answer
  using Operation = Result<Fields> (Session::*)(Call& call);
  static Operation Find(std::string_view op);

  Result<Fields> Open(Call& call);
  Result<Fields> Read(Call& call);
  Result<Fields> Create(Call& call);
  Result<Fields> Write(Call& call);
  Result<Fields> Close(Call& call);
  Result<Fields> Discard(Call& call);
  Result<Fields> Stat(Call& call);
  Result<Fields> List(Call& call);
  Result<Fields> MakeDirectories(Call& call);
  Result<Fields> Rename(Call& call);
  Result<Fields> Delete(Call& call);

  Result<Mounted*> Mount(const std::string& uri);
  Result<hdfs::Writer*> WriterOf(const Request& request) const;
  int64_t NewFile();

  const Source& source_;
  const Memory* const memory_;
  int64_t version_ = 0;
  std::map<std::string, Mounted> mounted_;  // by the URI of the request
  std::map<int64_t, std::unique_ptr<hdfs::Reader>> readers_;
  std::map<int64_t, std::unique_ptr<hdfs::Writer>> writers_;
  int64_t next_file_;
  const int64_t step_;
};

}  // namespace howdah::hadoop::fileserver
