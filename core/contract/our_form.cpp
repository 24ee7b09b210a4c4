#include "core/contract/our_form.hpp"

#include <algorithm>

#include "core/contract/edit.hpp"
#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

template <class Test>
bool has(const json::Value& object, std::string_view name, Test test) {
  const json::Value* value = object.find(name);
  return value != nullptr && test(*value);
}

bool is_text(const json::Value& value) { return value.is(Kind::string) && value.size > 0; }

// True if `known` accepts a name in the list.
template <class Known>
bool names_any(const json::Value& value, Known known) {
  const auto items = value.array();
  return std::any_of(items.begin(), items.end(),
                     [&](const json::Value& item) { return item.is(Kind::string) && known(item.str()); });
}

bool has_member(const json::Value& value, bool (*test)(const json::Member&)) {
  const auto members = value.object();
  return std::any_of(members.begin(), members.end(), test);
}

}  // namespace

bool has_our_form(std::string_view keyword, const json::Value& value) {
  if (keyword == "stopAt") {
    return names_any(value, [](std::string_view name) { return kw_named(name) != Kw::none; });
  }
  if (const Keyword* known = keyword_of(kw_named(keyword)); known != nullptr) {
    return known->our_form != nullptr && known->our_form(value);
  }
  if (!value.is(Kind::object)) {
    return false;
  }
  if (keyword == "itemLabel") {
    return has(value, "text", is_text);
  }
  if (keyword == "role") {
    return has(value, "purpose", is_text) && (value.find("reads") != nullptr || value.find("may") != nullptr);
  }
  if (keyword == "edits") {
    return has_member(value, [](const json::Member& member) {
      return edit_class_named(member.key) != EditClass::count_ && member.value.is(Kind::string) &&
             edit_level_named(member.value.str()) != EditLevel::unset;
    });
  }
  return false;
}

}  // namespace plumb::contract
