// The summary of the samples in one time bucket.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace howdah::metrics {

inline constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();  // mean and maximum if there is no sample

// Returns the nearest float. Numbers that are too large for a float become the largest one; infinities and NaN stay.
inline float ToFloat(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::isfinite(value) ? std::fmin(std::fmax(value, -kMost), kMost) : value);
}

struct Bucket {
  float weight = 0;  // 0: no sample
  float mean = 0;
  float max = 0;

  // Adds a sample. `more` is its weight, above 0.
  void Add(float more, double value, double highest) {
    const double total = static_cast<double>(weight) + more;
    // An infinite mean stays infinite even if one of the two shares below rounds to 0, because 0 times infinity is NaN.
    if (weight == 0 || value == mean) {
      mean = ToFloat(value);
    } else {
      mean = ToFloat(mean * (weight / total) + value * (more / total));
    }
    max = weight == 0 ? ToFloat(highest) : std::fmax(max, ToFloat(highest));
    weight = ToFloat(total);
  }
  void Add(const Bucket& other) {
    if (other.weight > 0) Add(other.weight, other.mean, other.max);
  }
  friend bool operator==(const Bucket&, const Bucket&) = default;
};

// The percentages of the quantiles of a role.
inline constexpr std::array<int, 5> kQuantiles = {0, 25, 50, 75, 100};

// The quantiles of one series over the tasks of a role, in one time bucket.
struct QuantileBucket {
  float count = 0;  // number of tasks or ranks with a sample; 0: none
  std::array<float, kQuantiles.size()> value{};

  void Add(const QuantileBucket& other) {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    const float total = count + other.count;
    for (size_t i = 1; i + 1 < value.size(); ++i) {
      value[i] = value[i] * (count / total) + other.value[i] * (other.count / total);
    }
    value.front() = std::fmin(value.front(), other.value.front());
    value.back() = std::fmax(value.back(), other.value.back());
    count = std::fmax(count, other.count);
  }
  friend bool operator==(const QuantileBucket&, const QuantileBucket&) = default;
};

}  // namespace howdah::metrics
