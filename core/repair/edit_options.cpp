#include "core/repair/edit_options.hpp"

#include <string>
#include <vector>

#include "core/json/writer.hpp"
#include "core/text/suggest.hpp"

namespace plumb::repair {

using contract::EditClass;
using contract::EditLevel;

namespace {

Error wrong(std::string message) { return {ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

Error no_level(std::string_view said) {
  return wrong("there is no level of edits '" + json::excerpt(said, 60) + "'; there are none, certain and guess");
}

}  // namespace

Result<bool> set_edit_level(std::string_view edit_class, std::string_view level, EditOptions& out) {
  const EditLevel known = contract::edit_level_named(level);
  if (known == EditLevel::unset) {
    return no_level(level);
  }
  if (edit_class == "default") {
    out.level = known;
    return true;
  }
  const EditClass c = contract::edit_class_named(edit_class);
  if (c != EditClass::count_) {
    out.classes[c] = known;
    return true;
  }
  std::vector<std::string_view> names;
  std::string list;
  for (std::size_t i = 0; i < contract::edit_classes; ++i) {
    names.push_back(contract::edit_class_name(static_cast<EditClass>(i)));
    list += (i == 0 ? "" : ", ") + std::string(names.back());
  }
  const auto near = text::nearest(edit_class, names);
  return wrong("there is no class of edits '" + json::excerpt(edit_class, 60) + "'" +
               (near ? " (did you mean '" + std::string(names[*near]) + "'?)" : std::string()) + "; there are " + list);
}

Result<bool> read_edit_options(const json::Value& said, EditOptions& out) {
  if (said.is(json::Kind::string)) {
    return set_edit_level("default", said.str(), out);
  }
  if (!said.is(json::Kind::object)) {
    return wrong("edits must be none, certain or guess, or an object from classes of edits to these");
  }
  out.level = EditLevel::certain;
  for (const json::Member& member : said.object()) {
    Result<bool> set = set_edit_level(member.key, member.value.is(json::Kind::string) ? member.value.str() : "", out);
    if (!set) {
      return set;
    }
  }
  return true;
}

}  // namespace plumb::repair
