#include "howdah/web/message.h"

#include <gmock/gmock.h>

#include "howdah/web/events.h"

namespace howdah::web {
namespace {

TEST(WebHeaders, NamesIgnoreCaseAndValuesStayOnTheirLine) {
  Headers headers = {{"Content-Type", "text/plain"}, {"Set-Cookie", "a=1"}};
  headers.Add("set-cookie", "b=2").Set("CONTENT-TYPE", " text/html\r\nX-Evil: 1 ").SetDefault("content-type", "x");
  EXPECT_EQ(headers.Get("content-type"), "text/html  X-Evil: 1");
  EXPECT_EQ(headers.Count("Set-Cookie"), 2U);
  EXPECT_FALSE(headers.Has("X-Evil"));
  EXPECT_EQ(headers.Remove("Set-Cookie").Get("Set-Cookie"), "");
}

TEST(WebRequest, CookiesAreFoundByTheirWholeName) {
  Request request;
  request.headers = {{"Cookie", "ab=1; a=2;b"}, {"Cookie", "c=3"}};
  EXPECT_EQ(request.Cookie("a"), "2");
  EXPECT_EQ(request.Cookie("ab"), "1");
  EXPECT_EQ(request.Cookie("c"), "3");
  EXPECT_EQ(request.Cookie("b"), "");
}

TEST(WebRequest, AcceptsOnlyTypesThatAreNamed) {
  Request request;
  request.headers = {{"Accept", "text/html, Text/CSV;q=0.5, application/json;q=0, */*"}};
  EXPECT_TRUE(request.Accepts("text/csv"));
  EXPECT_FALSE(request.Accepts("application/json"));
  EXPECT_FALSE(request.Accepts("text/plain"));
}

TEST(WebProblem, ResponseHasTheFourFields) {
  const Response response = ToResponse({405, "POST is not allowed for \"/\xff\"", "use GET", {{"Allow", "GET, HEAD"}}});
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.Get("Allow"), "GET, HEAD");
  EXPECT_EQ(std::get<std::string>(response.body),
            "{\"status\":405,\"title\":\"Method Not Allowed\",\"detail\":\"POST is not allowed for "
            "\\\"/\xef\xbf\xbd\\\"\",\"advice\":\"use GET\"}\n");
}

TEST(WebResponse, CompressedTextIsMarked) {
  Response large = Json(std::string(10'000, 'x')), small = Json("x"), image = Json(std::string(10'000, 'x'));
  image.headers.Set("Content-Type", "image/png");
  Compress(large);
  EXPECT_EQ(large.headers.Get("Content-Encoding"), "gzip");
  EXPECT_LT(std::get<std::string>(large.body).size(), 1000U);
  const std::string once = std::get<std::string>(large.body);
  for (Response* response : {&large, &small, &image}) Compress(*response);
  EXPECT_EQ(std::get<std::string>(large.body), once);
  EXPECT_FALSE(small.headers.Has("Content-Encoding"));
  EXPECT_FALSE(image.headers.Has("Content-Encoding"));
}

TEST(WebEvents, EachLineIsOneField) {
  EXPECT_EQ(FormatEvent({"7", "jobs", "{}"}), "id: 7\nevent: jobs\ndata: {}\n\n");
  EXPECT_EQ(FormatEvent({"", "", "a\nid: 9\r\nevent: x\rb\n"}),
            "data: a\ndata: id: 9\ndata: event: x\ndata: b\ndata: \n\n");
  EXPECT_EQ(FormatEvent({std::string("1\n\0", 3), "a\r\nb", ""}), "id: 1  \nevent: a  b\ndata: \n\n");
}

}  // namespace
}  // namespace howdah::web
