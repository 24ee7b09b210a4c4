// Data: an immutable JSON document, shared. What runs take, ask with, receive and give.
//
//   Data plan = Data::written(R"({"concepts":["light"]})");   // text of our own making
//   Result<Data> answer = Data::read(text_from_outside);      // or the error, with line and column
//   plan.value().find("concepts")->array()
//
// Copying shares. The tree is read when it is first asked for; numbers keep their text, members their order. Not for
// two threads at once before value() has been called.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::run {

class Data {
 public:
  Data() = default;  // null
  // Text that is one JSON value. That it is none is a bug, found when the tree is first asked for.
  static Data written(std::string json);
  // Text from outside: strict JSON, at most 1,024 levels.
  static Result<Data> read(std::string json);
  // A JSON string.
  static Data string(std::string_view text);

  const std::string& text() const;  // as it was given
  const json::Value& value() const;
  // "sha256:" and 64 hexadecimal digits over the text.
  std::string hash() const;
  // The tree has been read, and is kept.
  bool has_tree() const { return document_ != nullptr && document_->read; }
  bool is_null() const;

 private:
  struct Document {
    std::string text;
    json::Arena arena;
    json::Value value;
    bool read = false;
  };
  std::shared_ptr<Document> document_;
};

}  // namespace plumb::run
