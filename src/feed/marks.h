// Marks: how many rows were handed out when the program reported a step.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace howdah::feed {

// A number of rows handed out, in order of time.
struct Position {
  int64_t pass = 0;
  int64_t rows = 0;
  friend auto operator<=>(const Position&, const Position&) = default;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.pass, self.rows);
  }
};

// Steps and positions both increase. If reports contradict each other, the lower position counts: a row that is read
// again does less harm than a row that is lost.
class Marks {
 public:
  void Add(int64_t step, Position position);
  // The position of the newest mark whose step is at most `step`.
  std::optional<Position> At(int64_t step) const;
  // Whether there is a mark of exactly this step.
  bool Has(int64_t step) const;
  // The rows of the oldest mark in the pass.
  std::optional<int64_t> Oldest(int64_t pass) const;
  // Drops marks at positions up to this one.
  void DropTo(Position position);
  // Drops marks of steps up to this one at positions after this one.
  void DropAbove(int64_t step, Position position);
  void DropPass(int64_t pass);
  bool empty() const { return marks_.empty(); }
  bool valid() const;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.marks_);
  }

 private:
  struct Mark {
    int64_t step = 0;
    Position position;

    template <typename Codec, typename Self>
    static void Fields(Codec& codec, Self& self) {
      codec(self.step, self.position);
    }
  };

  std::vector<Mark> marks_;
};

}  // namespace howdah::feed
