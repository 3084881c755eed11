#include "howdah/tfevents/event_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <tuple>
#include <vector>

#include "howdah/base/crc.h"
#include "howdah/tfevents/curve.h"
#include "tensor.h"

namespace howdah::tfevents {
namespace {

using namespace std::string_literals;
using Read = std::vector<std::pair<std::string, Point>>;

std::string TestData(const std::string& name) {
  std::ifstream file(std::string(HOWDAH_SOURCE_DIR) + "/src/tfevents/testdata/" + name, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  EXPECT_FALSE(content.str().empty()) << name;
  return content.str();
}

// Takes the bytes in pieces of this size.
Read ScalarsOf(const std::string& bytes, EventFile& file, size_t piece = 1 << 20) {
  Read read;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    file.Take(std::string_view(bytes).substr(at, piece),
              [&](std::string_view tag, const Point& point) { read.emplace_back(tag, point); });
  }
  return read;
}

std::vector<Point> PointsOf(const Read& read, const std::string& tag) {
  std::vector<Point> points;
  for (const auto& [name, point] : read) {
    if (name == tag) points.push_back(point);
  }
  return points;
}

std::string Little(uint64_t value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

std::string Masked(const std::string& bytes) {
  const uint32_t crc = CrcOf(Crc::kCrc32c, bytes);
  return Little(static_cast<uint32_t>((crc >> 15 | crc << 17) + 0xA282EAD8U), 4);
}

std::string Record(const std::string& event) {
  const std::string length = Little(event.size(), 8);
  return length + Masked(length) + event + Masked(event);
}

// A field with bytes, of less than 128 bytes.
std::string Field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

// An Event at this step whose summary has one value.
std::string Event(int step, const std::string& value) {
  return "\x10"s + static_cast<char>(step) + Field(5, Field(1, value));
}

std::string Simple(const std::string& tag, const std::string& little_endian) {
  return Field(1, tag) + "\x15"s + little_endian;
}

const std::string kOne = "\0\0\x80\x3f"s;  // 1.0 as a float

TEST(EventFile, ReadsScalarsOfPyTorchsSummaryWriter) {
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{1} << 20}) {
    EventFile file;
    const Read read = ScalarsOf(TestData("pytorch.tfevents"), file, piece);
    const auto loss = PointsOf(read, "loss"), accuracy = PointsOf(read, "acc/new"), wide = PointsOf(read, "double");
    ASSERT_EQ(std::tuple(loss.size(), accuracy.size(), wide.size()), std::tuple(5U, 5U, 5U));
    for (int step = 0; step < 5; ++step) {
      const auto at = static_cast<size_t>(step);
      const double time = 1.7e9 + step;
      EXPECT_EQ(loss[at], (Point{step, time, static_cast<double>(1.0F / static_cast<float>(step + 1))}));
      EXPECT_EQ(accuracy[at], (Point{step, time, step / 4.0}));
      EXPECT_EQ(wide[at], (Point{step, time, step * 0.1})) << "new_style, double_precision";
    }
    const auto odd = PointsOf(read, "odd");
    ASSERT_EQ(odd.size(), 2U);
    EXPECT_TRUE(std::isnan(odd[0].value));
    EXPECT_EQ(odd[1], (Point{-1, 1700000009.5, INFINITY}));
    EXPECT_EQ(read.size(), 17U) << "neither the histogram nor the text";
    EXPECT_EQ(std::tuple(file.problem(), file.damaged()), std::tuple("", 0));
  }
}

TEST(EventFile, ReadsScalarsOfTensorFlow) {
  EventFile file;
  const Read read = ScalarsOf(TestData("tensorflow.tfevents"), file);
  const auto loss = PointsOf(read, "loss");
  ASSERT_EQ(loss.size(), 5U);
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(loss[static_cast<size_t>(step)].step, step);
    EXPECT_EQ(loss[static_cast<size_t>(step)].value, static_cast<double>(1.0F / static_cast<float>(step + 1)));
  }
  const std::pair<const char*, double> others[] = {
      {"double", static_cast<double>(0.1F)}, {"int", 7}, {"half", 0.5}, {"bf", -1.5}, {"zero", 0}};
  for (const auto& [tag, value] : others) {
    const auto points = PointsOf(read, tag);
    ASSERT_EQ(points.size(), 1U) << tag;
    EXPECT_EQ(std::pair(points[0].step, points[0].value), std::pair(int64_t{3}, value)) << tag;
  }
  EXPECT_EQ(read.size(), 10U) << "neither the histogram nor the text";
  EventFile first_version;
  const Read old = ScalarsOf(TestData("tensorflow1.tfevents"), first_version);
  ASSERT_EQ(old.size(), 1U);
  EXPECT_EQ(std::tuple(old[0].first, old[0].second.step, old[0].second.value), std::tuple("v1", 11, 2.5));
}

TEST(EventFile, IncompleteRecordWaitsForItsRest) {
  const std::string bytes = Record(Event(1, Simple("a", kOne))) + Record(Event(2, Simple("a", kOne)));
  EventFile file;
  EXPECT_EQ(ScalarsOf(bytes.substr(0, bytes.size() - 1), file).size(), 1U);
  EXPECT_EQ(file.problem(), "");
  EXPECT_EQ(ScalarsOf(bytes.substr(bytes.size() - 1), file).size(), 1U);
  EXPECT_EQ(file.size(), static_cast<int64_t>(bytes.size()));
}

TEST(EventFile, RecordWithAWrongChecksumIsLeftOut) {
  std::string bytes = Record(Event(1, Simple("a", kOne))) + Record(Event(2, Simple("a", kOne)));
  bytes[14] = static_cast<char>(bytes[14] + 1);
  EventFile file;
  const Read read = ScalarsOf(bytes, file);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].second.step, 2);
  EXPECT_EQ(file.damaged(), 1);
}

TEST(EventFile, NothingIsReadAfterADamagedLength) {
  const std::string good = Record(Event(1, Simple("a", kOne)));
  std::string bytes = good + good + good;
  bytes[good.size()] = static_cast<char>(bytes[good.size()] + 1);
  EventFile file;
  EXPECT_EQ(ScalarsOf(bytes, file, 5).size(), 1U);
  EXPECT_EQ(file.problem(), "it is damaged at byte " + std::to_string(good.size()) + ", and the rest of it is ignored");
  EXPECT_EQ(file.size(), static_cast<int64_t>(bytes.size()));
}

TEST(EventFile, LargeRecordsAreSkipped) {
  const std::string large(static_cast<size_t>(EventFile::kLargestRecord) + 1, 'x');
  const std::string after = Record(Event(3, Simple("a", kOne)));
  EventFile file;
  const Read read = ScalarsOf(Record(large) + after, file, 100'000);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].second.step, 3);
  EXPECT_EQ(file.damaged(), 0);
}

TEST(EventFile, TensorIsAScalarOnlyIfItsPluginSaysSo) {
  const std::string tensor = Field(8, "\x08\x01"s + Field(5, kOne));
  const auto metadata = [](const std::string& plugin) { return Field(9, Field(1, Field(1, plugin))); };
  const std::string bytes = Record(Event(1, Field(1, "s") + tensor + metadata("scalars"))) +
                            Record(Event(2, Field(1, "s") + tensor)) +
                            Record(Event(1, Field(1, "h") + tensor + metadata("histograms"))) +
                            Record(Event(1, Field(1, "unknown") + tensor));
  EventFile file;
  const Read read = ScalarsOf(bytes, file);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(std::pair(read[1].first, read[1].second.step), std::pair("s"s, int64_t{2}))
      << "named in the first event only";
}

TEST(Tensor, EveryTypeOfNumberIsRead) {
  const auto tensor = [](int type, const std::string& fields) { return "\x08"s + static_cast<char>(type) + fields; };
  const auto content = [](const std::string& bytes) { return Field(4, bytes); };
  const std::tuple<const char*, std::string, double> cases[] = {
      {"float", tensor(1, content(kOne)), 1},
      {"double", tensor(2, content("\0\0\0\0\0\0\xe0\xbf"s)), -0.5},
      {"int32", tensor(3, content("\xfe\xff\xff\xff"s)), -2},
      {"uint8", tensor(4, content("\xff"s)), 255},
      {"int16", tensor(5, content("\xff\xff"s)), -1},
      {"int8", tensor(6, content("\xff"s)), -1},
      {"int64", tensor(9, content("\xff\xff\xff\xff\xff\xff\xff\xff"s)), -1},
      {"bool", tensor(10, content("\x01"s)), 1},
      {"bfloat16", tensor(14, content("\xc0\xbf"s)), -1.5},
      {"uint16", tensor(17, content("\xff\xff"s)), 65535},
      {"half", tensor(19, content("\x00\xc2"s)), -3},
      {"smallest half", tensor(19, content("\x01\x00"s)), std::ldexp(1, -24)},
      {"infinite half", tensor(19, content("\x00\xfc"s)), -INFINITY},
      {"uint32", tensor(22, content("\xff\xff\xff\xff"s)), 4294967295.0},
      {"packed float", tensor(1, Field(5, kOne)), 1},
      {"float", tensor(1, "\x2d"s + kOne), 1},
      {"packed int", tensor(3, Field(7, "\x96\x01"s)), 150},
      {"negative int", tensor(3, Field(7, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s)), -1},
      {"packed int64", tensor(9, Field(10, "\x96\x01"s)), 150},
      {"packed half", tensor(19, Field(13, "\x80\x78"s)), 1},
      {"no element", tensor(1, ""), 0},
  };
  for (const auto& [name, bytes, value] : cases) {
    const auto read = ScalarOfTensor(bytes);
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(*read, value) << name;
  }
}

TEST(Tensor, SeveralElementsAreNoScalar) {
  const std::string two = Field(2, Field(2, "\x08\x02"s));
  const std::string one = Field(2, Field(2, "\x08\x01"s));
  EXPECT_EQ(ScalarOfTensor("\x08\x01"s + two + Field(5, kOne)), std::nullopt);
  EXPECT_EQ(ScalarOfTensor("\x08\x01"s + one + Field(5, kOne)), 1);
  EXPECT_EQ(ScalarOfTensor("\x08\x01"s + Field(5, kOne + kOne)), std::nullopt);
  EXPECT_EQ(ScalarOfTensor("\x08\x03"s + Field(7, "\x01\x02"s)), std::nullopt);
  EXPECT_EQ(ScalarOfTensor("\x08\x07"s + Field(8, "text")), std::nullopt) << "a text";
}

TEST(Curve, KeepsABoundedNumberOfPointsAndTheNewest) {
  Curve curve;
  EXPECT_TRUE(curve.Points().empty());
  for (int step = 0; step < 1'000'001; ++step) {
    curve.Add({step, 0, step == 777'777 ? -1.0 : step == 3 ? NAN : 1.0});
    if (step > 3000 && step % 9973 != 0) continue;
    ASSERT_LE(curve.Points().size(), Curve::kMostPoints) << step;
    ASSERT_EQ(curve.Points().back().step, step);
  }
  EXPECT_EQ(curve.lowest()->step, 777'777);
  EXPECT_EQ(curve.highest()->value, 1);
  const auto points = curve.Points();
  EXPECT_GE(points.size(), Curve::kMostPoints / 2);
  EXPECT_EQ(points.front().step, 0);
}

}  // namespace
}  // namespace howdah::tfevents
