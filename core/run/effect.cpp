#include "core/run/effect.hpp"

#include <array>

#include "core/require.hpp"

namespace plumb::run {

namespace {

constexpr std::array<EffectType, effect_kinds> types = {{
    {EffectKind::model, "model", "call a language model", Lost::again_once,
     R"({"type":"object","required":["phase","messages"],"properties":{"phase":{"type":"string"},)"
     R"("messages":{"type":"array","minItems":1,"items":{"type":"object","required":["role","content"],)"
     R"("properties":{"role":{"enum":["system","user","assistant","tool"]}}}},)"
     R"("provider":{"type":"string"},"contract":{"type":"string"},)"
     R"("early_stop":{"enum":["none","degenerate","finding"]},)"
     R"("temperature":{"type":"number"},"output_tokens_max":{"type":"integer","minimum":1}}})",
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
    // The request names a command. The host looks up in its own configuration what to run for it.
    {EffectKind::command, "command", "run a command", Lost::never,
     R"({"type":"object","required":["command"],"properties":{"command":{"type":"string","notBlank":true},)"
     R"("tree":{"type":"string"},"dir":{"type":"string"},"input":{"type":"string"},)"
     R"("isolation":{"enum":["full","partial"]},"time_ms":{"type":"integer","minimum":1}}})",
     R"({"type":"object","required":["end","exit_code","stdout","stderr","duration_ms","isolation"],"properties":{)"
     R"("end":{"enum":["exited","signalled","timed_out","too_much_output","stopped"]},"exit_code":{)"
     R"("type":"integer"},"signal":{"type":"integer"},"stdout":{"type":"string"},"stderr":{"type":"string"},)"
     R"("duration_ms":{"type":"integer","minimum":0},"isolation":{"type":"object","required":["is","parts"]}}})"},
    {EffectKind::person, "person", "ask a person", Lost::again,
     R"({"type":"object","required":["question"],"properties":{"question":{"type":"string"}}})",
     R"({"type":"object","required":["decision"]})"},
    {EffectKind::claim, "claim", "take names that only one may hold", Lost::again,
     R"({"type":"object","anyOf":[{"required":["name"]},{"required":["names"]}],"properties":{"name":{)"
     R"("type":"string"},"names":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"string",)"
     R"("notBlank":true,"maxLength":300}},"for":{"type":"string","maxLength":300},"wait":{"type":"boolean"},)"
     R"("release":{"type":"boolean"}}})",
     R"({"type":"object","required":["granted"],"properties":{"granted":{"type":"boolean"}}})"},
    {EffectKind::worktree, "worktree", "work on a git repository", Lost::again,
     R"({"type":"object","required":["operation","repository"],"properties":{"operation":{"enum":["open","read",)"
     R"("init","change","take","keep","diff","merge","reset","land","close"]},"repository":{"type":"string",)"
     R"("notBlank":true},)"
     R"("tree":{"type":"string"}}})",
     R"({"type":"object"})"},
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
