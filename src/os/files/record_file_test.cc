#include "howdah/os/files/record_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

using Records = std::vector<std::string>;

// Limits the size of the files that this process writes.
class ScopedFileSizeLimit {
 public:
  explicit ScopedFileSizeLimit(size_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~ScopedFileSizeLimit() { Lift(); }
  void Lift() const { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

OnRecord AddTo(Records& records) {
  return [&records](std::string_view record) -> Status {
    records.emplace_back(record);
    return {};
  };
}

Records Read(const std::string& path) {
  Records records;
  EXPECT_TRUE(ReadRecords(path, AddTo(records)).ok());
  return records;
}

Result<RecordFile> Open(const std::string& path, Records&& there = {}) { return RecordFile::Open(path, AddTo(there)); }

// Returns the message of the error with which the file is refused by readers and writers.
std::string ErrorOf(const std::string& path) {
  Records ignored;
  const Status read = ReadRecords(path, AddTo(ignored));
  const auto opened = Open(path);
  if (read.ok() || opened.ok()) return "no error";
  EXPECT_EQ(read.error().message, opened.error().message);
  return read.error().message;
}

TEST(RecordFile, SuccessiveWritersAppendRecords) {
  const Scratch scratch;
  const std::string path = scratch / "records";
  EXPECT_EQ(Read(path), Records());
  ASSERT_TRUE(Open(path)->Append({"one", "", std::string("t\0o", 3)}).ok());
  Records there;
  ASSERT_TRUE(RecordFile::Open(path, AddTo(there))->Append({"three"}).ok());
  EXPECT_EQ(there, (Records{"one", "", std::string("t\0o", 3)}));
  EXPECT_EQ(Read(path).back(), "three");
}

TEST(RecordFile, RecordLargerThanTheReadBufferIsRead) {
  const Scratch scratch;
  const std::string large((size_t{5} << 20) + 3, 'x');
  ASSERT_TRUE(Open(scratch / "records")->Append({"one", large, "two"}).ok());
  EXPECT_EQ(Read(scratch / "records"), (Records{"one", large, "two"}));
}

TEST(RecordFile, TornRecordIsDroppedAndOverwritten) {
  const Scratch scratch;
  const std::string one_path = scratch / "one", whole_path = scratch / "whole";
  ASSERT_TRUE(Open(one_path)->Append({"one"}).ok());
  ASSERT_TRUE(Open(whole_path)->Append({"one", "two"}).ok());
  const std::string whole = *ReadFile(whole_path);
  for (size_t kept = 0; kept < whole.size(); ++kept) {
    const std::string path = scratch / std::to_string(kept);
    ASSERT_TRUE(WriteFileAtomically(path, whole.substr(0, kept), 0600).ok());
    const Records before = Read(path);
    EXPECT_EQ(before, kept < ReadFile(one_path)->size() ? Records() : Records{"one"}) << kept;
    ASSERT_TRUE(Open(path)->Append({"new"}).ok());
    Records after = before;
    after.emplace_back("new");
    EXPECT_EQ(Read(path), after) << kept;
  }
}

TEST(RecordFile, DamagedByteIsAnErrorThatNamesFileAndOffset) {
  const Scratch scratch;
  const std::string whole_path = scratch / "whole";
  ASSERT_TRUE(Open(whole_path)->Append({"one", "two", "three"}).ok());
  const std::string whole = *ReadFile(whole_path);
  constexpr size_t kFirst = 8, kSecond = kFirst + 12 + 3, kThird = kSecond + 12 + 3;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char flipped : {'\1', '\x80', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flipped);
      const std::string path = scratch / "damaged";
      ASSERT_TRUE(WriteFileAtomically(path, damaged, 0600).ok());
      const std::string error = ErrorOf(path);
      const std::string where = at < kFirst    ? "its first bytes are not 'HWDHREC1'"
                                : at < kSecond ? "damaged at offset 8 "
                                : at < kThird  ? "damaged at offset 23 "
                                               : "damaged at offset 38 ";
      EXPECT_NE(error.find(path), std::string::npos) << error;
      EXPECT_NE(error.find(where), std::string::npos) << at << ": " << error;
      EXPECT_EQ(*ReadFile(path), damaged) << "the refused file must stay as evidence";
    }
  }
}

TEST(RecordFile, AppendedZerosAndRemovedBytesAreReportedAsDamage) {
  const Scratch scratch;
  const std::string path = scratch / "records";
  ASSERT_TRUE(Open(path)->Append({"one", "two", "three"}).ok());
  const std::string whole = *ReadFile(path);
  const std::pair<std::string, std::string> rows[] = {
      {whole + std::string(64, '\0'), "damaged at offset " + std::to_string(whole.size()) + " "},
      {whole.substr(0, 23) + whole.substr(23 + 5), "damaged at offset 23 "},
      {std::string(200, 'r'), "another version"},
      // A file of the version without checksums: length, record.
      {std::string("\3\0\0\0one", 7) + std::string("\3\0\0\0two", 7), "another version"},
  };
  for (const auto& [bytes, wanted] : rows) {
    ASSERT_TRUE(WriteFileAtomically(path, bytes, 0600).ok());
    EXPECT_NE(ErrorOf(path).find(wanted), std::string::npos) << ErrorOf(path);
  }
}

TEST(RecordFile, RecordThatTheReaderRefusesIsNamedByItsOffset) {
  const Scratch scratch;
  const std::string path = scratch / "records";
  ASSERT_TRUE(Open(path)->Append({"one", "two"}).ok());
  const Status read = ReadRecords(path, [](std::string_view record) -> Status {
    if (record == "two") return Failed("unknown record");
    return {};
  });
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "reading " + path + " at offset 23: unknown record");
}

// The test limits the file size of its process instead of filling a disk. Both cut a write short.
TEST(RecordFile, RecordCutShortByAFullDiskIsCompletedByTheNextAppend) {
  const Scratch scratch;
  const std::string path = scratch / "records";
  auto file = Open(path);
  ASSERT_TRUE(file.ok() && file->Append({"one"}).ok());
  const ScopedFileSizeLimit limit(ReadFile(path)->size() + 5);
  EXPECT_FALSE(file->Append({"two"}).ok());
  EXPECT_EQ(Read(path), Records{"one"});
  limit.Lift();
  ASSERT_TRUE(file->Append({"three"}).ok());
  EXPECT_EQ(Read(path), (Records{"one", "two", "three"}));
}

}  // namespace
}  // namespace howdah::os::files
