#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <semaphore>
#include <sstream>

#include "api.h"
#include "howdah/os/files/testing.h"
#include "test_cluster.h"

namespace howdah::portal {
namespace {

using testing::HasSubstr;

// One event file. Its readers wait at its end.
class SlowFile final : public EventFile {
 public:
  SlowFile(std::binary_semaphore& begun, std::binary_semaphore& released) : begun_(begun), released_(released) {}
  Status ReadFrom(const std::string&, int64_t, const OnBytes& on_bytes) override {
    std::ifstream file(std::string(HOWDAH_SOURCE_DIR) + "/src/tfevents/testdata/pytorch.tfevents", std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    const Status passed = on_bytes(content.str());
    begun_.release();
    released_.acquire();
    return passed;
  }

 private:
  std::binary_semaphore& begun_;
  std::binary_semaphore& released_;
};

TEST(ScalarRoutes, RequestDoesNotWaitForTheReadingOfAnotherOne) {
  const os::files::Scratch scratch;
  std::binary_semaphore begun(0), released(0);
  boost::asio::io_context loop;
  Services services{loop, {}};
  services.jobs = std::make_unique<index::Store>(scratch / "index.db", "");
  services.jobs->Apply({{.id = "job", .backend = "yarn", .status_json = "{}"}}, {});
  BackendService& backend = services.backends.emplace_back();
  backend.name = "yarn";
  const auto make = [&] {
    return ClusterWithEvents::Make([&] { return std::make_unique<SlowFile>(begun, released); });
  };
  backend.pool = std::make_unique<BackendPool>(make, 2);
  web::Routes routes;
  AddSchemas(routes);
  AddScalarRoutes(services, routes);
  web::Request request;
  request.method = "GET";
  request.path = "/api/v1/jobs/job/scalars/data";
  request.query = {{"tag", "loss"}};
  std::vector<std::string> answers;
  const auto ask = [&] {
    routes.Dispatch(request,
                    [&](const web::Response& response) { answers.push_back(std::get<std::string>(response.body)); });
  };
  ask();
  ASSERT_TRUE(begun.try_acquire_for(std::chrono::minutes(1)));
  ask();
  while (answers.empty()) loop.run_one();
  EXPECT_THAT(answers.at(0), HasSubstr(R"("complete":false)"));
  EXPECT_THAT(answers.at(0), HasSubstr(R"("step":[0,1,2,3,4])")) << "what the other request has read so far";
  released.release();
  while (answers.size() < 2) loop.run_one();
  EXPECT_THAT(answers.at(1), HasSubstr(R"("complete":true)"));
}

}  // namespace
}  // namespace howdah::portal
