// Distributes events to the streams of browsers, by topic.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/web/message.h"

namespace howdah::portal {

// The position in the events of one run of the portal, as a browser sends it back: "EPOCH-NUMBER".
struct EventPosition {
  std::string epoch;
  uint64_t number = 0;
  friend bool operator==(const EventPosition&, const EventPosition&) = default;
};
std::string ToText(const EventPosition& position);
// Returns nullopt for any other text.
std::optional<EventPosition> ParseEventPosition(std::string_view text);

// A topic begins with its first reader and lasts a little longer than its last one, so that a browser that reconnects
// loses no event. A reader that is too slow, or comes back too late, receives "resync" in place of the events that it
// missed. Used on the loop's thread only.
class Hub {
 public:
  static constexpr size_t kMostReaders = 64;
  static constexpr size_t kMostReadersPerBrowser = 4;

  struct Callbacks {
    // Called when a topic begins, before its first reader is added: whoever produces its events calls Open, after this
    // call, once everything from then on is reported.
    std::function<void(const std::string& topic)> begin;
    std::function<void(const std::string& topic)> end;
  };
  // epoch: differs from that of every earlier run of the portal.
  Hub(boost::asio::io_context& loop, std::string epoch, Duration linger, Callbacks callbacks);
  ~Hub();

  // Whether this browser may have another stream.
  bool Admits(const std::string& browser) const;
  // Adds a reader. last: the last event that the browser received on an earlier stream.
  void Subscribe(const std::string& browser, const std::vector<std::string>& topics,
                 const std::optional<EventPosition>& last, std::shared_ptr<web::BodyWriter> writer);

  bool HasTopic(const std::string& topic) const { return topics_.contains(topic); }
  // Sends "open" to the readers, those of the future included.
  void Open(const std::string& topic);
  // Sends an event to all readers, and keeps it for those that reconnect.
  void Publish(const std::string& topic, const std::string& name, const std::string& data);
  // Sends the state of the topic to all readers, and to each later one when it subscribes. It has no id.
  void PublishState(const std::string& topic, const std::string& name, const std::string& data);
  // Drops the kept events and sends "resync" to all readers.
  void Resync(const std::string& topic);

  size_t readers() const { return readers_.size(); }

 private:
  struct Frame {
    uint64_t number;
    std::string text;
  };
  struct Reader {
    std::string browser;
    std::vector<std::string> topics;
    std::shared_ptr<web::BodyWriter> writer;
    std::set<std::string> missed;  // topics with events that were not sent
  };
  struct Topic {
    bool open = false;
    std::set<std::shared_ptr<Reader>> readers;
    std::deque<Frame> kept;
    size_t kept_bytes = 0;
    uint64_t dropped = 0;  // the number of the newest event that is not kept any more
    std::optional<std::string> state;
    std::unique_ptr<boost::asio::steady_timer> linger;
  };

  Topic& Begin(const std::string& name);
  void Send(Reader& reader, const std::string& topic, const std::string& frame);
  void CatchUp(const std::shared_ptr<Reader>& reader, const std::optional<EventPosition>& last);
  void Remove(const std::shared_ptr<Reader>& reader);
  void EndLater(const std::string& name);

  boost::asio::io_context& loop_;
  std::string epoch_;
  Duration linger_;
  Callbacks callbacks_;
  uint64_t number_ = 0;
  std::map<std::string, Topic> topics_;
  std::set<std::shared_ptr<Reader>> readers_;
};

}  // namespace howdah::portal
