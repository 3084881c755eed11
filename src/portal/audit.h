// Records each action that was requested through the portal.
#pragma once

#include <mutex>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/files/fd.h"
#include "howdah/web/message.h"

namespace howdah::portal {

struct AuditEntry {
  Instant time;
  web::Peer peer;
  std::string user;       // on whose behalf the portal acts
  std::string token;      // the name of the token that the request was sent with; "" for none
  std::string action;     // "kill"
  std::string job;        // its id
  std::string arguments;  // a JSON object
  std::string outcome;    // "done", or the error for people
};

// One JSON object, without a newline.
std::string AuditLine(const AuditEntry& entry);

// Thread-safe.
class AuditLog {
 public:
  // Appends to the file; creates it with mode 0600.
  static Result<AuditLog> Open(const std::string& path);
  AuditLog(AuditLog&& other) noexcept : path_(std::move(other.path_)), file_(std::move(other.file_)) {}

  Status Write(const AuditEntry& entry);

 private:
  AuditLog(std::string path, os::files::Fd file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  os::files::Fd file_;
  std::mutex mutex_;
};

}  // namespace howdah::portal
