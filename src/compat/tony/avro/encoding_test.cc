#include <gtest/gtest.h>

#include <limits>

#include "decoder.h"
#include "encoder.h"
#include "schema.h"

namespace howdah::compat::tony::avro {
namespace {

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

struct Row {
  const char* schema;
  const char* value;
  const char* bytes;
};

// The first six rows are the examples in Avro's specification.
const Row kRows[] = {
    {R"("long")", "-64", "7f"},
    {R"("long")", "64", "8001"},
    {R"({"type":"record","name":"test","fields":[{"name":"a","type":"long"},{"name":"b","type":"string"}]})",
     R"({"a":27,"b":"foo"})", "3606666f6f"},
    {R"({"type":"array","items":"long"})", "[3,27]", "04063600"},
    {R"(["null","string"])", "null", "00"},
    {R"(["null","string"])", R"({"string":"a"})", "020261"},
    {R"("int")", "-2147483648", "ffffffff0f"},
    {R"("long")", "-9223372036854775808", "ffffffffffffffffff01"},
    {R"("null")", "null", ""},
    {R"("boolean")", "true", "01"},
    {R"("float")", "1.5", "0000c03f"},
    {R"("double")", "-2.5", "00000000000004c0"},
    {R"("bytes")", R"("\u0000\u00ff")", "0400ff"},
    {R"({"type":"fixed","name":"f","size":2})", R"("\u0080a")", "8061"},
    {R"({"type":"map","values":"int"})", R"({"k":1})", "02026b0200"},
    {R"({"type":"map","values":"int"})", "{}", "00"},
    {R"({"type":"enum","name":"e","symbols":["A","B"]})", R"("B")", "02"},
    {R"({"type":{"type":"string","avro.java.string":"String"}})", R"("é")", "04c3a9"},
    // A linked list: a record that refers to itself by its full name.
    {R"({"type":"record","name":"n","namespace":"x.y","fields":[{"name":"next","type":["null","n"]}]})",
     R"({"next":{"x.y.n":{"next":null}}})", "0200"},
};

TEST(Encoding, MatchesTheSpecification) {
  for (const Row& row : kRows) {
    const auto schema = ParseSchema(row.schema);
    ASSERT_TRUE(schema.ok()) << schema.error().message;
    const Json value = Json::parse(row.value);
    std::string bytes;
    const Status appended = AppendValue(bytes, *schema, schema->root, value);
    ASSERT_TRUE(appended.ok()) << row.schema << ": " << appended.error().message;
    EXPECT_EQ(Hex(bytes), row.bytes) << row.schema;
    Budget budget;
    Decoder decoder(bytes, budget);
    const auto back = decoder.Value(*schema, schema->root);
    ASSERT_TRUE(back.ok()) << row.schema << ": " << back.error().message;
    EXPECT_EQ(*back, value) << row.schema;
    EXPECT_TRUE(decoder.AtEnd());
    if (bytes.empty()) continue;
    Decoder cut(std::string_view(bytes).substr(0, bytes.size() - 1), budget);
    EXPECT_FALSE(cut.Value(*schema, schema->root).ok()) << row.schema;
  }
}

TEST(Encoding, BlockWithSizeIsDecoded) {
  const auto schema = ParseSchema(R"({"type":"array","items":"long"})");
  Budget budget;
  // A block with the count -2, its size (2 bytes) and two elements; a block with the count 1 and one element; the end.
  Decoder decoder(std::string_view("\x03\x04\x06\x36\x02\x02\x00", 7), budget);
  EXPECT_EQ(*decoder.Value(*schema, schema->root), Json::parse("[3,27,1]"));
}

TEST(Encoding, MismatchedValueIsAnError) {
  const Row kMismatches[] = {{R"("int")", "2147483648", "int"},
                             {R"("string")", "7", "string"},
                             {R"("bytes")", R"("€")", "bytes"},
                             {R"({"type":"enum","name":"e","symbols":["A"]})", R"("C")", "type e"},
                             {R"({"type":"fixed","name":"f","size":2})", R"("a")", "type f"},
                             {R"(["null","string"])", R"({"int":1})", "union"},
                             {R"({"type":"array","items":"long"})", "{}", "array"},
                             {R"({"type":"record","name":"r","fields":[{"name":"a","type":"int"}]})", "{}", "field a"}};
  for (const Row& row : kMismatches) {
    const auto schema = ParseSchema(row.schema);
    std::string bytes;
    const Status appended = AppendValue(bytes, *schema, schema->root, Json::parse(row.value));
    ASSERT_FALSE(appended.ok()) << row.schema;
    EXPECT_NE(appended.error().message.find(row.bytes), std::string::npos) << appended.error().message;
  }
}

TEST(Encoding, ImpossibleCountsAreRejectedBeforeAllocation) {
  const Row kClaims[] = {{R"({"type":"array","items":"null"})", "", "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
                         {R"({"type":"array","items":"null"})", "", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02"},
                         {R"({"type":"record","name":"r","fields":[{"name":"self","type":"r"}]})", "", ""},
                         {R"("string")", "", "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
                         {R"("string")", "", "\x01"},
                         {R"("long")", "", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
                         {R"({"type":"enum","name":"e","symbols":[]})", "", "\x02"},
                         {R"(["null"])", "", "\x03"}};
  for (const Row& row : kClaims) {
    const auto schema = ParseSchema(row.schema);
    ASSERT_TRUE(schema.ok()) << row.schema;
    Budget budget;
    Decoder decoder(row.bytes, budget);
    EXPECT_FALSE(decoder.Value(*schema, schema->root).ok()) << row.schema;
  }
}

TEST(Schemas, InvalidSchemasAreRejected) {
  const std::string deep = std::string(100, '[') + "\"int\"" + std::string(100, ']');
  for (const std::string& text :
       {std::string(""), std::string("7"), std::string("{}"), std::string(R"("nothing")"), std::string(R"([["int"]])"),
        std::string(R"({"type":"record","name":"r"})"), std::string(R"({"type":"record","fields":[]})"),
        std::string(R"({"type":"array"})"), std::string(R"({"type":"fixed","name":"f","size":-1})"),
        std::string(R"([{"type":"fixed","name":"f","size":1},{"type":"fixed","name":"f","size":1}])"),
        std::string(R"({"type":"enum","name":"e","symbols":[1]})"), deep}) {
    EXPECT_FALSE(ParseSchema(text).ok()) << text;
  }
}

}  // namespace
}  // namespace howdah::compat::tony::avro
