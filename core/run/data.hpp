// Data: an immutable JSON document, shared. What runs take, ask with, receive and give.
//
//   Data plan = Data::written(R"({"concepts":["light"]})");   // text of our own making
//   Result<Data> answer = Data::read(text_from_outside);      // or the error, with line and column
//   plan.value().find("concepts")->array()
//
// Copying shares, and so does a part of another document. The tree is read when it is first asked for; numbers keep
// their text, members their order. Not for two threads at once before value() has been called.
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
  // A value of `whole`'s tree, by its bytes: the text is shared, a tree is its own. Null for a value that has none.
  static Data part(const Data& whole, const json::Value* value);
  // The same text with a tree of its own: for another thread.
  Data deep_copy() const;
  // A JSON string.
  static Data string(std::string_view text);

  std::string_view text() const;  // as it was given; as good as the document
  const json::Value& value() const;
  // "sha256:" and 64 hexadecimal digits over the text.
  std::string hash() const;
  // The tree has been read, and is kept.
  bool has_tree() const { return document_ != nullptr && document_->read; }
  bool is_null() const;

 private:
  struct Document {
    std::string own;
    std::shared_ptr<const Document> whole;  // that `text` stands in, where it is not `own`
    std::string_view text;
    json::Arena arena;
    json::Value value;
    bool read = false;
  };
  static Data within(const Data& whole, std::string_view text);

  std::shared_ptr<Document> document_;
};

}  // namespace plumb::run
