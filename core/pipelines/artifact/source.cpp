#include "core/pipelines/artifact/source.hpp"

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/text/fold.hpp"
#include "core/text/tokens.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Kind;
using json::number_of;
using json::text_of;
using json::Value;

// Of the token budget, what the source may take: of a plan, which reads all of it once; and of each later prompt.
constexpr std::uint64_t plan_share = 4;
constexpr std::uint64_t later_share = 8;
constexpr std::uint64_t first_way_share = 12;
constexpr std::uint64_t source_tokens_min = 500;
constexpr std::uint64_t passage_tokens_more = 30;  // its fence
constexpr std::size_t parts_max = 64;
constexpr std::size_t merged_max = 1'000;

std::span<const Value> chunks_of(const Job& job) {
  return job.chunks == nullptr ? std::span<const Value>() : job.chunks->array();
}

std::string_view chunk_text(const Value& chunk) {
  return chunk.is(Kind::string) ? chunk.str() : text_of(chunk, "text");
}

std::uint64_t tokens_of(const Value& chunk) {
  return text::estimate_tokens(chunk_text(chunk)).safe + passage_tokens_more;
}

// Half of the window is for the instructions, the artifact and the answer.
std::uint64_t room_in_window(const Job& job, Phase phase, std::uint64_t room) {
  const std::uint64_t window = job.windows[static_cast<std::size_t>(phase)];
  return window == 0 ? room : std::min(room, std::max(window / 2, source_tokens_min));
}

std::uint64_t room_of(const Job& job, Phase phase) {
  const std::uint64_t share = job.way < 2 ? first_way_share : phase == Phase::plan ? plan_share : later_share;
  const std::uint64_t budget = job.shown_budget > 0 ? job.shown_budget : job.token_budget;
  const std::uint64_t room = std::max(budget / share, source_tokens_min);
  return job.way < 2 ? room : room_in_window(job, phase, room);
}

// Numbers of the passages that a plan points to.
void planned_chunks(const Value& value, std::vector<std::uint64_t>& out) {
  if (const Value* chunk = value.find("chunk"); chunk != nullptr) {
    if (std::uint64_t number = 0; json::read_uint(chunk->str(), number)) {
      out.push_back(number);
    }
  }
  for (const Value& item : value.array()) {
    planned_chunks(item, out);
  }
  for (const json::Member& member : value.object()) {
    planned_chunks(member.value, out);
  }
}

std::string fenced_chunk(const Value& chunk, std::size_t index) {
  return fenced("chunk-" + json::uint_text(number_of(chunk, "chunk", index)), chunk_text(chunk));
}

// The heading that a passage stands under, or its first words.
std::string title_of(const Value& chunk) {
  if (const Value* headings = chunk.find("headings"); headings != nullptr && !headings->array().empty()) {
    return json::excerpt(headings->array().back().str(), 80);
  }
  return json::excerpt(chunk_text(chunk), 40);
}

std::string folded_name(const Value& entry) {
  std::string_view name = entry.is(Kind::string) ? entry.str() : std::string_view();
  for (const json::Member& member : entry.object()) {
    name = name.empty() && member.value.is(Kind::string) ? member.value.str() : name;
  }
  return text::fold(name, {.trim = true, .lowercase = true});
}

}  // namespace

Shown shown_source(const Job& job, Phase phase, const Value& plan) {
  const std::uint64_t room = room_of(job, phase);
  const std::span<const Value> chunks = chunks_of(job);
  std::vector<std::uint64_t> wanted;
  planned_chunks(plan, wanted);
  // Those of the plan go in first, then the others from the beginning; they are shown in their order.
  const auto is_planned = [&](std::size_t i) {
    return std::find(wanted.begin(), wanted.end(), number_of(chunks[i], "chunk", i)) != wanted.end();
  };
  std::vector<std::size_t> order;
  for (const bool planned : {true, false}) {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (is_planned(i) == planned) {
        order.push_back(i);
      }
    }
  }
  std::vector<bool> shown(chunks.size());
  std::uint64_t used = 0;
  for (const std::size_t i : order) {
    const std::uint64_t tokens = tokens_of(chunks[i]);
    if (used > 0 && used + tokens > room) {
      break;
    }
    used += tokens;
    shown[i] = true;
  }
  Shown out;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (shown[i]) {
      out.text += (out.text.empty() ? "" : "\n") + fenced_chunk(chunks[i], i);
      continue;
    }
    ++out.hidden;
    if (is_planned(i)) {
      out.left_out.push_back(i);
    }
  }
  if (out.hidden > 0) {
    out.text += "\n(" + json::uint_text(out.hidden) + " more passages are not shown.)";
  }
  return out;
}

SourceSplit reading_of(const Job& job, const Prompt& plan_prompt) {
  SourceSplit out;
  const std::span<const Value> chunks = chunks_of(job);
  const std::uint64_t whole = std::max(job.token_budget / plan_share, source_tokens_min);
  const std::uint64_t room = room_of(job, Phase::plan);
  const bool reads_all = job.free[static_cast<std::size_t>(Phase::plan)];
  // Plans become one where what they list is a list at the top.
  const Result<std::vector<std::string>> way = json::parse_pointer(plan_prompt.planned.at);
  const std::size_t most = way && way.value().size() == 2 ? parts_max : 1;
  std::uint64_t in_all = 0;
  std::uint64_t in_part = 0;
  std::uint64_t source = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::uint64_t tokens = tokens_of(chunks[i]);
    source += tokens;
    if (!out.left_out.empty() || (!reads_all && in_all > 0 && in_all + tokens > whole)) {
      out.left_out.push_back(i);
      continue;
    }
    const bool begins = out.parts.empty() || (!reads_all && in_part > 0 && in_part + tokens > room);
    if (begins && out.parts.size() == most) {
      out.left_out.push_back(i);
      continue;
    }
    if (begins) {
      out.parts.emplace_back();
      in_part = 0;
    }
    out.parts.back().push_back(i);
    in_part += tokens;
    in_all += tokens;
  }
  out.budget_wanted = out.left_out.empty() ? 0 : (source * plan_share + 999) / 1'000 * 1'000;
  return out;
}

std::string part_text(const Job& job, const std::vector<std::size_t>& part) {
  const std::span<const Value> chunks = chunks_of(job);
  std::string out;
  for (const std::size_t i : part) {
    out += (out.empty() ? "" : "\n") + fenced_chunk(chunks[i], i);
  }
  if (part.size() < chunks.size()) {
    out += "\n(" + json::uint_text(chunks.size() - part.size()) + " more passages are not shown.)";
  }
  return out;
}

std::string merged_plan(const std::vector<run::Data>& plans, const Prompt& plan_prompt, std::uint64_t most) {
  const Result<std::vector<std::string>> way = json::parse_pointer(plan_prompt.planned.at);
  const std::uint64_t limit = most == 0 ? merged_max : std::min<std::uint64_t>(most, merged_max);
  std::vector<const Value*> taken;
  std::vector<std::string> names;
  std::vector<std::vector<const Value*>> lists;
  std::size_t longest = 0;
  for (const run::Data& plan : plans) {
    lists.emplace_back();
    for (const std::string& place : plan_prompt.planned.places(plan.value())) {
      lists.back().push_back(json::resolve(plan.value(), place));
    }
    longest = std::max(longest, lists.back().size());
  }
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (const std::vector<const Value*>& list : lists) {
      if (turn >= list.size() || taken.size() >= limit) {
        continue;
      }
      std::string name = folded_name(*list[turn]);
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
        taken.push_back(list[turn]);
      }
    }
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  const std::string list_name = way && way.value().size() == 2 ? way.value().front() : std::string();
  for (const json::Member& member : plans.front().value().object()) {
    json.key(member.key);
    if (member.key != list_name) {
      json.value(member.value);
      continue;
    }
    json.begin_array();
    for (const Value* entry : taken) {
      json.value(*entry);
    }
    json.end_array();
  }
  json.end_object();
  return out;
}

std::span<const json::Field> LeftOut::fields() {
  static constexpr json::Field table[] = {json::field<&LeftOut::from>("from"), json::field<&LeftOut::to>("to"),
                                          json::field<&LeftOut::headings>("headings")};
  return table;
}

std::span<const json::Field> SourceNote::fields() {
  static constexpr json::Field table[] = {
      json::field<&SourceNote::passages>("passages"), json::field<&SourceNote::read>("read"),
      json::field<&SourceNote::parts>("parts"), json::field<&SourceNote::left_out>("left_out"),
      json::field_if_set<&SourceNote::budget_wanted>("budget_wanted")};
  return table;
}

SourceNote reading_note(const Job& job, const SourceSplit& reading) {
  const std::span<const Value> chunks = chunks_of(job);
  const auto number = [&](std::size_t i) { return number_of(chunks[i], "chunk", i); };
  SourceNote out;
  out.passages = chunks.size();
  out.read = chunks.size() - reading.left_out.size();
  out.parts = reading.parts.size();
  out.budget_wanted = reading.budget_wanted;
  // What is left out follows each other: what was read is a beginning.
  if (!reading.left_out.empty()) {
    LeftOut left{number(reading.left_out.front()), number(reading.left_out.back()), {}};
    std::string last;
    for (const std::size_t i : reading.left_out) {
      std::string title = title_of(chunks[i]);
      if (title != last && left.headings.size() < 50) {
        left.headings.push_back(title);
      }
      last = std::move(title);
    }
    out.left_out.push_back(std::move(left));
  }
  return out;
}

}  // namespace plumb::pipelines::artifact
