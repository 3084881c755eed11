// Result<T>: a value or an Error. All expected failures are returned this way; our code does not throw.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace howdah {

// A code exists only where a caller reacts to it. All other failures are kFailed, and the message is for people.
enum class ErrorCode {
  kFailed,       // an operation failed; the message names the operation and the reason
  kUsage,        // wrong usage, or an invalid job file; the client's exit code is 2
  kUnavailable,  // the backend refused the request or could not be reached; the client's exit code is 3
  kNotFound,     // the named object does not exist
  kTimeout,      // a time limit was reached
  kNoSpace,      // a file system is full, or the user's quota of it is used up
};

struct Error {
  ErrorCode code = ErrorCode::kFailed;
  std::string message;
  // The Java exception class with which a Hadoop daemon answered. Empty if the error did not come from a Hadoop daemon.
  std::string remote_class = {};
  // The last clause of the message, if it states what to do: "set HADOOP_CONF_DIR to ...". See WithRemedy.
  std::string remedy = {};

  // An error with the message "WHAT; REMEDY".
  static Error WithRemedy(ErrorCode code, const std::string& what, std::string remedy) {
    return {code, what + "; " + remedy, {}, std::move(remedy)};
  }
  // The message without the remedy, for output that shows message and remedy separately.
  [[nodiscard]] std::string WithoutRemedy() const {
    const std::string end = "; " + remedy;
    return !remedy.empty() && message.ends_with(end) ? message.substr(0, message.size() - end.size()) : message;
  }
  // Prepends the operation that failed. The outermost operation is first: "submitting hello: writing job.json: no space
  // left on device".
  [[nodiscard]] Error While(std::string_view doing) const {
    return {code, std::string(doing) + ": " + message, remote_class, remedy};
  }

  friend bool operator==(const Error&, const Error&) = default;
};

inline Error Failed(std::string message) { return {ErrorCode::kFailed, std::move(message)}; }

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit, for `return value;`
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: implicit, for `return error;`

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return assert(ok()), std::get<0>(state_); }
  const T& value() const& { return assert(ok()), std::get<0>(state_); }
  T&& value() && { return assert(ok()), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return assert(!ok()), std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// The result of an operation that returns no value: Status s = ...; if (!s.ok()) return s.error();
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit, for `return error;`

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return assert(!ok()), *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace howdah

#define HOWDAH_CONCATENATE_(a, b) a##b
#define HOWDAH_CONCATENATE(a, b) HOWDAH_CONCATENATE_(a, b)

// Evaluates an expression of type Result<T>. If it failed, returns its Error from the enclosing function. Otherwise
// initialises `declaration` with its value: HOWDAH_TRY(auto text, ReadFile(path));
#define HOWDAH_TRY(declaration, ...) HOWDAH_TRY_(HOWDAH_CONCATENATE(howdah_result_, __LINE__), declaration, __VA_ARGS__)
#define HOWDAH_TRY_(result, declaration, ...) \
  auto result = (__VA_ARGS__);                \
  if (!result.ok()) return result.error();    \
  declaration = std::move(*result)

// Evaluates an expression of type Status. If it failed, returns its Error from the enclosing function.
#define HOWDAH_TRY_STATUS(...)                                                       \
  do {                                                                               \
    if (const ::howdah::Status howdah_status = (__VA_ARGS__); !howdah_status.ok()) { \
      return howdah_status.error();                                                  \
    }                                                                                \
  } while (false)
