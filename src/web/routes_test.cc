#include "howdah/web/routes.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace howdah::web {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::json;

// A table like the portal's. Each handler answers with its pattern and arguments.
class WebRoutes : public testing::Test {
 protected:
  WebRoutes() {
    const auto answer = [this](const char* name) {
      return [this, name](const Request&, const Arguments& arguments, const Respond& respond) {
        arguments_ = arguments;
        respond(Text(name));
      };
    };
    Route list{"GET", "/api/jobs", "List jobs"};
    list.parameters = {
        {.name = "q", .help = "Words | filters"},
        {.name = "limit", .type = ValueType::kInteger, .help = "Rows", .default_text = "50", .min = 1, .max = 1000},
        {.name = "share", .type = ValueType::kNumber, .help = "Share"},
        {.name = "facets", .type = ValueType::kFlag, .help = "Facets"},
        {.name = "since", .type = ValueType::kDuration, .help = "Age"},
        {.name = "from", .type = ValueType::kTime, .help = "Start"},
        {.name = "of", .type = ValueType::kChoice, .help = "Unit", .choices = {"task", "role"}},
        {.name = "series", .type = ValueType::kTexts, .help = "Series"}};
    list.answer_schema = R"({"$ref": "#/components/schemas/Jobs"})";
    list.tag = "Jobs";
    list.handler = answer("list");
    routes_.Add(list);
    Route job{"GET", "/api/jobs/{id}", "Show a job", {{.name = "id", .help = "The job's id"}}};
    job.errors = {{404, "There is no such job"}};
    job.tag = "Jobs";
    job.handler = answer("job");
    routes_.Add(job);
    Route kill{"POST", "/api/jobs/{id}/kill", "End a job", {{.name = "id", .help = "The job's id"}}};
    kill.body_schema = R"({"type": "object"})";
    kill.answer_statuses = {202};
    kill.tag = "Actions";
    kill.handler = answer("kill");
    routes_.Add(kill);
    Route search{"GET", "/api/jobs/search", "Search", {{.name = "q", .help = "Text", .required = true}}};
    search.tag = "Jobs";
    search.handler = answer("search");
    routes_.Add(search);
    Route page{"GET", "/{path...}", "Page", {{.name = "path", .help = "Path"}}};
    page.documented = false;
    page.handler = answer("page");
    routes_.Add(page);
    routes_.AddSchema("Jobs", R"({"type": "object"})");
  }

  // The status and body of the answer: "200 list".
  std::string Ask(const std::string& method, const std::string& path,
                  std::vector<std::pair<std::string, std::string>> query = {}) {
    Request request;
    request.method = method;
    request.path = path;
    request.query = std::move(query);
    std::string answer;
    routes_.Dispatch(request, [&](const Response& response) {
      answer = std::to_string(response.status) + " " + std::get<std::string>(response.body);
      allow_ = response.headers.Get("Allow");
    });
    return answer;
  }

  Routes routes_;
  Arguments arguments_{{}};
  std::string allow_;
};

TEST_F(WebRoutes, MostSpecificPatternAnswers) {
  EXPECT_EQ(Ask("GET", "/api/jobs"), "200 list");
  EXPECT_EQ(Ask("HEAD", "/api/jobs"), "200 list");
  EXPECT_EQ(Ask("GET", "/api/jobs/j1"), "200 job");
  EXPECT_EQ(arguments_.Text("id"), "j1");
  EXPECT_EQ(Ask("GET", "/api/jobs/search", {{"q", "x"}}), "200 search");
  EXPECT_EQ(Ask("POST", "/api/jobs/j1/kill"), "200 kill");
  EXPECT_EQ(Ask("GET", "/jobs/j1/tasks"), "200 page");
  EXPECT_EQ(arguments_.Text("path"), "jobs/j1/tasks");
  EXPECT_EQ(Ask("GET", "/"), "200 page");
  EXPECT_EQ(Ask("GET", "/api/jobs/"), "200 page") << "a parameter of the path is never empty";
}

TEST_F(WebRoutes, OtherMethodsAreNotAllowed) {
  EXPECT_THAT(Ask("POST", "/api/jobs"), HasSubstr("405"));
  EXPECT_EQ(allow_, "GET, HEAD");
  EXPECT_THAT(Ask("GET", "/api/jobs/j1/kill"), HasSubstr("405"));
  EXPECT_EQ(allow_, "POST");
  Routes empty;
  Request request;
  request.path = "/x";
  int status = 0;
  empty.Dispatch(request, [&](const Response& response) { status = response.status; });
  EXPECT_EQ(status, 404);
}

TEST_F(WebRoutes, ParametersAreParsed) {
  ASSERT_EQ(Ask("GET", "/api/jobs",
                {{"q", "a,b"},
                 {"share", "0.5"},
                 {"facets", ""},
                 {"since", "30d"},
                 {"from", "2026-11-21T06:45:12.301Z"},
                 {"of", "role"},
                 {"series", "a,,b"},
                 {"series", " c"},
                 {"_", "123"}}),
            "200 list");
  EXPECT_EQ(arguments_.Text("q"), "a,b");
  EXPECT_EQ(arguments_.Integer("limit"), 50);
  EXPECT_EQ(arguments_.Number("share"), 0.5);
  EXPECT_TRUE(arguments_.Flag("facets"));
  EXPECT_EQ(arguments_.Length("since"), std::chrono::days(30));
  EXPECT_EQ(arguments_.Time("from"), ParseInstant("2026-11-21T06:45:12.301Z"));
  EXPECT_EQ(arguments_.Text("of"), "role");
  EXPECT_THAT(arguments_.Texts("series"), ElementsAre("a", "b", "c"));
  ASSERT_EQ(Ask("GET", "/api/jobs", {{"from", "1500"}, {"facets", "0"}, {"limit", "7"}}), "200 list");
  EXPECT_EQ(arguments_.Time("from"), Instant(std::chrono::milliseconds(1500)));
  EXPECT_FALSE(arguments_.Flag("facets"));
  EXPECT_EQ(arguments_.Integer("limit"), 7);
  EXPECT_FALSE(arguments_.Has("q"));
  EXPECT_EQ(arguments_.Text("q"), "");
  EXPECT_EQ(arguments_.Length("since"), std::nullopt);
  EXPECT_TRUE(arguments_.Texts("series").empty());
}

TEST_F(WebRoutes, WrongParametersAreNamedWithTheRemedy) {
  const struct {
    const char *name, *value, *detail, *advice;
  } cases[] = {
      {"limt", "1", "unknown parameter 'limt'", "the parameters are q, limit, share"},
      {"limit", "0", "invalid value '0' of the parameter 'limit'", "write an integer from 1 to 1000"},
      {"limit", "1001", "'limit'", "from 1 to 1000"},
      {"limit", "1x", "'limit'", "from 1 to 1000"},
      {"limit", "", "'limit'", "from 1 to 1000"},
      {"limit", "99999999999999999999", "'limit'", "from 1 to 1000"},
      {"share", "nan", "'share'", "write a number"},
      {"facets", "yes", "'facets'", "write 1 or 0"},
      {"since", "soon", "'since'", "write a duration such as"},
      {"from", "-1", "'from'", "write a time such as"},
      {"from", "9223372036854775807", "'from'", "write a time such as"},
      {"of", "Role", "'of'", "write one of task, role"},
  };
  for (const auto& c : cases) {
    const std::string answer = Ask("GET", "/api/jobs", {{c.name, c.value}});
    ASSERT_THAT(answer, testing::StartsWith("400 ")) << c.name << "=" << c.value;
    const Json problem = Json::parse(answer.substr(4));
    EXPECT_THAT(problem["detail"], HasSubstr(c.detail));
    EXPECT_THAT(problem["advice"], HasSubstr(c.advice));
  }
  EXPECT_THAT(Ask("GET", "/api/jobs", {{"limit", "1"}, {"limit", "2"}}), HasSubstr("was sent more than once"));
  EXPECT_THAT(Ask("GET", "/api/jobs", {{"q", std::string(5000, 'x')}}), HasSubstr("longer than 4096 bytes"));
  EXPECT_THAT(Ask("GET", "/api/jobs/search"), HasSubstr("the parameter 'q' is missing"));
  EXPECT_THAT(Ask("GET", "/api/jobs/j1", {{"id", "j2"}}), HasSubstr("unknown parameter 'id'"));
}

TEST_F(WebRoutes, OpenApiDescribesTheTable) {
  const Json api = Json::parse(routes_.OpenApi({"Howdah", "1.0", "The API."}));
  EXPECT_EQ(api["openapi"], "3.1.0");
  EXPECT_EQ(api["info"]["title"], "Howdah");
  EXPECT_EQ(api["paths"].size(), 4U) << "pages are not documented";
  const Json& list = api["paths"]["/api/jobs"]["get"];
  EXPECT_EQ(list["summary"], "List jobs");
  EXPECT_EQ(list["tags"], Json::array({"Jobs"}));
  const Json limit = {{"name", "limit"},
                      {"in", "query"},
                      {"description", "Rows"},
                      {"schema", {{"type", "integer"}, {"minimum", 1}, {"maximum", 1000}, {"default", 50}}}};
  EXPECT_EQ(list["parameters"][1], limit);
  EXPECT_EQ(list["parameters"][6]["schema"]["enum"], Json::array({"task", "role"}));
  EXPECT_EQ(list["responses"]["200"]["content"]["application/json"]["schema"]["$ref"], "#/components/schemas/Jobs");
  const Json& kill = api["paths"]["/api/jobs/{id}/kill"]["post"];
  EXPECT_EQ(kill["parameters"][0]["in"], "path");
  EXPECT_EQ(kill["parameters"][0]["required"], true);
  EXPECT_EQ(kill["parameters"].back()["in"], "header");
  EXPECT_EQ(kill["parameters"].back()["name"], Policy().request_header);
  EXPECT_TRUE(kill["responses"].contains("202"));
  EXPECT_FALSE(kill["responses"].contains("200"));
  EXPECT_EQ(kill["requestBody"]["content"]["application/json"]["schema"]["type"], "object");
  EXPECT_NE(kill["operationId"], list["operationId"]);
  EXPECT_EQ(api["paths"]["/api/jobs/{id}"]["get"]["responses"]["404"]["description"], "There is no such job");
  EXPECT_EQ(api["components"]["schemas"]["Jobs"]["type"], "object");
  EXPECT_EQ(api["components"]["schemas"]["Problem"]["required"], Json::array({"status", "title", "detail", "advice"}));
}

TEST_F(WebRoutes, MarkdownDescribesTheTable) {
  const std::string text = routes_.Markdown({"API", "1.0", "All routes."});
  EXPECT_THAT(text, testing::StartsWith("# API\n\nAll routes.\n\n## Jobs\n\n### `GET /api/jobs`\n\nList jobs.\n"));
  EXPECT_THAT(text, HasSubstr("| `limit` | an integer from 1 to 1000; otherwise 50 | Rows |\n"));
  EXPECT_THAT(text, HasSubstr("| `q` | text | Words \\| filters |\n"));
  EXPECT_THAT(text, HasSubstr("## Actions\n\n### `POST /api/jobs/{id}/kill`\n"));
  EXPECT_THAT(text, HasSubstr("| 404 | There is no such job |\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("Page")));
}

using WebRoutesDeathTest = WebRoutes;

TEST_F(WebRoutesDeathTest, ContradictoryTableEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto add = [&](const char* method, const char* pattern, std::vector<Parameter> parameters = {}) {
    Route route{method, pattern, "x", std::move(parameters)};
    route.handler = [](const Request&, const Arguments&, const Respond&) {};
    routes_.Add(route);
  };
  EXPECT_DEATH(add("GET", "/api/jobs/{other}", {{.name = "other"}}), "matches the same paths");
  EXPECT_DEATH(add("GET", "/x/{id}"), "'id' of the pattern is not declared");
  EXPECT_DEATH(add("PUT", "/x"), "neither GET nor POST");
  EXPECT_DEATH(add("GET", "/{a...}/x", {{.name = "a"}}), "continues after the rest");
  EXPECT_DEATH(add("GET", "/y", {{.name = "n", .type = ValueType::kInteger, .default_text = "x"}}), "invalid value");
  EXPECT_DEATH(arguments_.Text("undeclared"), "does not declare");
}

}  // namespace
}  // namespace howdah::web
