// The Plumbline vocabulary, keyword by keyword. docs/contract-reference.md describes each.

#include <algorithm>
#include <utility>

#include "core/contract/compiler.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/contract/our_form.hpp"
#include "core/json/pointer.hpp"
#include "core/text/suggest.hpp"

namespace plumb::contract {

using json::Kind;

// Handles a member that has the name of one of our keywords, but not its form. It is an error if the contract is
// marked as ours, or if the rest of the member has our form. Otherwise it is somebody else's annotation: it is ignored
// with a warning.
bool Compiler::refuse_form(const At& at, std::string_view wanted) {
  std::string message = std::string(at.member.key) + " must be " + std::string(wanted);
  if (at.ours) {
    fail(at, message);
  } else {
    documents_.warn(at.resource.document, at.where, at.member.value.from,
                    "'" + std::string(at.member.key) + "' is ignored: it is not in Plumbline's form (" + message + ")");
  }
  return false;
}

bool Compiler::only_members(const At& at, const json::Value& value, std::initializer_list<std::string_view> known) {
  for (const json::Member& member : value.object()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) {
      continue;
    }
    std::string message = "without the member '" + std::string(member.key) + "', which is not known; known are";
    for (std::string_view name : known) {
      message += " " + std::string(name);
    }
    return form(at, false, message);
  }
  return true;
}

bool Compiler::read_fold(const At& at, const json::Value& value, text::Fold& fold, bool& folds) {
  bool good = value.is(Kind::array);
  for (const json::Value& item : value.array()) {
    if (item.is(Kind::string) && item.str() == "trim") {
      fold.trim = true;
    } else if (item.is(Kind::string) && item.str() == "lowercase") {
      fold.lowercase = true;
    } else {
      good = false;
    }
  }
  folds = fold.trim || fold.lowercase;
  return form(at, good, "given a fold that is a list of \"trim\" and \"lowercase\"");
}

// The index of a pointer pattern; none32 if it is not valid, after an error or warning.
std::uint32_t Compiler::pointer(const At& at, std::string_view text, json::Slash slash) {
  std::string id = (slash == json::Slash::here ? "h" : "r") + std::string(text);
  auto found = pointer_by_text_.find(id);
  if (found != pointer_by_text_.end()) {
    return found->second;
  }
  Result<PointerPattern> read = json::parse_pattern(text, slash);
  if (!read) {
    form(at, false, "given a JSON Pointer: " + read.error().message);
    return none32;
  }
  std::uint32_t index = static_cast<std::uint32_t>(program_.pointer_patterns.size());
  program_.pointer_patterns.push_back(std::move(read).value());
  pointer_by_text_.emplace(std::move(id), index);
  if (program_.pointer_patterns.back().base == json::PointerBase::context) {
    program_.context_read.emplace_back(text);
  }
  return index;
}

bool Compiler::operands(const At& at, const json::Value& value, bool literals, json::Slash slash,
                        std::vector<CrossRule::Operand>& out) {
  auto one = [&](const json::Value& v) {
    if (!v.is(Kind::string)) {
      return form(at, false, "given a JSON Pointer in a string, or a list of them");
    }
    CrossRule::Operand operand;
    std::string_view text = v.str();
    if (literals && text.starts_with("text:")) {
      operand.literal = std::string(text.substr(5));
      out.push_back(std::move(operand));
      return true;
    }
    operand.pattern = pointer(at, text, slash);
    if (operand.pattern == none32) {
      return false;
    }
    out.push_back(std::move(operand));
    return true;
  };
  if (!value.is(Kind::array)) {
    return one(value);
  }
  for (const json::Value& item : value.array()) {
    if (!one(item)) {
      return false;
    }
  }
  return form(at, value.size > 0, "given at least one pointer");
}

bool Compiler::whole(const At& at, const json::Value* value, std::uint64_t& out, std::string_view wanted) {
  json::Decimal d;
  return value == nullptr ||
         form(at,
              value->is(Kind::number) && json::Decimal::read(value->str(), 10000, d) == json::DecimalStatus::ok &&
                  d.is_integer() && d.sign() >= 0 && d.to_uint64(out),
              wanted);
}

bool Compiler::names(const At& at, const json::Value& list, bool (*known)(std::string_view),
                     std::vector<std::string>& out, std::string_view wanted) {
  if (!form(at, list.is(Kind::array) && list.size > 0, wanted)) {
    return false;
  }
  for (const json::Value& item : list.array()) {
    if (!form(at, item.is(Kind::string) && known(item.str()), wanted)) {
      return false;
    }
    out.emplace_back(item.str());
  }
  return true;
}

void Compiler::add(const At& at, TextRule rule) {
  rule.position = at.position;
  string(at.node).text_rules.push_back(std::move(rule));
}

void Compiler::error_message(At& at) {
  const json::Value& value = at.member.value;
  if (!form(at, value.is(Kind::object),
            "an object from keyword to text (the map form); other forms are not supported")) {
    return;
  }
  auto messages = std::make_unique<Messages>();
  auto read = [&](const json::Value& text, const std::string& where, MessageTemplate& out) {
    Result<MessageTemplate> parsed = MessageTemplate::read(text.str());
    if (!parsed) {
      fail(at, where, text, parsed.error().message);
      return false;
    }
    out = std::move(parsed).value();
    for (MessageTemplate::Piece& piece : out.pieces) {
      if (piece.part == MessageTemplate::Part::pointer) {
        piece.pattern = pointer(at, piece.text, json::Slash::here);
        if (piece.pattern == none32) {
          return false;
        }
        want(at.node, piece.pattern);
      }
    }
    return true;
  };
  for (const json::Member& entry : value.object()) {
    std::string where = at.where;
    json::append_token(where, entry.key);
    Kw kw = kw_named(entry.key);
    if (kw == Kw::none) {
      std::vector<std::string_view> known;
      for (const KwFacets& one : all_kw_facets().subspan(1)) {
        known.push_back(one.name);
      }
      std::optional<std::size_t> near = text::nearest(entry.key, known);
      std::string message = "errorMessage names '" + std::string(entry.key) + "', which is not a keyword";
      message += near ? "; did you mean '" + std::string(known[*near]) + "'?"
                      : "; it maps keywords to texts (for `required` also properties)";
      if (at.resource.ours) {
        fail(at, where, entry.value, message);
        return;
      }
      form(at, false, "a map from keyword to text: " + message);
      return;
    }
    MessageTemplate text;
    if (kw == Kw::required && entry.value.is(Kind::object)) {
      for (const json::Member& property : entry.value.object()) {
        MessageTemplate of_property;
        if (!form(at, property.value.is(Kind::string), "a map to texts")) {
          return;
        }
        if (!read(property.value, where, of_property)) {
          return;
        }
        messages->required.emplace_back(std::string(property.key), std::move(of_property));
      }
      continue;
    }
    if (!form(at, entry.value.is(Kind::string),
              "a map from keyword to text (the map form); other forms are not supported")) {
      return;
    }
    if (!read(entry.value, where, text)) {
      return;
    }
    messages->by_keyword.emplace_back(kw, std::move(text));
  }
  extra(at.node).messages = std::move(messages);
}

void Compiler::item_label(At& at) {
  const json::Value& value = at.member.value;
  const json::Value* text = value.is(Kind::object) ? value.find("text") : &value;
  const json::Value* prefix = value.find("prefix");
  if (!form(at, text != nullptr && text->is(Kind::string) && (prefix == nullptr || prefix->is(Kind::boolean)),
            "a text, or {text, prefix}") ||
      !only_members(at, value, {"text", "prefix"})) {
    return;
  }
  Result<MessageTemplate> parsed = MessageTemplate::read(text->str());
  if (!parsed) {
    fail(at, at.where, *text, parsed.error().message);
    return;
  }
  auto label = std::make_unique<ItemLabel>();
  label->text = std::move(parsed).value();
  label->prefix = prefix == nullptr || prefix->boolean;
  for (MessageTemplate::Piece& piece : label->text.pieces) {
    if (piece.part == MessageTemplate::Part::pointer) {
      piece.pattern = pointer(at, piece.text, json::Slash::here);
      if (piece.pattern == none32) {
        return;
      }
      want(at.node, piece.pattern);
    }
  }
  extra(at.node).label = std::move(label);
}

// `edits`: one level for all classes, or a level for some of them.
void Compiler::edits(At& at) {
  const json::Value& value = at.member.value;
  EditLevels levels;
  const EditLevel all = value.is(Kind::string) ? edit_level_named(value.str()) : EditLevel::unset;
  if (!form(at, value.is(Kind::object) || all != EditLevel::unset,
            "none, certain or guess, or an object from classes of edits to these")) {
    return;
  }
  if (value.is(Kind::string)) {
    levels.of.fill(all);
  }
  for (const json::Member& member : value.object()) {
    const EditClass c = edit_class_named(member.key);
    if (c == EditClass::count_) {
      std::vector<std::string_view> known;
      for (std::size_t i = 0; i < edit_classes; ++i) {
        known.push_back(edit_class_name(static_cast<EditClass>(i)));
      }
      const auto near = text::nearest(member.key, known);
      form(at, false,
           "without '" + std::string(member.key) + "', which is not a class of edits" +
               (near ? " (did you mean '" + std::string(known[*near]) + "'?)" : std::string()));
      return;
    }
    levels[c] = member.value.is(Kind::string) ? edit_level_named(member.value.str()) : EditLevel::unset;
    if (!form(at, levels[c] != EditLevel::unset, "given none, certain or guess for each class")) {
      return;
    }
  }
  extra(at.node).edits = std::make_unique<EditLevels>(levels);
}

bool Compiler::vocabulary(At& at) {
  std::string_view key = at.member.key;
  const json::Value& value = at.member.value;
  if (std::find(std::begin(vocabulary_keywords), std::end(vocabulary_keywords), key) == std::end(vocabulary_keywords)) {
    return false;
  }
  // With the prefix it cannot be anybody else's keyword.
  const bool prefixed = at.member.key_to - at.member.key_from == key.size() + vocabulary_prefix.size() + 2;
  at.ours = at.resource.ours || prefixed || has_our_form(key, value);
  if (key == "errorMessage") {
    error_message(at);
  } else if (key == "itemLabel") {
    item_label(at);
  } else if (key == "severity") {
    if (form(at, value.str() == "error" || value.str() == "warning" || value.str() == "info",
             "error, warning or info")) {
      at.node.severity = value.str() == "error"     ? Severity::error
                         : value.str() == "warning" ? Severity::warning
                                                    : Severity::info;
    }
  } else if (key == "stopAt") {
    KwSet set;
    bool good = value.is(Kind::array) && value.size > 0;
    for (const json::Value& item : value.array()) {
      Kw kw = item.is(Kind::string) ? kw_named(item.str()) : Kw::none;
      good = good && kw != Kw::none;
      set.set(kw);
    }
    if (form(at, good, "a list of keywords")) {
      extra(at.node).stop_at = set;
    }
  } else if (key == "role") {
    if (form(at, value.is(Kind::object), "an object {purpose, reads, may}")) {
      only_members(at, value, {"purpose", "reads", "may"});
    }
  } else if (key == "edits") {
    edits(at);
  } else if (key == "itemId") {
    form(at, value.is(Kind::string) && (value.size == 0 || value.str().front() == '/'), "a JSON Pointer");
  } else {
    keyword_of(kw_named(key))->compile(*this, at);
  }
  return true;
}

}  // namespace plumb::contract
