#include "output_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::backend::yarn::am {
namespace {

using hadoop::hdfs::CreateOptions;
using hadoop::hdfs::FileStatus;
using hadoop::hdfs::Reader;
using hadoop::hdfs::Writer;

// A file system in which, as in HDFS, an incomplete file is visible.
class FakeFiles final : public hadoop::hdfs::FileSystem {
 public:
  std::map<std::string, std::string> contents;
  std::function<Status()> on_write = [] { return Status(); };
  Status rename_fails;

  std::string uri() const override { return "fake://"; }
  std::string home_directory() const override { return "/"; }
  std::string server_security() const override { return ""; }
  std::string transfer_protection() const override { return ""; }
  std::string encryption() const override { return ""; }
  Result<FileStatus> Stat(const std::string&) override { return Failed("not here"); }
  Result<std::vector<FileStatus>> List(const std::string&) override { return Failed("not here"); }
  Status MakeDirectories(const std::string&, uint32_t) override { return {}; }
  Status Rename(const std::string& from, const std::string& to, bool overwrite) override {
    if (!rename_fails.ok()) return rename_fails;
    if (!overwrite && contents.contains(to)) return Failed(to + " exists");
    contents[to] = contents.extract(from).mapped();
    return {};
  }
  Status Delete(const std::string& path, bool) override {
    contents.erase(path);
    return {};
  }
  Status SetPermission(const std::string&, uint32_t) override { return {}; }
  Status SetTimes(const std::string&, int64_t) override { return {}; }
  Result<std::unique_ptr<Writer>> Create(const std::string& path, const CreateOptions& options) override {
    if (contents.contains(path) && !options.overwrite) return Failed(path + " exists");
    contents[path] = "";
    return std::unique_ptr<Writer>(std::make_unique<FakeWriter>(*this, path));
  }
  Result<std::unique_ptr<Reader>> Open(const std::string&) override { return Failed("not here"); }

 private:
  class FakeWriter final : public Writer {
   public:
    FakeWriter(FakeFiles& files, std::string path) : files_(files), path_(std::move(path)) {}
    ~FakeWriter() override {
      if (!closed_) files_.contents.erase(path_);
    }
    Status Write(std::string_view bytes) override {
      files_.contents[path_] += bytes;
      return files_.on_write();
    }
    Status Flush() override { return {}; }
    Status Close() override {
      closed_ = true;
      return {};
    }

   private:
    FakeFiles& files_;
    std::string path_;
    bool closed_ = false;
  };
};

class OutputStoreTest : public testing::Test {
 protected:
  OutputStoreTest() { EXPECT_TRUE(os::files::WriteFileAtomically(local_, "weights").ok()); }

  os::files::Scratch scratch_;
  std::string local_ = scratch_ / "model.pt";
  FakeFiles files_;
};

TEST_F(OutputStoreTest, FileReplacesAnOlderOneWhenItIsComplete) {
  files_.contents["/model.pt"] = "older";
  files_.on_write = [&] {
    EXPECT_EQ(files_.contents["/model.pt"], "older");
    return Status();
  };
  ASSERT_TRUE(StoreFile(files_, local_, "/.x", "/model.pt").ok());
  EXPECT_EQ(files_.contents, (std::map<std::string, std::string>{{"/model.pt", "weights"}}));
}

TEST_F(OutputStoreTest, EndOfALargerFileIsStored) {
  ASSERT_TRUE(StoreFile(files_, local_, "/.x", "/model.pt", 3).ok());
  EXPECT_EQ(files_.contents["/model.pt"], "hts");
}

TEST_F(OutputStoreTest, FailedStoreKeepsTheOlderFileAndLeavesNoOther) {
  const std::map<std::string, std::string> before{{"/model.pt", "older"}};
  files_.contents = before;
  files_.on_write = [] { return Status(Failed("no DataNode is left")); };
  EXPECT_FALSE(StoreFile(files_, local_, "/.x", "/model.pt").ok());
  EXPECT_EQ(files_.contents, before);
  files_.on_write = [] { return Status(); };
  files_.rename_fails = Failed("the NameNode is in safe mode");
  EXPECT_FALSE(StoreFile(files_, local_, "/.x", "/model.pt").ok());
  EXPECT_EQ(files_.contents, before);
}

TEST(StoreEach, FileThatCannotBeStoredDoesNotKeepTheOthersFromBeingStored) {
  const struct {
    ErrorCode code;
    std::vector<std::string> failing, stored;
    std::string error;
  } rows[] = {
      {ErrorCode::kFailed, {}, {"a", "b", "c"}, ""},
      {ErrorCode::kFailed, {"a"}, {"b", "c"}, "1 of 3 files could not be stored; the first is a: why"},
      {ErrorCode::kFailed, {"b", "c"}, {"a"}, "2 of 3 files could not be stored; the first is b: why"},
      {ErrorCode::kUnavailable, {"b"}, {"a"}, "2 of 3 files could not be stored; the first is b: why"},
      {ErrorCode::kTimeout, {"c"}, {"a", "b"}, "1 of 3 files could not be stored; the first is c: why"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> stored;
    const Status status = StoreEach({"a", "b", "c"}, [&](const std::string& file) -> Status {
      if (std::find(row.failing.begin(), row.failing.end(), file) != row.failing.end()) return Error{row.code, "why"};
      stored.push_back(file);
      return {};
    });
    EXPECT_EQ(stored, row.stored) << row.error;
    EXPECT_EQ(status.ok() ? "" : status.error().message, row.error);
  }
}

}  // namespace
}  // namespace howdah::backend::yarn::am
