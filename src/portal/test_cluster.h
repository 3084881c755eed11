// For tests only: a backend that has a job with event files.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "howdah/backend/testing.h"

namespace howdah::portal {

// A directory with one event file, which cannot be written.
class EventFile : public storage::Files {
 public:
  Result<std::vector<Entry>> List(const std::string&) override { return std::vector<Entry>{{.name = "tfevents"}}; }
  Result<std::string> Read(const std::string&, size_t) override { return Failed("made up"); }
  Status Write(const std::string&, std::string_view) override { return Failed("made up"); }
  Status MakeDirectories(const std::string&) override { return Failed("made up"); }
  Status Rename(const std::string&, const std::string&) override { return Failed("made up"); }
  Status Delete(const std::string&) override { return Failed("made up"); }
};

class ClusterWithEvents final : public backend::FailingCluster {
 public:
  using Open = std::function<std::unique_ptr<storage::Files>()>;

  explicit ClusterWithEvents(Open open) : open_(std::move(open)) {}
  // A result that a factory of a BackendPool can return.
  static Result<std::unique_ptr<backend::Cluster>> Make(Open open) {
    return std::unique_ptr<backend::Cluster>(std::make_unique<ClusterWithEvents>(std::move(open)));
  }

  Result<std::string> JobFile(const JobId&) override {
    return std::string(R"({"name": "a", "roles": {"w": {"memory": "8MiB", "command": "true"}},)"
                       R"( "tensorboard": {"logdir": "hdfs://ns1/logs"}})");
  }
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string&) override { return open_(); }

 private:
  const Open open_;
};

}  // namespace howdah::portal
