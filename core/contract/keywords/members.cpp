#include "core/contract/keywords/members.hpp"

#include <memory>
#include <string>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/equality.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/utf8.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

template <Kw kw>
void compile_members(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  auto part = std::make_unique<ScalarPart>();
  part->position = at.position;
  part->is_const = kw == Kw::const_;
  const auto add = [&](const json::Value& member) {
    part->members.push_back({member, json::value_text(member)});
    if (member.is(Kind::string)) {
      part->strings.push_back(static_cast<std::uint32_t>(part->members.size() - 1));
    }
  };
  if (part->is_const) {
    add(value);
  } else {
    if (!value.is(Kind::array)) {
      compiler.fail(at, "enum must be a list of values");
      return;
    }
    for (const json::Value& member : value.array()) {
      add(member);
    }
  }
  stable_sort(part->strings, [&](std::uint32_t a, std::uint32_t b) {
    return part->members[a].value.str() < part->members[b].value.str();
  });
  part->only_strings = part->strings.size() == part->members.size();
  for (const Value& member : part->members) {
    part->has_containers = part->has_containers || member.value.is(Kind::array) || member.value.is(Kind::object);
  }
  if (at.node.scalar) {  // both enum and const: the second one is an in-place schema of its own
    at.node.more_scalars.push_back(std::move(part));
  } else {
    at.node.scalar = std::move(part);
  }
}

// Both enum and const may be there.
template <class Visit>
void each_part(const Node& node, const Visit& visit) {
  if (!node.scalar) {
    return;
  }
  visit(*node.scalar);
  for (const auto& more : node.more_scalars) {
    visit(*more);
  }
}

bool token_equals(const Engine& engine, const json::Value& value) {
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

// The members that agree so far are sorted: the one that ends here comes first.
void end_runs(Engine& engine, std::uint32_t index) {
  for (EnumRun& run : engine.strings.enum_runs) {
    if (run.evaluation != index || run.dead) {
      continue;
    }
    run.dead = true;
    if (run.low == run.high || run.part->members[run.part->strings[run.low]].value.str().size() != run.size) {
      report_members(engine, index, *run.part, engine.now);
    }
  }
}

}  // namespace

void begin_members(Engine& engine, std::uint32_t index) {
  each_part(*engine.evaluations[index].node, [&](const ScalarPart& part) {
    EnumRun run;
    run.evaluation = index;
    run.part = &part;
    run.high = static_cast<std::uint32_t>(part.strings.size());
    engine.strings.enum_runs.push_back(run);
  });
}

void begin_members_done(Engine& engine, std::uint64_t decided) {
  for (const EnumRun& run : engine.strings.enum_runs) {
    if (run.high == 0) {
      report_members(engine, run.evaluation, *run.part, decided);
    }
  }
  for (EnumRun& run : engine.strings.enum_runs) {
    run.dead = run.high == 0;
  }
}

void feed_members(Engine& engine, EnumRun& run, const StringPiece& piece) {
  const std::string_view text = piece.text;
  const auto member = [&](std::uint32_t i) { return run.part->members[run.part->strings[i]].value.str(); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    while (run.low < run.high &&
           (member(run.low).size() <= run.size ||
            static_cast<unsigned char>(member(run.low)[run.size]) < static_cast<unsigned char>(c))) {
      ++run.low;
    }
    std::uint32_t high = run.low;
    while (high < run.high && member(high).size() > run.size && member(high)[run.size] == c) {
      ++high;
    }
    run.high = high;
    ++run.size;
    if (run.low == run.high) {
      // Certain at the end of the character.
      std::size_t stop = i + 1;
      while (stop < text.size() && text::is_continuation(text[stop])) {
        ++stop;
      }
      run.dead = true;
      engine.strings.due.push_back({piece.after(stop), Kw::enum_, run.evaluation, run.part});
      break;
    }
  }
}

void judge_members(Engine& engine, std::uint32_t index) {
  if (engine.token.kind == Kind::string) {
    end_runs(engine, index);
    return;
  }
  each_part(*engine.evaluations[index].node, [&](const ScalarPart& part) {
    for (const Value& member : part.members) {
      if (token_equals(engine, member.value)) {
        return;
      }
    }
    report_members(engine, index, part, engine.now);
  });
}

void judge_members_of(Engine& engine, std::uint32_t index, const json::Value& value) {
  each_part(*engine.evaluations[index].node, [&](const ScalarPart& part) {
    for (const Value& member : part.members) {
      // Where no member is a container the value was not remembered, and is null here.
      if ((member.value.is(Kind::array) || member.value.is(Kind::object)) && json::equal(member.value, value)) {
        return;
      }
    }
    report_members(engine, index, part, engine.now);
  });
}

void report_members(Engine& engine, std::uint32_t index, const ScalarPart& part, std::uint64_t decided) {
  const std::uint32_t f = prepare(engine, index, part.is_const ? Kw::const_ : Kw::enum_, part.position, 0);
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

const Keyword enum_keyword = {.vocabulary = Vocabulary::validation, .compile = compile_members<Kw::enum_>};
const Keyword const_keyword = {
    .vocabulary = Vocabulary::validation, .since = Dialect::draft6, .compile = compile_members<Kw::const_>};

}  // namespace plumb::contract
