#include "action_bodies.h"

#include <gtest/gtest.h>

namespace howdah::portal {
namespace {

TEST(ActionBodies, GraceIsOptional) {
  const auto grace_of = [](const std::string& body) {
    const auto grace = GraceOf(body);
    return grace.ok() ? *grace : std::optional(Duration(-1));
  };
  EXPECT_EQ(grace_of(""), std::nullopt);
  EXPECT_EQ(grace_of(" \n"), std::nullopt);
  EXPECT_EQ(grace_of("{}"), std::nullopt);
  EXPECT_EQ(grace_of(R"({"grace": null})"), std::nullopt);
  EXPECT_EQ(grace_of(R"({"grace": "30s"})"), std::chrono::seconds(30));
}

TEST(ActionBodies, InvalidGraceIsRefused) {
  const std::string cases[] = {"[]",
                               "30",
                               "{",
                               "{\"grace\": \"30s\"}x",
                               R"({"grace": 30})",
                               R"({"grace": "soon"})",
                               R"({"grace": {"a": {"b": {"c": {"d": 1}}}}})",
                               R"({"grace": "30s", "force": true})",
                               std::string("{\"grace\": \"\0\"}", 14),
                               "{\"grace\": \"\xff\"}"};
  for (const std::string& body : cases) {
    const auto grace = GraceOf(body);
    ASSERT_FALSE(grace.ok()) << body;
    EXPECT_EQ(grace.error().code, ErrorCode::kUsage) << body;
  }
  EXPECT_EQ(GraceOf(R"({"force": 1})").error().message, "unknown field 'force'; the fields are grace");
}

TEST(ActionBodies, ScaleNeedsRoleAndCount) {
  const auto order = ScaleOrderOf(R"({"role": "worker", "instances": 4})");
  ASSERT_TRUE(order.ok());
  EXPECT_EQ(order->role, "worker");
  EXPECT_EQ(order->instances, 4);
  const std::string cases[] = {"",
                               R"({"role": "worker"})",
                               R"({"instances": 4})",
                               R"({"role": "", "instances": 4})",
                               R"({"role": 1, "instances": 4})",
                               R"({"role": "worker", "instances": "4"})",
                               R"({"role": "worker", "instances": 4.5})",
                               R"({"role": "worker", "instances": -1})",
                               R"({"role": "worker", "instances": -9223372036854775808})",
                               R"({"role": "worker", "instances": 1000001})",
                               R"({"role": "worker", "instances": 18446744073709551615})",
                               R"({"role": "worker", "instances": 1e400})",
                               "{\"role\": \"" + std::string(201, 'w') + "\", \"instances\": 4}"};
  for (const std::string& body : cases) EXPECT_FALSE(ScaleOrderOf(body).ok()) << body;
}

TEST(StackOrder, BodyNamesTaskAndOptions) {
  const auto plain = StackOrderOf(R"({"task": "worker:0"})");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->task, "worker:0");
  EXPECT_FALSE(plain->native);
  EXPECT_EQ(plain->signal, "");
  const auto full = StackOrderOf(R"({"task": "w:1", "native": true, "signal": "USR1"})");
  ASSERT_TRUE(full.ok());
  EXPECT_TRUE(full->native);
  EXPECT_EQ(full->signal, "USR1");
  EXPECT_TRUE(StackOrderOf(R"({"task": "w:1", "signal": null})").ok());
}

TEST(StackOrder, OtherBodiesAreErrors) {
  for (const char* body : {"", "{}", "[]", R"({"task": 3})", R"({"task": ""})", R"({"task": "w:0", "native": 1})",
                           R"({"task": "w:0", "signal": 10})", R"({"task": "w:0", "rank": 1})"}) {
    const auto order = StackOrderOf(body);
    ASSERT_FALSE(order.ok()) << body;
    EXPECT_EQ(order.error().code, ErrorCode::kUsage) << body;
  }
}

TEST(ActionBodies, ServerToOpenIsRead) {
  using What = OpenOrder::What;
  EXPECT_EQ(OpenOrderOf(R"({"tensorboard": true})")->what, What::kTensorBoard);
  EXPECT_EQ(OpenOrderOf(R"({"notebook": true, "tensorboard": false})")->what, What::kNotebook);
  const auto port = OpenOrderOf(R"({"task": "worker:1", "port": 8888, "address": "port"})");
  ASSERT_TRUE(port.ok()) << port.error().message;
  EXPECT_EQ(port->what, What::kPort);
  EXPECT_EQ(port->task, "worker:1");
  EXPECT_EQ(port->port, 8888);
  EXPECT_EQ(port->by_name, false);
  EXPECT_EQ(OpenOrderOf(R"({"notebook": true, "address": "name"})")->by_name, true);
  EXPECT_EQ(OpenOrderOf(R"({"notebook": true, "address": null})")->by_name, std::nullopt);
}

TEST(ActionBodies, ServerToOpenIsNamedExactlyOnce) {
  for (const char* body :
       {"", "{}", "[]", R"({"tensorboard": false})", R"({"tensorboard": true, "notebook": true})",
        R"({"tensorboard": 1})", R"({"tensorboard": true, "task": "w:0", "port": 1})", R"({"task": "w:0"})",
        R"({"port": 8888})", R"({"task": "", "port": 1})", R"({"task": 1, "port": 1})", R"({"task": "w:0", "port": 0})",
        R"({"task": "w:0", "port": 65536})", R"({"task": "w:0", "port": -1})", R"({"task": "w:0", "port": "80"})",
        R"({"task": "w:0", "port": 80.5})", R"({"notebook": true, "address": "x"})", R"({"url": "/x"})"}) {
    const auto order = OpenOrderOf(body);
    ASSERT_FALSE(order.ok()) << body;
    EXPECT_EQ(order.error().code, ErrorCode::kUsage) << body;
  }
}

TEST(ActionBodies, AddressOfAServerIsOptional) {
  EXPECT_EQ(*AddressOf(""), std::nullopt);
  EXPECT_EQ(*AddressOf(R"({"address": "name"})"), true);
  EXPECT_EQ(*AddressOf(R"({"address": "port"})"), false);
  EXPECT_FALSE(AddressOf(R"({"address": "x"})").ok());
  EXPECT_FALSE(AddressOf(R"({"port": 1})").ok());
}

TEST(ActionBodies, TensorBoardNeedsJobs) {
  EXPECT_EQ(*TensorBoardJobsOf(R"({"jobs": ["a", "last"]})"), (std::vector<std::string>{"a", "last"}));
  std::string many = "\"j\"";
  for (int i = 0; i < 20; ++i) many += ",\"j\"";
  for (const std::string& body : {std::string("{}"), std::string(R"({"jobs": []})"), std::string(R"({"jobs": "a"})"),
                                  std::string(R"({"jobs": [1]})"), "{\"jobs\": [" + many + "]}"}) {
    const auto jobs = TensorBoardJobsOf(body);
    ASSERT_FALSE(jobs.ok()) << body;
    EXPECT_EQ(jobs.error().code, ErrorCode::kUsage) << body;
  }
}

TEST(ActionBodies, NotebookHasTheDefaultsOfTheCommand) {
  const auto order = NotebookOrderOf("");
  ASSERT_TRUE(order.ok()) << order.error().message;
  const NotebookOrder defaults;
  EXPECT_EQ(order->backend, "");
  EXPECT_EQ(order->job.quick.memory, defaults.job.quick.memory);
  EXPECT_EQ(order->job.quick.gpus, std::nullopt);
  EXPECT_EQ(order->notebook.idle, defaults.notebook.idle);
  EXPECT_EQ(order->notebook.limit, defaults.notebook.limit);
}

TEST(ActionBodies, FieldsOfANotebook) {
  const auto order = NotebookOrderOf(R"({"on": "yarn", "name": "n", "memory": "8GiB", "vcores": 4, "gpus": 0,
      "python": "/e.tar", "queue": "ml", "directory": "/d", "idle": "0s", "limit": "2h"})");
  ASSERT_TRUE(order.ok()) << order.error().message;
  EXPECT_EQ(order->backend, "yarn");
  const jobspec::QuickJob& quick = order->job.quick;
  EXPECT_EQ(quick.name + quick.memory + quick.python_archive + quick.queue, "n8GiB/e.tarml");
  EXPECT_EQ(quick.vcores, 4);
  EXPECT_EQ(quick.gpus, 0);
  EXPECT_EQ(order->notebook.directory, "/d");
  EXPECT_EQ(order->notebook.idle, Duration());
  EXPECT_EQ(order->notebook.limit, "2h");
}

TEST(ActionBodies, WrongFieldOfANotebookIsNamed) {
  const std::pair<const char*, const char*> cases[] = {{R"({"memory": 8})", "memory: write a text"},
                                                       {R"({"gpus": "1"})", "gpus: write a whole number"},
                                                       {R"({"gpus": -1})", "gpus: write a whole number"},
                                                       {R"({"vcores": 1e9})", "vcores: write a whole number"},
                                                       {R"({"idle": "soon"})", "idle: write a duration such"},
                                                       {R"({"limit": ""})", "limit: write a duration such"},
                                                       {R"({"disk": 1})", "unknown field 'disk'"}};
  for (const auto& [body, message] : cases) {
    const auto order = NotebookOrderOf(body);
    ASSERT_FALSE(order.ok()) << body;
    EXPECT_EQ(order.error().message.rfind(message, 0), 0U) << order.error().message;
  }
}

}  // namespace
}  // namespace howdah::portal
