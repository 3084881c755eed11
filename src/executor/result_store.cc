#include "result_store.h"

#include <sys/stat.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "howdah/base/bytes.h"
#include "howdah/core/results.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "progress_reader.h"

namespace howdah::executor {
namespace {

// Returns the size of the file; nullopt if there is none.
ResultStore::Stored StoredSize(const std::string& path) {
  const auto file = os::files::OpenRegular(path);
  if (!file.ok() && file.error().code == ErrorCode::kNotFound) return std::optional<int>();
  if (!file.ok()) return file.error().While("reading its result");
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) return os::files::SystemError("reading its result " + path);
  if (status.st_size > core::kResultLimit) {
    return Failed("its result of " + FormatBytes(status.st_size) + " exceeds the limit of " +
                  FormatBytes(core::kResultLimit) + " for the result of a process");
  }
  return std::optional(static_cast<int>(status.st_size));
}

}  // namespace

std::string ResultFile(const std::string& work_dir, int attempt, int local_rank) {
  return ProgressFile(work_dir, attempt, local_rank) + ".result";
}

ResultStore::~ResultStore() {
  for (std::thread& thread : threads_) thread.join();
}

void ResultStore::Store(const ProcessSlot& slot, Done done) {
  const std::string path = ResultFile(plan_.options.work_dir, slot.attempt, slot.local_rank);
  const Stored size = StoredSize(path);
  if (!size.ok() || !*size || !plan_.options.store_result) return done(size);
  const auto thread = threads_.emplace(threads_.end());
  *thread = std::thread([this, thread, path, size, rank = slot.local_rank, done = std::move(done)] {
    const Status stored = plan_.options.store_result(
        plan_.options.role + "-" + std::to_string(plan_.options.index) + "/" + std::to_string(rank), path);
    boost::asio::post(loop_, [this, thread, size, stored, done] {
      thread->join();
      threads_.erase(thread);
      done(stored.ok() ? size : Stored(stored.error().While("storing its result")));
    });
  });
}

}  // namespace howdah::executor
