#include "keytab.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace howdah::hadoop::kerberos {
namespace {

constexpr mode_t kOthers = 07;
constexpr size_t kKeysMax = 10'000;  // a limit for a damaged file

std::string ModeText(mode_t mode) {
  std::string text = "0";
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7U));
  return text;
}

Error Unusable(const std::string& path, const std::string& why, std::string remedy) {
  return Error::WithRemedy(ErrorCode::kUsage, "the keytab " + path + " " + why, std::move(remedy));
}

}  // namespace

Result<std::string> CheckKeytabFile(const std::string& name) {
  std::string path = name.starts_with("FILE:") ? name.substr(5) : name;
  if (path.empty() || path.find(':') < path.find('/')) {
    return Error{ErrorCode::kUsage, "'" + name + "' is not the path of a keytab file"};
  }
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return Unusable(path, "cannot be used: " + std::string(strerror(errno)), "check its path");
  }
  const std::string mode =
      " (mode " + ModeText(status.st_mode) + ", owner: user id " + std::to_string(status.st_uid) + ")";
  if (!S_ISREG(status.st_mode)) return Unusable(path, "is not a file" + mode, "check its path");
  if ((status.st_mode & kOthers) != 0) {
    return Unusable(path, "can be accessed by every user of this machine" + mode, "run: chmod 600 " + path);
  }
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Unusable(path, "is unreadable for the user id " + std::to_string(geteuid()) + mode + ": " + strerror(errno),
                    "use a keytab of your own");
  }
  char magic[2] = {};
  const ssize_t got = read(fd, magic, sizeof magic);
  close(fd);
  if (got != 2 || magic[0] != 5 || magic[1] < 1 || magic[1] > 2) {
    return Unusable(path, "is not a keytab: it does not begin with 05 02" + mode, "check its path");
  }
  return path;
}

Result<std::vector<KeytabKey>> KeysOf(krb5_context context, const std::string& path) {
  OwnedKeytab keytab(context);
  std::vector<KeytabKey> keys;
  krb5_kt_cursor cursor{};
  krb5_error_code code = krb5_kt_resolve(context, ("FILE:" + path).c_str(), keytab.out());
  if (code == 0) code = krb5_kt_start_seq_get(context, keytab.get(), &cursor);
  if (code == 0) {
    krb5_keytab_entry entry{};
    while (keys.size() < kKeysMax && (code = krb5_kt_next_entry(context, keytab.get(), &entry, &cursor)) == 0) {
      char type[100] = "";
      if (krb5_enctype_to_name(entry.key.enctype, FALSE, type, sizeof type) != 0) {
        snprintf(type, sizeof type, "type %d", entry.key.enctype);
      }
      keys.push_back({NameOf(context, entry.principal), type, entry.vno});
      krb5_free_keytab_entry_contents(context, &entry);
    }
    if (code == KRB5_KT_END) code = 0;
    krb5_kt_end_seq_get(context, keytab.get(), &cursor);
  }
  if (code == 0 && keys.empty()) return Unusable(path, "is empty", "use another keytab");
  if (code == 0) return keys;
  const char* text = krb5_get_error_message(context, code);
  const std::string why = text == nullptr ? "" : text;
  krb5_free_error_message(context, text);
  return Unusable(path, "is damaged: " + why, "use another copy of it");
}

}  // namespace howdah::hadoop::kerberos
