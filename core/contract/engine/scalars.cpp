#include "core/contract/engine/scalars.hpp"

#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/bounds.hpp"
#include "core/contract/keywords/lengths.hpp"
#include "core/json/equality.hpp"
#include "core/json/excerpt.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

bool token_equals(Engine& engine, const json::Value& value) {
  if (value.kind != engine.token.kind) {
    return false;
  }
  switch (value.kind) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return value.boolean == engine.token.value;
    case Kind::string:
      return value.str() == engine.token.text;
    case Kind::number:
      return json::numbers_equal(value.str(), engine.token.text);
    default:
      return false;
  }
}

// "a string", "a string or null".
std::string type_words(std::uint8_t types) {
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

void check_number_end(Engine& engine, std::uint32_t index) {
  const Node& node = *engine.evaluations[index].node;
  if (!engine.token.has_decimal) {
    engine.evaluations[index].undecided = true;
    return;
  }
  if ((node.types & type_integer) != 0 && !engine.token.decimal.is_integer()) {
    std::uint32_t f = prepare(engine, index, Kw::type, node.type_at, 0);
    engine.found[f].finding.requirement = type_words(node.types);
    report(engine, f, engine.now);
  }
  if (node.number) {
    judge_bounds(engine, index, *node.number);
  }
}

void check_scalar_members(Engine& engine, std::uint32_t index, const ScalarPart& part) {
  for (const Value& member : part.members) {
    if (token_equals(engine, member.value)) {
      return;
    }
  }
  report_members(engine, index, part, engine.now);
}

}  // namespace

void begin_scalar(Engine& engine, Kind kind, std::uint64_t from) {
  engine.now = from + 1;
  item_begin(engine);
  scalar_place(engine, kind, from);
}

void read_number(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, std::uint64_t decided) {
  if (!engine.token.active) {
    engine.now = from + 1;
    item_begin(engine);
    bool quick = engine.wanted.size() == 1 && engine.wanted.front().group == none32 &&
                 engine.wanted.front().node->quick_scalar && !engine.wanted.front().node->quick_member &&
                 quick_number(*engine.wanted.front().node, text);
    if (!quick && engine.wanted.empty() && text.find_first_of("eE") == std::string_view::npos) {
      quick = true;
    }
    if (quick) {
      engine.wanted.clear();
      if (engine.memory.next_readings.empty() && (engine.frames.empty() || !engine.frames.back().listens)) {
        return;
      }
      engine.now = decided;
      engine.token.kind = Kind::number;
      engine.token.text = text;
      engine.token.from = from;
      engine.token.verbatim = engine.stream.whole;
      scalar_end(engine, to);
      return;
    }
    scalar_place(engine, Kind::number, from);
  }
  engine.token.text = text;
  engine.now = decided;
  json::DecimalStatus status = json::Decimal::read(text, engine.options.limits.exponent_max, engine.token.decimal);
  engine.token.has_decimal = status == json::DecimalStatus::ok;
  if (!engine.token.has_decimal) {
    limit_found(engine,
                status == json::DecimalStatus::exponent_limit
                    ? "The number's exponent is beyond " + std::to_string(engine.options.limits.exponent_max)
                    : std::string("The number has too many digits"),
                pointer_of(engine, depth(engine)), from, decided,
                status == json::DecimalStatus::exponent_limit
                    ? "an exponent of at most " + std::to_string(engine.options.limits.exponent_max)
                    : "at most 100000 digits");
  }
  scalar_finish(engine, to);
  scalar_end(engine, to);
}

void read_literal(Engine& engine, Kind kind, bool value, std::uint64_t from, std::uint64_t to) {
  if (!engine.token.active) {
    engine.now = from + 1;
    item_begin(engine);
    if (engine.wanted.empty() && engine.memory.next_readings.empty() &&
        (engine.frames.empty() || !engine.frames.back().listens)) {
      return;
    }
    scalar_place(engine, kind, from);
  }
  engine.token.value = value;
  engine.token.text = kind == Kind::null ? "null" : value ? "true" : "false";
  engine.now = to;
  scalar_finish(engine, to);
  scalar_end(engine, to);
}

void scalar_place(Engine& engine, Kind kind, std::uint64_t from) {
  engine.token.kind = kind;
  engine.token.active = true;
  engine.token.value = false;
  engine.token.verbatim = false;
  engine.token.from = from;
  engine.token.to = from;
  engine.token.points = 0;
  engine.token.points_trimmed = 0;
  engine.token.leading = 0;
  engine.token.blank = true;
  engine.token.ended = false;
  engine.token.open_found = none32;
  engine.token.has_decimal = false;
  engine.token.text = {};
  engine.strings.kept.clear();
  engine.strings.enum_runs.clear();
  engine.strings.pattern_runs.clear();
  engine.token.place_from = begin_place(engine);
  engine.token.wants_text =
      !engine.memory.next_readings.empty() || (!engine.frames.empty() && engine.frames.back().listens);
  for (std::size_t i = engine.token.place_from; i < engine.place.size(); ++i) {
    const Node& node = *engine.evaluations[engine.place[i]].node;
    engine.token.wants_text =
        engine.token.wants_text ||
        (node.string && (!node.string->text_rules.empty() || node.string->format || lengths_need_text(*node.string))) ||
        (node.extra && (!node.extra->cross.empty() || !node.extra->readings.empty()));
    if ((node.types & bit_of(kind)) == 0 || node.never) {
      check_type(engine, engine.place[i], kind, from);
    }
    if (kind == Kind::string) {
      auto run = [&](const ScalarPart& part) {
        EnumRun r;
        r.evaluation = engine.place[i];
        r.part = &part;
        r.high = static_cast<std::uint32_t>(part.strings.size());
        engine.strings.enum_runs.push_back(r);
      };
      if (node.scalar) {
        run(*node.scalar);
      }
      for (const auto& more : node.more_scalars) {
        run(*more);
      }
      if (node.string && node.string->pattern != none32) {
        std::uint32_t p = node.string->pattern;
        bool known = std::any_of(engine.strings.pattern_runs.begin(), engine.strings.pattern_runs.end(),
                                 [&](const PatternRun& r) { return r.pattern == p; });
        if (!known) {
          text::Matcher& m = matcher_of(engine, p);
          m.start();
          PatternRun r;
          r.pattern = p;
          if (m.status() != text::Status::undecided) {
            r.decided = true;
            r.holds = m.status() == text::Status::matches;
            r.at = from + 1;
          }
          engine.strings.pattern_runs.push_back(r);
        }
      }
    }
  }
  if (kind == Kind::string) {
    for (const EnumRun& r : engine.strings.enum_runs) {
      if (r.high == 0) {
        report_members(engine, r.evaluation, *r.part, from + 1);
      }
    }
    for (EnumRun& r : engine.strings.enum_runs) {
      r.dead = r.high == 0;
    }
    report_patterns(engine, from + 1, no_bound);
  }
}

void scalar_finish(Engine& engine, std::uint64_t to) {
  engine.token.to = to;
  engine.token.ended = true;
  if (!engine.token.active) {
    return;
  }
  std::size_t end = engine.place.size();
  for (std::size_t i = engine.token.place_from; i < end; ++i) {
    std::uint32_t index = engine.place[i];
    const Node& node = *engine.evaluations[index].node;
    switch (engine.token.kind) {
      case Kind::string:
        for (EnumRun& r : engine.strings.enum_runs) {
          if (r.evaluation != index || r.dead) {
            continue;
          }
          // The members that agree so far are sorted: the one that ends here comes first.
          r.dead = true;
          if (r.low == r.high || r.part->members[r.part->strings[r.low]].value.str().size() != r.size) {
            report_members(engine, index, *r.part, engine.now);
          }
        }
        if (node.string) {
          check_string_end(engine, index);
        }
        break;
      case Kind::number:
        if (node.number || (node.types & type_integer) != 0) {
          check_number_end(engine, index);
        }
        [[fallthrough]];
      default:
        if (node.scalar) {
          check_scalar_members(engine, index, *node.scalar);
        }
        for (const auto& more : node.more_scalars) {
          check_scalar_members(engine, index, *more);
        }
        break;
    }
    if (node.extra && !node.extra->cross.empty()) {
      json::Value own;
      own.kind = engine.token.kind;
      own.boolean = engine.token.value;
      own.from = engine.token.from;
      own.to = to;
      if (engine.token.kind == Kind::string || engine.token.kind == Kind::number) {
        own.size = static_cast<std::uint32_t>(engine.token.text.size());
        own.text = engine.token.text.data();
      }
      cross_rules(engine, index, own);
    }
  }
  complete_token(engine);
  end_place(engine, engine.token.place_from);
  complete_token(engine);
  engine.token.active = false;
}

void scalar_end(Engine& engine, std::uint64_t to) {
  engine.spots.last_from = engine.token.from;
  engine.spots.last_to = to;
  engine.spots.last_placed = engine.token.from < engine.stream.chunk_start;
  engine.spots.last_place = engine.spots.cut_place.place;
  bool keep = !engine.frames.empty() && engine.frames.back().records_all;
  // collect(engine) reports, and reporting asks for nothing at the next instance: the list stays as it is meanwhile.
  for (std::size_t i = 0; i < engine.memory.next_readings.size(); ++i) {
    const Reading& reading = engine.program->readings[engine.memory.next_readings[i].state];
    keep = keep || reading.keep || reading.keep_all;
    if (reading.collect != none32) {
      collect(engine, reading.collect, engine.memory.next_readings[i].owner, engine.token.kind, engine.token.text,
              engine.token.value, nullptr);
    }
  }
  engine.memory.next_readings.clear();
  if (engine.frames.empty() || !engine.frames.back().listens) {
    return;
  }
  json::Value value;
  bool remembered = keep && engine.frames.back().records;
  if (remembered) {
    value.kind = engine.token.kind;
    value.boolean = engine.token.value;
    value.from = engine.token.from;
    value.to = to;
    if (engine.token.kind == Kind::string || engine.token.kind == Kind::number) {
      std::string_view text = engine.token.verbatim ? engine.token.text : engine.memory.arena.copy(engine.token.text);
      value.text = text.data();
      value.size = static_cast<std::uint32_t>(text.size());
    }
  }
  after_value(engine, remembered ? &value : nullptr, engine.token.kind, engine.token.text, engine.token.value, nullptr);
}

void check_type(Engine& engine, std::uint32_t index, Kind kind, std::uint64_t from) {
  const Node& node = *engine.evaluations[index].node;
  if (node.never) {
    std::uint32_t f = prepare(engine, index, Kw::none, 0, 0);
    Found& found = engine.found[f];
    Kw kw = engine.evaluations[index].asked_by;
    found.finding.rule = kw == Kw::properties || kw == Kw::items || kw == Kw::prefix_items ||
                                 kw == Kw::additional_items || kw == Kw::pattern_properties ||
                                 kw == Kw::unevaluated_items || kw == Kw::property_names || kw == Kw::contains
                             ? std::string(kw_name(kw))
                             : std::string("false");
    found.finding.requirement = "nothing here";
    report(engine, f, from + 1);
    return;
  }
  if (kind == Kind::number && (node.types & type_integer) != 0) {
    return;  // known at its end
  }
  std::uint32_t f = prepare(engine, index, Kw::type, node.type_at, 0);
  engine.found[f].finding.requirement = type_words(node.types);
  report(engine, f, from + 1);
}

std::string type_requirement(const Node& node) {
  if (node.types == type_any) {
    return {};
  }
  return ", " + type_words(node.types);
}

void check_container_members(Engine& engine, std::uint32_t index, const json::Value& value) {
  auto check = [&](const ScalarPart& part) {
    for (const Value& member : part.members) {
      // Where no member is a container the value was not remembered, and stands here as null.
      if ((member.value.is(Kind::array) || member.value.is(Kind::object)) && json::equal(member.value, value)) {
        return;
      }
    }
    report_members(engine, index, part, engine.now);
  };
  const Node& node = *engine.evaluations[index].node;
  check(*node.scalar);
  for (const auto& more : node.more_scalars) {
    check(*more);
  }
}

void report_members(Engine& engine, std::uint32_t index, const ScalarPart& part, std::uint64_t decided) {
  std::uint32_t f = prepare(engine, index, part.is_const ? Kw::const_ : Kw::enum_, part.position, 0);
  Found& found = engine.found[f];
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
  report(engine, f, decided);
}

}  // namespace plumb::contract
