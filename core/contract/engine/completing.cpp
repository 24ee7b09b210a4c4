#include "core/contract/engine/completing.hpp"

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/contract/keywords/lengths.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"
#include "core/text/suggest.hpp"
#include "core/wording.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

void complete_list(Engine& engine, std::uint32_t first) {
  for (std::uint32_t i = first; i != none32;) {
    std::uint32_t next = engine.found[i].next_open;
    if (engine.found[i].open) {
      complete(engine, i);
    }
    release(engine, i);
    i = next;
  }
}

}  // namespace

void set_start(Found& f, const json::Place& place) {
  f.finding.span.utf16_from = place.utf16;
  f.finding.span.line = place.line;
  f.finding.span.column = place.column;
  f.whole_place = true;
}

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

void describe(Engine& engine, Found& f) {
  if (f.placed) {
    return;
  }
  f.finding.item = nearest_label(engine, f.depth, nullptr);
  std::string prefix;
  nearest_label(engine, f.depth, &prefix);
  f.prefix = prefix;
  if (f.depth < engine.frames.size()) {
    const Frame& frame = engine.frames[f.depth];
    f.kind = frame.kind;
    f.size_number = frame.count;
    if (f.finding.span.to == 0) {
      f.finding.span.from = frame.from;
      f.finding.span.to = engine.spots.frame_to;
      if (frame.placed && !f.whole_place) {
        set_start(f, frame.place);
      }
    }
    return;
  }
  f.kind = engine.token.kind;
  f.size_number = engine.token.points;
  if (!f.has_value) {
    f.value = json::excerpt(engine.token.text, shown_max);
  }
  if (f.finding.span.to == 0) {
    f.finding.span.from = engine.token.from;
    f.finding.span.to = engine.token.to;
    if (engine.token.from < engine.stream.chunk_start && !f.whole_place) {
      set_start(f, engine.spots.cut_place.place);
    }
  }
}

std::string provided_value(const Found& found) {
  const std::string least = found.size_at_least ? "at least " : "";
  if (found.kind == Kind::array) {
    return least + counted(found.size_number, "item", "items");
  }
  if (found.kind == Kind::object) {
    return least + counted(found.size_number, "member", "members");
  }
  return found.kind == Kind::string ? json::excerpt(quoted(found.value), shown_max) : found.value;
}

void complete(Engine& engine, std::uint32_t index) {
  Found& f = engine.found[index];
  describe(engine, f);
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
    f.size = least + std::to_string(length ? folded_length(engine, *f.node->string) : f.size_number);
  }
  if (f.finding.provided.empty()) {
    const Keyword* const own = keyword_of(f.kw);
    f.finding.provided = own != nullptr && own->provided != nullptr ? own->provided(f) : provided_value(f);
  }
  if (f.finding.message.empty()) {
    const MessageTemplate* text = f.node != nullptr && f.node->extra && f.node->extra->messages
                                      ? f.node->extra->messages->find(f.kw, f.finding.property)
                                      : nullptr;
    if (f.kw == Kw::rules) {
      text = nullptr;
    }
    for (std::uint32_t c : f.cause_found) {
      if (engine.found[c].open) {
        complete(engine, c);
      }
    }
    if (f.kw == Kw::rules && !f.cause_found.empty()) {
      // The message of a rule is its title, and the first reason from its check.
      f.finding.message = f.rule_message + ": " + engine.found[f.cause_found.front()].finding.message;
    } else {
      f.finding.message = text != nullptr ? render(engine, *text, &f, f.depth) : default_message(f);
      if (!f.prefix.empty()) {
        f.finding.message = f.prefix + ": " + f.finding.message;
      }
    }
  }
  f.finding.partial = false;
  engine.findings.touched.push_back(index);
  if (f.told && !f.told_complete) {
    engine.findings.completed.push_back(index);
  }
}

void complete_token(Engine& engine) {
  std::uint32_t first = engine.token.open_found;
  engine.token.open_found = none32;
  complete_list(engine, first);
}

void complete_frame(Engine& engine, Frame& frame, std::uint64_t to) {
  engine.spots.frame_to = to;
  std::uint32_t first = frame.open_found;
  frame.open_found = none32;
  complete_list(engine, first);
}

}  // namespace plumb::contract
