#include "metrics_writer.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "howdah/os/files/files.h"

namespace howdah::am {
namespace {

Status WriteFile(const std::string& path, const std::string& bytes) {
  return os::files::WriteFileAtomically(path, bytes, 0600);
}

}  // namespace

void MetricsWriter::Write(std::string bytes, std::function<void(Status)> done) {
  if (busy_) return;
  busy_ = true;
  thread_ = std::jthread([this, bytes = std::move(bytes), done = std::move(done)]() mutable {
    Status written = WriteFile(path_, bytes);
    boost::asio::post(loop_, [this, written = std::move(written), done = std::move(done)] {
      busy_ = false;
      done(written);
    });
  });
}

Status MetricsWriter::WriteNow(const std::string& bytes) {
  if (thread_.joinable()) thread_.join();
  return WriteFile(path_, bytes);
}

}  // namespace howdah::am
