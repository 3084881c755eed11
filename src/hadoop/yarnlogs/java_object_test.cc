#include "java_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing.h"

namespace howdah::hadoop::yarnlogs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using std::string_literals::operator""s;

// An object with fields of every type, written by Java 17 (testdata/README.md has the class).
TEST(JavaObject, EveryFieldTypeIsRead) {
  const std::string bytes = testing::Recorded("java-object");
  const Result<JavaTree> tree = ReadJavaObject(bytes);
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  const JavaNode* thing = tree->Node(tree->root);
  ASSERT_NE(thing, nullptr);
  EXPECT_EQ(tree->nodes[static_cast<size_t>(thing->type)].text, "O$Thing");
  const auto number = [&](const char* name) { return tree->Field(*thing, name).number; };
  EXPECT_EQ(number("yes"), 1);
  EXPECT_EQ(number("b"), -2);
  EXPECT_EQ(number("c"), 'x');
  EXPECT_EQ(number("s"), -3);
  EXPECT_EQ(number("f"), 0x3FC00000);
  EXPECT_EQ(number("d"), 0x4004000000000000);
  EXPECT_EQ(number("l"), 1234567890123);
  EXPECT_EQ(number("number"), 7);  // this field belongs to the base class
  EXPECT_EQ(tree->Text(tree->Field(*thing, "text")), "thing");
  EXPECT_EQ(tree->Text(tree->Field(*thing, "longText")), std::string(70'000, 'z'));
  EXPECT_EQ(tree->Field(*thing, "none").kind, JavaValue::Kind::kNull);
  EXPECT_EQ(tree->Field(*thing, "nothing").kind, JavaValue::Kind::kNull);
  EXPECT_EQ(tree->Node(tree->Field(*thing, "self")), thing);
  EXPECT_EQ(tree->Node(tree->Field(*thing, "color"))->text, "GREEN");
  std::vector<int64_t> numbers;
  for (const JavaValue& value : tree->Node(tree->Field(*thing, "numbers"))->values) numbers.push_back(value.number);
  EXPECT_THAT(numbers, ElementsAre(1, -2, 3));
  const auto texts = [&](const std::vector<JavaValue>& values) {
    std::vector<std::string> all;
    for (const JavaValue& value : values) all.push_back(tree->Text(value));
    return all;
  };
  EXPECT_THAT(texts(tree->Node(tree->Field(*thing, "words"))->values), ElementsAre("a", "", "a"));
  EXPECT_THAT(texts(tree->Node(tree->Field(*thing, "list"))->items), ElementsAre("x", ""));
  EXPECT_THAT(texts(tree->Node(tree->Field(*thing, "map"))->items), ElementsAre("k", "v"));
}

TEST(JavaObject, TruncatedStreamIsRejected) {
  const std::string bytes = testing::Recorded("java-object");
  for (size_t size = 0; size < bytes.size(); size += size < 700 ? 1 : 997) {
    EXPECT_FALSE(ReadJavaObject(std::string_view(bytes).substr(0, size)).ok()) << size;
  }
}

TEST(JavaObject, UnsupportedObjectsAreRefused) {
  const std::string start = "\xac\xed\x00\x05"s;
  std::string deep = start;
  for (int i = 0; i < 100'000; ++i)
    deep +=
        "sr\x00\x01"
        "C\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00"s;
  const struct {
    std::string bytes;
    const char* error;
  } rows[] = {
      {"PK\x03\x04"s, "not a stream of Java objects"},
      {start + "q\x00\x7e\x00\x00"s, "missing"},  // a dangling reference
      {start + "{"s, "unsupported kind"},         // TC_EXCEPTION: an exception of the writer
      {deep, "nested too deep"},
      {start + "ss\x00\x00"s, "unsupported kind"},  // an object without a class
      {start + "sr\x00\x01"
               "A\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00xq\x00\x7e\x00\x00"s,
       "its own ancestor"},
      {start + "ur\x00\x02[I\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00xp\x7f\xff\xff\xff"s, "end early"},
      {start + "ur\x00\x02[I\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00xp\xff\xff\xff\xff"s, "array"},
  };
  for (const auto& row : rows) {
    const Result<JavaTree> tree = ReadJavaObject(row.bytes);
    ASSERT_FALSE(tree.ok()) << row.error;
    EXPECT_THAT(tree.error().message, HasSubstr(row.error));
  }
}

}  // namespace
}  // namespace howdah::hadoop::yarnlogs
