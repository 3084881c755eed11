// The points of one scalar over time, in bounded memory. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "howdah/tfevents/event_file.h"

namespace howdah::tfevents {

// Keeps every point at first. Whenever kMostPoints are kept, drops every other one, and from then on keeps only one of
// twice as many new points. Count, newest point and extremes are those of all points.
class Curve {
 public:
  static constexpr size_t kMostPoints = 1000;

  void Add(const Point& point);

  int64_t count() const { return count_; }
  // The kept points in the order in which they were added, and the newest one.
  std::vector<Point> Points() const;
  std::optional<Point> newest() const { return newest_; }
  // The points with the lowest and highest value that is a number; nullopt if there is none.
  std::optional<Point> lowest() const { return lowest_; }
  std::optional<Point> highest() const { return highest_; }

 private:
  std::vector<Point> points_;
  int64_t stride_ = 1;  // every stride_-th point is kept
  int64_t count_ = 0;
  std::optional<Point> newest_, lowest_, highest_;
};

}  // namespace howdah::tfevents
