#include "core/budget/foreign_loops.hpp"

#include <algorithm>
#include <utility>

#include "core/budget/loops.hpp"
#include "core/budget/percent_text.hpp"
#include "core/budget/request.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"

namespace plumb::budget {

namespace {

constexpr std::size_t calls_kept = 20;  // as many as are looked at for loops
constexpr std::size_t readings_kept = 6;
constexpr std::size_t ids_kept = 20;
constexpr std::size_t name_bytes_max = 200;
constexpr std::size_t arguments_bytes_max = 256;  // that are kept as they are
constexpr std::uint64_t iterations_max = 1'000'000'000;

Error wrong(std::string message) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  return error;
}

}  // namespace

struct ForeignLoops::LoopMessage {
  std::string loop_id, task_id, slug, tool, arguments, written_hash;
  std::uint64_t iteration = 0;
  std::optional<std::uint64_t> used, window;
  RiskState risk;
};

ForeignLoops::ForeignLoops(RunSettings settings, LoopBounds bounds) : settings_(std::move(settings)), bounds_(bounds) {}

Result<ForeignLoops::LoopMessage> ForeignLoops::read(std::string_view message) {
  if (message.size() > message_bytes_max) {
    return wrong("has " + json::uint_text(message.size()) + " bytes, and may have " +
                 json::uint_text(message_bytes_max));
  }
  json::Arena arena;
  const Result<json::Value> parsed = json::parse(message, arena);
  if (!parsed) {
    return wrong("is not valid JSON: " + parsed.error().message);
  }
  Request request;
  Fields fields(request, parsed.value(), "");
  LoopMessage said;
  fields.required("loop_id", "the name of the loop");
  fields.required("iteration", "which turn of the loop it is");
  for (const auto& [name, into] : {std::pair{"loop_id", &said.loop_id}, std::pair{"task_id", &said.task_id},
                                   std::pair{"slug", &said.slug}, std::pair{"tool", &said.tool}}) {
    *into = fields.text(name).value_or("");
    if (into->size() > name_bytes_max) {
      request.find("too_long", std::string("/") + name, "at most " + json::uint_text(name_bytes_max) + " bytes");
    }
  }
  said.iteration = fields.whole("iteration", iterations_max, 0);
  said.used = fields.whole("context_tokens_used");
  said.window = fields.whole("window");
  said.risk.retries = fields.whole("retries", iterations_max);
  said.risk.task_files = fields.texts("task_files");
  if (said.risk.task_files.empty()) {
    said.risk.task_files = {"**"};
  }
  if (fields.has("files_written")) {
    said.risk.written = fields.texts("files_written");
    std::string all;
    for (const std::string& one : *said.risk.written) {
      all += one + '\n';
    }
    said.written_hash = json::sha256_hex(all).substr(0, 16);
  }
  if (const json::Value* arguments = fields.take("arguments")) {
    said.arguments = json::value_text(*arguments);
    if (said.arguments.size() > arguments_bytes_max) {
      said.arguments = '"' + json::sha256_hex(said.arguments) + '"';
    }
  }
  if (request.valid() && said.loop_id.empty()) {
    request.find("empty", "/loop_id", "must not be empty");
  }
  if (!request.valid()) {
    const Finding& first = request.findings.front();
    return wrong((first.at.empty() ? "" : first.at + ": ") + first.message);
  }
  return said;
}

void ForeignLoops::forget_eldest() {
  by_id_.erase(loops_.begin()->second.id);
  loops_.erase(loops_.begin());
}

ForeignLoops::Loop& ForeignLoops::loop_of(const std::string& id, std::uint64_t now_ms) {
  const std::uint64_t turn = ++turns_;
  const auto found = by_id_.find(id);
  if (found != by_id_.end()) {
    auto node = loops_.extract(found->second);
    node.key() = found->second = turn;
    loops_.insert(std::move(node));
  } else {
    while (!loops_.empty() && loops_.size() >= bounds_.loops_max) {
      forget_eldest();
      ++counts_.forgotten_full;
    }
    loops_[turn].id = id;
    by_id_.emplace(id, turn);
  }
  Loop& loop = loops_[turn];
  loop.heard_ms = now_ms;
  return loop;
}

Result<LoopSignal> ForeignLoops::hear(std::string_view message, std::string_view id, std::uint64_t now_ms) {
  ++counts_.heard;
  forget_silent(now_ms);
  const Result<LoopMessage> read_message = read(message);
  if (!read_message) {
    ++counts_.malformed;
    return read_message.error();
  }
  const LoopMessage& said = read_message.value();
  Loop& loop = loop_of(said.loop_id, now_ms);
  if (!id.empty()) {
    if (std::find(loop.ids.begin(), loop.ids.end(), id) != loop.ids.end()) {
      ++counts_.repeated;
      LoopSignal same = loop.last;
      same.fresh = false;
      return same;
    }
    loop.ids.emplace_back(id.substr(0, name_bytes_max));
    if (loop.ids.size() > ids_kept) {
      loop.ids.pop_front();
    }
  }
  judge(loop, said);
  return loop.last;
}

void ForeignLoops::judge(Loop& loop, const LoopMessage& said) const {
  ++loop.messages;
  if (said.used) {
    loop.readings.push_back({std::nullopt, said.used});
    loop.readings.erase(loop.readings.begin(),
                        loop.readings.end() - std::ptrdiff_t(std::min(readings_kept, loop.readings.size())));
  }
  if (!said.tool.empty()) {
    const bool changes = !said.written_hash.empty() && !loop.written.empty() && said.written_hash != loop.written;
    loop.calls.push_back({said.tool, said.arguments.empty() ? "null" : said.arguments, changes});
    loop.calls.erase(loop.calls.begin(), loop.calls.end() - std::ptrdiff_t(std::min(calls_kept, loop.calls.size())));
  }
  loop.written = said.written_hash.empty() ? loop.written : said.written_hash;

  RiskState state = said.risk;
  json::Arena arena;
  std::vector<json::Value> arguments;
  arguments.reserve(loop.calls.size());
  std::vector<budget::Call> calls;
  for (const Call& one : loop.calls) {
    const Result<json::Value> value = json::parse(one.arguments, arena);
    arguments.push_back(value ? value.value() : json::Value{});
    calls.push_back({one.tool, &arguments.back(), nullptr, one.changes});
  }
  state.loop_calls = 0;
  std::string circle;
  for (const budget::Loop& one : find_loops(calls)) {
    if (one.calls.size() > *state.loop_calls) {
      state.loop_calls = one.calls.size();
      circle = one.explanation;
    }
  }
  const std::optional<Tokens> window = said.window.value_or(0) > 0 ? said.window : std::nullopt;
  const Monitored now = monitor(loop.readings, window, settings_.thresholds);
  if (window && said.used) {
    state.utilization = (now.context_tokens_used * share_whole + *window - 1) / *window;
  }
  const Risks risks = judge_risk(state, settings_.policy);

  LoopSignal& out = loop.last;
  out.loop_id = loop.id;
  out.response = std::max(said.used ? now.pressure.response : Response::observe, risks.response);
  out.reason.clear();
  std::string called_for(response_name(out.response));
  std::string signals;
  json::Writer list(signals);
  list.begin_array();
  for (const Risk& risk : risks.signals) {
    if (!risk.known || risk.response == Response::observe) {
      continue;
    }
    const std::string& words = risk.signal == Signal::loop && !circle.empty() ? circle : risk.explanation;
    out.reason += (out.reason.empty() ? "" : "; ") + words;
    called_for += " " + std::string(signal_name(risk.signal)) + "=" + std::string(response_name(risk.response));
    list.begin_object().member("signal", signal_name(risk.signal)).member("response", response_name(risk.response));
    list.member("explanation", words).end_object();
  }
  list.end_array();
  if (out.reason.empty() && out.response > Response::observe) {
    out.reason =
        percent_text(now.pressure.utilization) + " % of the window: " + std::string(color_action(now.pressure.color));
  }
  out.fresh = called_for != loop.called_for && out.response > Response::observe;
  loop.called_for = called_for;

  out.json.clear();
  json::Writer json(out.json);
  json.begin_object().member("loop_id", loop.id).member("task_id", said.task_id);
  if (!said.slug.empty()) {
    json.member("slug", said.slug);
  }
  json.member_uint("iteration", said.iteration).member("response", response_name(out.response));
  json.member("reason", out.reason).key("signals").raw(signals);
  if (said.risk.retries) {
    json.member_uint("retries", *said.risk.retries);
  }
  if (said.used) {
    json.member_uint("context_tokens_used", now.context_tokens_used);
  }
  if (window && said.used) {
    json.member_uint("window", *window).key("context_utilization").raw(percent_text(now.pressure.utilization));
    json.member("color", color_name(now.pressure.color));
  }
  json.end_object();
}

void ForeignLoops::forget_silent(std::uint64_t now_ms) {
  while (!loops_.empty() && loops_.begin()->second.heard_ms + bounds_.silent_ms < now_ms) {
    forget_eldest();
    ++counts_.forgotten_silent;
  }
}

std::string ForeignLoops::json(std::size_t loops_max, Response at_least, std::uint64_t now_ms) const {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("loops").begin_array();
  std::size_t written = 0;
  std::uint64_t more = 0;
  for (auto at = loops_.rbegin(); at != loops_.rend(); ++at) {
    const Loop& loop = at->second;
    if (loop.last.response < at_least) {
      continue;
    }
    if (written == loops_max) {
      ++more;
      continue;
    }
    ++written;
    json.begin_object().member_uint("silent_ms", now_ms - std::min(now_ms, loop.heard_ms));
    json.member_uint("messages", loop.messages).key("last").raw(loop.last.json).end_object();
  }
  json.end_array().member_uint("more", more).end_object();
  return out;
}

}  // namespace plumb::budget
