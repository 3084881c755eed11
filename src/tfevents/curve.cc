#include "howdah/tfevents/curve.h"

#include <cmath>

namespace howdah::tfevents {

void Curve::Add(const Point& point) {
  if (count_++ % stride_ == 0) points_.push_back(point);
  if (points_.size() == kMostPoints) {
    size_t kept = 0;
    for (size_t i = 0; i < points_.size(); i += 2) points_[kept++] = points_[i];
    points_.resize(kept);
    stride_ *= 2;
  }
  newest_ = point;
  if (std::isnan(point.value)) return;
  if (!lowest_ || point.value < lowest_->value) lowest_ = point;
  if (!highest_ || point.value > highest_->value) highest_ = point;
}

std::vector<Point> Curve::Points() const {
  std::vector<Point> points = points_;
  const bool newest_is_kept = count_ > 0 && (count_ - 1) % stride_ == 0;
  if (newest_ && !newest_is_kept) points.push_back(*newest_);
  return points;
}

}  // namespace howdah::tfevents
