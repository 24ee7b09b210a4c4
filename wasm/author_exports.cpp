// plumb-author.wasm: what is about writing and showing contracts and verdicts and not about checking, behind the C ABI
// of wasm/abi.hpp. wasm/package/src/author.ts loads it when it is wanted.
//
// Every call is a function of its request, a JSON object in the buffer, and answers with a text; nothing is kept
// between calls. To add one: write `Result<std::string> NAME(const Value& request)` and export it with one line below,
// add plumb_NAME to AuthorExports in wasm/package/src/author.ts and a method there that calls it. A request that holds
// a contract holds it as {contract: text, name?, uri?, dialect?, assertFormats?, documents?}: read_contract() in
// wasm/read_contract.hpp reads it.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/explain.hpp"
#include "core/contract/render.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/result.hpp"
#include "wasm/abi.hpp"
#include "wasm/read_json.hpp"
#include "wasm/read_verdict.hpp"

namespace {

using plumb::Result;
using plumb::json::Value;
using plumb::json::Writer;
using namespace plumb::wasm;

// {version}, for the loader, which starts no module of another version.
Result<std::string> about(const Value&) {
  std::string out;
  Writer(out).begin_object().member("version", PLUMB_VERSION).end_object();
  return out;
}

// What every rule means: an array of {rule, kind, meaning, decides?, fix?, contract?, artifact?, breaks?}.
Result<std::string> explain(const Value&) {
  std::string out;
  Writer json(out);
  json.begin_array();
  for (const plumb::contract::Explanation& one : plumb::contract::explanations()) {
    json.begin_object().member("rule", one.rule).member("kind", plumb::contract::kind_title(one.kind));
    json.member("meaning", one.meaning);
    if (!one.decides.empty()) {
      json.member("decides", one.decides);
    }
    if (!one.fix.empty()) {
      json.member("fix", one.fix);
    }
    if (!one.contract.empty()) {
      json.member("contract", one.contract).member("artifact", one.artifact).member_boolean("breaks", one.breaks);
    }
    json.end_object();
  }
  json.end_array();
  return out;
}

// Verdicts for people and for other tools: {format, color?, ascii?, verdicts: [verdict with `file`]}. Formats that are
// of one verdict are written one after the other.
Result<std::string> render(const Value& request) {
  const std::string_view format = view_text(request, "format");
  const plumb::contract::TextStyle style{read_flag(request, "color"), read_flag(request, "ascii")};
  std::vector<plumb::contract::FileVerdict> all;
  for (const Value& one : read_items(request, "verdicts")) {
    all.push_back({read_text(one, "file"), read_verdict(one)});
  }
  if (format == "sarif") {
    return plumb::contract::render_sarif(all);
  }
  if (format == "junit") {
    return plumb::contract::render_junit(all);
  }
  std::string out;
  for (const plumb::contract::FileVerdict& one : all) {
    if (format == "text") {
      out += plumb::contract::render_text(one, style);
    } else if (format == "github") {
      out += plumb::contract::render_github(one);
    } else {
      return plumb::Error{plumb::ErrorCode::invalid_argument, "no such format; there are text, sarif, junit and github",
                          "", 0, 0};
    }
  }
  return out;
}

}  // namespace

PLUMB_EXPORT(plumb_about)(std::uint32_t size)->std::uint32_t { return answer(size, about); }
PLUMB_EXPORT(plumb_explain)(std::uint32_t size)->std::uint32_t { return answer(size, explain); }
PLUMB_EXPORT(plumb_render)(std::uint32_t size)->std::uint32_t { return answer(size, render); }
