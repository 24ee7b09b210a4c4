// Result<T>: a value, or the reason why an operation could not produce one.
//
// Three kinds of wrong are never mixed in Plumbline. A finding is about data and lives in a verdict; an Error says that
// an operation could not produce its value; a bug is a broken assumption of our own (core/require.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/require.hpp"

namespace plumb {

enum class ErrorCode : unsigned char {
  invalid_argument,  // the caller gave something that can never work: an unknown option, a bad pointer
  invalid_contract,  // a contract that is no contract
  not_found,         // a name, a document or a file that is not there
  limit,             // a stated bound was reached
  unavailable,       // the world did not do what it was asked: input and output, a host
};

// "invalid_argument" and so on, as programs get it.
constexpr std::string_view error_code_name(ErrorCode code) {
  constexpr std::string_view names[] = {"invalid_argument", "invalid_contract", "not_found", "limit", "unavailable"};
  return names[static_cast<unsigned char>(code)];
}

// What a program decides by, where the code is not enough (core/reason.hpp). Nobody reads a message to decide.
enum class Reason : unsigned char;

// One sentence that says what is wrong and what to do, and where it applies.
struct Error {
  ErrorCode code = ErrorCode::invalid_argument;
  std::string message;
  std::string where;       // a file, a URI or a JSON Pointer; empty where there is no place
  std::size_t line = 0;    // from 1; 0 where there is no place
  std::size_t column = 0;  // from 1, in UTF-16 units; 0 where there is no place
  Reason reason{};         // Reason::none where nobody decides by it
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }

  // The value. Asking for it when there is an error is a bug of the caller.
  T& value() & {
    PLUMB_REQUIRE(state_.index() == 0, "the result holds an error");
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    PLUMB_REQUIRE(state_.index() == 0, "the result holds an error");
    return *std::get_if<0>(&state_);
  }
  // By value: `for (auto& one : f().value().list)` and `const auto& x = f().value()` keep what they name.
  T value() && {
    PLUMB_REQUIRE(state_.index() == 0, "the result holds an error");
    return std::move(*std::get_if<0>(&state_));
  }

  const Error& error() const {
    PLUMB_REQUIRE(state_.index() == 1, "the result holds a value");
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace plumb
