#include "core/contract/keywords/format.hpp"

#include <optional>
#include <string>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

void judge_format(Engine& engine, std::uint32_t index, const StringPart& s) {
  if (format_accepts(s, engine.token.text)) {
    return;
  }
  const std::uint32_t f = prepare(engine, index, Kw::format, s.format_at, 0);
  engine.found[f].finding.requirement = "text in the format " + std::string(text::format_name(*s.format));
  engine.found[f].limit = std::string(text::format_name(*s.format));
  report(engine, f, engine.now);
}

namespace {

void compile_format(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  if (!value.is(json::Kind::string)) {
    compiler.fail(at, "format must be a format's name in a string");
    return;
  }
  if (!compiler.asserts_formats(at)) {
    return;
  }
  const std::optional<text::Format> format = text::format_named(value.str());
  if (!format) {
    compiler.warn(at, "unknown format '" + std::string(value.str()) + "' asserts nothing");
    return;
  }
  compiler.string(at.node).format = format;
  compiler.string(at.node).format_at = at.position;
}

}  // namespace

const Keyword format_keyword = {.vocabulary = Vocabulary::format, .compile = compile_format};

}  // namespace plumb::contract
