// Strings, numbers and literals. Most are accepted by quick tests that only ever say yes; whatever they do not accept
// is judged in full, with the byte after which each rule was certain.
//
// A string that comes in pieces is judged as it comes: characters are counted, the members of an enum that still agree
// are a range of a sorted list, a pattern is a set of states. Its text is kept only where a rule needs all of it.

#include <algorithm>
#include <optional>
#include <utility>

#include "core/contract/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/facts.hpp"
#include "core/text/phrases.hpp"
#include "core/text/sentences.hpp"
#include "core/text/suggest.hpp"
#include "core/text/unicode.hpp"
#include "core/text/unknowns.hpp"
#include "core/text/utf8.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::size_t kept_for_messages = 2048;  // bytes of a text that no rule needs whole

// A byte that begins a character which is certainly no white space.
bool plain_byte(char c) { return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F; }

std::string characters(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " character" : " characters");
}

}  // namespace

bool Engine::quick_string(const Node& node, std::string_view text) {
  if ((node.types & type_string) == 0) {
    return false;
  }
  if (node.scalar) {
    bool member = false;
    for (std::uint32_t i : node.scalar->strings) {
      member = member || node.scalar->members[i].value.str() == text;
    }
    if (!member) {
      return false;
    }
  }
  if (!node.string) {
    return true;
  }
  const StringPart& s = *node.string;
  std::size_t size = text.size();
  if (s.not_blank && (size == 0 || (!plain_byte(text.front()) && text::is_blank(text)))) {
    return false;
  }
  if (size < s.min_length || (s.min_length > 0 && size < s.min_length * 4 && text::code_points(text) < s.min_length)) {
    return false;
  }
  if (size > s.max_length && text::code_points(text) > s.max_length) {
    return false;
  }
  if (s.has_length) {
    if (s.length_fold.lowercase) {
      return false;
    }
    std::string_view trimmed = !s.length_fold.trim || (size > 0 && plain_byte(text.front()) && plain_byte(text.back()))
                                   ? text
                                   : text::trim(text);
    if (trimmed.size() < s.length_min ||
        (trimmed.size() < s.length_min * 4 && text::code_points(trimmed) < s.length_min) ||
        (trimmed.size() > s.length_max && text::code_points(trimmed) > s.length_max)) {
      return false;
    }
  }
  if (s.pattern != none32 && !matcher(s.pattern).search(text)) {
    return false;
  }
  return !s.format || text::format_holds(*s.format, text);
}

bool Engine::quick_number(const Node& node, std::string_view text) const {
  if ((node.types & (type_number | type_integer)) == 0 || node.scalar) {
    return false;
  }
  // A small whole number; anything else takes the long way.
  bool negative = text.front() == '-';
  std::string_view digits = negative ? text.substr(1) : text;
  if (digits.size() > 15) {
    return false;
  }
  std::int64_t value = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') {
      return (node.types & type_number) != 0 && !node.number && text.find_first_of("eE") == std::string_view::npos;
    }
    value = value * 10 + (c - '0');
  }
  value = negative ? -value : value;
  return !node.number || (value >= node.number->quick_min && value <= node.number->quick_max);
}

text::Matcher& Engine::matcher(std::uint32_t pattern) {
  if (matchers_.size() <= pattern) {
    matchers_.resize(p_.patterns.size());
  }
  if (!matchers_[pattern]) {
    matchers_[pattern] = std::make_unique<text::Matcher>(p_.patterns[pattern]);
  }
  return *matchers_[pattern];
}

// ---------------------------------------------------------------- events

// Whether all schemas wanted at a string hold, by quick tests alone.
bool Engine::quick_wanted(std::string_view text) {
  if (wanted_.empty()) {
    return true;
  }
  if (wanted_.size() != 1 || wanted_.front().group != none32) {
    return false;
  }
  const Node& node = *wanted_.front().node;
  return node.quick_scalar && quick_string(node, text) && (!node.quick_member || quick_member(node, text));
}

// memberOf in its common form: one of the strings in a list that stands beside the value and has been read.
bool Engine::quick_member(const Node& node, std::string_view text) const {
  if (frames_.empty()) {
    return false;
  }
  const PointerPattern& pattern = p_.pointer_patterns[node.extra->cross.front().all.front().pattern];
  const Frame& frame = frames_.back();
  for (std::size_t i = frame.values_from; i < values_.size(); ++i) {
    if (values_[i].key == pattern.tokens.front().text) {
      for (const json::Value& item : values_[i].value.array()) {
        if (item.is(Kind::string) && item.str() == text) {
          return true;
        }
      }
      return false;
    }
  }
  return false;
}

// A string in an array whose items are all alike, accepted by quick tests alone.
bool Engine::quick_item(std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim) {
  if (frames_.empty()) {
    return false;
  }
  Frame& frame = frames_.back();
  if (!frame.simple_items || frame.count >= frame.items_room ||
      (frame.item_node != nullptr &&
       (!frame.item_node->quick_scalar || frame.item_node->quick_member || !quick_string(*frame.item_node, text)))) {
    return false;
  }
  ++frame.count;
  wanted_.clear();
  next_readings_.clear();
  if (!frame.listens) {
    return true;
  }
  now_ = to;
  if (frame.records) {
    values_.emplace_back();
    if (frame.items_kept) {
      json::Value& value = values_.back().value;
      std::string_view kept = verbatim && whole_ ? text : value_arena_.copy(text);
      value.kind = Kind::string;
      value.text = kept.data();
      value.size = static_cast<std::uint32_t>(kept.size());
      value.from = from;
      value.to = to;
    }
  }
  if (frame.item_hooks) {
    last_from_ = from;
    last_to_ = to;
    last_placed_ = false;
    item_seen(Kind::string, text, false, nullptr);
  }
  if (frames_.back().deferred != none32) {
    run_deferred(depth() - 1, false);
  }
  return true;
}

void Engine::string(std::string_view text, std::uint64_t from, std::uint64_t to) {
  now_ = from + 1;
  if (quick_item(text, from, to, true)) {
    return;
  }
  item_begin();
  if (quick_wanted(text)) {
    wanted_.clear();
    if (next_readings_.empty() && (frames_.empty() || !frames_.back().listens)) {
      return;
    }
    now_ = to;
    token_.kind = Kind::string;
    token_.text = text;
    token_.from = from;
    token_.verbatim = whole_;
    scalar_end(to);
    return;
  }
  scalar_place(Kind::string, from);
  feed(text, from + 1, to - 1, true);
  token_.text = text;
  now_ = to;
  scalar_finish(to);
  scalar_end(to);
}

bool Engine::string_decoded(std::string_view text, std::uint64_t from, std::uint64_t to) {
  now_ = from + 1;
  if (quick_item(text, from, to, false)) {
    return true;
  }
  item_begin();
  if (!quick_wanted(text)) {
    item_begun_ = true;
    return false;
  }
  wanted_.clear();
  if (next_readings_.empty() && (frames_.empty() || !frames_.back().listens)) {
    return true;
  }
  now_ = to;
  token_.kind = Kind::string;
  token_.text = text;
  token_.from = from;
  token_.verbatim = false;
  scalar_end(to);
  return true;
}

json::StringWant Engine::string_begin(std::uint64_t from) {
  now_ = from + 1;
  if (!item_begun_) {
    item_begin();
  }
  item_begun_ = false;
  if (wanted_.empty() && next_readings_.empty() && (frames_.empty() || !frames_.back().listens)) {
    token_.active = false;
    token_.from = from;
    token_.kind = Kind::string;
    skipping_ = true;
    return json::StringWant::nothing;
  }
  scalar_place(Kind::string, from);
  return json::StringWant::pieces;
}

void Engine::string_piece(std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim) {
  feed(text, from, to, verbatim);
  if (token_.wants_text || token_text_.size() < kept_for_messages) {
    token_text_.append(text);
  }
}

void Engine::string_end(std::string_view, std::uint64_t, std::uint64_t to) {
  if (skipping_) {
    skipping_ = false;
    return;
  }
  token_.text = token_text_;
  now_ = to;
  scalar_finish(to);
  scalar_end(to);
}

void Engine::scalar_begin(Kind kind, std::uint64_t from) {
  now_ = from + 1;
  item_begin();
  scalar_place(kind, from);
}

void Engine::number(std::string_view text, std::uint64_t from, std::uint64_t to, std::uint64_t decided) {
  if (!token_.active) {
    now_ = from + 1;
    item_begin();
    bool quick = wanted_.size() == 1 && wanted_.front().group == none32 && wanted_.front().node->quick_scalar &&
                 !wanted_.front().node->quick_member && quick_number(*wanted_.front().node, text);
    if (!quick && wanted_.empty() && text.find_first_of("eE") == std::string_view::npos) {
      quick = true;
    }
    if (quick) {
      wanted_.clear();
      if (next_readings_.empty() && (frames_.empty() || !frames_.back().listens)) {
        return;
      }
      now_ = decided;
      token_.kind = Kind::number;
      token_.text = text;
      token_.from = from;
      token_.verbatim = whole_;
      scalar_end(to);
      return;
    }
    scalar_place(Kind::number, from);
  }
  token_.text = text;
  now_ = decided;
  json::DecimalStatus status = json::Decimal::read(text, options_.limits.exponent_max, token_.decimal);
  token_.has_decimal = status == json::DecimalStatus::ok;
  if (!token_.has_decimal) {
    limit_found(status == json::DecimalStatus::exponent_limit
                    ? "The number's exponent is beyond " + std::to_string(options_.limits.exponent_max)
                    : std::string("The number has too many digits"),
                pointer_of(depth()), from, decided,
                status == json::DecimalStatus::exponent_limit
                    ? "an exponent of at most " + std::to_string(options_.limits.exponent_max)
                    : "at most 100000 digits");
  }
  scalar_finish(to);
  scalar_end(to);
}

void Engine::literal(Kind kind, bool value, std::uint64_t from, std::uint64_t to) {
  if (!token_.active) {
    now_ = from + 1;
    item_begin();
    if (wanted_.empty() && next_readings_.empty() && (frames_.empty() || !frames_.back().listens)) {
      return;
    }
    scalar_place(kind, from);
  }
  token_.value = value;
  token_.text = kind == Kind::null ? "null" : value ? "true" : "false";
  now_ = to;
  scalar_finish(to);
  scalar_end(to);
}

// ---------------------------------------------------------------- judging

void Engine::scalar_place(Kind kind, std::uint64_t from) {
  token_.kind = kind;
  token_.active = true;
  token_.value = false;
  token_.verbatim = false;
  token_.from = from;
  token_.to = from;
  token_.points = 0;
  token_.points_trimmed = 0;
  token_.leading = 0;
  token_.blank = true;
  token_.ended = false;
  token_.open_found = none32;
  token_.has_decimal = false;
  token_.text = {};
  token_text_.clear();
  enum_runs_.clear();
  pattern_runs_.clear();
  token_place_from_ = begin_place();
  token_.wants_text = !next_readings_.empty() || (!frames_.empty() && frames_.back().listens);
  for (std::size_t i = token_place_from_; i < place_.size(); ++i) {
    const Node& node = *evaluations_[place_[i]].node;
    token_.wants_text = token_.wants_text ||
                        (node.string && (!node.string->text_rules.empty() || node.string->format ||
                                         node.string->length_fold.lowercase)) ||
                        (node.extra && (!node.extra->cross.empty() || !node.extra->readings.empty()));
    if ((node.types & bit_of(kind)) == 0 || node.never) {
      check_type(place_[i], kind, from);
    }
    if (kind == Kind::string) {
      auto run = [&](const ScalarPart& part) {
        EnumRun r;
        r.evaluation = place_[i];
        r.part = &part;
        r.high = static_cast<std::uint32_t>(part.strings.size());
        enum_runs_.push_back(r);
      };
      if (node.scalar) {
        run(*node.scalar);
      }
      for (const auto& more : node.more_scalars) {
        run(*more);
      }
      if (node.string && node.string->pattern != none32) {
        std::uint32_t p = node.string->pattern;
        bool known = std::any_of(pattern_runs_.begin(), pattern_runs_.end(),
                                 [&](const PatternRun& r) { return r.pattern == p; });
        if (!known) {
          text::Matcher& m = matcher(p);
          m.start();
          PatternRun r;
          r.pattern = p;
          if (m.status() != text::Status::undecided) {
            r.decided = true;
            r.holds = m.status() == text::Status::matches;
            r.at = from + 1;
          }
          pattern_runs_.push_back(r);
        }
      }
    }
  }
  if (kind == Kind::string) {
    for (const EnumRun& r : enum_runs_) {
      if (r.high == 0) {
        report_members(r.evaluation, *r.part, from + 1);
      }
    }
    for (EnumRun& r : enum_runs_) {
      r.dead = r.high == 0;
    }
    report_patterns(from + 1, no_bound);
  }
}

std::string Engine::type_requirement(const Node& node) {
  if (node.types == type_any) {
    return {};
  }
  return ", " + type_words(node.types);
}

// "a string", "a string or null".
std::string Engine::type_words(std::uint8_t types) {
  constexpr std::pair<std::uint8_t, const char*> words[] = {
      {type_object, "an object"},   {type_array, "an array"},    {type_string, "a string"}, {type_number, "a number"},
      {type_integer, "an integer"}, {type_boolean, "a boolean"}, {type_null, "null"}};
  std::vector<const char*> parts;
  for (const auto& [bit, word] : words) {
    if ((types & bit) != 0) {
      parts.push_back(word);
    }
  }
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ";
    out += parts[i];
  }
  return out;
}

void Engine::check_type(std::uint32_t index, Kind kind, std::uint64_t from) {
  const Node& node = *evaluations_[index].node;
  if (node.never) {
    std::uint32_t f = prepare(index, Kw::none, 0, 0);
    Found& found = found_[f];
    Kw kw = evaluations_[index].asked_by;
    found.finding.rule = kw == Kw::properties || kw == Kw::items || kw == Kw::prefix_items ||
                                 kw == Kw::additional_items || kw == Kw::pattern_properties ||
                                 kw == Kw::unevaluated_items || kw == Kw::property_names || kw == Kw::contains
                             ? std::string(kw_name(kw))
                             : std::string("false");
    found.finding.requirement = "nothing here";
    report(f, from + 1);
    return;
  }
  if (kind == Kind::number && (node.types & type_integer) != 0) {
    return;  // known at its end
  }
  std::uint32_t f = prepare(index, Kw::type, node.type_at, 0);
  found_[f].finding.requirement = type_words(node.types);
  report(f, from + 1);
}

// The counts of feed() for a piece that begins and ends with no white space, where no bound can be crossed in it.
bool Engine::quick_trim(std::string_view text, std::size_t points) {
  if (text.empty() || !plain_byte(text.back()) || (token_.blank && !plain_byte(text.front()))) {
    return false;
  }
  std::uint64_t leading = token_.blank ? token_.points : token_.leading;
  std::uint64_t trimmed = token_.points + points - leading;
  for (std::size_t i = token_place_from_; i < place_.size(); ++i) {
    const Node& node = *evaluations_[place_[i]].node;
    if (node.string && node.string->has_length && trimmed > node.string->length_max) {
      return false;
    }
  }
  token_.blank = false;
  token_.leading = leading;
  token_.points_trimmed = trimmed;
  return true;
}

// What the string read so far makes certain. `text` is decoded and stands at [from, to) of the artifact: as it is, or
// as one escape.
void Engine::feed(std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim) {
  std::size_t points = text::code_points(text);
  auto end_of_point = [&](std::uint64_t number) {  // the artifact's byte after that code point of the piece
    if (!verbatim) {
      return to;
    }
    std::size_t i = 0;
    for (std::uint64_t n = 0; i < text.size(); ++n) {
      i += text::utf8_size(text::decode(text.data() + i, text.data() + text.size()).code_point);
      if (n == number) {
        break;
      }
    }
    return from + i;
  };
  bool trims = false;
  due_.clear();
  for (std::size_t i = token_place_from_; i < place_.size(); ++i) {
    const Node& node = *evaluations_[place_[i]].node;
    if (!node.string) {
      continue;
    }
    const StringPart& s = *node.string;
    trims = trims || s.not_blank || (s.has_length && s.length_fold.trim);
    if (s.max_length != no_bound && token_.points <= s.max_length && token_.points + points > s.max_length) {
      due_.push_back({end_of_point(s.max_length - token_.points), Kw::max_length, place_[i], nullptr});
    }
    if (s.has_length && !s.length_fold.trim && !s.length_fold.lowercase && s.length_max != no_bound &&
        token_.points <= s.length_max && token_.points + points > s.length_max) {
      due_.push_back({end_of_point(s.length_max - token_.points), Kw::length, place_[i], nullptr});
    }
  }
  if (trims && quick_trim(text, points)) {
    trims = false;
  }
  if (trims) {
    // From the first to the last character that is no white space.
    const char* p = text.data();
    const char* end = p + text.size();
    std::uint64_t point = token_.points;
    while (p != end) {
      text::Decoded d = text::decode(p, end);
      p += d.size;
      ++point;
      if (text::is_white_space(d.code_point)) {
        continue;
      }
      if (token_.blank) {
        token_.blank = false;
        token_.leading = point - 1;
      }
      std::uint64_t before = token_.points_trimmed;
      token_.points_trimmed = point - token_.leading;
      for (std::size_t i = token_place_from_; i < place_.size(); ++i) {
        const Node& node = *evaluations_[place_[i]].node;
        if (node.string && node.string->has_length && node.string->length_fold.trim &&
            !node.string->length_fold.lowercase && before <= node.string->length_max &&
            token_.points_trimmed > node.string->length_max) {
          due_.push_back(
              {verbatim ? from + static_cast<std::uint64_t>(p - text.data()) : to, Kw::length, place_[i], nullptr});
        }
      }
    }
  }
  token_.points += points;
  for (EnumRun& r : enum_runs_) {
    if (r.dead) {
      continue;
    }
    auto member = [&](std::uint32_t i) { return r.part->members[r.part->strings[i]].value.str(); };
    for (std::size_t i = 0; i < text.size(); ++i) {
      char c = text[i];
      while (r.low < r.high && (member(r.low).size() <= r.size ||
                                static_cast<unsigned char>(member(r.low)[r.size]) < static_cast<unsigned char>(c))) {
        ++r.low;
      }
      std::uint32_t high = r.low;
      while (high < r.high && member(high).size() > r.size && member(high)[r.size] == c) {
        ++high;
      }
      r.high = high;
      ++r.size;
      if (r.low == r.high) {
        // Certain at the end of the character.
        std::size_t stop = i + 1;
        while (stop < text.size() && text::is_continuation(text[stop])) {
          ++stop;
        }
        r.dead = true;
        due_.push_back({verbatim ? from + stop : to, Kw::enum_, r.evaluation, r.part});
        break;
      }
    }
  }
  for (PatternRun& r : pattern_runs_) {
    if (r.decided) {
      continue;
    }
    std::size_t after = 0;
    text::Status status = matcher(r.pattern).feed(text, after);
    if (status != text::Status::undecided) {
      r.decided = true;
      r.holds = status == text::Status::matches;
      r.at = verbatim ? from + after : to;
      if (!r.holds) {
        due_.push_back({r.at, Kw::pattern, none32, nullptr});
      }
    }
  }
  if (due_.empty()) {
    return;
  }
  // In the order in which they became certain, so that how the text was cut changes nothing.
  stable_sort(due_, [](const Due& x, const Due& y) { return x.decided < y.decided; });
  for (std::size_t i = 0; i < due_.size(); ++i) {
    Due due = due_[i];
    switch (due.kw) {
      case Kw::enum_:
        report_members(due.evaluation, *due.part, due.decided);
        break;
      case Kw::pattern:
        report_patterns(0, due.decided);
        break;
      default: {
        const StringPart& s = *evaluations_[due.evaluation].node->string;
        bool max_length = due.kw == Kw::max_length;
        std::uint64_t limit = max_length ? s.max_length : s.length_max;
        std::uint32_t f = prepare(due.evaluation, due.kw, max_length ? s.max_length_at : s.length_at, 0);
        found_[f].finding.requirement = "at most " + characters(limit);
        found_[f].limit = std::to_string(limit);
        report(f, due.decided);
        break;
      }
    }
  }
}

// Tells of the patterns that have just been found impossible.
void Engine::report_patterns(std::uint64_t least, std::uint64_t most) {
  for (PatternRun& r : pattern_runs_) {
    if (!r.decided || r.holds || r.told || r.at > most) {
      continue;
    }
    r.told = true;
    for (std::size_t i = token_place_from_; i < place_.size(); ++i) {
      const Node& node = *evaluations_[place_[i]].node;
      if (node.string && node.string->pattern == r.pattern) {
        std::uint32_t f = prepare(place_[i], Kw::pattern, node.string->pattern_at, 0);
        const json::Value* source = node.schema->find("pattern");
        found_[f].finding.requirement =
            "text that matches " + (source != nullptr ? std::string(source->str()) : std::string());
        report(f, std::max(r.at, least));
      }
    }
  }
}

void Engine::report_members(std::uint32_t index, const ScalarPart& part, std::uint64_t decided) {
  std::uint32_t f = prepare(index, part.is_const ? Kw::const_ : Kw::enum_, part.position, 0);
  Found& found = found_[f];
  if (part.members.size() == 1) {
    found.finding.requirement = json::excerpt(part.members.front().text, 100);
  } else {
    found.finding.requirement = "one of ";
    for (std::size_t i = 0; i < part.members.size() && i < 8; ++i) {
      found.finding.requirement += (i == 0 ? "" : ", ") + json::excerpt(part.members[i].text, 40);
    }
    if (part.members.size() > 8) {
      found.finding.requirement += ", ... (" + std::to_string(part.members.size()) + " values)";
    }
  }
  found.limit = found.finding.requirement;
  found.members = &part;
  report(f, decided);
}

bool Engine::token_equals(const json::Value& value) {
  if (value.kind != token_.kind) {
    return false;
  }
  switch (value.kind) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return value.boolean == token_.value;
    case Kind::string:
      return value.str() == token_.text;
    case Kind::number:
      return json::numbers_equal(value.str(), token_.text);
    default:
      return false;
  }
}

void Engine::check_scalar_members(std::uint32_t index, const ScalarPart& part) {
  for (const Value& member : part.members) {
    if (token_equals(member.value)) {
      return;
    }
  }
  report_members(index, part, now_);
}

void Engine::check_container_members(std::uint32_t index, const json::Value& value) {
  auto check = [&](const ScalarPart& part) {
    for (const Value& member : part.members) {
      // Where no member is a container the value was not remembered, and stands here as null.
      if ((member.value.is(Kind::array) || member.value.is(Kind::object)) && json::equal(member.value, value)) {
        return;
      }
    }
    report_members(index, part, now_);
  };
  const Node& node = *evaluations_[index].node;
  check(*node.scalar);
  for (const auto& more : node.more_scalars) {
    check(*more);
  }
}

void Engine::check_number_end(std::uint32_t index) {
  const Node& node = *evaluations_[index].node;
  if (!token_.has_decimal) {
    evaluations_[index].undecided = true;
    return;
  }
  if ((node.types & type_integer) != 0 && !token_.decimal.is_integer()) {
    std::uint32_t f = prepare(index, Kw::type, node.type_at, 0);
    found_[f].finding.requirement = type_words(node.types);
    report(f, now_);
  }
  if (!node.number) {
    return;
  }
  for (const NumberPart::Bound& bound : node.number->bounds) {
    bool good = true;
    const char* words = "";
    int order = bound.kw == Kw::multiple_of ? 0 : json::compare(token_.decimal, bound.limit);
    switch (bound.kw) {
      case Kw::maximum:
        good = order <= 0;
        words = "at most ";
        break;
      case Kw::exclusive_maximum:
        good = order < 0;
        words = "less than ";
        break;
      case Kw::minimum:
        good = order >= 0;
        words = "at least ";
        break;
      case Kw::exclusive_minimum:
        good = order > 0;
        words = "greater than ";
        break;
      default:
        good = token_.decimal.is_multiple_of(bound.limit);
        words = "a multiple of ";
        break;
    }
    if (!good) {
      std::uint32_t f = prepare(index, bound.kw, bound.position, 0);
      found_[f].finding.requirement = words + bound.text;
      found_[f].limit = bound.text;
      report(f, now_);
    }
  }
}

void Engine::check_string_end(std::uint32_t index) {
  const StringPart& s = *evaluations_[index].node->string;
  if (token_.points < s.min_length) {
    std::uint32_t f = prepare(index, Kw::min_length, s.min_length_at, 0);
    found_[f].finding.requirement = "at least " + characters(s.min_length);
    found_[f].limit = std::to_string(s.min_length);
    report(f, now_);
  }
  if (s.not_blank && token_.blank) {
    std::uint32_t f = prepare(index, Kw::not_blank, s.not_blank_at, 0);
    found_[f].finding.requirement = "text that is not blank";
    report(f, now_);
  }
  if (s.has_length) {
    std::uint64_t size = token_length(s);
    bool early = !s.length_fold.lowercase;
    if (size < s.length_min || (size > s.length_max && !early)) {
      bool short_of = size < s.length_min;
      std::uint32_t f = prepare(index, Kw::length, s.length_at, 0);
      found_[f].finding.requirement =
          short_of ? "at least " + characters(s.length_min) : "at most " + characters(s.length_max);
      found_[f].limit = std::to_string(short_of ? s.length_min : s.length_max);
      report(f, now_);
    }
  }
  if (s.pattern != none32) {
    for (PatternRun& r : pattern_runs_) {
      if (r.pattern == s.pattern && !r.decided) {
        r.decided = true;
        r.holds = matcher(r.pattern).end();
        r.at = now_;
      }
    }
    report_patterns(0, no_bound);
  }
  if (s.format && !text::format_holds(*s.format, token_.text)) {
    std::uint32_t f = prepare(index, Kw::format, s.format_at, 0);
    found_[f].finding.requirement = "text in the format " + std::string(text::format_name(*s.format));
    found_[f].limit = std::string(text::format_name(*s.format));
    report(f, now_);
  }
  if (!s.text_rules.empty()) {
    check_text_rules(index);
  }
}

// The length that `length` asks for, of the text that has been read.
std::uint64_t Engine::token_length(const StringPart& s) {
  if (s.length_fold.lowercase) {
    fold_buffer_.clear();
    text::fold_append(token_.text, s.length_fold, fold_buffer_);
    return text::code_points(fold_buffer_);
  }
  return s.length_fold.trim ? token_.points_trimmed : token_.points;
}

void Engine::check_text_rules(std::uint32_t index) {
  const StringPart& s = *evaluations_[index].node->string;
  std::uint64_t sub = 0;
  std::optional<text::Words> words;  // for the lists of `avoids`
  for (const TextRule& rule : s.text_rules) {
    text::Judgement outcome = text::Judgement::holds;
    std::string requirement;
    std::string provided;
    std::string size;
    std::string reason;
    switch (rule.kw) {
      case Kw::max_sentences: {
        std::size_t count = text::count_sentences(token_.text);
        size = std::to_string(count);
        requirement = "at most " + std::to_string(rule.number) + (rule.number == 1 ? " sentence" : " sentences");
        provided = size + (count == 1 ? " sentence" : " sentences");
        outcome = count > rule.number ? text::Judgement::broken : text::Judgement::holds;
        break;
      }
      case Kw::single_unknown: {
        text::UnknownsResult result = text::single_unknown(token_.text);
        outcome = result.outcome;
        requirement = "one question about one unknown";
        for (const text::UnknownsEvidence& e : result.evidence) {
          provided += (provided.empty() ? "" : "; ") + std::string(e.what) + ": " +
                      std::string(text::piece(token_.text, e.where));
        }
        reason = "it may ask for more than one unknown";
        break;
      }
      case Kw::avoids:
        requirement = "text without phrases that are";
        words.emplace(token_.text);
        for (const std::string& list : rule.lists) {
          requirement += (&list == &rule.lists.front() ? " " : ", ") + list;
          const text::PhraseList named = *text::phrase_list_named(list);
          std::vector<text::PhraseHit> hits;
          const text::Judgement j = text::judge_phrases(*words, named, &hits);
          if (j == text::Judgement::broken || (j == text::Judgement::undecided && outcome == text::Judgement::holds)) {
            outcome = j;
          }
          for (const text::PhraseHit& hit : hits) {
            const std::string_view said = text::piece(token_.text, hit.where);
            if (provided.size() < 200 && provided.find(said) == std::string::npos) {
              provided += provided.empty() ? "" : ", ";
              provided += named == text::PhraseList::keyword_soup ? std::string_view("keywords without a sentence")
                          : named == text::PhraseList::bare_topic
                              ? std::string_view("a topic, of which nothing is asked")
                              : said;
            }
          }
        }
        reason = "the text is too short to tell";
        break;
      default: {
        text::FactKinds kinds = rule.lists.empty() ? text::all_facts : text::FactKinds{0};
        for (const std::string& name : rule.lists) {
          kinds = static_cast<text::FactKinds>(kinds | text::fact_bit(*text::fact_kind_named(name)));
        }
        std::size_t within = rule.within == no_bound ? text::whole_text : static_cast<std::size_t>(rule.within);
        std::size_t count = 0;
        outcome = text::has_facts(token_.text, kinds, static_cast<std::size_t>(rule.min), within, &count);
        size = std::to_string(count);
        requirement = "at least " + std::to_string(rule.min) + (rule.min == 1 ? " concrete fact" : " concrete facts");
        if (!rule.lists.empty()) {
          requirement += " (";
          for (std::size_t i = 0; i < rule.lists.size(); ++i) {
            requirement += (i == 0 ? "" : ", ") + rule.lists[i];
          }
          requirement += ")";
        }
        if (rule.within != no_bound) {
          requirement += " within the first " + characters(rule.within);
        }
        provided = size + (size == "1" ? " fact" : " facts");
        reason = "facts of this kind cannot be told in this text";
        break;
      }
    }
    if (outcome == text::Judgement::undecided) {
      undecided(index, rule.kw, rule.position, sub, reason, "");
    } else if (outcome == text::Judgement::broken) {
      std::uint32_t f = prepare(index, rule.kw, rule.position, sub);
      Found& found = found_[f];
      found.finding.requirement = requirement;
      found.finding.provided = json::excerpt(provided, 200);
      found.finding.finding_class = FindingClass::meaning;
      found.size = size;
      found.limit = std::to_string(rule.kw == Kw::facts ? rule.min : rule.number);
      report(f, now_);
    }
    ++sub;
  }
}

// The scalar has ended: what only its end decides, then its evaluations close.
void Engine::scalar_finish(std::uint64_t to) {
  token_.to = to;
  token_.ended = true;
  if (!token_.active) {
    return;
  }
  std::size_t end = place_.size();
  for (std::size_t i = token_place_from_; i < end; ++i) {
    std::uint32_t index = place_[i];
    const Node& node = *evaluations_[index].node;
    switch (token_.kind) {
      case Kind::string:
        for (EnumRun& r : enum_runs_) {
          if (r.evaluation != index || r.dead) {
            continue;
          }
          // The members that agree so far are sorted: the one that ends here comes first.
          r.dead = true;
          if (r.low == r.high || r.part->members[r.part->strings[r.low]].value.str().size() != r.size) {
            report_members(index, *r.part, now_);
          }
        }
        if (node.string) {
          check_string_end(index);
        }
        break;
      case Kind::number:
        if (node.number || (node.types & type_integer) != 0) {
          check_number_end(index);
        }
        [[fallthrough]];
      default:
        if (node.scalar) {
          check_scalar_members(index, *node.scalar);
        }
        for (const auto& more : node.more_scalars) {
          check_scalar_members(index, *more);
        }
        break;
    }
    if (node.extra && !node.extra->cross.empty()) {
      json::Value own;
      own.kind = token_.kind;
      own.boolean = token_.value;
      own.from = token_.from;
      own.to = to;
      if (token_.kind == Kind::string || token_.kind == Kind::number) {
        own.size = static_cast<std::uint32_t>(token_.text.size());
        own.text = token_.text.data();
      }
      cross_rules(index, own);
    }
  }
  complete_token();
  end_place(token_place_from_);
  complete_token();
  token_.active = false;
}

// Tells the container of a scalar that has ended: remembered, collected, looked at.
void Engine::scalar_end(std::uint64_t to) {
  last_from_ = token_.from;
  last_to_ = to;
  last_placed_ = token_.from < chunk_start_;
  last_place_ = cut_place_.place;
  bool keep = !frames_.empty() && frames_.back().records_all;
  // collect() reports, and reporting asks for nothing at the next instance: the list stays as it is meanwhile.
  for (std::size_t i = 0; i < next_readings_.size(); ++i) {
    const Reading& reading = p_.readings[next_readings_[i].state];
    keep = keep || reading.keep || reading.keep_all;
    if (reading.collect != none32) {
      collect(reading.collect, next_readings_[i].owner, token_.kind, token_.text, token_.value, nullptr);
    }
  }
  next_readings_.clear();
  if (frames_.empty() || !frames_.back().listens) {
    return;
  }
  json::Value value;
  bool remembered = keep && frames_.back().records;
  if (remembered) {
    value.kind = token_.kind;
    value.boolean = token_.value;
    value.from = token_.from;
    value.to = to;
    if (token_.kind == Kind::string || token_.kind == Kind::number) {
      std::string_view text = token_.verbatim ? token_.text : value_arena_.copy(token_.text);
      value.text = text.data();
      value.size = static_cast<std::uint32_t>(text.size());
    }
  }
  after_value(remembered ? &value : nullptr, token_.kind, token_.text, token_.value, nullptr);
}

}  // namespace plumb::contract
