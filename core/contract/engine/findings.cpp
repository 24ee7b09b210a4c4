#include "core/contract/engine/findings.hpp"

#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::uint64_t report_steps = 50;
constexpr std::uint64_t member_steps = 100;  // to find how similar a member of an enum is

void commit(Engine& engine, std::uint32_t index) {
  Found& f = engine.found[index];
  if (f.committed) {
    return;
  }
  f.committed = true;
  constexpr std::size_t others_max = 1000;
  if (f.what != Found::What::finding) {
    if (engine.findings.others.size() < others_max) {
      engine.findings.others.push_back(index);
      ++f.refs;
    }
    if (f.what == Found::What::undecided && !f.asks_judge && (f.lacks_target || !f.not_decided.wants_context.empty())) {
      engine.findings.context_missing = true;
    }
    return;
  }
  if (f.finding.severity == Severity::error && !f.limits) {
    engine.findings.any_error = true;
    engine.findings.any_block = engine.findings.any_block || f.finding.blocks;
  }
  engine.findings.any_warning = engine.findings.any_warning || f.finding.severity == Severity::warning;
  ++f.refs;
  engine.found[index].of_end = engine.stream.ending;
  engine.findings.certain.push_back(index);
  if (engine.findings.certain.size() > engine.options.limits.findings_max + 10000U) {
    cap_certain(engine);
  }
}

}  // namespace

void Findings::reset() {
  touched.clear();
  certain.clear();
  completed.clear();
  kept.clear();
  others.clear();
  more_by_rule.clear();
  asks = nullptr;
  next_id = 1;
  repeated = 0;
  root_broken = false;
  limit_reached = false;
  context_missing = false;
  any_error = false;
  any_block = false;
  any_warning = false;
}

std::uint32_t new_found(Engine& engine, Found::What what) {
  const std::uint32_t i = engine.found.take([&](Found& f) {
    if (what != Found::What::finding && f.what == what) {
      // The lines of rules recur with every artifact. They are overwritten in place, which keeps their memory.
      f.begin_line();
    } else {
      f = Found();
    }
  });
  engine.found[i].what = what;
  return i;
}

void release(Engine& engine, std::uint32_t index) {
  Found& f = engine.found[index];
  PLUMB_REQUIRE(f.refs > 0, "a finding that is released is held");
  if (--f.refs > 0) {
    return;
  }
  std::vector<std::uint32_t> causes = std::move(f.cause_found);
  engine.found.give(index);
  for (std::uint32_t c : causes) {
    release(engine, c);
  }
}

std::uint32_t prepare(Engine& engine, std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub) {
  std::uint32_t index = new_found(engine);
  const Evaluation& e = engine.evaluations[evaluation];
  Found& f = engine.found[index];
  f.refs = 1;
  f.kw = kw;
  f.node = e.node;
  f.evaluation = evaluation;
  f.depth = e.depth;
  f.about_key = engine.token.is_name && e.depth == engine.frames.size();
  f.finding.rule = std::string(kw_name(kw));
  f.finding.severity = e.node->severity;
  f.finding.schema_location = e.node->location;
  if (kw != Kw::none) {
    f.finding.schema_location += "/" + f.finding.rule;
  }
  f.walk = walk_of(engine, evaluation);
  f.walk_of_node = static_cast<std::uint32_t>(f.walk.size());
  f.walk.push_back((std::uint64_t{position} << 40U) | (sub & 0xFFFFFFFFFFU));
  f.stops = e.node->extra && e.node->extra->stop_at.test(kw);
  if (e.site != none32) {
    const Found& site = engine.found[e.site];
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
    f.finding.at = pointer_of(engine, e.depth);
  }
  return index;
}

std::uint32_t make_site(Engine& engine, std::uint32_t evaluation) {
  std::uint32_t index = prepare(engine, evaluation, Kw::none, 0, 0);
  engine.findings.touched.push_back(index);
  describe(engine, engine.found[index]);
  return index;
}

void report(Engine& engine, std::uint32_t index, std::uint64_t decided, bool breaks) {
  Found& f = engine.found[index];
  engine.now = decided;
  f.finding.decided_at = decided;
  std::uint32_t evaluation = f.evaluation;
  if (!spend(engine, report_steps + (f.members != nullptr ? f.members->members.size() * member_steps : 0))) {
    engine.evaluations[evaluation].undecided = true;  // the part that was not looked at may have changed the result
    release(engine, index);
    return;
  }
  engine.findings.touched.push_back(index);
  if (f.placed || f.finding.span.to != 0) {
    if (f.finding.span.to != 0 && !f.whole_place && f.finding.span.from < engine.stream.chunk_start) {
      set_start(f, f.placed ? engine.spots.last_place : engine.spots.cut_place.place);
    }
    complete(engine, index);
  } else if (f.depth < engine.frames.size()) {
    Frame& frame = engine.frames[f.depth];
    f.open = true;
    f.finding.span.from = frame.from;
    if (frame.placed) {
      set_start(f, frame.place);
    }
    f.next_open = frame.open_found;
    frame.open_found = index;
    ++f.refs;
  } else {
    f.finding.span.from = engine.token.from;
    if (engine.token.from < engine.stream.chunk_start) {
      set_start(f, engine.spots.cut_place.place);
    }
    f.open = true;
    f.next_open = engine.token.open_found;
    engine.token.open_found = index;
    ++f.refs;
  }
  add(engine, engine.evaluations[evaluation].sink, index);
  bool is_error = engine.found[index].finding.severity == Severity::error;
  release(engine, index);
  if (breaks && is_error) {
    break_evaluation(engine, evaluation);
  }
}

void add(Engine& engine, std::uint32_t sink, std::uint32_t index) {
  for (;;) {
    if (sink == 0) {
      commit(engine, index);
      return;
    }
    Branch& branch = engine.branches[sink];
    if (!branch.fan.empty()) {
      std::vector<std::uint32_t> fan = branch.fan;
      for (std::uint32_t s : fan) {
        add(engine, s, index);
      }
      return;
    }
    if (branch.state == BranchState::promoted) {
      sink = branch.parent_sink;
      continue;
    }
    if (branch.state == BranchState::held) {
      if (branch.found.size() < engine.options.limits.held_max) {
        branch.found.push_back(index);
        ++engine.found[index].refs;
      } else {
        ++branch.more;
      }
    }
    return;
  }
}

void undecided(Engine& engine, std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub,
               std::string reason, std::string wants_context, bool lacks_target) {
  const Evaluation& e = engine.evaluations[evaluation];
  std::uint32_t index = new_found(engine, Found::What::undecided);
  Found& f = engine.found[index];
  f.refs = 1;
  f.not_decided.rule = std::string(kw_name(kw));
  f.not_decided.at = e.site != none32 ? engine.found[e.site].finding.at : pointer_of(engine, e.depth);
  f.not_decided.schema_location = e.node->location + "/" + std::string(kw_name(kw));
  f.not_decided.wants_context = std::move(wants_context);
  f.not_decided.reason = std::move(reason);
  f.lacks_target = lacks_target;
  f.walk = walk_of(engine, evaluation);
  f.walk.push_back((std::uint64_t{position} << 40U) | sub);
  if (e.node->severity == Severity::error) {
    engine.evaluations[evaluation].undecided = true;
  }
  add(engine, e.sink, index);
  release(engine, index);
}

void text_found(Engine& engine, Kw kw, std::string message, std::uint64_t from, std::uint64_t to,
                std::uint64_t decided) {
  std::uint32_t index = new_found(engine);
  Found& f = engine.found[index];
  f.refs = 1;
  f.kw = kw;
  f.finding.rule = std::string(kw_name(kw));
  f.finding.severity = Severity::error;
  // The place of a fault of the text itself is the container; that of a key's fault is the member.
  std::uint32_t at = kw == Kw::syntax && depth(engine) > 0 ? depth(engine) - 1 : depth(engine);
  f.finding.at = pointer_of(engine, at);
  f.finding.item = nearest_label(engine, at, nullptr);
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
      kw == Kw::duplicate_key ? json::excerpt(quoted(key_of(engine, engine.frames.back())), shown_max) : std::string();
  if (f.finding.provided.empty()) {
    f.kind = Kind::number;  // there is no value to show
  }
  if (from < engine.stream.chunk_start) {
    set_start(f, engine.spots.cut_place.place);
  }
  // In the walk it comes before everything that the contract says of this place, in the order of the text.
  if (!engine.place.empty()) {
    f.walk = walk_of(engine, engine.place.back());
  }
  f.walk.push_back(from);
  engine.findings.touched.push_back(index);
  commit(engine, index);
  release(engine, index);
}

void limit_found(Engine& engine, std::string message, std::string where, std::uint64_t at, std::uint64_t decided,
                 std::string requirement) {
  if (engine.findings.limit_reached) {
    return;  // only one is reported
  }
  engine.findings.limit_reached = true;
  std::uint32_t index = new_found(engine);
  Found& f = engine.found[index];
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
  if (at < engine.stream.chunk_start) {
    set_start(f, engine.spots.cut_place.place);
  }
  if (!engine.place.empty()) {
    f.walk = walk_of(engine, engine.place.back());
  }
  f.walk.push_back(at);
  engine.findings.touched.push_back(index);
  commit(engine, index);
  release(engine, index);
}

}  // namespace plumb::contract
