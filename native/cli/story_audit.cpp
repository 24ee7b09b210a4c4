// `plumb story audit`: the changes of a story's graph, filtered.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/json/writer.hpp"
#include "core/pipelines/preparation.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/story_parts.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t audit_limit_max = 1'000'000;

void write_mutation(std::string& text, const story::PhaseNote& note, std::uint64_t at_ms, const story::Mutation& m) {
  json::Writer json(text);
  json.begin_object();
  if (at_ms != 0) {
    json.member_uint("at_ms", at_ms);
  }
  json.member("stage", story::name_of(note.stage))
      .member("phase", note.phase)
      .member("operation", story::name_of(m.operation));
  json.member("target", m.target);
  if (m.operation == story::Operation::add_edge || m.operation == story::Operation::remove_edge) {
    json.member("edge", story::name_of(m.edge)).member("to", m.to);
  } else {
    for (const auto& [name, fields] : {std::pair{"delta", &m.delta}, std::pair{"before", &m.before}}) {
      json.key(name).begin_object();
      for (const auto& [field, value] : *fields) {
        std::string one;
        story::append_field(one, value);
        json.key(story::name_of(field)).raw(one);
      }
      json.end_object();
    }
  }
  json.member("rationale", m.rationale).end_object();
  text += "\n";
}

}  // namespace

int run_audit_story(const Arguments& arguments, const ToldStory& told) {
  const story::Made& made = told.made;
  const Result<std::uint64_t> limit = arguments.number("--limit", 50, 1, audit_limit_max);
  if (!limit) {
    return fail(limit.error());
  }
  if (arguments.has("--stage") && !story::stage_named(arguments.text("--stage"))) {
    return fail(Error{ErrorCode::invalid_argument,
                      "'--stage " + arguments.text("--stage") + "': dream, brainstorm, seed, grow or fill", "", 0, 0});
  }
  const auto wanted = [&](std::string_view option, std::string_view value) {
    return !arguments.has(option) || arguments.text(option) == value;
  };
  std::vector<std::string_view> phases, targets;
  for (const story::PhaseNote& note : made.notes) {
    phases.emplace_back(note.phase);
    for (const story::Mutation& m : note.mutations) {
      targets.insert(targets.end(), {m.target, m.to});
    }
  }
  // A phase as `status` names it, or by its own name.
  const std::string phase = arguments.text("--phase"), target = arguments.text("--target");
  const bool staged = std::any_of(made.notes.begin(), made.notes.end(), [&](const story::PhaseNote& note) {
    return std::string(story::name_of(note.stage)) + "/" + note.phase == phase;
  });
  const std::string wanted_phase = staged ? phase.substr(phase.find('/') + 1) : phase;
  for (const auto& [option, word, there] :
       {std::tuple{"--phase", &wanted_phase, &phases}, {"--target", &target, &targets}}) {
    if (arguments.has(option) && std::find(there->begin(), there->end(), *word) == there->end()) {
      return fail(Error{ErrorCode::not_found,
                        "'" + std::string(option) + " " + *word + "': the story has nothing of that name" +
                            pipelines::did_you_mean(*word, *there),
                        "", 0, 0});
    }
  }
  std::string text;
  std::uint64_t count = 0;
  std::map<std::pair<std::string, std::string>, std::uint64_t> sums;
  for (std::size_t i = 0; i < made.notes.size(); ++i) {
    const story::PhaseNote& note = made.notes[i];
    for (const story::Mutation& m : note.mutations) {
      const bool at_target = wanted("--target", m.target) || (!m.to.empty() && wanted("--target", m.to));
      if (!wanted("--stage", story::name_of(note.stage)) || (arguments.has("--phase") && note.phase != wanted_phase) ||
          !wanted("--operation", story::name_of(m.operation)) || !at_target) {
        continue;
      }
      ++sums[{note.phase, std::string(story::name_of(m.operation))}];
      if (++count <= limit.value()) {
        write_mutation(text, note, i < told.at_ms.size() ? told.at_ms[i] : 0, m);
      }
    }
  }
  if (arguments.has("--summary")) {
    text.clear();
    for (const auto& [what, number] : sums) {
      text += what.first + " " + what.second + " " + std::to_string(number) + "\n";
    }
    return out(text + "total " + std::to_string(count) + "\n");
  }
  const int code = out(text);
  if (count > limit.value()) {
    note(std::to_string(count - limit.value()) + " more; --limit shows more of them");
  }
  return code;
}

}  // namespace plumb::cli
