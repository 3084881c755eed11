// gRPC's threads end before the program does. They have memory of OpenSSL, which the leak checker would report if a
// thread was still ending while the program exits.
#include <grpc/grpc.h>
#include <gtest/gtest.h>

namespace howdah::feed::server {
namespace {

class GrpcEnvironment : public testing::Environment {
 public:
  void SetUp() override { grpc_init(); }
  void TearDown() override { grpc_shutdown_blocking(); }
};

testing::Environment* const kEnvironment = testing::AddGlobalTestEnvironment(new GrpcEnvironment);

}  // namespace
}  // namespace howdah::feed::server
