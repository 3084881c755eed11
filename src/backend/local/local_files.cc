#include "local_files.h"

#include "howdah/storage/local_files.h"

namespace howdah::backend::local {

Result<std::unique_ptr<storage::Files>> OpenLocalFiles(const std::string& uri) {
  if (!uri.starts_with('/') && !uri.starts_with("file:")) {
    return Error{
        ErrorCode::kUnavailable,
        uri + ": the local backend supports only files of this machine; use --on yarn for files of the cluster"};
  }
  return storage::OpenLocalFiles();
}

}  // namespace howdah::backend::local
