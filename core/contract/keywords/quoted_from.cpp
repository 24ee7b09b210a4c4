// quotedFrom: the text occurs, word for word, in one of the texts that `in` names; short ones prove nothing (`min`).
#include <algorithm>
#include <string>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/text/quotes.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

void compile_quoted_from(Compiler& compiler, Compiler::At& at) {
  CrossRule rule;
  rule.kw = Kw::quoted_from;
  if (!read_object(compiler, at, {"in", "min"}) || !read_in(compiler, at, rule)) {
    return;
  }
  if (const json::Value* min = at.member.value.find("min")) {
    json::Decimal d;
    if (!compiler.number(at, *min, at.where, d) ||
        !compiler.form(at, d.is_integer() && d.sign() >= 0 && d.to_uint64(rule.min_points),
                       "given min as a whole number")) {
      return;
    }
  }
  add_rule(compiler, at, std::move(rule));
}

void judge_quoted_from(Engine& engine, Across& call) {
  if (!reads_any_list(engine, call) || !call.own.is(Kind::string)) {
    return;
  }
  gather_values(engine, call);
  if (!spend_compared(engine, call, true)) {
    return;
  }
  const std::uint64_t min = call.rule.min_points;
  bool too_short = false;
  for (const json::Value* v : call.values) {
    if (!v->is(Kind::string)) {
      continue;
    }
    const text::QuoteResult r =
        text::find_quote(call.own.str(), v->str(), std::max<std::size_t>(1, static_cast<std::size_t>(min)));
    if (r.status == text::QuoteStatus::found) {
      return;
    }
    too_short = too_short || r.status == text::QuoteStatus::too_short;
  }
  if (call.lacks_context() && !too_short) {
    without_context(engine, call);
    return;
  }
  const std::uint32_t f = prepare_across(
      engine, call,
      too_short ? "a quote of at least " + std::to_string(min) + " characters" : "words that appear in the source",
      FindingClass::reference);
  engine.found[f].limit = std::to_string(min);
  report(engine, f, engine.now);
}

}  // namespace

const Keyword quoted_from_keyword = {
    .our_form = has_in, .compile = compile_quoted_from, .judge_across = judge_quoted_from, .message = must_be};

}  // namespace plumb::contract
