// Data: an immutable, shared JSON document. Runs take, send, receive and return Data.
//
//   Data plan = Data::written(R"({"concepts":["light"]})");   // text of our own making
//   Result<Data> answer = Data::read(text_from_outside);      // or the error, with line and column
//   plan.value().find("concepts")->array()
//   Data done = Data::of(claim);                              // a record, core/json/record.hpp
//   done.as<Claim>().verified
//
// Copies share the document, and so does a part of it. The tree, and a record, are read on first use. Numbers keep
// their text, and members keep their order.
//
// Threads: share a Data only after value() was called. as() is never safe on a shared Data; a reader of a journal that
// other threads read too uses json::record_of(value()).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/record.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::run {

class Data {
 public:
  Data() = default;  // null
  // For text that is one JSON value. Any other text is a bug, which is found when the tree is first used.
  static Data written(std::string json);
  // For text from outside: strict JSON, at most 1,024 levels deep.
  static Result<Data> read(std::string json);
  // A value of `whole`'s tree, by its bytes. It shares the text and has a tree of its own. Null if the value has no
  // bytes.
  static Data part(const Data& whole, const json::Value* value);
  // The same text in a document of its own, for another thread.
  Data deep_copy() const;
  // A JSON string.
  static Data string(std::string_view text);
  // A record, written by its table. as() returns this record and does not read it again.
  template <json::Record T>
  static Data of(T record) {
    Data data = written(json::record_text(record));
    data.keep(&json::type_of<T>, std::make_shared<const T>(std::move(record)));
    return data;
  }

  std::string_view text() const;  // as it was given; valid as long as the document
  const json::Value& value() const;
  // The document as a record, read once, and valid as long as the document. Default values if it is not an object.
  template <json::Record T>
  const T& as() const {
    static const T nothing{};
    if (document_ == nullptr) {
      return nothing;
    }
    const void* known = kept(&json::type_of<T>);
    return *static_cast<const T*>(
        known != nullptr ? known : keep(&json::type_of<T>, std::make_shared<const T>(json::record_of<T>(value()))));
  }
  // "sha256:" and 64 hexadecimal digits over the text.
  std::string hash() const;
  // True if the tree has been read.
  bool has_tree() const { return document_ != nullptr && document_->read; }
  bool is_null() const;

 private:
  struct Document {
    std::string own;
    std::shared_ptr<const Document> whole;  // the document that `text` is part of, if it is not in `own`
    std::string_view text;
    json::Arena arena;
    json::Value value;
    bool read = false;
    std::vector<std::pair<const json::FieldType*, std::shared_ptr<const void>>> records;  // by their type
  };
  static Data within(const Data& whole, std::string_view text);
  const void* kept(const json::FieldType* type) const;
  const void* keep(const json::FieldType* type, std::shared_ptr<const void> record) const;

  std::shared_ptr<Document> document_;
};

}  // namespace plumb::run
