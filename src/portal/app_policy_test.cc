#include "app_policy.h"

#include <gmock/gmock.h>

#include <vector>

namespace howdah::portal {
namespace {

using testing::HasSubstr;

const Instant kArrivedAt = Instant(std::chrono::hours(1000));
constexpr uid_t kPortalOwner = 1000, kOtherUser = 1001;
const std::string kAppLabel = "0123456789abcdef0123456789abcdef",
                  kAppOrigin = "http://" + kAppLabel + ".localhost:8190";

TEST(AppPolicy, HostNamesOfAppsHaveALabelAndThePortalsPort) {
  EXPECT_EQ(LabelOfHost(kAppLabel + ".localhost:8190", 8190), kAppLabel);
  EXPECT_EQ(LabelOfHost(kAppLabel + ".localhost", 80), kAppLabel);
  const std::vector<std::string> others = {"localhost:8190",
                                           "127.0.0.1:8190",
                                           "x.localhost:8190",
                                           ".localhost:8190",
                                           kAppLabel + ".localhost:8191",
                                           kAppLabel + ".localhost",
                                           kAppLabel + ".localhost.example.org:8190",
                                           "a." + kAppLabel + ".localhost:8190",
                                           kAppLabel + "0.localhost:8190",
                                           "0123456789ABCDEF0123456789abcdef.localhost:8190",
                                           kAppLabel + ":8190",
                                           ""};
  for (const std::string& host : others) {
    EXPECT_EQ(LabelOfHost(host, 8190), std::nullopt) << host;
  }
}

TEST(AppPolicy, CredentialsOfThePortalAreHidden) {
  EXPECT_TRUE(HidesFromServer({"Authorization", "Bearer howdah_0123"}));
  EXPECT_TRUE(HidesFromServer({"authorization", "bearer  howdah_0123"}));
  EXPECT_TRUE(HidesFromServer({"Howdah-Request", "1"}));
  EXPECT_TRUE(HidesFromServer({"howdah-proxy-secret", "x"}));
  EXPECT_FALSE(HidesFromServer({"Authorization", "token 0123"}));
  EXPECT_FALSE(HidesFromServer({"Authorization", "Bearer abc"}));
  EXPECT_FALSE(HidesFromServer({"X-XSRFToken", "1"}));
}

class AppPolicyTest : public testing::Test {
 protected:
  AppPolicyTest() {
    const auto ticket = table_.Open({"job-1", "worker", 0, 8888}, {.user = kPortalOwner}, "/lab?token=x", kArrivedAt);
    ticket_ = ticket.text;
    app_ = table_.Find(ticket.label);
  }
  web::Request Asked(web::Headers headers = {}) const {
    web::Request request;
    request.method = "GET";
    request.path = "/";
    request.headers = std::move(headers);
    request.peer = {.address = "127.0.0.1", .user = kPortalOwner};
    return request;
  }
  web::Request WithCookie(web::Headers headers = {}) const {
    headers.Add("Cookie", "a=b; howdah-app-" + app_->label.substr(0, 8) + "=" + app_->secret);
    return Asked(std::move(headers));
  }
  // "pass", the status of a refusal, or the status and address of a response.
  std::string Judge(const web::Request& request, Instant now = kArrivedAt) {
    const auto judged = JudgeAppRequest(table_, *app_, {request, kAppOrigin, kPortalOwner, now});
    if (const auto* problem = std::get_if<web::Problem>(&judged)) return std::to_string(problem->status);
    if (const auto* response = std::get_if<web::Response>(&judged))
      return std::to_string(response->status) + " " + std::string(response->headers.Get("Location"));
    return "pass";
  }
  web::Request Redeeming(const std::string& ticket) const {
    web::Request request =
        Asked({{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}});
    request.path = "/.howdah/open";
    request.query = {{"ticket", ticket}};
    return request;
  }

  int random_ = 0;
  AppTable table_{[this] {
    const std::string text = std::to_string(++random_);
    return std::string(32 - text.size(), 'a') + text;
  }};
  std::string ticket_;
  const App* app_;
};

TEST_F(AppPolicyTest, OnlyTheCookieOfTheAppAdmits) {
  EXPECT_EQ(Judge(WithCookie()), "pass");
  EXPECT_EQ(Judge(Asked()), "403");
  const std::string name = "howdah-app-" + app_->label.substr(0, 8) + "=";
  for (const std::string& cookie : {name, name + app_->secret.substr(1), name + app_->secret + "0",
                                    "x" + name + app_->secret, "howdah-app-00000000=" + app_->secret}) {
    EXPECT_EQ(Judge(Asked({{"Cookie", cookie}})), "403") << cookie;
  }
}

TEST_F(AppPolicyTest, TicketBecomesACookieOfTheHost) {
  const web::Request redeeming = Redeeming(ticket_);
  const auto judged = JudgeAppRequest(table_, *app_, {redeeming, kAppOrigin, kPortalOwner, kArrivedAt});
  const auto* response = std::get_if<web::Response>(&judged);
  ASSERT_NE(response, nullptr);
  EXPECT_EQ(response->headers.Get("Location"), "/lab?token=x");
  const std::string cookie(response->headers.Get("Set-Cookie"));
  EXPECT_THAT(cookie, HasSubstr("=" + app_->secret + "; Path=/; HttpOnly; SameSite=Lax"));
  EXPECT_EQ(cookie.find("Domain"), std::string::npos);
  EXPECT_EQ(Judge(Asked({{"Cookie", cookie.substr(0, cookie.find(';'))}})), "pass");
}

TEST_F(AppPolicyTest, TicketIsValidOnceAndForAShortTime) {
  EXPECT_EQ(Judge(Redeeming(ticket_), kArrivedAt + AppTable::kTicketLife), "403");
  EXPECT_EQ(Judge(Redeeming(ticket_)), "303 /lab?token=x");
  EXPECT_EQ(Judge(Redeeming(ticket_)), "403");
  EXPECT_EQ(Judge(Redeeming("")), "403");
  web::Request without = Redeeming(ticket_);
  without.query.clear();
  EXPECT_EQ(Judge(without), "403");
  without.method = "HEAD";
  EXPECT_EQ(Judge(without), "405");
}

TEST_F(AppPolicyTest, OtherUsersAreRefusedEvenWithTicketAndCookie) {
  for (web::Request request : {WithCookie(), Redeeming(ticket_)}) {
    request.peer.user = kOtherUser;
    EXPECT_EQ(Judge(request), "401");
    request.peer.user = std::nullopt;
    EXPECT_EQ(Judge(request), "401");
  }
  web::Request of_root = WithCookie();
  of_root.peer.user = 0;
  EXPECT_EQ(Judge(of_root), "pass");
  EXPECT_EQ(Judge(Redeeming(ticket_)), "303 /lab?token=x") << "the refused request has not used the ticket up";
}

TEST_F(AppPolicyTest, OpenerOfAnotherUserIsAdmitted) {
  const auto ticket = table_.Open({"job-1", "worker", 0, 8888}, {.user = kOtherUser, .token = "ci"}, "/", kArrivedAt);
  app_ = table_.Find(ticket.label);
  web::Request request = WithCookie();
  request.peer.user = kOtherUser;
  EXPECT_EQ(Judge(request), "pass");
}

TEST_F(AppPolicyTest, PagesOfOtherOriginsAreRefused) {
  EXPECT_EQ(Judge(WithCookie({{"Origin", kAppOrigin}, {"Sec-Fetch-Site", "same-origin"}})), "pass");
  for (const std::string& origin :
       {std::string("null"), std::string("http://127.0.0.1:8190"), std::string("http://localhost:8190"),
        "https" + kAppOrigin.substr(4), "http://" + std::string(32, '0') + ".localhost:8190"}) {
    EXPECT_EQ(Judge(WithCookie({{"Origin", origin}})), "403") << origin;
  }
  EXPECT_EQ(Judge(WithCookie({{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}})), "403");
  EXPECT_EQ(Judge(WithCookie(
                {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "iframe"}})),
            "403");
  EXPECT_EQ(Judge(WithCookie(
                {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}})),
            "pass");
}

TEST(AppPolicyText, ServersAreNamed) {
  EXPECT_EQ(Describe({"job-1", "", 0, 6006}), "TensorBoard of job-1");
  EXPECT_EQ(Describe({"job-1", "worker", 2, 80}), "port 80 of worker:2 in job-1");
  EXPECT_EQ(Describe({.job = "", .role = "", .tensorboard = "3"}), "the portal's TensorBoard 3");
}

}  // namespace
}  // namespace howdah::portal
