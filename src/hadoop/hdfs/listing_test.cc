// Entries of directories, as the NameNode lists them.
#include <gmock/gmock.h>

#include "hdfs_file_system.h"

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;

Result<std::vector<std::string>> NamesOf(const std::vector<std::string>& listed) {
  pb::DirectoryListingProto listing;
  for (const std::string& name : listed) listing.add_partiallisting()->set_path(name);
  std::vector<FileStatus> entries;
  HOWDAH_TRY_STATUS(AppendEntries(listing, "/user/ann/data", entries));
  std::vector<std::string> names;
  for (const FileStatus& entry : entries) names.push_back(entry.name);
  return names;
}

TEST(Listing, EntriesHaveTheirNames) {
  const auto names = NamesOf({"a", ".b", "..c", "d e"});
  ASSERT_TRUE(names.ok());
  EXPECT_THAT(*names, ::testing::ElementsAre("a", ".b", "..c", "d e"));
  const auto file = NamesOf({""});
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(*file, ::testing::ElementsAre("data")) << "the listed path is a file";
}

TEST(Listing, NameThatLeadsOutOfTheDirectoryIsRefused) {
  for (const std::string& name : {std::string("../a"), std::string("a/b"), std::string("/etc/passwd"), std::string("."),
                                  std::string(".."), std::string("a\0b", 3)}) {
    const auto names = NamesOf({"good", name});
    ASSERT_FALSE(names.ok()) << name;
    EXPECT_THAT(names.error().message, ::testing::HasSubstr("the NameNode listed an entry with the invalid name"));
  }
}

}  // namespace
}  // namespace howdah::hadoop::hdfs
