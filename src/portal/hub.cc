#include "hub.h"

#include <algorithm>
#include <utility>

#include "howdah/base/number.h"
#include "howdah/web/events.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

constexpr size_t kMostKept = 256, kMostKeptBytes = size_t{1} << 20;  // of one topic

std::string TopicOnly(const std::string& topic) { return Dump({{"topic", topic}}); }

std::string Notice(const std::string& name, const std::string& topic) {
  return web::FormatEvent({.name = name, .data = TopicOnly(topic)});
}

}  // namespace

std::string ToText(const EventPosition& position) { return position.epoch + "-" + std::to_string(position.number); }

std::optional<EventPosition> ParseEventPosition(std::string_view text) {
  const size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const auto number = ParseNumber<uint64_t>(text.substr(dash + 1));
  if (!number) return std::nullopt;
  return EventPosition{.epoch = std::string(text.substr(0, dash)), .number = *number};
}

Hub::Hub(boost::asio::io_context& loop, std::string epoch, Duration linger, Callbacks callbacks)
    : loop_(loop), epoch_(std::move(epoch)), linger_(linger), callbacks_(std::move(callbacks)) {}

Hub::~Hub() = default;

bool Hub::Admits(const std::string& browser) const {
  const auto of_browser =
      std::count_if(readers_.begin(), readers_.end(), [&](const auto& reader) { return reader->browser == browser; });
  return readers_.size() < kMostReaders && static_cast<size_t>(of_browser) < kMostReadersPerBrowser;
}

void Hub::Subscribe(const std::string& browser, const std::vector<std::string>& topics,
                    const std::optional<EventPosition>& last, std::shared_ptr<web::BodyWriter> writer) {
  const auto reader = std::make_shared<Reader>(Reader{browser, topics, writer, {}});
  readers_.insert(reader);
  CatchUp(reader, last);
  for (const std::string& name : topics) Begin(name).readers.insert(reader);
  for (const std::string& name : topics) {
    const Topic& topic = topics_[name];
    if (topic.open) Send(*reader, name, Notice("open", name));
    if (topic.open && topic.state) Send(*reader, name, *topic.state);
  }
  writer->OnReady([this, weak = std::weak_ptr(reader)] {
    const auto ready = weak.lock();
    if (!ready) return;
    for (const std::string& name : std::exchange(ready->missed, {})) Send(*ready, name, Notice("resync", name));
  });
  writer->OnClosed([this, weak = std::weak_ptr(reader)] {
    if (const auto gone = weak.lock()) Remove(gone);
  });
}

// Sends the kept events that the browser has not received, in their order.
void Hub::CatchUp(const std::shared_ptr<Reader>& reader, const std::optional<EventPosition>& last) {
  if (!last) return;
  std::map<uint64_t, std::pair<std::string, std::string>> frames;  // topic and text, by number
  for (const std::string& name : reader->topics) {
    const auto topic = topics_.find(name);
    const bool has_all =
        topic != topics_.end() && topic->second.open && last->epoch == epoch_ && last->number >= topic->second.dropped;
    if (!has_all) {
      Send(*reader, name, Notice("resync", name));
      continue;
    }
    for (const Frame& frame : topic->second.kept) {
      if (frame.number > last->number) frames[frame.number] = {name, frame.text};
    }
  }
  for (const auto& [number, frame] : frames) Send(*reader, frame.first, frame.second);
}

Hub::Topic& Hub::Begin(const std::string& name) {
  const auto [topic, is_new] = topics_.try_emplace(name);
  topic->second.linger.reset();
  if (is_new) {
    topic->second.dropped = number_;
    callbacks_.begin(name);
  }
  return topics_[name];
}

void Hub::Open(const std::string& name) {
  const auto topic = topics_.find(name);
  if (topic == topics_.end() || topic->second.open) return;
  topic->second.open = true;
  for (const auto& reader : topic->second.readers) Send(*reader, name, Notice("open", name));
}

void Hub::Publish(const std::string& name, const std::string& event, const std::string& data) {
  const auto found = topics_.find(name);
  if (found == topics_.end()) return;
  Topic& topic = found->second;
  const uint64_t number = ++number_;
  std::string text = web::FormatEvent({ToText(EventPosition{epoch_, number}), event, data});
  for (const auto& reader : topic.readers) Send(*reader, name, text);
  topic.kept_bytes += text.size();
  topic.kept.push_back({number, std::move(text)});
  while (topic.kept.size() > kMostKept || topic.kept_bytes > kMostKeptBytes) {
    topic.dropped = topic.kept.front().number;
    topic.kept_bytes -= topic.kept.front().text.size();
    topic.kept.pop_front();
  }
}

void Hub::PublishState(const std::string& name, const std::string& event, const std::string& data) {
  const auto topic = topics_.find(name);
  if (topic == topics_.end()) return;
  topic->second.state = web::FormatEvent({.name = event, .data = data});
  for (const auto& reader : topic->second.readers) Send(*reader, name, *topic->second.state);
}

void Hub::Resync(const std::string& name) {
  const auto topic = topics_.find(name);
  if (topic == topics_.end()) return;
  topic->second.kept.clear();
  topic->second.kept_bytes = 0;
  topic->second.dropped = ++number_;
  for (const auto& reader : topic->second.readers) Send(*reader, name, Notice("resync", name));
}

void Hub::Send(Reader& reader, const std::string& topic, const std::string& frame) {
  if (reader.writer->closed()) return;
  if (reader.writer->full()) {
    reader.missed.insert(topic);
    return;
  }
  reader.writer->Write(frame);
}

void Hub::Remove(const std::shared_ptr<Reader>& reader) {
  readers_.erase(reader);
  for (const std::string& name : reader->topics) {
    const auto topic = topics_.find(name);
    if (topic == topics_.end()) continue;
    topic->second.readers.erase(reader);
    if (topic->second.readers.empty()) EndLater(name);
  }
}

void Hub::EndLater(const std::string& name) {
  Topic& topic = topics_[name];
  topic.linger = std::make_unique<boost::asio::steady_timer>(loop_, linger_);
  topic.linger->async_wait([this, name](const boost::system::error_code& error) {
    // A reader may have come after the time was over and before this call.
    const auto topic = topics_.find(name);
    if (error || topic == topics_.end() || !topic->second.readers.empty()) return;
    topics_.erase(topic);
    callbacks_.end(name);
  });
}

}  // namespace howdah::portal
