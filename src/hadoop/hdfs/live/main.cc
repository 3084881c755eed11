// hdfs_live: runs this library against a real cluster, for tests and benchmarks.
//
//   hdfs_live check [--quota]                all functions of a file system, in its own directory;
//                                            --quota: quotas, too (needs a superuser)
//   hdfs_live put LOCAL PATH [REPLICATION]   as `hdfs dfs -put`
//   hdfs_live get PATH LOCAL                 as `hdfs dfs -get`
//
// HADOOP_CONF_DIR selects the cluster. Logs in with the tokens of $HADOOP_TOKEN_FILE_LOCATION, with the ticket of
// $KRB5CCNAME, or else as $HADOOP_USER_NAME. Exits with 1 and a message at the first failure.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "checks.h"
#include "howdah/hadoop/hdfs/open.h"
#include "howdah/hadoop/kerberos/login.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::hadoop::hdfs {
namespace {

void Report(const char* what, int64_t bytes, std::chrono::steady_clock::time_point begin) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%s %lld bytes in %.3f s: %.1f MB/s\n", what, static_cast<long long>(bytes), seconds,
              static_cast<double>(bytes) / 1e6 / seconds);
}

Status Put(FileSystem& files, const std::string& local, const std::string& path, int replication) {
  const auto begin = std::chrono::steady_clock::now();
  const os::files::Fd fd(::open(local.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return os::files::SystemError("opening " + local);
  HOWDAH_TRY(auto writer, files.Create(path, {.overwrite = true, .replication = replication}));
  std::string buffer(1 << 20, '\0');
  int64_t total = 0;
  for (;;) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0) return os::files::SystemError("reading " + local);
    if (count == 0) break;
    total += count;
    if (const Status written = writer->Write({buffer.data(), static_cast<size_t>(count)}); !written.ok()) {
      return written;
    }
  }
  HOWDAH_TRY_STATUS(writer->Close());
  Report("put", total, begin);
  return {};
}

Status Get(FileSystem& files, const std::string& path, const std::string& local, int64_t offset) {
  const auto begin = std::chrono::steady_clock::now();
  const os::files::Fd fd(::open(local.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd.valid()) return os::files::SystemError("opening " + local);
  HOWDAH_TRY(const auto reader, files.Open(path));
  if (offset > 0) {
    HOWDAH_TRY_STATUS(reader->Seek(offset));
  }
  int64_t total = 0;
  for (;;) {
    HOWDAH_TRY(const auto bytes, reader->Read(1 << 20));
    if (bytes.empty()) break;
    total += static_cast<int64_t>(bytes.size());
    HOWDAH_TRY_STATUS(os::files::WriteAll(fd.get(), bytes, local));
  }
  Report("got", total, begin);
  return {};
}

std::string Environment(const std::string& name, const std::string& fallback) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : fallback;
}

Status Main(const std::vector<std::string>& arguments) {
  const hadoop::conf::Environment around{[](const std::string& name) -> std::optional<std::string> {
                                           const char* value = std::getenv(name.c_str());
                                           return value ? std::optional<std::string>(value) : std::nullopt;
                                         },
                                         Environment("HADOOP_USER_NAME", Environment("USER", "root")),
                                         Environment("HOME", "/")};
  HOWDAH_TRY(const auto configuration, hadoop::conf::LoadConfiguration(around));
  OpenOptions options;
  options.user = around.user_name;
  if (const std::string path = Environment("HADOOP_TOKEN_FILE_LOCATION", ""); !path.empty()) {
    HOWDAH_TRY(const auto bytes, os::files::ReadFile(path));
    HOWDAH_TRY(options.credentials, hadoop::rpc::ParseCredentials(bytes));
  }
  if (const std::string cache = Environment("KRB5CCNAME", ""); !cache.empty()) {
    options.kerberos.emplace().login = std::make_shared<kerberos::Login>(
        kerberos::LoginOptions{.cache = cache, .configuration = Environment("KRB5_CONFIG", "")});
  }
  HOWDAH_TRY(const auto files, Open(configuration, "", options));
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "check") return CheckAll(*files, configuration, options, arguments.size() > 1);
  if (command == "put" && arguments.size() >= 3) {
    return Put(*files, arguments[1], arguments[2], arguments.size() > 3 ? std::atoi(arguments[3].c_str()) : 0);
  }
  if (command == "get" && arguments.size() >= 3) {
    return Get(*files, arguments[1], arguments[2], arguments.size() > 3 ? std::atoll(arguments[3].c_str()) : 0);
  }
  return Error{ErrorCode::kUsage,
               "usage: hdfs_live check [--quota] | put LOCAL PATH [REPLICATION] | get PATH LOCAL [OFFSET]"};
}

}  // namespace
}  // namespace howdah::hadoop::hdfs

int main(int argc, char** argv) {
  const howdah::Status done = howdah::hadoop::hdfs::Main({argv + 1, argv + argc});
  if (done.ok()) return 0;
  std::fprintf(stderr, "hdfs_live: %s\n", done.error().message.c_str());
  if (!done.error().remote_class.empty()) std::fprintf(stderr, "hdfs_live: %s\n", done.error().remote_class.c_str());
  return 1;
}
