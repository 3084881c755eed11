#include "staging.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/files.h"

namespace howdah::backend::yarn::client {
namespace {

TEST(SourceTree, LinksOutOfTheTreeAreRecognised) {
  const struct {
    const char *path, *target;
    bool leaves;
  } rows[] = {{"a", "b", false},
              {"a", "/etc/hosts", true},
              {"a", "../b", true},
              {"d/a", "../b", false},
              {"d/a", "../../b", true},
              {"d/a", "../d/../b", false},
              {"d/e/a", "../../../x/../..", true},
              {"a", "./b/../c", false},
              {"a", ".", false},
              {"d/a", "b/../../..", true}};
  for (const auto& row : rows) EXPECT_EQ(LeavesTree(row.path, row.target), row.leaves) << row.path << " " << row.target;
}

TEST(SourceTree, ListingHasParentsFirstWithModesAndLinks) {
  char root[] = "/tmp/howdah-tree-XXXXXX";
  ASSERT_NE(mkdtemp(root), nullptr);
  const std::string base = root;
  ASSERT_TRUE(os::files::MakeDirectories(base + "/b/empty").ok());
  ASSERT_TRUE(os::files::WriteFileAtomically(base + "/b/run.sh", "#!/bin/sh\n", 0755).ok());
  ASSERT_TRUE(os::files::WriteFileAtomically(base + "/a", "12345", 0640).ok());
  ASSERT_EQ(symlink("b/run.sh", (base + "/link").c_str()), 0);
  ASSERT_EQ(mkfifo((base + "/pipe").c_str(), 0600), 0);
  const auto tree = ListTree(base);
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  std::string text;
  for (const TreeEntry& entry : *tree) {
    text += entry.path + (entry.kind == TreeEntry::Kind::kDirectory ? "/" : "") + " ";
    if (entry.kind == TreeEntry::Kind::kLink) text += "-> " + entry.target + " ";
  }
  EXPECT_EQ(text, "/ a b/ b/empty/ b/run.sh link -> b/run.sh ");
  EXPECT_EQ((*tree)[1].mode, 0640u);
  EXPECT_EQ((*tree)[1].size, 5);
  EXPECT_EQ((*tree)[4].mode, 0755u);
  EXPECT_TRUE(os::files::RemoveTree(base).ok());
  EXPECT_EQ(ListTree(base).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace howdah::backend::yarn::client
