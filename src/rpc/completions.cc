#include "howdah/rpc/completions.h"

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace howdah::rpc {

struct Completions::Inbox {
  struct Item {
    Operation* operation;
    bool ok;
  };
  std::mutex mutex;
  std::condition_variable filled;
  std::vector<Item> items;  // guarded by mutex
  bool closed = false;      // whether the operations may have been destroyed; used by the loop thread only
};

Completions::Completions(Queues queues, const Post& post)
    : queues_(std::move(queues)), inbox_(std::make_shared<Inbox>()) {
  for (const auto& queue : queues_) threads_.emplace_back([this, &queue = *queue, post] { Wait(queue, post); });
}

Completions::~Completions() {
  inbox_->closed = true;
  for (const auto& queue : queues_) queue->Shutdown();
  for (std::thread& thread : threads_) thread.join();
}

void Completions::Wait(grpc::CompletionQueue& queue, const Post& post) {
  void* tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) {
    auto* const operation = static_cast<Operation*>(tag);
    operation->Received(ok);
    bool was_empty = false;
    {
      std::lock_guard lock(inbox_->mutex);
      was_empty = inbox_->items.empty();
      inbox_->items.push_back({operation, ok});
    }
    if (was_empty) {
      inbox_->filled.notify_one();
      post([inbox = inbox_] { HandOver(*inbox); });
    }
  }
}

void Completions::HandOver(Inbox& inbox) {
  std::vector<Inbox::Item> items;
  {
    std::lock_guard lock(inbox.mutex);
    items.swap(inbox.items);
  }
  for (const Inbox::Item& item : items) {
    if (inbox.closed) return;  // the previous operation destroyed the owner
    item.operation->Done(item.ok);
  }
}

void Completions::Drain(std::chrono::milliseconds limit, const std::function<bool()>& done) {
  auto deadline = std::chrono::steady_clock::now() + limit;
  auto inbox = inbox_;
  while (!done()) {
    {
      std::unique_lock lock(inbox->mutex);
      if (!inbox->filled.wait_until(lock, deadline, [&] { return !inbox->items.empty(); })) return;
    }
    HandOver(*inbox);
  }
}

}  // namespace howdah::rpc
