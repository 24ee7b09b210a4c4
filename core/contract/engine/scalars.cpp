#include "core/contract/engine/scalars.hpp"

#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/bounds.hpp"
#include "core/contract/keywords/distinct.hpp"
#include "core/contract/keywords/lengths.hpp"
#include "core/contract/keywords/type.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

void check_number_end(Engine& engine, std::uint32_t index) {
  const Node& node = *engine.evaluations[index].node;
  if (!engine.token.has_decimal) {
    engine.evaluations[index].undecided = true;
    return;
  }
  judge_integer(engine, index);
  if (node.number) {
    judge_bounds(engine, index, *node.number);
  }
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
    bool accepted = engine.wanted.size() == 1 && engine.wanted.front().group == none32 &&
                    engine.wanted.front().node->fast_scalar && !engine.wanted.front().node->fast_member &&
                    accepts_number(*engine.wanted.front().node, text);
    if (!accepted && engine.wanted.empty() && text.find_first_of("eE") == std::string_view::npos) {
      accepted = true;
    }
    if (accepted) {
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
      begin_members(engine, engine.place[i]);
      if (node.string && node.string->pattern != none32) {
        begin_pattern(engine, node.string->pattern, from + 1);
      }
    }
  }
  if (kind == Kind::string) {
    begin_members_done(engine, from + 1);
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
        judge_members(engine, index);
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
        judge_members(engine, index);
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
  // collect(engine) reports findings. That asks for no schema at the next instance, so the list does not change here.
  for (std::size_t i = 0; i < engine.memory.next_readings.size(); ++i) {
    const AutomatonState& reading = engine.program->readings[engine.memory.next_readings[i].state];
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
  judge_type(engine, index, kind, from + 1);
}

}  // namespace plumb::contract
