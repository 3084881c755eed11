#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "admission.h"
#include "audit.h"
#include "howdah/os/files/testing.h"
#include "howdah/portal/portal.h"
#include "services.h"

namespace howdah::portal {
namespace {

using testing::HasSubstr;

TEST(Admission, OnlyOwnerAndRootAreAdmitted) {
  struct Case {
    std::optional<uid_t> user;
    bool admitted;
    const char* says;
  };
  for (const auto& [user, admitted, says] : {Case{1000, true, ""},
                                             {0, true, ""},
                                             {1001, false, "came from the user with id 1001"},
                                             {std::nullopt, false, "the kernel does not say which user"}}) {
    const auto refusal = RefuseStranger({.address = "127.0.0.1", .user = user}, 1000);
    EXPECT_EQ(!refusal, admitted);
    if (refusal) {
      EXPECT_EQ(refusal->status, 401);
      EXPECT_THAT(refusal->detail, HasSubstr(says));
    }
  }
}

std::string AnswerTo(const web::Request& request, const Result<const std::vector<Token>*>& tokens) {
  const auto caller = Identify(request, 1000, tokens, *ParseInstant("2026-11-21T06:00:00.000Z"));
  if (const auto* refusal = std::get_if<web::Problem>(&caller))
    return std::to_string(refusal->status) + " " + refusal->detail;
  const Caller& known = std::get<Caller>(caller);
  return "'" + known.token + "'" + (known.read_only ? " read-only" : "");
}

TEST(Admission, TokenDecidesIfTheRequestHasOne) {
  const std::vector<Token> tokens = {{.name = "all", .hash = HashOf("a")},
                                     {.name = "few", .hash = HashOf("f"), .read_only = true},
                                     {.name = "old", .hash = HashOf("o"), .expires = Instant()}};
  web::Request request;
  request.peer.user = 1000;
  EXPECT_EQ(AnswerTo(request, &tokens), "''");
  request.headers.Set("Authorization", "Bearer wrong");
  EXPECT_THAT(AnswerTo(request, &tokens), HasSubstr("401 this portal does not know the token"));
  request.headers.Set("Authorization", "Basic YTpi");
  EXPECT_THAT(AnswerTo(request, &tokens), HasSubstr("401 the field Authorization is not a token"));
  request.peer.user = std::nullopt;
  request.headers.Set("Authorization", "bearer  a");
  EXPECT_EQ(AnswerTo(request, &tokens), "'all'");
  request.headers.Set("Authorization", "Bearer f");
  EXPECT_EQ(AnswerTo(request, &tokens), "'few' read-only");
  EXPECT_THAT(AnswerTo(request, Failed("no disk")), HasSubstr("401 the tokens of this portal cannot be read: no disk"));
  request.headers.Set("Authorization", "Bearer o");
  EXPECT_THAT(AnswerTo(request, &tokens), HasSubstr("401 the token 'old' expired on 1970-01-01"));
  request.headers.Add("Authorization", "Bearer a");
  EXPECT_THAT(AnswerTo(request, &tokens), HasSubstr("401 the field Authorization is not a token"));
}

TEST(Audit, LineNamesUserPeerActionAndOutcome) {
  const AuditEntry entry{.time = *ParseInstant("2026-11-21T06:45:12.301Z"),
                         .peer = {.address = "127.0.0.1", .user = 1000},
                         .user = "ann",
                         .token = "ci",
                         .action = "kill",
                         .job = "howdah-20261121-064512-x7k2",
                         .arguments = R"({"grace":"30s"})",
                         .outcome = "done\nor not"};
  EXPECT_EQ(AuditLine(entry),
            R"({"time":"2026-11-21T06:45:12.301Z","user":"ann","token":"ci","from":{"address":"127.0.0.1","uid":1000},)"
            R"("action":"kill","job":"howdah-20261121-064512-x7k2","arguments":{"grace":"30s"},)"
            R"("outcome":"done\nor not"})");
}

TEST(Problem, StatusFollowsFromTheErrorCode) {
  const auto status = [](ErrorCode code) { return ToProblem(Error{code, "x"}).status; };
  EXPECT_EQ(status(ErrorCode::kUsage), 400);
  EXPECT_EQ(status(ErrorCode::kNotFound), 404);
  EXPECT_EQ(status(ErrorCode::kUnavailable), 503);
  EXPECT_EQ(status(ErrorCode::kTimeout), 504);
  EXPECT_EQ(status(ErrorCode::kFailed), 500);
  const web::Problem problem = ToProblem(Error::WithRemedy(ErrorCode::kFailed, "it failed", "try again"));
  EXPECT_EQ(problem.detail, "it failed");
  EXPECT_EQ(problem.advice, "try again");
}

TEST(FindJob, BackendThatRunsJobsComesBeforeAHistory) {
  const os::files::Scratch scratch;
  boost::asio::io_context loop;
  Services services{loop, {}};
  services.jobs = std::make_unique<index::Store>(scratch / "index.db", "");
  for (const std::string name : {"tony", "yarn"}) {
    BackendService& backend = services.backends.emplace_back();
    backend.name = name;
    backend.runs_jobs = name != "tony";
  }
  const std::string id = "application_1700000000000_0001";
  const auto found = [&](const std::string& name) {
    const auto job = FindJob(services, name);
    return job.ok() ? job->backend->name : job.error().message;
  };
  services.jobs->Apply({{.id = id, .name = "mnist", .backend = "tony", .state = core::JobState::kFailed}}, {});
  EXPECT_EQ(found(id), "tony");
  services.jobs->Apply({{.id = id, .name = "bert", .backend = "yarn", .state = core::JobState::kRunning}}, {});
  EXPECT_EQ(found(id), "yarn");
  EXPECT_EQ(found("mnist"), "yarn");
  EXPECT_EQ(found("last"), "yarn");
}

// The table of routes ends the process if it contradicts itself.
TEST(ApiReference, HasEveryRoute) {
  const std::string page = ApiReference();
  for (const char* route :
       {"/api/v1/jobs", "/api/v1/jobs/{id}/logs/search", "/api/v1/jobs/{id}/kill", "/api/v1/goodput", "/api/v1/stream"})
    EXPECT_THAT(page, HasSubstr(route));
}

}  // namespace
}  // namespace howdah::portal
