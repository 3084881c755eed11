#include "howdah/hadoop/yarnlogs/locations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "testing.h"

namespace howdah::hadoop::yarnlogs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Directories(const std::map<std::string, std::string>& configuration,
                                     std::string_view application = "application_1795285645199_0001") {
  return LogDirectories(
      [&](const std::string& key) {
        const auto found = configuration.find(key);
        return found == configuration.end() ? std::nullopt : std::optional(found->second);
      },
      "ann", application);
}

// The first directory is the one that NodeManagers of 3.3.6, 3.4.3 and 3.5.0 used, as recorded (testdata/README.md).
TEST(LogDirectories, DefaultsApplyWithoutConfiguration) {
  EXPECT_THAT(Directories({}), ElementsAre("/tmp/logs/ann/bucket-logs-tfile/0001/application_1795285645199_0001",
                                           "/tmp/logs/ann/bucket-logs-ifile/0001/application_1795285645199_0001",
                                           "/tmp/logs/ann/logs-tfile/application_1795285645199_0001",
                                           "/tmp/logs/ann/logs/application_1795285645199_0001",
                                           "/tmp/logs/ann/logs-ifile/application_1795285645199_0001"));
}

TEST(LogDirectories, FirstDirectoryMatchesConfiguration) {
  const std::string a = "application_1795285645199_0001";
  const struct {
    std::map<std::string, std::string> configuration;
    std::string application;
    std::string first;
  } rows[] = {
      {{{"yarn.log-aggregation.file-formats", "IFile,TFile"}}, a, "/tmp/logs/ann/bucket-logs-ifile/0001/" + a},
      {{{"yarn.log-aggregation.file-formats", " My_Format1 , TFile"}},
       a,
       "/tmp/logs/ann/bucket-logs-my_format1/0001/" + a},
      {{{"yarn.nodemanager.remote-app-log-dir", "hdfs://ns/app-logs/"}},
       a,
       "hdfs://ns/app-logs/ann/bucket-logs-tfile/0001/" + a},
      {{{"yarn.nodemanager.remote-app-log-dir-suffix", "old"}}, a, "/tmp/logs/ann/bucket-old-tfile/0001/" + a},
      {{{"yarn.log-aggregation.TFile.remote-app-log-dir", "s3a://b/l"},
        {"yarn.log-aggregation.TFile.remote-app-log-dir-suffix", "mine"},
        {"yarn.nodemanager.remote-app-log-dir-suffix", "old"}},
       a,
       "s3a://b/l/ann/bucket-mine/0001/" + a},
      {{{"yarn.nodemanager.remote-app-log-dir", ""}},
       "application_1795285645199_12345",
       "/tmp/logs/ann/bucket-logs-tfile/2345/application_1795285645199_12345"},
      {{}, "application_1_10000", "/tmp/logs/ann/bucket-logs-tfile/0000/application_1_10000"},
  };
  for (const auto& row : rows) EXPECT_EQ(Directories(row.configuration, row.application).front(), row.first);
}

TEST(LogDirectories, InvalidApplicationIdHasNoDirectories) {
  for (const char* id : {"", "application", "application_", "application_1", "application_1_", "application_1_x",
                         "application_1_99999999999", "job_1_0001"}) {
    EXPECT_THAT(Directories({}, id), IsEmpty()) << id;
  }
}

TEST(LogFiles, FilesOfNodeAreSelected) {
  const std::vector<std::string> names = {
      "n1_8041_1795286052709", "n1_8041_1795286049149", "n1_8041.tmp", "n1_8041-checksum", "n10_8041", "n1_80411",
      "application_1_0001.har"};
  EXPECT_THAT(LogFilesOf("n1:8041", names), ElementsAre("n1_8041_1795286049149", "n1_8041_1795286052709"));
  EXPECT_THAT(LogFilesOf("n10:8041", names), ElementsAre("n10_8041"));
  EXPECT_THAT(LogFilesOf("n1:9", names), IsEmpty());
  EXPECT_THAT(LogFilesOf("", names),
              ElementsAre("n10_8041", "n1_80411", "n1_8041_1795286049149", "n1_8041_1795286052709"));
}

TEST(ChecksumFile, RecordedFileIsParsed) {
  const std::string bytes = testing::Recorded("3.3.6-ifile-gz-rolled-checksum");
  ASSERT_EQ(bytes.size(), 41u);
  const Result<Checksum> read = ParseChecksum(bytes);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->name, "localhost_26100_1795286015997");
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(ParseChecksum(bytes.substr(0, size)).ok()) << size;
}

}  // namespace
}  // namespace howdah::hadoop::yarnlogs
