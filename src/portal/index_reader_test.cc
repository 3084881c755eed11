#include "index_reader.h"

#include <gtest/gtest.h>

#include <future>

#include "howdah/os/files/testing.h"

namespace howdah::portal {
namespace {

using index::query::JobPage;

std::optional<JobPage> Ask(IndexReader& reader) {
  std::promise<std::optional<JobPage>> promise;
  EXPECT_TRUE(reader.Find({}, [&](std::optional<JobPage> page) { promise.set_value(std::move(page)); }));
  return promise.get_future().get();
}

TEST(IndexReader, SeesRowsOfTheStore) {
  const os::files::Scratch scratch;
  index::Store store(scratch / "index.db", "");
  IndexReader reader(scratch / "index.db", "");
  store.Apply({{.id = "a", .backend = "local", .status_json = "{}"}}, {});
  auto page = Ask(reader);
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->total, 1);
  store.Apply({{.id = "b", .backend = "local", .status_json = "{}"}}, {});
  EXPECT_EQ(Ask(reader)->total, 2);
}

TEST(IndexReader, UnusableFileGivesNoPage) {
  const os::files::Scratch scratch;
  ASSERT_TRUE(os::files::MakeDirectories(scratch / "index.db").ok());
  IndexReader reader(scratch / "index.db", "");
  EXPECT_FALSE(Ask(reader).has_value());
}

TEST(IndexReader, WaitingQueriesAreLimited) {
  const os::files::Scratch scratch;
  std::promise<void> begun, released;  // used by the reader's thread until the reader is destroyed
  IndexReader reader(scratch / "index.db", "");
  reader.Find({}, [&](const auto&) {
    begun.set_value();
    released.get_future().wait();
  });
  begun.get_future().wait();
  for (size_t i = 0; i < IndexReader::kMostWaiting; ++i) EXPECT_TRUE(reader.Find({}, [](const auto&) {}));
  EXPECT_FALSE(reader.Find({}, [](const auto&) {}));
  released.set_value();
}

}  // namespace
}  // namespace howdah::portal
