#include "core/run/data.hpp"

#include <utility>

#include "core/ascii.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"

namespace plumb::run {

Data Data::written(std::string json) {
  Data data;
  data.document_ = std::make_shared<Document>();
  data.document_->own = std::move(json);
  data.document_->text = data.document_->own;
  return data;
}

Data Data::within(const Data& whole, std::string_view text) {
  Data data;
  data.document_ = std::make_shared<Document>();
  data.document_->whole = whole.document_->whole == nullptr ? whole.document_ : whole.document_->whole;
  data.document_->text = text;
  return data;
}

Data Data::part(const Data& whole, const json::Value* value) {
  if (value == nullptr || value->to == 0 || whole.document_ == nullptr) {
    return {};
  }
  return within(whole, whole.text().substr(static_cast<std::size_t>(value->from),
                                           static_cast<std::size_t>(value->to - value->from)));
}

Data Data::deep_copy() const { return document_ == nullptr ? Data() : within(*this, text()); }

Result<Data> Data::read(std::string json) {
  Data data = written(std::move(json));
  Result<json::Value> parsed = json::parse(data.document_->text, data.document_->arena);
  if (!parsed) {
    return parsed.error();
  }
  data.document_->value = parsed.value();
  data.document_->read = true;
  return data;
}

Data Data::string(std::string_view text) {
  std::string json;
  json::append_string(json, text);
  return written(std::move(json));
}

const void* Data::kept(const json::FieldType* type) const {
  for (const auto& [known, record] : document_->records) {
    if (known == type) {
      return record.get();
    }
  }
  return nullptr;
}

const void* Data::keep(const json::FieldType* type, std::shared_ptr<const void> record) const {
  return document_->records.emplace_back(type, std::move(record)).second.get();
}

std::string_view Data::text() const { return document_ == nullptr ? std::string_view("null") : document_->text; }

const json::Value& Data::value() const {
  static const json::Value null{};
  if (document_ == nullptr) {
    return null;
  }
  if (!document_->read) {
    Result<json::Value> parsed = json::parse(document_->text, document_->arena);
    PLUMB_REQUIRE(static_cast<bool>(parsed), "data that was written here is JSON");
    document_->value = parsed.value();
    document_->read = true;
  }
  return document_->value;
}

// By the text, so that no tree is read for it.
bool Data::is_null() const {
  if (document_ == nullptr) {
    return true;
  }
  if (document_->read) {
    return document_->value.is(json::Kind::null);
  }
  const std::string_view text = document_->text;
  const std::size_t from = text.find_first_not_of(ascii::spaces);
  return from != std::string_view::npos && text.substr(from, 4) == "null";
}

std::string Data::hash() const { return "sha256:" + json::sha256_hex(text()); }

}  // namespace plumb::run
