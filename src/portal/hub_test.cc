#include "hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <string>
#include <vector>

namespace howdah::portal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Collects the events that a browser receives, as "name data".
class FakeBrowser final : public web::BodyWriter {
 public:
  bool Write(std::string bytes) override {
    std::string name, data, id;
    for (size_t begin = 0; begin < bytes.size();) {
      const size_t end = bytes.find('\n', begin);
      const std::string line = bytes.substr(begin, end - begin);
      if (line.starts_with("event: ")) name = line.substr(7);
      if (line.starts_with("data: ")) data = line.substr(6);
      if (line.starts_with("id: ")) last_id = line.substr(4);
      begin = end + 1;
    }
    events.push_back(name + " " + data);
    return true;
  }
  bool full() const override { return is_full; }
  bool closed() const override { return is_closed; }
  void End() override { Close(); }
  void Abort() override { Close(); }
  void OnReady(std::function<void()> ready) override { on_ready = std::move(ready); }
  void OnClosed(std::function<void()> closed) override { on_closed = std::move(closed); }
  void Close() {
    is_closed = true;
    std::exchange(on_closed, {})();
  }
  std::vector<std::string> Take() { return std::exchange(events, {}); }

  std::vector<std::string> events;
  std::string last_id;
  bool is_full = false, is_closed = false;
  std::function<void()> on_ready, on_closed;
};

class HubTest : public testing::Test {
 protected:
  std::shared_ptr<FakeBrowser> Connect(const std::vector<std::string>& topics, const std::string& last_id = "") {
    auto browser = std::make_shared<FakeBrowser>();
    hub_.Subscribe("firefox", topics, ParseEventPosition(last_id), browser);
    return browser;
  }

  boost::asio::io_context loop_;
  std::vector<std::string> begun_, ended_;
  Hub hub_{loop_,
           "e1",
           Duration(0),
           {[this](const std::string& topic) { begun_.push_back(topic); },
            [this](const std::string& topic) { ended_.push_back(topic); }}};
};

TEST_F(HubTest, ReaderReceivesOpenAndThenTheEventsOfItsTopics) {
  const auto a = Connect({"a"});
  EXPECT_THAT(begun_, ElementsAre("a"));
  EXPECT_THAT(a->Take(), IsEmpty());
  hub_.Open("a");
  hub_.Publish("a", "job", "1");
  hub_.Publish("b", "job", "2");
  EXPECT_THAT(a->Take(), ElementsAre(R"(open {"topic":"a"})", "job 1"));
  const auto later = Connect({"a", "b"});
  EXPECT_THAT(begun_, ElementsAre("a", "b"));
  EXPECT_THAT(later->Take(), ElementsAre(R"(open {"topic":"a"})"));
}

TEST_F(HubTest, ReconnectedReaderReceivesTheEventsThatItMissed) {
  const auto first = Connect({"a", "b"});
  hub_.Open("a");
  hub_.Open("b");
  hub_.Publish("a", "job", "1");
  first->Close();
  const auto other = Connect({"a", "b"});
  hub_.Publish("b", "job", "2");
  hub_.Publish("a", "job", "3");
  const auto again = Connect({"a", "b"}, first->last_id);
  EXPECT_THAT(again->Take(), ElementsAre("job 2", "job 3", R"(open {"topic":"a"})", R"(open {"topic":"b"})"));
}

TEST_F(HubTest, ReaderThatComesBackTooLateReceivesResync) {
  const auto reader = Connect({"a"});
  hub_.Open("a");
  hub_.Publish("a", "job", "0");
  const std::string id = reader->last_id;
  for (int i = 0; i < 300; ++i) hub_.Publish("a", "job", "x");
  EXPECT_THAT(Connect({"a"}, id)->Take(), ElementsAre(R"(resync {"topic":"a"})", R"(open {"topic":"a"})"));
  EXPECT_THAT(Connect({"a"}, "other-1")->Take(), ElementsAre(R"(resync {"topic":"a"})", R"(open {"topic":"a"})"));
}

TEST_F(HubTest, SlowReaderReceivesResyncWhenItIsReadyAgain) {
  const auto slow = Connect({"a"});
  const auto quick = Connect({"a"});
  hub_.Open("a");
  slow->Take();
  slow->is_full = true;
  hub_.Publish("a", "job", "1");
  EXPECT_THAT(slow->Take(), IsEmpty());
  slow->is_full = false;
  slow->on_ready();
  EXPECT_THAT(slow->Take(), ElementsAre(R"(resync {"topic":"a"})"));
  EXPECT_THAT(quick->Take(), ElementsAre(R"(open {"topic":"a"})", "job 1"));
}

TEST_F(HubTest, StateIsSentToLaterReaders) {
  const auto first = Connect({"log"});
  hub_.Open("log");
  hub_.PublishState("log", "log", "10");
  hub_.PublishState("log", "log", "20");
  EXPECT_THAT(first->Take(), ElementsAre(R"(open {"topic":"log"})", "log 10", "log 20"));
  EXPECT_THAT(Connect({"log"})->Take(), ElementsAre(R"(open {"topic":"log"})", "log 20"));
}

TEST_F(HubTest, TopicEndsSomeTimeAfterItsLastReader) {
  const auto first = Connect({"a"});
  const auto second = Connect({"a"});
  first->Close();
  loop_.run();
  EXPECT_THAT(ended_, IsEmpty());
  second->Close();
  loop_.restart();
  loop_.run();
  EXPECT_THAT(ended_, ElementsAre("a"));
  EXPECT_FALSE(hub_.HasTopic("a"));
}

TEST_F(HubTest, TopicStaysIfAReaderComesWhenItsTimeIsOver) {
  Connect({"a"})->Close();
  std::shared_ptr<FakeBrowser> reader;
  // The loop finds the expired timer before it calls this, and calls the timer's handler after it.
  boost::asio::post(loop_, [&] { reader = Connect({"a"}); });
  loop_.run();
  EXPECT_THAT(ended_, IsEmpty());
  EXPECT_TRUE(hub_.HasTopic("a"));
}

TEST_F(HubTest, BrowserHasAtMostFourStreams) {
  std::vector<std::shared_ptr<FakeBrowser>> streams;
  for (size_t i = 0; i < Hub::kMostReadersPerBrowser; ++i) {
    EXPECT_TRUE(hub_.Admits("firefox"));
    streams.push_back(Connect({"a"}));
  }
  EXPECT_FALSE(hub_.Admits("firefox"));
  EXPECT_TRUE(hub_.Admits("chrome"));
  streams.front()->Close();
  EXPECT_TRUE(hub_.Admits("firefox"));
}

TEST(EventPosition, OnlyItsOwnTextIsRead) {
  EXPECT_EQ(ParseEventPosition("5f-e-12"), (EventPosition{"5f-e", 12}));
  for (const char* text : {"", "-", "-1", "e-", "e-x", "e-1x", "e-+1", "e-99999999999999999999999"})
    EXPECT_EQ(ParseEventPosition(text), std::nullopt) << text;
}

}  // namespace
}  // namespace howdah::portal
