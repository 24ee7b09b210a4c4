// Findings: prepared when a rule breaks, held in a branch or certain at once, completed when their value has ended,
// told at the end of each piece in the order in which they became certain, and put into the contract's order for the
// verdict.

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/contract/engine.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/suggest.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::size_t shown_max = 200;  // code points of a value in a finding

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string scalar_text(const json::Value& value) {
  return json::excerpt(value.is(Kind::string) ? std::string(value.str()) : json::value_text(value), shown_max);
}

}  // namespace

const MessageTemplate* Messages::find(Kw kw, std::string_view property) const {
  if (kw == Kw::required) {
    const MessageTemplate* rest = nullptr;
    for (const auto& [name, text] : required) {
      if (name == property) {
        return &text;
      }
      if (name == "_") {
        rest = &text;
      }
    }
    if (rest != nullptr) {
      return rest;
    }
  }
  for (const auto& [word, text] : by_keyword) {
    if (word == kw) {
      return &text;
    }
  }
  return nullptr;
}

std::uint32_t Engine::new_found(Found::What what) {
  if (free_found_.empty()) {
    found_.emplace_back().what = what;
    return static_cast<std::uint32_t>(found_.size() - 1);
  }
  const std::uint32_t i = free_found_.back();
  free_found_.pop_back();
  Found& f = found_[i];
  if (what != Found::What::finding && f.what == what) {
    // The lines of rules come again with every artifact: they are written over in place, which keeps their memory.
    f.begin_line();
  } else {
    f = Found();
    f.what = what;
  }
  return i;
}

void Engine::release(std::uint32_t index) {
  Found& f = found_[index];
  PLUMB_REQUIRE(f.refs > 0, "a finding that is released is held");
  if (--f.refs > 0) {
    return;
  }
  std::vector<std::uint32_t> causes = std::move(f.cause_found);
  free_found_.push_back(index);
  for (std::uint32_t c : causes) {
    release(c);
  }
}

std::vector<std::uint64_t> Engine::walk_of(std::uint32_t evaluation) const {
  std::vector<std::uint64_t> walk;
  for (std::uint32_t e = evaluation; e != none32;) {
    const Evaluation& at = evaluations_[e];
    std::uint32_t parent = at.group != none32 ? groups_[at.group].owner : at.parent;
    if (parent == none32) {
      break;
    }
    walk.push_back((std::uint64_t{at.position} << 40U) | at.order);
    e = parent;
  }
  std::reverse(walk.begin(), walk.end());
  return walk;
}

std::string Engine::pointer_of(std::uint32_t tokens) const {
  std::string out;
  for (std::uint32_t i = 0; i < tokens && i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    if (frame.kind == Kind::object) {
      json::append_token(out, key_of(frame));
    } else {
      json::append_token(out, std::uint64_t{frame.count} - 1);
    }
  }
  return out;
}

// ---------------------------------------------------------------- labels and messages

const ItemLabel* Engine::label_of(std::uint32_t at) const {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  if (at < frames_.size()) {
    from = frames_[at].evaluations_from;
    to = frames_[at].evaluations_to;
  } else if (at == frames_.size() && token_.active) {
    from = token_place_from_;
    to = static_cast<std::uint32_t>(place_.size());
  }
  for (std::uint32_t k = from; k < to && k < place_.size(); ++k) {
    const Node* node = evaluations_[place_[k]].node;
    if (node != nullptr && node->extra && node->extra->label) {
      return node->extra->label.get();
    }
  }
  return nullptr;
}

std::string Engine::nearest_label(std::uint32_t at, std::string* prefix) const {
  for (std::uint32_t d = at + 1; d-- > 0;) {
    if (const ItemLabel* label = label_of(d)) {
      std::string text = render(label->text, nullptr, d);
      if (prefix != nullptr && label->prefix) {
        *prefix = text;
      }
      return text;
    }
  }
  return {};
}

// Item labels from the root to the instance, joined by '/'; without any, the member or index that the root holds.
std::string Engine::path_of(std::uint32_t at) const {
  std::string out;
  for (std::uint32_t d = 0; d <= at; ++d) {
    if (const ItemLabel* label = label_of(d)) {
      out += (out.empty() ? "" : "/") + render(label->text, nullptr, d);
    }
  }
  if (!out.empty() || at == 0) {
    return out.empty() ? std::string("root") : out;
  }
  const Frame& first = frames_.front();
  return first.kind == Kind::object ? std::string(key_of(first)) : std::to_string(first.count - 1);
}

std::string Engine::pointed_text(std::uint32_t pattern_index, std::uint32_t at) const {
  const PointerPattern& pattern = p_.pointer_patterns[pattern_index];
  std::vector<const json::Value*> values;
  if (pattern.base == json::PointerBase::instance && pattern.levels_up == 0) {
    if (at < frames_.size()) {
      gather_open(at, pattern, 0, values);
    } else if (pattern.tokens.empty()) {
      return json::excerpt(token_.text, shown_max);
    }
  } else {
    gather(pattern_index, at, nullptr, values);
  }
  return values.empty() ? std::string() : scalar_text(*values.front());
}

std::string Engine::render(const MessageTemplate& text, const Found* f, std::uint32_t at) const {
  using Part = MessageTemplate::Part;
  std::string out;
  for (const MessageTemplate::Piece& piece : text.pieces) {
    switch (piece.part) {
      case Part::literal:
        out += piece.text;
        break;
      case Part::n:
        // The nearest index above: an item's own, or that of the item it belongs to.
        for (std::uint32_t d = at; d-- > 0;) {
          if (d < frames_.size() && frames_[d].kind == Kind::array) {
            out += std::to_string(frames_[d].count);
            break;
          }
        }
        break;
      case Part::size:
        if (f != nullptr) {
          out += f->size;
        }
        break;
      case Part::limit:
        if (f != nullptr) {
          out += f->limit;
        }
        break;
      case Part::value:
        if (f != nullptr) {
          out += f->value;
        }
        break;
      case Part::property:
        if (f != nullptr && !f->finding.property.empty()) {
          out += f->finding.property;
        } else if (at > 0 && at - 1 < frames_.size() && frames_[at - 1].kind == Kind::object) {
          out += key_of(frames_[at - 1]);
        }
        break;
      case Part::path:
        out += path_of(at);
        break;
      case Part::pointer:
        out += pointed_text(piece.pattern, at);
        break;
    }
  }
  return out;
}

std::string Engine::default_message(const Found& f) const {
  const std::string& requirement = f.finding.requirement;
  auto has = [&] { return f.size.empty() ? std::string() : " (has " + f.size + ")"; };
  switch (f.kw) {
    case Kw::none:
      return "Nothing may stand here";
    case Kw::required:
    case Kw::dependent_required:
      return "Missing the member '" + f.finding.property + "'";
    case Kw::additional_properties:
    case Kw::unevaluated_properties:
      if (!f.finding.property.empty()) {
        return "Unknown member '" + f.finding.property + "'";
      }
      break;
    case Kw::min_items:
    case Kw::max_items:
    case Kw::min_properties:
    case Kw::max_properties:
    case Kw::min_length:
    case Kw::max_length:
    case Kw::length:
    case Kw::contains:
    case Kw::min_contains:
    case Kw::max_contains:
    case Kw::max_sentences:
    case Kw::facts:
      return "Must have " + requirement + has();
    case Kw::unique_items:
      return "Items must all differ: " + f.finding.provided;
    case Kw::distinct:
      return "'" + f.value + "' stands here more than once";
    case Kw::acyclic:
      return "'" + f.value + "' stands among its own ancestors";
    case Kw::not_:
      return "Must not be what `not` describes";
    case Kw::any_of:
      return "Must match at least one of the alternatives, matches none";
    case Kw::one_of:
      return "Must match exactly one of the alternatives, matches " +
             (f.size == "0" ? std::string("none") : std::string("several"));
    case Kw::member_of:
      return "'" + f.value + "' is not one of the values it must be one of";
    case Kw::not_blank:
      return "Must not be blank";
    case Kw::same_set_as:
      return "Must have the same values: " + f.finding.provided;
    case Kw::count_of:
    case Kw::sum_of:
      return "Must have " + requirement + " (is " + f.size + ")";
    case Kw::avoids:
      return "Must avoid: " + f.finding.provided;
    case Kw::single_unknown:
      return "Must ask for one thing: " + f.finding.provided;
    case Kw::mentions:
      return "Must be " + requirement;
    case Kw::novel:
      return "Must be new, is like '" + f.limit + "'";
    case Kw::quoted_from:
      return "Must be " + requirement;
    case Kw::rules:
    case Kw::pointers:
      if (!f.rule_message.empty()) {
        return f.rule_message;
      }
      break;
    default:
      break;
  }
  std::string is = f.finding.provided.empty() ? std::string() : " (is " + json::excerpt(f.finding.provided, 80) + ")";
  return "Must be " + requirement + is;
}

// ---------------------------------------------------------------- preparing and completing

std::uint32_t Engine::prepare(std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub) {
  std::uint32_t index = new_found();
  const Evaluation& e = evaluations_[evaluation];
  Found& f = found_[index];
  f.refs = 1;
  f.kw = kw;
  f.node = e.node;
  f.evaluation = evaluation;
  f.depth = e.depth;
  f.about_key = name_instance_ && e.depth == frames_.size();
  f.finding.rule = std::string(kw_name(kw));
  f.finding.severity = e.node->severity;
  f.finding.schema_location = e.node->location;
  if (kw != Kw::none) {
    f.finding.schema_location += "/" + f.finding.rule;
  }
  f.walk = walk_of(evaluation);
  f.walk_of_node = static_cast<std::uint32_t>(f.walk.size());
  f.walk.push_back((std::uint64_t{position} << 40U) | (sub & 0xFFFFFFFFFFU));
  f.stops = e.node->extra && e.node->extra->stop_at.test(kw);
  if (e.site != none32) {
    const Found& site = found_[e.site];
    f.placed = true;
    f.finding.at = site.finding.at;
    f.finding.item = site.finding.item;
    f.finding.span = site.finding.span;
    f.whole_place = site.whole_place;
    f.end_place = site.end_place;
    f.prefix = site.prefix;
    f.value = site.value;
    f.has_value = true;
    f.kind = site.kind;
    f.size_number = site.size_number;
  } else {
    f.finding.at = pointer_of(e.depth);
  }
  return index;
}

// Where the instance stands that is being closed, for what its evaluation may still have to say.
std::uint32_t Engine::make_site(std::uint32_t evaluation) {
  std::uint32_t index = prepare(evaluation, Kw::none, 0, 0);
  touched_.push_back(index);
  describe(found_[index]);
  return index;
}

// What the value was: its kind, size, text and end. The value has ended, or the text has.
void Engine::describe(Found& f) {
  if (f.placed) {
    return;
  }
  f.finding.item = nearest_label(f.depth, nullptr);
  std::string prefix;
  nearest_label(f.depth, &prefix);
  f.prefix = prefix;
  if (f.depth < frames_.size()) {
    const Frame& frame = frames_[f.depth];
    f.kind = frame.kind;
    f.size_number = frame.count;
    if (f.finding.span.to == 0) {
      f.finding.span.from = frame.from;
      f.finding.span.to = frame_to_;
      if (frame.placed && !f.whole_place) {
        set_start(f, frame.place);
      }
    }
    return;
  }
  f.kind = token_.kind;
  f.size_number = token_.points;
  if (!f.has_value) {
    f.value = json::excerpt(token_.text, shown_max);
  }
  if (f.finding.span.to == 0) {
    f.finding.span.from = token_.from;
    f.finding.span.to = token_.to;
    if (token_.from < chunk_start_ && !f.whole_place) {
      set_start(f, cut_place_.place);
    }
  }
}

void Engine::set_start(Found& f, const json::Place& place) {
  f.finding.span.utf16_from = place.utf16;
  f.finding.span.line = place.line;
  f.finding.span.column = place.column;
  f.whole_place = true;
}

void Engine::complete(std::uint32_t index) {
  Found& f = found_[index];
  describe(f);
  f.open = false;
  if (f.members != nullptr) {
    std::vector<std::string_view> views;
    for (const Value& v : f.members->members) {
      views.push_back(v.text);
    }
    std::string own = f.kind == Kind::string ? quoted(f.value) : f.value;
    for (std::size_t i : text::near_misses_first(own, views)) {
      f.finding.allowed.push_back(json::excerpt_json(f.members->members[i].text, shown_max));
    }
  }
  std::string least = f.size_at_least ? "at least " : "";
  if (f.size.empty()) {
    bool length = f.kw == Kw::length && f.node != nullptr && f.node->string && !f.placed && f.kind == Kind::string;
    f.size = least + std::to_string(length ? token_length(*f.node->string) : f.size_number);
  }
  if (f.finding.provided.empty()) {
    switch (f.kw) {
      case Kw::min_length:
      case Kw::max_length:
      case Kw::length:
        f.finding.provided = f.size + (f.size == "1" ? " character" : " characters");
        break;
      case Kw::required:
      case Kw::dependent_required:
        break;
      default:
        if (!f.finding.property.empty() && f.finding.span.to != 0 &&
            (f.kw == Kw::additional_properties || f.kw == Kw::unevaluated_properties)) {
          f.finding.provided = json::excerpt(quoted(f.finding.property), shown_max);
        } else if (f.kind == Kind::array) {
          f.finding.provided = least + counted(f.size_number, "item", "items");
        } else if (f.kind == Kind::object) {
          f.finding.provided = least + counted(f.size_number, "member", "members");
        } else if (f.kind == Kind::string) {
          f.finding.provided = json::excerpt(quoted(f.value), shown_max);
        } else {
          f.finding.provided = f.value;
        }
        if (f.kw == Kw::type && (f.kind == Kind::array || f.kind == Kind::object)) {
          f.finding.provided = f.kind == Kind::array ? "an array" : "an object";
        }
        break;
    }
  }
  if (f.finding.message.empty()) {
    const MessageTemplate* text = f.node != nullptr && f.node->extra && f.node->extra->messages
                                      ? f.node->extra->messages->find(f.kw, f.finding.property)
                                      : nullptr;
    if (f.kw == Kw::rules) {
      text = nullptr;
    }
    for (std::uint32_t c : f.cause_found) {
      if (found_[c].open) {
        complete(c);
      }
    }
    if (f.kw == Kw::rules && !f.cause_found.empty()) {
      // A rule says its title, and the first reason its check gave.
      f.finding.message = f.rule_message + ": " + found_[f.cause_found.front()].finding.message;
    } else {
      f.finding.message = text != nullptr ? render(*text, &f, f.depth) : default_message(f);
      if (!f.prefix.empty()) {
        f.finding.message = f.prefix + ": " + f.finding.message;
      }
    }
  }
  f.finding.partial = false;
  touched_.push_back(index);
  if (f.told && !f.told_complete) {
    completed_.push_back(index);
  }
}

void Engine::report(std::uint32_t index, std::uint64_t decided, bool breaks) {
  Found& f = found_[index];
  now_ = decided;
  f.finding.decided_at = decided;
  std::uint32_t evaluation = f.evaluation;
  touched_.push_back(index);
  if (f.placed || f.finding.span.to != 0) {
    if (f.finding.span.to != 0 && !f.whole_place && f.finding.span.from < chunk_start_) {
      set_start(f, f.placed ? last_place_ : cut_place_.place);
    }
    complete(index);
  } else if (f.depth < frames_.size()) {
    Frame& frame = frames_[f.depth];
    f.open = true;
    f.finding.span.from = frame.from;
    if (frame.placed) {
      set_start(f, frame.place);
    }
    f.next_open = frame.open_found;
    frame.open_found = index;
    ++f.refs;
  } else {
    f.finding.span.from = token_.from;
    if (token_.from < chunk_start_) {
      set_start(f, cut_place_.place);
    }
    f.open = true;
    f.next_open = token_.open_found;
    token_.open_found = index;
    ++f.refs;
  }
  add(evaluations_[evaluation].sink, index);
  bool is_error = found_[index].finding.severity == Severity::error;
  release(index);
  if (breaks && is_error) {
    break_evaluation(evaluation);
  }
}

void Engine::complete_list(std::uint32_t first) {
  for (std::uint32_t i = first; i != none32;) {
    std::uint32_t next = found_[i].next_open;
    if (found_[i].open) {
      complete(i);
    }
    release(i);
    i = next;
  }
}

void Engine::complete_token() {
  std::uint32_t first = token_.open_found;
  token_.open_found = none32;
  complete_list(first);
}

void Engine::complete_frame(Frame& frame, std::uint64_t to) {
  frame_to_ = to;
  std::uint32_t first = frame.open_found;
  frame.open_found = none32;
  complete_list(first);
}

void Engine::add(std::uint32_t sink, std::uint32_t index) {
  for (;;) {
    if (sink == 0) {
      commit(index);
      return;
    }
    Branch& branch = branches_[sink];
    if (!branch.fan.empty()) {
      std::vector<std::uint32_t> fan = branch.fan;
      for (std::uint32_t s : fan) {
        add(s, index);
      }
      return;
    }
    if (branch.state == BranchState::promoted) {
      sink = branch.parent_sink;
      continue;
    }
    if (branch.state == BranchState::held) {
      if (branch.found.size() < options_.limits.held_max) {
        branch.found.push_back(index);
        ++found_[index].refs;
      } else {
        ++branch.more;
      }
    }
    return;
  }
}

void Engine::commit(std::uint32_t index) {
  Found& f = found_[index];
  if (f.committed) {
    return;
  }
  f.committed = true;
  constexpr std::size_t others_max = 1000;
  if (f.what != Found::What::finding) {
    if (others_.size() < others_max) {
      others_.push_back(index);
      ++f.refs;
    }
    if (f.what == Found::What::undecided && !f.asks_judge && !f.not_decided.wants_context.empty()) {
      context_missing_ = true;
    }
    return;
  }
  if (f.finding.severity == Severity::error && !f.limits) {
    any_error_ = true;
    any_block_ = any_block_ || f.finding.blocks;
  }
  any_warning_ = any_warning_ || f.finding.severity == Severity::warning;
  ++f.refs;
  found_[index].of_end = ending_;
  certain_.push_back(index);
  if (certain_.size() > options_.limits.findings_max + 10000U) {
    cap_certain();
  }
}

void Engine::undecided(std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub, std::string reason,
                       std::string wants_context) {
  const Evaluation& e = evaluations_[evaluation];
  std::uint32_t index = new_found(Found::What::undecided);
  Found& f = found_[index];
  f.refs = 1;
  f.not_decided.rule = std::string(kw_name(kw));
  f.not_decided.at = e.site != none32 ? found_[e.site].finding.at : pointer_of(e.depth);
  f.not_decided.schema_location = e.node->location + "/" + std::string(kw_name(kw));
  f.not_decided.wants_context = std::move(wants_context);
  f.not_decided.reason = std::move(reason);
  f.walk = walk_of(evaluation);
  f.walk.push_back((std::uint64_t{position} << 40U) | sub);
  if (e.node->severity == Severity::error) {
    evaluations_[evaluation].undecided = true;
  }
  add(e.sink, index);
  release(index);
}

// What is wrong with the text, whatever the contract says.
void Engine::text_found(Kw kw, std::string message, std::uint64_t from, std::uint64_t to, std::uint64_t decided) {
  std::uint32_t index = new_found();
  Found& f = found_[index];
  f.refs = 1;
  f.kw = kw;
  f.finding.rule = std::string(kw_name(kw));
  f.finding.severity = Severity::error;
  // Of the text's own faults the place is the container, of a key's the member.
  std::uint32_t at = kw == Kw::syntax && depth() > 0 ? depth() - 1 : depth();
  f.finding.at = pointer_of(at);
  f.finding.item = nearest_label(at, nullptr);
  f.finding.message = std::move(message);
  f.finding.requirement = kw == Kw::duplicate_key    ? "each key once"
                          : kw == Kw::lone_surrogate ? "both halves of a surrogate pair"
                                                     : "a JSON text (RFC 8259)";
  f.finding.decided_at = decided;
  f.finding.span.from = from;
  f.finding.span.to = to;
  f.placed = true;
  f.size = "0";
  f.finding.provided =
      kw == Kw::duplicate_key ? json::excerpt(quoted(key_of(frames_.back())), shown_max) : std::string();
  if (f.finding.provided.empty()) {
    f.kind = Kind::number;  // nothing to show
  }
  if (from < chunk_start_) {
    set_start(f, cut_place_.place);
  }
  // In the walk it comes before all that the contract says of this place, in the order of the text.
  if (!place_.empty()) {
    f.walk = walk_of(place_.back());
  }
  f.walk.push_back(from);
  touched_.push_back(index);
  commit(index);
  release(index);
}

void Engine::limit_found(std::string message, std::string where, std::uint64_t at, std::uint64_t decided,
                         std::string requirement) {
  if (limit_reached_) {
    return;  // one is told
  }
  limit_reached_ = true;
  std::uint32_t index = new_found();
  Found& f = found_[index];
  f.refs = 1;
  f.kw = Kw::limit;
  f.limits = true;
  f.finding.rule = "limit";
  f.finding.at = std::move(where);
  f.finding.message = std::move(message);
  f.finding.requirement = std::move(requirement);
  f.finding.decided_at = decided;
  f.finding.span.from = at;
  f.finding.span.to = decided;
  f.placed = true;
  f.size = "0";
  if (at < chunk_start_) {
    set_start(f, cut_place_.place);
  }
  if (!place_.empty()) {
    f.walk = walk_of(place_.back());
  }
  f.walk.push_back(at);
  touched_.push_back(index);
  commit(index);
  release(index);
}

// ---------------------------------------------------------------- telling

void Engine::count_more(const std::string& rule) {
  for (auto& [name, count] : more_by_rule_) {
    if (name == rule) {
      ++count;
      return;
    }
  }
  more_by_rule_.emplace_back(rule, 1);
}

void Engine::cap_certain() {
  stable_sort(certain_, [&](std::uint32_t a, std::uint32_t b) {
    const Found& x = found_[a];
    const Found& y = found_[b];
    // What the last byte has decided goes before what only the end has, as it does where that byte came in a piece.
    return x.finding.decided_at != y.finding.decided_at ? x.finding.decided_at < y.finding.decided_at
           : x.of_end != y.of_end                       ? y.of_end
                                                        : x.walk < y.walk;
  });
  std::size_t room = options_.limits.findings_max > kept_.size() ? options_.limits.findings_max - kept_.size() : 0;
  for (std::size_t i = room; i < certain_.size(); ++i) {
    count_more(found_[certain_[i]].finding.rule);
    release(certain_[i]);
  }
  if (certain_.size() > room) {
    certain_.resize(room);
  }
}

// Lines, columns and UTF-16 offsets of what this piece has brought.
void Engine::find_places(std::string_view chunk, std::uint64_t chunk_start, bool last) {
  asked_.clear();
  std::uint64_t chunk_end = chunk_start + chunk.size();
  auto want = [&](std::uint64_t byte, PlaceFor what, std::uint32_t index) {
    if (byte >= chunk_start && byte <= chunk_end) {
      asked_.push_back({byte, what, index});
    }
  };
  for (std::uint32_t i : touched_) {
    const Found& f = found_[i];
    if (f.refs == 0 || f.what != Found::What::finding) {
      continue;
    }
    if (!f.whole_place) {
      want(f.finding.span.from, PlaceFor::start, i);
    }
    if (!f.open && !f.end_place) {
      want(f.finding.span.to, PlaceFor::end, i);
    }
  }
  if (!last) {
    for (std::uint32_t i = std::min(placed_frames_, depth()); i < frames_.size(); ++i) {
      want(frames_[i].from, PlaceFor::frame, i);
    }
    placed_frames_ = depth();
    if (scanner_.in_token() && scanner_.token_from() >= chunk_start) {
      want(scanner_.token_from(), PlaceFor::token, 0);
    }
  }
  touched_.clear();
  if (asked_.empty()) {
    if (!whole_) {
      positions_.advance(chunk);
    }
    return;
  }
  stable_sort(asked_, [](const Asked& a, const Asked& b) { return a.byte < b.byte; });
  requests_.clear();
  for (const Asked& a : asked_) {
    json::PlaceRequest request;
    request.byte = a.byte;
    requests_.push_back(request);
  }
  positions_.locate(chunk.data(), chunk.size(), chunk_start, requests_);
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const json::Place& place = requests_[i].place;
    switch (asked_[i].what) {
      case PlaceFor::start:
        set_start(found_[asked_[i].index], place);
        break;
      case PlaceFor::end: {
        Found& f = found_[asked_[i].index];
        f.finding.span.utf16_to = place.utf16;
        f.finding.span.line_to = place.line;
        f.finding.span.column_to = place.column;
        f.end_place = true;
        break;
      }
      case PlaceFor::frame:
        frames_[asked_[i].index].place = place;
        frames_[asked_[i].index].placed = true;
        break;
      case PlaceFor::token:
        cut_place_.byte = asked_[i].byte;
        cut_place_.place = place;
        break;
    }
  }
}

void Engine::tell(std::vector<Finding>& certain) {
  if (!certain_.empty()) {
    cap_certain();
    for (std::uint32_t i : certain_) {
      Found& f = found_[i];
      f.finding.id = next_id_++;
      f.finding.partial = f.open;
      f.told = true;
      f.told_complete = !f.open;
      certain.push_back(with_causes(i, 0));
      kept_.push_back(i);
    }
    certain_.clear();
  }
  for (std::uint32_t i : completed_) {
    Found& f = found_[i];
    if (f.refs > 0 && f.told && !f.told_complete) {
      f.told_complete = true;
      certain.push_back(with_causes(i, 0));
    }
  }
  completed_.clear();
}

// The finding with why the closest alternative did not hold, and why that one did not, to a depth that people can read.
Finding Engine::with_causes(std::uint32_t index, unsigned level) const {
  constexpr unsigned levels_max = 6;
  Finding out = found_[index].finding;
  if (level < levels_max) {
    for (std::uint32_t c : found_[index].cause_found) {
      out.causes.push_back(with_causes(c, level + 1));
    }
  }
  return out;
}

}  // namespace plumb::contract
