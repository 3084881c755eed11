// Metrics in the text format 0.0.4 of Prometheus. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace howdah::portal {

class Exposition {
 public:
  enum class Type { kGauge, kCounter };
  using Labels = std::vector<std::pair<std::string, std::string>>;

  // most: the number of series; further ones are only counted.
  explicit Exposition(size_t most) : most_(most) {}

  // Families appear in the order of their declarations. One without a sample does not appear.
  void Declare(std::string_view name, Type type, std::string_view help);
  // The family must have been declared. Text that is not UTF-8 and control characters in values are replaced.
  void Add(std::string_view name, const Labels& labels, double value);

  // The series that exceeded the limit.
  int64_t omitted() const { return omitted_; }
  std::string Text() const;

 private:
  struct Family {
    std::string name, head, samples;
  };
  size_t most_, count_ = 0;
  int64_t omitted_ = 0;
  std::vector<Family> families_;
};

}  // namespace howdah::portal
