#include "howdah/web/policy.h"

#include <gmock/gmock.h>

namespace howdah::web {
namespace {

struct Case {
  const char* method;
  const char* host;
  Headers headers;
  int status;  // 0: admitted
};

int StatusFor(const Policy& policy, const Case& c) {
  Request request;
  request.method = c.method;
  request.host = c.host;
  request.headers = c.headers;
  const auto refusal = Refusal(policy, request);
  if (!refusal) return 0;
  EXPECT_FALSE(refusal->advice.empty()) << refusal->detail;
  return refusal->status;
}

TEST(WebPolicy, OnlyOwnHostsAndOriginsAreAdmitted) {
  const Policy policy{LoopbackHosts(8190)};
  const Case cases[] = {
      {"GET", "localhost:8190", {}, 0},
      {"HEAD", "127.0.0.1:8190", {}, 0},
      {"GET", "[::1]:8190", {{"Origin", "http://[::1]:8190"}}, 0},
      {"GET", "example.org:8190", {}, 421},
      {"GET", "localhost", {}, 421},
      {"GET", "", {}, 421},
      {"GET", "random.localhost:8190", {}, 421},
      {"GET", "localhost:8190", {{"Origin", "http://example.org"}}, 403},
      {"GET", "localhost:8190", {{"Origin", "https://localhost:8190"}}, 403},
      {"GET", "localhost:8190", {{"Origin", "http://localhost:8191"}}, 403},
      {"GET", "localhost:8190", {{"Origin", "null"}}, 403},
      {"GET", "localhost:8190", {{"Sec-Fetch-Site", "same-origin"}}, 0},
      {"GET", "localhost:8190", {{"Sec-Fetch-Site", "none"}}, 0},
      {"GET", "localhost:8190", {{"Sec-Fetch-Site", "cross-site"}}, 403},
      {"GET", "localhost:8190", {{"Sec-Fetch-Site", "same-site"}}, 403},
      {"GET",
       "localhost:8190",
       {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}},
       0},
      {"GET",
       "localhost:8190",
       {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "iframe"}},
       403},
      {"GET", "localhost:8190", {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}}, 403},
      {"PUT", "localhost:8190", {}, 405},
      {"OPTIONS", "localhost:8190", {{"Origin", "http://example.org"}}, 405},
  };
  for (const Case& c : cases) EXPECT_EQ(StatusFor(policy, c), c.status) << c.method << " " << c.host;
}

TEST(WebPolicy, PostNeedsJsonAndTheHeader) {
  const Policy policy{LoopbackHosts(80)};
  const Headers::Field json{"Content-Type", "application/json; charset=utf-8"}, header{"Howdah-Request", "1"};
  const Case cases[] = {
      {"POST", "localhost", {json, header}, 0},
      {"POST", "localhost", {json}, 403},
      {"POST", "localhost", {json, {"Howdah-Request", "0"}}, 403},
      {"POST", "localhost", {header}, 415},
      {"POST", "localhost", {header, {"Content-Type", "text/plain"}}, 415},
      {"POST", "localhost", {header, {"Content-Type", "application/jsonp"}}, 415},
      {"POST", "localhost", {json, header, {"Origin", "http://localhost"}}, 0},
      {"POST", "localhost", {json, header, {"Origin", "http://example.org"}}, 403},
      // A form of another page that navigates to the server.
      {"POST",
       "localhost",
       {json, header, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}},
       403},
  };
  for (const Case& c : cases) EXPECT_EQ(StatusFor(policy, c), c.status);
}

TEST(WebPolicy, WithoutHostsTheRequestedHostIsTheOrigin) {
  const Case cases[] = {
      {"GET", "example.com", {}, 0},
      {"GET", "example.com", {{"Origin", "http://example.com"}}, 0},
      {"GET", "example.com", {{"Origin", "http://example.org"}}, 403},
  };
  for (const Case& c : cases) EXPECT_EQ(StatusFor(Policy(), c), c.status);
}

}  // namespace
}  // namespace howdah::web
