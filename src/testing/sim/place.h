// A simulated backend: nodes with slots, and requests that are granted late, one by one or all together.
#pragma once

#include <string>
#include <vector>

#include "howdah/core/action.h"
#include "world.h"

namespace howdah::testing::sim {

// A job, from the backend's view.
class PlaceClient {
 public:
  virtual ~PlaceClient() = default;
  virtual void OnGranted(int role, int node) = 0;  // occupies a slot of the node until SimPlace::Free
  virtual void OnWaiting(const std::string& reason) = 0;
  virtual void OnRefused(const std::string& reason) = 0;
  virtual void OnNodeLost(int node) = 0;
};

class SimPlace {
 public:
  struct Shape {
    int nodes = 1;
    int slots = 1;                 // of each node
    bool grants_together = false;  // a gang is granted whole or not at all; otherwise container by container
  };

  SimPlace(World& world, Shape shape);

  void Begin(std::vector<PlaceClient*> clients);
  void Request(PlaceClient* client, const core::RequestContainers& request);
  void Cancel(PlaceClient* client);
  void Free(int node);

 private:
  struct Ask {
    PlaceClient* client;
    std::vector<core::RequestContainers::Ask> wanted;  // the part that is not granted yet
    bool together = false;
  };

  void Consider(Duration delay);
  void GrantOne();
  bool GrantWhole(Ask& ask);
  int FreeNode();
  int FreeSlots() const;
  void Grant(PlaceClient* client, int role, int node);
  void LoseNode(int node);

  World& world_;
  Shape shape_;
  std::vector<PlaceClient*> clients_;
  std::vector<int> taken_;  // by node
  std::vector<bool> down_;  // by node
  std::vector<Ask> asks_;
  bool considering_ = false;
};

}  // namespace howdah::testing::sim
