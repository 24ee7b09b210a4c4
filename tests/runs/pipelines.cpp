#include "tests/runs/pipelines.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/json/number_text.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/run/run.hpp"

namespace plumb::test {
namespace {

using pipelines::Known;
using pipelines::LogLine;
using pipelines::Prepared;
using pipelines::Texts;
using namespace plumb::run;

constexpr std::string_view plan_contract =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","title":"A plan","type":"object",)"
    R"("required":["chapters"],"properties":{"chapters":{"type":"array","minItems":1}}})";

Effect model(std::string phase, std::string prompt, std::uint64_t deadline_ms = 0) {
  Effect effect;
  effect.deadline_ms = deadline_ms;
  effect.request = [phase = std::move(phase), prompt = std::move(prompt)] {
    std::string text;
    json::Writer json(text);
    json.begin_object().member("phase", phase).key("messages").begin_array();
    json.begin_object().member("role", "user").member("content", prompt).end_object().end_array().end_object();
    return Data::written(text);
  };
  return effect;
}

std::string text_of(const Reply& reply) {
  const json::Value* text = reply.value.value().find("text");
  return text == nullptr ? "(" + reply.error + ")" : std::string(text->str());
}

std::uint64_t input_number(const json::Value& object, std::string_view name, std::uint64_t otherwise) {
  const json::Value* value = object.find(name);
  std::uint64_t number = 0;
  return value != nullptr && json::read_uint(value->str(), number) ? number : otherwise;
}

void progress(Run& run, std::uint64_t share, std::string_view phase) {
  std::string text;
  json::Writer(text).begin_object().member("phase", phase).member_uint("progress", share).end_object();
  run.emit("progress", Data::written(text));
}

Result<Data> tale(Run& run) {
  const json::Value& input = run.input().value();
  const std::string title(input.find("title")->str());
  const auto chapters = static_cast<std::size_t>(input_number(input, "chapters", 2));
  progress(run, 0, "plan");
  const Reply& plan = run.ask(model("plan", "Plan a story called " + title, 60'000));
  const bool planned = plan.ok() && run.judge(plan, run.contract("plan")).valid;
  run.emit("planned", Data::written(planned ? "true" : "false"));
  progress(run, 20, "generate");
  const std::vector<Data> written = run.each(
      "write", chapters,
      [&](Run& scope, std::size_t i) {
        const Reply& draft = scope.ask(model("generate", "Write chapter " + std::to_string(i + 1) + " of " + title));
        scope.emit("drafted", Data::written(std::to_string(i + 1)));
        const Reply& better = scope.ask(model("repair", "Better: " + text_of(draft)));
        return Data::string(text_of(better));
      },
      2);
  progress(run, 60, "judge");
  const Reply* first = nullptr;
  const std::size_t chosen = run.ask_any({model("judge", "A short title"), model("judge", "A long title")}, &first);
  run.emit("title", Data::string(std::to_string(chosen) + ": " + text_of(*first)));
  const json::Value* sign = input.find("sign");
  if (sign != nullptr && sign->boolean && !run.cancelled()) {
    const Data signature = run.next_signal("sign");
    run.emit("signed", signature);
  }
  const Data close = run.scope("close", [&](Run& scope) {
    const std::string long_text(20'000, 'z');
    const std::vector<const Reply*> both =
        scope.ask_all({model("judge", "Close " + scope.derived("close")), model("judge", long_text)});
    return Data::string(text_of(*both[0]) + " / " + text_of(*both[1]));
  });
  if (run.cancelled()) {
    return Data::string("cancelled");
  }
  const json::Value* broken = input.find("fail");
  if (broken != nullptr && broken->boolean) {
    return Error{ErrorCode::invalid_argument, "the story is to fail", "/fail", 0, 0};
  }
  progress(run, 100, "done");
  std::string text;
  json::Writer json(text);
  json.begin_object().member("title", title).key("chapters").begin_array();
  for (const Data& one : written) {
    json.raw(one.text());
  }
  json.end_array().key("close").raw(close.text()).end_object();
  return Data::written(text);
}

Result<Data> steps(Run& run) {
  const json::Value& input = run.input().value();
  const std::uint64_t count = input_number(input, "count", 1);
  const std::string filling(static_cast<std::size_t>(input_number(input, "bytes", 2000)), 'x');
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Effect effect;
    effect.request = [i, &filling] { return model("generate", std::to_string(i) + filling).request(); };
    const Reply& reply = run.ask(std::move(effect));
    bytes += text_of(reply).size();
  }
  return Data::written(std::to_string(bytes));
}

Result<Prepared> prepare_tale(const json::Value& request, const Texts& texts) {
  const json::Value* title = request.find("title");
  if (title == nullptr || !title->is(json::Kind::string)) {
    return Error{ErrorCode::invalid_argument, "a story has a title", "/title", 0, 0};
  }
  std::string contract(plan_contract);
  if (texts.contract) {
    Result<std::string> given = texts.contract("plan");
    if (!given) {
      return given.error();
    }
    contract = std::move(given).value();
  }
  const std::string input = json::value_text(request);
  return Prepared{Data::written(input), {{"plan", Data::written(contract)}}, json::sha256_hex(input)};
}

Result<Prepared> prepare_steps(const json::Value& request, const Texts&) {
  const std::string input = json::value_text(request);
  return Prepared{Data::written(input), {}, json::sha256_hex(input)};
}

std::string view(const Journal& journal) {
  std::string progress = "0";
  std::string status = "running";
  for (const Entry& entry : journal.entries()) {
    const json::Value* share = entry.kind == EntryKind::note ? entry.data.value().find("progress") : nullptr;
    if (share != nullptr) {
      progress = std::string(share->str());
    }
    if (entry.kind == EntryKind::end) {
      status = std::string(status_name(entry.status));
    }
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("job_id", journal.begin().data.value().find("run")->str());
  json.member("status", status).key("progress").raw(progress);
  json.member_uint("entries", journal.entries().size()).end_object();
  return out;
}

std::vector<LogLine> log(const Journal& journal, std::uint64_t from) {
  std::vector<LogLine> lines;
  const std::vector<Entry>& entries = journal.entries();
  for (std::size_t i = static_cast<std::size_t>(from); i < entries.size(); ++i) {
    if (entries[i].kind == EntryKind::note) {
      lines.push_back({i, entries[i].at_ms, "\u2192 " + entries[i].name + " " + std::string(entries[i].data.text())});
    } else if (entries[i].kind == EntryKind::end) {
      lines.push_back({i, entries[i].at_ms, "\u2713 " + std::string(status_name(entries[i].status))});
    }
  }
  return lines;
}

const Known table[] = {
    {{"tale", 1, tale}, "Tests: a tale of some chapters.", prepare_tale, view, log},
    {{"steps", 1, steps}, "Tests: one question after the other.", prepare_steps, view, log},
};

}  // namespace

std::span<const Known> run_pipelines() { return table; }

const Known* run_pipeline(std::string_view name) {
  for (const Known& one : table) {
    if (one.pipeline.name == name) {
      return &one;
    }
  }
  return nullptr;
}

Reply scripted_reply(const Want& want) {
  const json::Value& request = want.request.value();
  const json::Value* phase = request.find("phase");
  std::string text = R"({"chapters":["light"]})";
  if (phase == nullptr || phase->str() != "plan") {
    const std::string_view asked = request.find("messages")->array().front().find("content")->str();
    text = "re: " + std::string(asked.substr(0, 40));
  }
  std::string value;
  json::Writer json(value);
  json.begin_object().member("text", text).member("finish", "stop").key("usage").begin_object();
  json.member_uint("input_tokens", 10).member_uint("output_tokens", 5).end_object().end_object();
  Reply reply;
  reply.value = Data::written(value);
  return reply;
}

}  // namespace plumb::test
