#include "scalar_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "howdah/os/files/testing.h"
#include "howdah/storage/local_files.h"

namespace howdah::portal {
namespace {

using namespace std::chrono_literals;

const Instant kReadAt{std::chrono::hours(24 * 20'000)};

std::string TestData(const std::string& name) {
  std::ifstream file(std::string(HOWDAH_SOURCE_DIR) + "/src/tfevents/testdata/" + name, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

class ScalarReaderTest : public testing::Test {
 protected:
  // Appends to a file below the log directory.
  void Append(const std::string& below, std::string_view bytes) {
    const std::filesystem::path path = directory_.path() + below;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
  }
  void Update(Instant now = kReadAt, int64_t pieces = 1'000'000) {
    const Status updated = reader_.Update(*files_, now, [&] { return pieces-- <= 0; });
    EXPECT_TRUE(updated.ok()) << updated.error().message;
  }
  int64_t Count(const std::string& tag, const std::string& run) {
    const auto found = reader_.curves().find({tag, run});
    return found == reader_.curves().end() ? 0 : found->second.count();
  }

  os::files::Scratch directory_;
  std::unique_ptr<storage::Files> files_ = storage::OpenLocalFiles();
  ScalarReader reader_{directory_.path()};
};

TEST_F(ScalarReaderTest, RunIsTheDirectoryOfTheFile) {
  Append("/events.out.tfevents.1.host", TestData("pytorch.tfevents"));
  Append("/a/eval/events.out.tfevents.2.host.v2", TestData("tensorflow.tfevents"));
  Append("/a/model.pt", TestData("pytorch.tfevents"));
  Update();
  EXPECT_EQ(Count("loss", "."), 5);
  EXPECT_EQ(Count("loss", "a/eval"), 5);
  EXPECT_EQ(Count("loss", "a"), 0);
  EXPECT_TRUE(reader_.complete());
  EXPECT_EQ(reader_.problem(), "");
}

TEST_F(ScalarReaderTest, MissingDirectoryIsEmpty) {
  ScalarReader reader(directory_.path() + "/absent");
  EXPECT_TRUE(reader.Update(*files_, kReadAt, [] { return false; }).ok());
  EXPECT_TRUE(reader.complete() && reader.curves().empty() && reader.problem().empty());
}

TEST_F(ScalarReaderTest, GrowthIsReadOnce) {
  const std::string bytes = TestData("tensorflow.tfevents");
  Append("/tfevents", bytes.substr(0, 300));
  Update();
  const int64_t before = Count("loss", ".");
  EXPECT_GT(before, 0);
  EXPECT_LT(before, 5);
  Append("/tfevents", bytes.substr(300));
  Update(kReadAt + 1s);
  EXPECT_EQ(Count("loss", "."), 5);
  Update(kReadAt + 2s);
  EXPECT_EQ(Count("loss", "."), 5);
}

TEST_F(ScalarReaderTest, ReadingContinuesWhenTimeWasOver) {
  Append("/a/tfevents", TestData("pytorch.tfevents"));
  Append("/b/tfevents", TestData("pytorch.tfevents"));
  Update(kReadAt, 0);
  EXPECT_FALSE(reader_.complete());
  EXPECT_EQ(Count("loss", "a"), 0);
  Update(kReadAt, 1);
  EXPECT_EQ(std::pair(Count("loss", "a"), Count("loss", "b")), std::pair(int64_t{5}, int64_t{0}));
  EXPECT_FALSE(reader_.complete());
  Update();
  EXPECT_EQ(Count("loss", "b"), 5);
  EXPECT_TRUE(reader_.complete());
  EXPECT_EQ(Count("loss", "a"), 5) << "nothing is read twice";
}

TEST_F(ScalarReaderTest, DamagedFileIsNamedAndTheOthersAreRead) {
  Append("/a/tfevents", "this is not an event file");
  Append("/b/tfevents", TestData("pytorch.tfevents"));
  Update();
  EXPECT_EQ(Count("loss", "b"), 5);
  EXPECT_EQ(reader_.problem(),
            directory_.path() + "/a/tfevents: it is damaged at byte 0, and the rest of it is ignored");
}

}  // namespace
}  // namespace howdah::portal
