#include "checks.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "quota.h"

namespace howdah::hadoop::hdfs {
namespace {

// Reports a failure and exits. Keeps the files in HDFS for inspection.
[[noreturn]] void Stop(const std::string& what) {
  std::fprintf(stderr, "hdfs_live: %s\n", what.c_str());
  std::exit(1);
}

void Expect(bool right, const std::string& what) {
  if (!right) Stop(what);
}
void Expect(const Status& status, const std::string& what) {
  if (!status.ok()) Stop(what + ": " + status.error().message);
}
template <typename T>
T Take(Result<T> result, const std::string& what) {
  if (!result) Stop(what + ": " + result.error().message);
  return std::move(*result);
}
void ExpectError(const Status& status, const std::string& remote_class, const std::string& text,
                 const std::string& what) {
  Expect(!status.ok(), what + " succeeded, but must fail");
  const Error& error = status.error();
  Expect(error.remote_class.ends_with(remote_class) && error.message.find(text) != std::string::npos,
         what + " failed with an unexpected error: " + error.remote_class + ": " + error.message);
}

Status StatusOf(const auto& result) { return result ? Status() : Status(result.error()); }

// Returns bytes without repetition, so that data at a wrong position are detected.
std::string Pattern(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 1;
  for (char& c : bytes) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return bytes;
}

std::string ReadAll(FileSystem& files, const std::string& path, int64_t from = 0) {
  const auto reader = Take(files.Open(path), "opening " + path);
  Expect(reader->Seek(from), "seeking");
  std::string all;
  for (;;) {
    const std::string piece = Take(reader->Read(100'000), "reading " + path);
    if (piece.empty()) return all;
    all += piece;
  }
}

void Write(FileSystem& files, const std::string& path, std::string_view bytes, const CreateOptions& options = {},
           size_t step = 1 << 20) {
  const auto writer = Take(files.Create(path, options), "creating " + path);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    Expect(writer->Write(bytes.substr(0, step)), "writing " + path);
  }
  Expect(writer->Close(), "closing " + path);
}

void CheckSizes(FileSystem& files, const std::string& top) {
  const std::string pattern = Pattern(5 << 20);
  for (const size_t size : {0, 1, 511, 512, 513, 64511, 64512, 64513, 1 << 20, (1 << 20) + 1, 5 << 20}) {
    const std::string path = top + "/size-" + std::to_string(size);
    Write(files, path, std::string_view(pattern).substr(0, size), {.block_size = 1 << 20}, 99'991);
    const FileStatus status = Take(files.Stat(path), "stat");
    Expect(status.length == static_cast<int64_t>(size) && !status.directory && status.block_size == 1 << 20,
           path + " has the wrong length or block size");
    Expect(ReadAll(files, path) == pattern.substr(0, size), path + " has other bytes than were written");
  }
  const std::string five = top + "/size-" + std::to_string(5 << 20);  // five blocks of 1 MiB
  for (const int64_t from :
       {int64_t{1}, int64_t{511}, int64_t{1 << 20}, int64_t{(3 << 20) + 12345}, int64_t{5 << 20}}) {
    Expect(ReadAll(files, five, from) == pattern.substr(static_cast<size_t>(from)), "reading from the middle is wrong");
  }
  const auto reader = Take(files.Open(five), "opening");
  Expect(!reader->Seek((5 << 20) + 1).ok(), "seeking beyond the end succeeded");
}

void CheckNames(FileSystem& files, const std::string& top) {
  const std::string odd = top + "/a b#c%20ü";
  Write(files, odd, "x");
  Expect(Take(files.Stat(odd), "stat").name == "a b#c%20ü", "a name with special characters was changed");
  const auto entries = Take(files.List(top), "list");
  for (size_t i = 1; i < entries.size(); ++i) {
    Expect(entries[i - 1].name < entries[i].name, "a listing is not sorted by name");
  }
  const auto one = Take(files.List(odd), "listing a file");
  Expect(one.size() == 1 && one[0].name == "a b#c%20ü", "listing a file does not return that file");

  Expect(files.Rename(odd, top + "/renamed", false), "renaming");
  Write(files, odd, "y");
  Expect(!files.Rename(odd, top + "/renamed", false).ok(), "renaming over a file succeeded without overwrite");
  Expect(files.Rename(odd, top + "/renamed", true), "renaming over a file");
  Expect(ReadAll(files, top + "/renamed") == "y", "renaming over a file kept the old one");
  Expect(files.Stat(odd).error().code == ErrorCode::kNotFound,
         "the old name of a renamed file does not give kNotFound");
  Expect(StatusOf(files.Open(odd)).error().code == ErrorCode::kNotFound,
         "opening the old name does not give kNotFound");
  Expect(StatusOf(files.List(odd)).error().code == ErrorCode::kNotFound,
         "listing the old name does not give kNotFound");
  Expect(files.Delete(odd, false), "removing a missing file");
  Expect(!StatusOf(files.Create(top + "/renamed", {})).ok(), "creating over a file succeeded without overwrite");
  Write(files, top + "/renamed", "z", {.overwrite = true});
  Expect(ReadAll(files, top + "/renamed") == "z", "overwriting kept the old content");
}

void CheckAttributes(FileSystem& files, const std::string& top) {
  Expect(files.MakeDirectories(top + "/d/e", 0750), "making directories");
  Expect(files.MakeDirectories(top + "/d/e", 0700), "making an existing directory");
  Expect(Take(files.Stat(top + "/d/e"), "stat").permission == 0750, "a directory has the wrong permission");
  Expect(!files.Delete(top + "/d", false).ok(), "removing a directory with files succeeded without recursive");
  for (const uint32_t permission : {0600u, 0755u, 0666u}) {
    const std::string path = top + "/d/" + std::to_string(permission);
    Write(files, path, "x", {.permission = permission});
    Expect(Take(files.Stat(path), "stat").permission == permission, "a file was made with the wrong permission");
    Expect(files.SetTimes(path, 1234567890123), "setting a time");
    Expect(Take(files.Stat(path), "stat").modified_millis == 1234567890123, "a time was not set");
    Expect(files.SetPermission(path, 0444), "setting a permission");
    Expect(Take(files.Stat(path), "stat").permission == 0444, "a permission was not set");
  }
  Expect(files.Delete(top + "/d", true), "removing a tree");
  Expect(files.Stat(top + "/d").error().code == ErrorCode::kNotFound, "a tree was not removed");
}

void CheckFlush(FileSystem& files, const std::string& top) {
  const std::string path = top + "/flushed", pattern = Pattern(3 << 20);
  auto writer = Take(files.Create(path, {.block_size = 1 << 20}), "creating");
  size_t written = 0;
  // Flushes within a chunk, at the end of a chunk, without new data, and across the end of a block.
  for (const size_t step : {100, 0, 412, 1000, 600'000, 500'000, 1 << 20}) {
    Expect(writer->Write(std::string_view(pattern).substr(written, step)), "writing");
    written += step;
    Expect(writer->Flush(), "flushing after " + std::to_string(written) + " bytes");
    Expect(ReadAll(files, path) == pattern.substr(0, written),
           "flushed bytes cannot be read: " + std::to_string(written) + " bytes");
  }
  Expect(writer->Close(), "closing");
  Expect(ReadAll(files, path) == pattern.substr(0, written), "a flushed file has the wrong content");

  auto forgotten = Take(files.Create(top + "/forgotten", {}), "creating");
  Expect(forgotten->Write(pattern), "writing");
  forgotten.reset();
  Expect(files.Stat(top + "/forgotten").error().code == ErrorCode::kNotFound,
         "the file of a destroyed writer still exists");
}

void CheckManyEntries(FileSystem& files, const std::string& top) {
  constexpr size_t kMany = 1203;  // more than 1000, the number of entries that the NameNode returns per call
  for (size_t i = 0; i < kMany; ++i) {
    Expect(files.MakeDirectories(top + "/many/" + std::to_string(i), 0755), "making a directory");
  }
  Expect(Take(files.List(top + "/many"), "list").size() == kMany, "a long listing is incomplete");
}

void CheckQuota(FileSystem& files, const std::string& top, const QuotaSetter& set) {
  const std::string path = top + "/quota";
  Expect(files.MakeDirectories(path, 0755), "making a directory");
  Expect(set(path, 2, 3 << 20), "setting a quota");
  const auto write = [&](size_t size) -> Status {
    HOWDAH_TRY(const auto writer,
               files.Create(path + "/x", {.overwrite = true, .replication = 1, .block_size = 2 << 20}));
    HOWDAH_TRY_STATUS(writer->Write(Pattern(size)));
    return writer->Close();
  };
  Expect(write(1 << 20), "writing within the quota");
  ExpectError(write(3 << 20), "DSQuotaExceededException", path + " may hold 3 MiB",
              "writing more than the space quota");
  Expect(write(1 << 20), "writing within the quota");
  ExpectError(files.MakeDirectories(path + "/d", 0755), "NSQuotaExceededException",
              path + " may hold 2 files and directories (its name quota), and this would make 3",
              "more names than the quota");
}

}  // namespace

Status CheckAll(FileSystem& files, const hadoop::conf::Configuration& configuration, const OpenOptions& options,
                bool quota) {
  const std::string top = "/tmp/howdah-live-" + std::to_string(::getpid());
  Expect(files.MakeDirectories(top, 0755), "making a directory");
  CheckSizes(files, top);
  CheckNames(files, top);
  CheckAttributes(files, top);
  CheckFlush(files, top);
  CheckManyEntries(files, top);
  if (quota) CheckQuota(files, top, QuotaSetterOf(configuration, options));
  return files.Delete(top, true);
}

}  // namespace howdah::hadoop::hdfs
