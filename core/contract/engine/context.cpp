#include "core/contract/engine/context.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/measured.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::string_view measured_name = "measured";

// Only if the contract reads it, because measuring a history costs more than most checks.
void measure_context(Engine& engine) {
  const bool wanted = std::any_of(engine.program->context_read.begin(), engine.program->context_read.end(),
                                  [](const std::string& pointer) { return pointer.starts_with("context:/measured"); });
  const json::Value* history = engine.context.value.find("history");
  if (!wanted || history == nullptr || !history->is(Kind::array) ||
      engine.context.value.find(measured_name) != nullptr) {
    return;
  }
  // The member goes before the closing brace. An object that has a history ends with a member.
  const std::size_t brace = engine.context.text.rfind('}');
  std::string added = ",";
  json::append_string(added, measured_name);
  added += ':' + measure_history(*history);
  engine.context.text.insert(brace, added);
  engine.context.arena.clear();
  Result<json::Value> parsed =
      json::parse(engine.context.text, engine.context.arena,
                  {engine.options.limits.depth_max, engine.options.limits.bytes_max + added.size()});
  PLUMB_REQUIRE(static_cast<bool>(parsed), "a context stays JSON when its measures are added");
  engine.context.value = parsed.value();
}

}  // namespace

void read_context(Engine& engine) {
  Context& context = engine.context;
  if (engine.options.context.empty()) {
    return;
  }
  const Limits& limits = engine.options.limits;
  context.text.assign(engine.options.context);
  Result<json::Value> parsed = json::parse(context.text, context.arena, {limits.depth_max, limits.bytes_max});
  if (parsed) {
    context.value = parsed.value();
    context.present = true;
    measure_context(engine);
  } else {
    context.bad = true;
    context.error = parsed.error();
    context.error.message = "the context is not valid JSON: " + context.error.message;
  }
}

void context_schemas(Engine& engine, std::uint32_t index) {
  const Node& node = *engine.evaluations[index].node;
  for (const PointedSchema& pointed : node.extra->pointed) {
    const PointerPattern& pattern = engine.program->pointer_patterns[pointed.pattern];
    if (pattern.base != json::PointerBase::context) {
      continue;
    }
    std::vector<const json::Value*> values;
    if (engine.context.inside || !gather(engine, pointed.pattern, 0, nullptr, values)) {
      undecided(engine, index, pointed.kw, pointed.position, pointed.order, "the context holds nothing there",
                pattern.text());
      continue;
    }
    for (const json::Value* value : values) {
      CheckOptions options = engine.options;
      options.context = engine.context.text;
      Engine sub(engine.program, pointed.node, options);
      sub.context.inside = true;  // by the asker, not by the schema, which may be the contract's root again
      Verdict verdict = sub.check_whole(
          std::string_view(engine.context.text)
              .substr(static_cast<std::size_t>(value->from), static_cast<std::size_t>(value->to - value->from)));
      const Finding* first = nullptr;
      for (const Finding& f : verdict.findings) {
        if (first == nullptr && f.severity == Severity::error) {
          first = &f;
        }
      }
      if (first != nullptr && !verdict.valid) {
        std::uint32_t f = prepare(engine, index, Kw::pointers, pointed.position, pointed.order);
        engine.found[f].finding.requirement = first->requirement;
        engine.found[f].finding.provided = json::excerpt(json::value_text(*value), 200);
        engine.found[f].rule_message = pattern.text() + ": " + first->message;
        report(engine, f, engine.now);
      }
    }
  }
}

}  // namespace plumb::contract
