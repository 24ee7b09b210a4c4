#include "core/json/members.hpp"

#include "core/json/number_text.hpp"

namespace plumb::json {

std::string_view text_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found != nullptr && found->is(Kind::string) ? found->str() : std::string_view();
}

std::uint64_t number_of(const Value& object, std::string_view key, std::uint64_t otherwise) {
  const Value* found = object.find(key);
  std::uint64_t number = 0;
  return found != nullptr && found->is(Kind::number) && read_uint(found->str(), number) ? number : otherwise;
}

bool flag_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found != nullptr && found->is(Kind::boolean) && found->boolean;
}

std::span<const Value> list_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found == nullptr ? std::span<const Value>() : found->array();
}

std::vector<std::string> texts_of(const Value& object, std::string_view key) {
  std::vector<std::string> out;
  for (const Value& one : list_of(object, key)) {
    if (one.is(Kind::string)) {
      out.emplace_back(one.str());
    }
  }
  return out;
}

}  // namespace plumb::json
