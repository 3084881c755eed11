#include "negotiation.h"

#include <gtest/gtest.h>

#include "gzip.h"

namespace howdah::web {
namespace {

Request With(const char* name, const char* value) {
  Request request;
  request.headers = {{name, value}};
  return request;
}

TEST(WebNegotiation, GzipIsUsedOnlyIfAccepted) {
  for (const char* yes : {"gzip", "br, GZIP;q=0.5", "*", "deflate,gzip"}) {
    EXPECT_TRUE(AcceptsGzip(With("Accept-Encoding", yes))) << yes;
  }
  for (const char* no : {"", "br", "gzip;q=0", "gzip; q=0.000", "xgzip", "identity"}) {
    EXPECT_FALSE(AcceptsGzip(With("Accept-Encoding", no))) << no;
  }
}

TEST(WebNegotiation, TextIsCompressible) {
  for (const char* yes :
       {"text/html; charset=utf-8", "application/json", "image/svg+xml", "application/problem+json"}) {
    EXPECT_TRUE(IsCompressible(yes)) << yes;
  }
  for (const char* no : {"", "image/png", "application/octet-stream", "font/woff2"}) EXPECT_FALSE(IsCompressible(no));
}

TEST(WebNegotiation, EtagsAreComparedWithoutWeakness) {
  EXPECT_TRUE(ClientHas(With("If-None-Match", "\"a\", W/\"b\""), "\"b\""));
  EXPECT_TRUE(ClientHas(With("If-None-Match", "*"), "\"b\""));
  EXPECT_FALSE(ClientHas(With("If-None-Match", "\"a\""), "\"b\""));
  EXPECT_FALSE(ClientHas(With("If-None-Match", "*"), ""));
}

TEST(WebNegotiation, RangeHeaderSelectsAPartTheWholeOrNothing) {
  using Kind = RangeChoice::Kind;
  const struct {
    const char* header;
    int64_t size;
    Kind kind;
    Range part;
  } cases[] = {
      {"", 10, Kind::kWhole, {}},
      {"bytes=0-3", 10, Kind::kPart, {0, 4}},
      {"Bytes=4-", 10, Kind::kPart, {4, 6}},
      {"bytes=4-99", 10, Kind::kPart, {4, 6}},
      {"bytes=-3", 10, Kind::kPart, {7, 3}},
      {"bytes=-99", 10, Kind::kPart, {0, 10}},
      {"bytes=9-9", 10, Kind::kPart, {9, 1}},
      {"bytes=0-99999999999999999999", 10, Kind::kPart, {0, 10}},
      {"bytes=10-", 10, Kind::kUnsatisfiable, {}},
      {"bytes=99999999999999999999-", 10, Kind::kUnsatisfiable, {}},
      {"bytes=-0", 10, Kind::kUnsatisfiable, {}},
      {"bytes=0-", 0, Kind::kUnsatisfiable, {}},
      {"bytes=-5", 0, Kind::kUnsatisfiable, {}},
      {"bytes=4-2", 10, Kind::kWhole, {}},
      {"bytes=0-1,3-4", 10, Kind::kWhole, {}},
      {"bytes=x-1", 10, Kind::kWhole, {}},
      {"bytes=1-x", 10, Kind::kWhole, {}},
      {"bytes=-", 10, Kind::kWhole, {}},
      {"bytes=+1-2", 10, Kind::kWhole, {}},
      {"lines=0-3", 10, Kind::kWhole, {}},
  };
  for (const auto& c : cases) {
    const RangeChoice choice = ChooseRange(c.header, c.size);
    EXPECT_EQ(choice.kind, c.kind) << c.header;
    EXPECT_EQ(choice.part, c.part) << c.header;
  }
}

TEST(WebGzip, BodiesSurviveAndDamagedOnesAreRefused) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919);
  for (const std::string& body : {std::string(), std::string("x"), text}) {
    EXPECT_EQ(Gunzip(Gzip(body), body.size()), body);
  }
  const std::string packed = Gzip(text);
  EXPECT_LT(packed.size(), text.size());
  EXPECT_EQ(Gunzip(packed, text.size() - 1), std::nullopt);
  EXPECT_EQ(Gunzip(packed.substr(0, packed.size() - 1), text.size()), std::nullopt);
  EXPECT_EQ(Gunzip("text", 100), std::nullopt);
  EXPECT_EQ(Gunzip("", 100), std::nullopt);
}

}  // namespace
}  // namespace howdah::web
