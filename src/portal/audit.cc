#include "audit.h"

#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "json_text.h"

namespace howdah::portal {

std::string AuditLine(const AuditEntry& entry) {
  Json from = {{"address", entry.peer.unix_socket ? Json("unix") : Json(entry.peer.address)},
               {"uid", entry.peer.user ? Json(*entry.peer.user) : Json(nullptr)}};
  const Json arguments = ParseJson(entry.arguments);
  return Dump({{"time", FormatInstant(entry.time)},
               {"user", entry.user},
               {"token", OrNull(entry.token)},
               {"from", std::move(from)},
               {"action", entry.action},
               {"job", entry.job},
               {"arguments", arguments.is_object() ? arguments : Json::object()},
               {"outcome", entry.outcome}});
}

Result<AuditLog> AuditLog::Open(const std::string& path) {
  HOWDAH_TRY(auto file, os::files::OpenForAppend(path, 0600));
  return AuditLog(path, std::move(file));
}

Status AuditLog::Write(const AuditEntry& entry) {
  const std::lock_guard lock(mutex_);
  return os::files::AppendLine(file_.get(), AuditLine(entry), path_);
}

}  // namespace howdah::portal
