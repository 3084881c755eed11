#include "howdah/os/files/record_file.h"

#include <gtest/gtest.h>

#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

using Records = std::vector<std::string>;

Records Read(const std::string& path) {
  Records records;
  EXPECT_TRUE(ReadRecords(path, [&](std::string_view record) { records.emplace_back(record); }).ok());
  return records;
}

Result<RecordFile> Open(const std::string& path, Records* there = nullptr) {
  return RecordFile::Open(path, [there](std::string_view record) {
    if (there != nullptr) there->emplace_back(record);
  });
}

TEST(RecordFile, SuccessiveWritersAppendRecords) {
  const Scratch scratch;
  const std::string path = scratch / "records";
  EXPECT_EQ(Read(path), Records());
  ASSERT_TRUE(Open(path)->Append({"one", "", std::string("t\0o", 3)}).ok());
  Records there;
  ASSERT_TRUE(Open(path, &there)->Append({"three"}).ok());
  EXPECT_EQ(there, (Records{"one", "", std::string("t\0o", 3)}));
  EXPECT_EQ(Read(path).back(), "three");
}

TEST(RecordFile, TornRecordIsDroppedAndOverwritten) {
  const Scratch scratch;
  const std::string whole_path = scratch / "whole";
  ASSERT_TRUE(Open(whole_path)->Append({"one", "two"}).ok());
  const std::string whole = *ReadFile(whole_path);
  for (size_t kept = 0; kept < whole.size(); ++kept) {
    const std::string path = scratch / std::to_string(kept);
    ASSERT_TRUE(WriteFileAtomically(path, whole.substr(0, kept), 0600).ok());
    const Records before = Read(path);
    EXPECT_EQ(before, kept < whole.size() / 2 ? Records() : Records{"one"}) << kept;
    ASSERT_TRUE(Open(path)->Append({"new"}).ok());
    Records after = before;
    after.emplace_back("new");
    EXPECT_EQ(Read(path), after) << kept;
  }
}

}  // namespace
}  // namespace howdah::os::files
