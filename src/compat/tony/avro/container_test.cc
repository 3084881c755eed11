#include "howdah/compat/tony/avro/container.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

namespace howdah::compat::tony::avro {
namespace {

// Files that Avro for Java 1.7.7 has written (tests/history/tony). Both have the same six events: null.avro has one
// uncompressed block, deflate.avro several compressed blocks.
std::string Recorded(const std::string& name) {
  std::ifstream file(std::string(HOWDAH_SOURCE_DIR) + "/src/compat/tony/avro/testdata/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Container {
  std::vector<Json> values;
  std::string cut;
};

Result<Container> Read(std::string_view bytes) {
  Container container;
  HOWDAH_TRY(container.cut, ReadContainer(bytes, [&](const Json& value) {
               container.values.push_back(value);
               return Status();
             }));
  return container;
}

TEST(Container, FilesWrittenByJavaAreReadWithEitherCodec) {
  for (const char* name : {"null.avro", "deflate.avro"}) {
    const auto container = Read(Recorded(name));
    ASSERT_TRUE(container.ok()) << container.error().message;
    EXPECT_EQ(container->cut, "");
    ASSERT_EQ(container->values.size(), 6u) << name;
    EXPECT_EQ(container->values[0].dump(),
              R"({"type":"APPLICATION_INITED","event":{"com.linkedin.tony.events.ApplicationInited":)"
              R"({"applicationId":"application_1541469337545_0031","numTasks":2,"host":"node1",)"
              R"("containerID":{"string":"container_0_01"}}},"timestamp":1542325695567})");
    EXPECT_EQ(container->values[3]["event"].begin()->at("metrics")[0].dump(),
              R"({"name":"MAX_MEMORY_BYTES","value":2500000000.0})");
  }
}

TEST(Container, WrittenFilesAreReadBack) {
  const std::string schema = R"({"type":"record","name":"r","fields":[{"name":"a","type":["null","long"]}]})";
  for (const char* text : {"[]", R"([{"a":null}])", R"([{"a":{"long":1}},{"a":null},{"a":{"long":-7}}])"}) {
    const Json values = Json::parse(text);
    const auto bytes = WriteContainer(schema, {values.begin(), values.end()});
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(*WriteContainer(schema, {values.begin(), values.end()}), *bytes);
    const auto back = Read(*bytes);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->cut, "");
    EXPECT_EQ(Json(back->values), values);
  }
}

TEST(Container, ReadableEventsOfTruncatedFileAreReturned) {
  const std::string whole = Recorded("deflate.avro");
  size_t most = 0;
  bool refused = false;
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto container = Read(std::string_view(whole).substr(0, size));
    if (!container.ok()) {
      refused = true;
      EXPECT_EQ(most, 0u);  // only a truncated header makes the file unreadable
      continue;
    }
    EXPECT_GE(container->values.size(), most);
    EXPECT_LT(container->values.size(), 6u);
    most = container->values.size();
  }
  EXPECT_TRUE(refused);
  EXPECT_GE(most, 4u);
}

TEST(Container, UnsupportedCodecIsAnError) {
  std::string file = Recorded("deflate.avro");
  file.replace(file.find("deflate"), 7, "snappy!");
  const auto container = Read(file);
  ASSERT_FALSE(container.ok());
  EXPECT_NE(container.error().message.find("'snappy!'; null and deflate are supported"), std::string::npos);
}

TEST(Container, FileOfAnotherFormatIsAnError) {
  EXPECT_EQ(Read("Obj").error().message, "reading an Avro file: not an Avro file");
  EXPECT_EQ(Read("").error().message, "reading an Avro file: the file is empty");
  std::string file = Recorded("deflate.avro");
  const std::string sync = file.substr(file.size() - 16);
  file.resize(file.find(sync) + sync.size());  // keep only the header
  EXPECT_EQ(Read(file)->cut, "");
  file += "\x02\x04zz" + sync;
  EXPECT_EQ(Read(file)->cut, "a block cannot be inflated");
}

// Encodes small sizes as Avro does.
std::string Size(int64_t size) {
  std::string bytes;
  uint64_t bits = static_cast<uint64_t>(size) << 1;
  for (; bits >= 0x80; bits >>= 7) bytes += static_cast<char>(bits | 0x80);
  return bytes + static_cast<char>(bits);
}

std::string FileWith(const std::string& schema, const std::string& blocks) {
  return std::string("Obj\1", 4) + Size(1) + Size(11) + "avro.schema" + Size(static_cast<int64_t>(schema.size())) +
         schema + Size(0) + std::string(16, 's') + blocks;
}

std::string Block(int64_t count, const std::string& bytes) {
  return Size(count) + Size(static_cast<int64_t>(bytes.size())) + bytes + std::string(16, 's');
}

std::string RecordSchema(const std::string& field, int fields) {
  std::string schema = R"({"type":"record","name":"r","fields":[)";
  for (int i = 0; i < fields; ++i) {
    schema += std::string(i == 0 ? "" : ",") + R"({"name":")" + field + std::to_string(i) + R"(","type":"int"})";
  }
  return schema + "]}";
}

TEST(Container, LongNamesAreRefused) {
  EXPECT_EQ(Read(FileWith(RecordSchema(std::string(1023, 'n'), 1), Block(1, "\2")))->values.size(), 1u);
  for (const std::string& schema : {RecordSchema(std::string(1024, 'n'), 1),
                                    R"({"type":"fixed","size":1,"name":")" + std::string(1025, 'n') + "\"}",
                                    R"({"type":"enum","name":"e","symbols":[")" + std::string(1025, 'n') + "\"]}"}) {
    EXPECT_EQ(Read(FileWith(schema, "")).error().message,
              "reading an Avro file: invalid Avro schema: a name has 1025 bytes; at most 1024 are supported");
  }
}

TEST(Container, MemoryOfValuesIsBoundedByTheSizeOfTheFile) {
  // Each record takes ten bytes of the file and 10 KiB of names.
  const std::string file =
      FileWith(RecordSchema(std::string(1000, 'n'), 10), Block(10'000, std::string(100'000, '\2')));
  const auto container = Read(file);
  ASSERT_TRUE(container.ok());
  EXPECT_EQ(container->cut, "the values need more memory than the size of the file allows");
  EXPECT_LT(container->values.size(), 1000u);
}

TEST(Container, NumberOfZeroByteValuesIsLimitedOverAllBlocks) {
  std::string blocks;
  for (int i = 0; i < 100; ++i) blocks += Block(900, "");
  const auto container = Read(FileWith(R"("null")", blocks));
  ASSERT_TRUE(container.ok());
  EXPECT_EQ(container->cut, "more values than the size of the file allows");
  EXPECT_EQ(container->values.size(), 1000u);
}

// If adding a key searched all earlier keys, the time would be quadratic, which is minutes for this file.
TEST(Container, ManyKeysTakeLinearTime) {
  constexpr int kKeys = 200'000;
  std::string entries = Size(kKeys), keys;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = std::to_string(i);
    entries += Size(static_cast<int64_t>(key.size())) + key + "\2";
    keys += ",\"" + key + "\":0";
  }
  const std::string map = R"({"type":"map","values":"int")" + keys + "}";
  const auto container = Read(FileWith(map, Block(1, entries + Size(0))));
  ASSERT_TRUE(container.ok()) << container.error().message;
  EXPECT_EQ(container->cut, "");
  ASSERT_EQ(container->values.size(), 1u);
  EXPECT_EQ(container->values[0].size(), static_cast<size_t>(kKeys));
  const auto record = Read(FileWith(RecordSchema("n", 50'000), Block(2, std::string(100'000, '\2'))));
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_EQ(record->cut, "");
  EXPECT_EQ(record->values.size(), 2u);
}

TEST(Container, PartsAndTextOfOneValueAreBounded) {
  const std::string array = R"({"type":"array","items":"null"})", texts = R"({"type":"array","items":"string"})";
  const std::string filler = Size(1) + std::string(1'000'000, '\0');  // an array of one null, then empty arrays
  const auto many = Read(FileWith(array, Block(1'000'000, filler) + Block(1, Size(2'000'000) + Size(0))));
  ASSERT_TRUE(many.ok()) << many.error().message;
  EXPECT_EQ(many->cut, "one value consists of more than 1000000 values");
  const std::string text = Size(1'000'000) + std::string(1'000'000, 'x');
  std::string big = Size(70);
  for (int i = 0; i < 70; ++i) big += text;
  EXPECT_EQ(Read(FileWith(texts, Block(1, big + Size(0))))->cut, "one value needs more than 64 MiB of memory");
}

// Random damage must result in a value or an error. The sanitizers detect memory errors.
TEST(Container, ReadingDamagedFilesIsSafe) {
  const std::string files[] = {Recorded("null.avro"), Recorded("deflate.avro")};
  std::mt19937 random(20261121);
  const auto number = [&](size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random); };
  size_t read = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string file = files[round % 2];
    for (size_t changes = 1 + number(8); changes > 0; --changes) {
      const char kTelling[] = {'\0', '\x7f', '\x80', '\xff', static_cast<char>(number(256))};
      file[number(file.size())] = kTelling[number(5)];
    }
    if (number(5) == 0) file.resize(number(file.size()));
    const auto container = Read(file);
    if (container.ok()) read += container->values.size();
  }
  EXPECT_GT(read, 100u);
}

}  // namespace
}  // namespace howdah::compat::tony::avro
