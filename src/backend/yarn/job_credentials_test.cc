#include "howdah/backend/yarn/job_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/files.h"

namespace howdah::backend::yarn {
namespace {

class EmbeddedFiles : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/howdah-embedded-XXXXXX";
    directory_ = mkdtemp(path);
    ASSERT_EQ(chdir(path), 0);
  }
  void TearDown() override {
    ASSERT_EQ(chdir("/"), 0);
    ASSERT_TRUE(os::files::RemoveTree(directory_).ok());
  }
  static std::string Content(const std::string& path) {
    const auto bytes = os::files::ReadFile(path);
    return bytes.ok() ? *bytes : "not there";
  }
  std::string directory_;
};

TEST_F(EmbeddedFiles, FilesAreReadableByTheirOwnerOnly) {
  hadoop::rpc::Credentials credentials;
  const std::string bytes("{\"a\": 1}\n\0ü", 12);
  EmbedFile(credentials, EmbedFor::kAll, "howdah/job.json", bytes);
  EmbedFile(credentials, EmbedFor::kAm, "am.json", "");
  credentials.secrets["other"] = "secret";
  ASSERT_TRUE(ExtractEmbeddedFiles(credentials).ok());
  EXPECT_EQ(Content("howdah/job.json"), bytes);
  EXPECT_EQ(Content("am.json"), "");
  struct stat info {};
  ASSERT_EQ(stat("howdah/job.json", &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(EmbeddedFiles, ErrorNamesTheFileThatCannotBeWritten) {
  ASSERT_TRUE(os::files::WriteFileAtomically("howdah", "a file", 0600).ok());
  hadoop::rpc::Credentials credentials;
  EmbedFile(credentials, EmbedFor::kAll, "howdah/job.json", "job");
  const Status placed = ExtractEmbeddedFiles(credentials);
  ASSERT_FALSE(placed.ok());
  EXPECT_THAT(placed.error().message, testing::HasSubstr("howdah"));
}

}  // namespace
}  // namespace howdah::backend::yarn
