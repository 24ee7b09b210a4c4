#include "core/run/effect.hpp"

#include <array>

#include "core/require.hpp"

namespace plumb::run {

namespace {

constexpr std::array<EffectType, 7> types = {{
    {EffectKind::model, "model", "call a language model", Lost::again_once,
     R"({"type":"object","required":["phase","messages"],"properties":{"phase":{"type":"string"},)"
     R"("messages":{"type":"array","minItems":1,"items":{"type":"object","required":["role","content"],)"
     R"("properties":{"role":{"enum":["system","user","assistant","tool"]}}}},"contract":{)"
     R"("type":"string"},"early_stop":{"enum":["none","degenerate","finding"]},"temperature":{)"
     R"("type":"number"},"output_tokens_max":{"type":"integer","minimum":1}}})",
     R"({"type":"object","required":["text"],"properties":{"text":{"type":"string"},"finish":{)"
     R"("type":"string"},"model":{"type":"string"},"usage":{"type":"object"},"stopped":{)"
     R"("type":"object"}}})"},
    {EffectKind::search, "search", "search a corpus or the web", Lost::again_once,
     R"({"type":"object","required":["query"],"properties":{"query":{"type":"string","notBlank":true},)"
     R"("providers":{"type":"array","items":{"type":"string"}},"limit":{"type":"integer","minimum":1,"maximum":50}}})",
     R"({"type":"object","required":["status","results"],"properties":{"status":{"enum":["success",)"
     R"("no_results","insufficient_specificity","rate_limited","error"]},"query":{"type":"string"},)"
     R"("provider":{"type":"string"},"results":{"type":"array","maxItems":50,"items":{"type":"object",)"
     R"("required":["title","uri","passage"],"properties":{"title":{"type":"string"},"uri":{"type":"string",)"
     R"("notBlank":true},"file":{"type":"string"},"line":{"type":"integer","minimum":0},"line_to":{)"
     R"("type":"integer","minimum":0},"heading":{"type":"string"},"passage":{"type":"string"},"score":{)"
     R"("type":"number"}}}},"insufficient_specificity":{"type":"object","required":["readings","separator"]},)"
     R"("retry_after_ms":{"type":"integer","minimum":0},"error":{"type":"string"}}})"},
    {EffectKind::read, "read", "read a file or a tree under a declared root", Lost::again,
     R"({"type":"object","required":["root","path"],"properties":{"root":{"type":"string"},"path":{)"
     R"("type":"string"},"tree":{"type":"boolean"},"leave_out":{"type":"array","items":{"type":"string"}},)"
     R"("within":{"type":"array","items":{"type":"string"}},"front_matter":{"type":"boolean"}}})",
     R"({"type":"object"})"},
    {EffectKind::fetch, "fetch", "fetch a resource over HTTP", Lost::again_once,
     R"({"type":"object","required":["url"],"properties":{"url":{"type":"string"}}})", R"({"type":"object"})"},
    {EffectKind::command, "command", "run a command", Lost::never,
     R"({"type":"object","required":["argv"],"properties":{"argv":{"type":"array","minItems":1,)"
     R"("items":{"type":"string"}}}})",
     R"({"type":"object","required":["exit_code"],"properties":{"exit_code":{"type":"integer"}}})"},
    {EffectKind::person, "person", "ask a person", Lost::again,
     R"({"type":"object","required":["question"],"properties":{"question":{"type":"string"}}})",
     R"({"type":"object","required":["decision"]})"},
    {EffectKind::claim, "claim", "take a name that only one run may hold", Lost::again,
     R"({"type":"object","required":["name"],"properties":{"name":{"type":"string"}}})",
     R"({"type":"object","required":["granted"],"properties":{"granted":{"type":"boolean"}}})"},
}};

constexpr std::array<std::string_view, 5> statuses = {"ok", "failed", "timed_out", "cancelled", "interrupted"};

}  // namespace

std::span<const EffectType> effect_types() { return types; }

const EffectType& effect_type(EffectKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  PLUMB_REQUIRE(index < types.size() && types[index].kind == kind,
                "the table of effects is in the order of their kinds");
  return types[index];
}

const EffectType* effect_type(std::string_view name) {
  for (const EffectType& type : types) {
    if (type.name == name) {
      return &type;
    }
  }
  return nullptr;
}

std::string_view status_name(Status status) { return statuses[static_cast<std::size_t>(status)]; }

bool status_of(std::string_view name, Status& status) {
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i] == name) {
      status = static_cast<Status>(i);
      return true;
    }
  }
  return false;
}

}  // namespace plumb::run
