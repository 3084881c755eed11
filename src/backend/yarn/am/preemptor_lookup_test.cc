#include "preemptor_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>

namespace howdah::backend::yarn::am {
namespace {

using boost::asio::ip::tcp;
using testing::ElementsAre;
using testing::IsEmpty;

// A ResourceManager to which one can connect, and which never says a word.
TEST(PreemptorLookup, WithoutAnAnswerNothingIsSaidAndNobodyWaitsLong) {
  boost::asio::io_context loop;
  const tcp::acceptor rm(loop, {boost::asio::ip::address_v4::loopback(), 0});
  hadoop::conf::Configuration configuration({[](const std::string&) { return std::nullopt; }, "ann", "/home/ann"});
  configuration.Set("yarn.resourcemanager.address", "127.0.0.1:" + std::to_string(rm.local_endpoint().port()), "test");
  hadoop::rpc::RetryLimits limits;
  limits.connect = limits.call = limits.give_up = std::chrono::milliseconds(1200);
  PreemptorLookup lookup(loop, HadoopClient(configuration, "ann", {}, limits), JobId{"application_1_0001"});

  std::vector<std::string> reported;
  const auto note = [&](const std::string& preemptor) { reported.push_back(preemptor); };
  const auto run_until_told = [&](size_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    loop.restart();
    while (reported.size() < count && loop.run_one_until(end) > 0) {
    }
  };
  lookup.Find("", note);
  lookup.Find("big", note);
  EXPECT_THAT(reported, IsEmpty());
  run_until_told(2);
  EXPECT_THAT(reported, ElementsAre("", ""));
  // While the question is still open; and that it has no answer is known for a while then.
  for (bool at_once = false; !at_once; run_until_told(1)) {
    reported.clear();
    lookup.Find("", note);
    at_once = reported.size() == 1;
  }
  EXPECT_THAT(reported, ElementsAre(""));
}

}  // namespace
}  // namespace howdah::backend::yarn::am
