// plumb-check.wasm: the core behind a C ABI of a few functions, for the loader in wasm/package.
//
// Calls and memory. Text goes in through one buffer: plumb_buffer(size) gives its address, which stays valid until the
// next plumb_buffer. Results come out through one frame of 32-bit words at plumb_frame(), written by every call that
// says so below; the bytes it points to stay valid until the next call. Contracts and checks are numbered from 1; 0 is
// "none": the frame then holds an error. A number that is not in use, or a size beyond the buffer, is a bug of the
// loader and traps.
//
// Nothing is imported. A trap (a broken requirement, memory that cannot grow, a stack that overflows) leaves the
// instance unusable; words 8 and 9 then say what was broken, where that is known.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/contract/explain.hpp"
#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/require.hpp"
#include "wasm/read_verdict.hpp"

#ifndef PLUMB_VERSION
#define PLUMB_VERSION "0.0.0"
#endif

#define PLUMB_EXPORT(name) extern "C" __attribute__((export_name(#name))) auto name

namespace {

using plumb::json::Kind;
using plumb::json::Value;
using plumb::json::Writer;

// The words of the frame; wasm/package/src/module.ts reads them by the same numbers.
enum Word : std::size_t {
  word_result = 0,  // address and length of the result
  word_length = 1,
  word_valid = 2,     // of the verdict: 1 or 0
  word_decision = 3,  // Decision as a number
  word_detail = 4,    // Detail bits; 0 when word_valid and word_decision say all, else the result is the JSON
  word_findings = 5,  // findings that became certain in this call
  word_signals = 6,   // signals raised so far
  word_certain = 7,   // plumb_check_end: address and length of the findings that became certain at the end
  word_trap = 8,      // after a trap: address and length of what was broken
  word_trap_length = 9,
  word_certain_length = 10,
  word_count = 11,
};
std::array<std::uint32_t, word_count> frame;

enum Detail : std::uint32_t { detail_json = 1, detail_more = 2, detail_signals = 4 };

// At most this many contracts, and as many checks, live at once: beyond it the caller has forgotten to free them.
constexpr std::size_t slots_max = 65536;
// What the buffers keep between calls.
constexpr std::size_t buffer_kept_max = std::size_t{1} << 20;

struct CheckSlot {
  std::shared_ptr<const plumb::contract::Contract> contract;  // a check may outlive the contract's own number
  plumb::contract::Check check;
};

// Things with a number from 1. Numbers that were freed are used again.
template <class Owner>
class Slots {
 public:
  const Owner& operator[](std::uint32_t number) const {
    PLUMB_REQUIRE(number >= 1 && number <= all_.size() && all_[number - 1] != nullptr, "the number is in use");
    return all_[number - 1];
  }

  // The number of the slot that now holds `owner`; 0 when there are too many.
  std::uint32_t keep(Owner owner) {
    if (free_.empty()) {
      if (all_.size() == slots_max) {
        return 0;
      }
      all_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(all_.size()));
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    all_[number - 1] = std::move(owner);
    return number;
  }

  void free(std::uint32_t number) {
    PLUMB_REQUIRE((*this)[number] != nullptr, "the number is in use");
    all_[number - 1] = nullptr;
    free_.push_back(number);
  }

 private:
  std::vector<Owner> all_;
  std::vector<std::uint32_t> free_;
};

struct Host {
  std::string input;
  std::string result;
  std::string certain_json;
  std::vector<plumb::contract::Finding> certain;
  Slots<std::shared_ptr<const plumb::contract::Contract>> contracts;
  Slots<std::unique_ptr<CheckSlot>> checks;
};

Host& host() {
  static Host one;
  return one;
}

std::uint32_t address(const void* p) { return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p)); }

void tell_trap(const char* what, const char* file, int line) {
  static std::array<char, 512> text;
  std::size_t used = 0;
  const auto put = [&used](std::string_view part) {
    for (const char c : part.substr(0, text.size() - used)) {
      text[used++] = c;
    }
  };
  put(what);
  put(" (");
  put(file);
  put(":");
  std::array<char, 12> digits{};
  std::size_t first = digits.size();
  auto rest = static_cast<unsigned>(line);
  do {
    digits[--first] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  put({digits.data() + first, digits.size() - first});
  put(")");
  frame[word_trap] = address(text.data());
  frame[word_trap_length] = static_cast<std::uint32_t>(used);
}

std::string& new_result() {
  std::string& result = host().result;
  if (result.capacity() > buffer_kept_max) {
    std::string().swap(result);
  }
  result.clear();
  return result;
}

void give(const std::string& text) {
  frame[word_result] = address(text.data());
  frame[word_length] = static_cast<std::uint32_t>(text.size());
}

std::string_view input(std::uint32_t from, std::uint32_t size) {
  const std::string& buffer = host().input;
  PLUMB_REQUIRE(from <= buffer.size() && size <= buffer.size() - from, "the loader stays inside the buffer");
  return std::string_view(buffer).substr(from, size);
}

std::string_view code_name(plumb::ErrorCode code) {
  switch (code) {
    case plumb::ErrorCode::invalid_argument:
      return "invalid_argument";
    case plumb::ErrorCode::invalid_contract:
      return "invalid_contract";
    case plumb::ErrorCode::not_found:
      return "not_found";
    case plumb::ErrorCode::limit:
      return "limit";
    case plumb::ErrorCode::unavailable:
      return "unavailable";
  }
  return "unavailable";
}

std::uint32_t fail(const plumb::Error& error) {
  std::string& out = new_result();
  Writer json(out);
  json.begin_object();
  json.member("code", code_name(error.code)).member("message", error.message).member("where", error.where);
  json.member_uint("line", error.line).member_uint("column", error.column);
  json.end_object();
  give(out);
  return 0;
}

std::string_view text_of(const Value& object, std::string_view name) {
  const Value* value = object.find(name);
  return value != nullptr && value->is(Kind::string) ? value->str() : std::string_view();
}

// The options that the loader wrote: always an object, else the loader has a bug.
Value options(std::string_view text, plumb::json::Arena& arena) {
  const auto parsed = plumb::json::parse(text, arena);
  PLUMB_REQUIRE(parsed && parsed.value().is(Kind::object), "the loader's options are a JSON object");
  return parsed.value();
}

void write_findings(std::string& out, const std::vector<plumb::contract::Finding>& findings) {
  Writer json(out);
  json.begin_array();
  for (const auto& finding : findings) {
    json.raw(plumb::contract::finding_json(finding));
  }
  json.end_array();
}

// The verdict into the frame. A verdict that says nothing but its decision is not written as JSON at all.
void give_verdict(const plumb::contract::Verdict& verdict) {
  frame[word_valid] = verdict.valid ? 1 : 0;
  frame[word_decision] = static_cast<std::uint32_t>(verdict.decision);
  const bool listed =
      !verdict.findings.empty() || !verdict.undecided.empty() || !verdict.scorecard.empty() || !verdict.labels.empty();
  const bool more = !verdict.more.empty();
  const bool signals = !verdict.signals.empty();
  const bool detail = listed || more || signals;
  frame[word_detail] = (detail ? detail_json : 0) | (more ? detail_more : 0) | (signals ? detail_signals : 0);
  std::string& out = new_result();
  if (detail) {
    out = plumb::contract::verdict_json(verdict);
  }
  give(out);
}

}  // namespace

// What Emscripten's runtime would import for memory that grows and for abort(); there is nobody to tell.
extern "C" void emscripten_notify_memory_growth(std::size_t) {}
extern "C" _Noreturn void __wasi_proc_exit(std::uint32_t) { __builtin_trap(); }

// To be called once, before anything else. Returns the address of the frame.
PLUMB_EXPORT(plumb_frame)()->std::uint32_t {
  plumb::set_requirement_handler(tell_trap);
  return address(frame.data());
}

// A buffer of at least `size` bytes for what goes in. Memory beyond 1 MB is given back with the next smaller request.
PLUMB_EXPORT(plumb_buffer)(std::uint32_t size)->std::uint32_t {
  std::string& buffer = host().input;
  if (buffer.capacity() > buffer_kept_max && size <= buffer_kept_max) {
    std::string().swap(buffer);
  }
  if (buffer.size() < size) {
    buffer.clear();  // nothing to copy when it grows
    buffer.resize(size);
  }
  return address(buffer.data());
}

// Result: {version, contracts: [{name, text}]}.
PLUMB_EXPORT(plumb_about)()->void {
  std::string& out = new_result();
  Writer json(out);
  json.begin_object().member("version", PLUMB_VERSION).key("contracts").begin_array();
  for (const plumb::contract::BuiltIn& one : plumb::contract::built_in_contracts()) {
    json.begin_object().member("name", one.name).member("text", one.text).end_object();
  }
  json.end_array().end_object();
  give(out);
}

// Reads the contract in the buffer: `text_size` bytes of its text, then `options_size` bytes of JSON
// {name?, uri?, dialect?: "2019-09"|"draft-07", assertFormats?, documents?: {URI: text}}. Returns its number; the
// result is {name, title, hash, warnings, context}. Returns 0 when it is no contract; the result is the error.
PLUMB_EXPORT(plumb_contract_read)(std::uint32_t text_size, std::uint32_t options_size)->std::uint32_t {
  plumb::json::Arena arena;
  const Value given = options(input(text_size, options_size), arena);
  plumb::contract::ReadOptions read;
  read.name = text_of(given, "name");
  read.uri = text_of(given, "uri");
  read.assert_formats = plumb::wasm::read_flag(given, "assertFormats");
  const std::string_view dialect = text_of(given, "dialect");
  read.dialect = dialect == "draft-07"  ? plumb::contract::Dialect::draft7
                 : dialect == "2019-09" ? plumb::contract::Dialect::draft2019_09
                                        : plumb::contract::Dialect::draft2020_12;
  for (const plumb::json::Member& document : plumb::wasm::read_members(given, "documents")) {
    read.documents.push_back({document.key, document.value.str()});
  }
  auto contract = plumb::contract::Contract::read(input(0, text_size), read);
  if (!contract) {
    return fail(contract.error());
  }
  const auto kept = std::make_shared<const plumb::contract::Contract>(std::move(contract).value());
  const std::uint32_t number = host().contracts.keep(kept);
  if (number == 0) {
    return fail(
        {plumb::ErrorCode::limit, "65536 contracts are in use; dispose of those that are not needed", "", 0, 0});
  }
  std::string& out = new_result();
  Writer json(out);
  json.begin_object();
  json.member("name", kept->name()).member("title", kept->title()).member("hash", kept->hash());
  json.key("warnings").begin_array();
  for (const plumb::contract::Warning& warning : kept->warnings()) {
    json.begin_object().member("message", warning.message).member("at", warning.at);
    json.member_uint("line", warning.line).member_uint("column", warning.column).end_object();
  }
  json.end_array().key("context").begin_array();
  for (const std::string& pointer : kept->context_read()) {
    json.string(pointer);
  }
  json.end_array().end_object();
  give(out);
  return number;
}

PLUMB_EXPORT(plumb_contract_free)(std::uint32_t contract)->void { host().contracts.free(contract); }

// A check of artifacts under a contract. In the buffer: `context_size` bytes of the context document (0: none), then
// `limits_size` bytes of JSON {depthMax?, bytesMax?, findingsMax?, heldMax?, evaluationsMax?, exponentMax?, seed?}.
// Returns its number, or 0 when the context is no JSON; the result is the error.
PLUMB_EXPORT(plumb_check_new)
(std::uint32_t contract, std::uint32_t context_size, std::uint32_t limits_size)->std::uint32_t {
  using plumb::wasm::read_uint;
  using plumb::wasm::read_uint32;
  const auto& kept = host().contracts[contract];
  plumb::json::Arena arena;
  const Value given = options(input(context_size, limits_size), arena);
  plumb::contract::CheckOptions check;
  check.context = input(0, context_size);
  check.hash_seed = read_uint(given, "seed");
  plumb::contract::Limits& limits = check.limits;
  limits.depth_max = read_uint32(given, "depthMax", limits.depth_max);
  limits.bytes_max = read_uint(given, "bytesMax", limits.bytes_max);
  limits.findings_max = read_uint32(given, "findingsMax", limits.findings_max);
  limits.held_max = read_uint32(given, "heldMax", limits.held_max);
  limits.evaluations_max = read_uint32(given, "evaluationsMax", limits.evaluations_max);
  limits.exponent_max = read_uint32(given, "exponentMax", limits.exponent_max);
  auto made = std::make_unique<CheckSlot>(CheckSlot{kept, plumb::contract::Check(*kept, check)});
  if (const plumb::Error* error = made->check.context_error()) {
    return fail(*error);
  }
  const std::uint32_t number = host().checks.keep(std::move(made));
  if (number == 0) {
    return fail(
        {plumb::ErrorCode::limit, "65536 checks are in use; end or dispose of those that are not needed", "", 0, 0});
  }
  return number;
}

PLUMB_EXPORT(plumb_check_free)(std::uint32_t check)->void { host().checks.free(check); }

// Judges the next `size` bytes in the buffer. Returns the number of findings that became certain; when there are any,
// the result is their JSON array. Frame: findings, signals.
PLUMB_EXPORT(plumb_check_push)(std::uint32_t check, std::uint32_t size)->std::uint32_t {
  Host& all = host();
  CheckSlot& one = *all.checks[check];
  all.certain.clear();
  one.check.push(input(0, size), all.certain);
  frame[word_findings] = static_cast<std::uint32_t>(all.certain.size());
  frame[word_signals] = static_cast<std::uint32_t>(one.check.signals().size());
  if (!all.certain.empty()) {
    std::string& out = new_result();
    write_findings(out, all.certain);
    give(out);
  }
  return frame[word_findings];
}

// As plumb_check_push, for a caller that waits for the verdict: nothing is written.
PLUMB_EXPORT(plumb_check_feed)(std::uint32_t check, std::uint32_t size)->void {
  Host& all = host();
  all.certain.clear();
  all.checks[check]->check.push(input(0, size), all.certain);
}

// The signals raised so far as a JSON array.
PLUMB_EXPORT(plumb_check_signals)(std::uint32_t check)->void {
  std::string& out = new_result();
  Writer json(out);
  json.begin_array();
  for (const plumb::contract::Signal& signal : host().checks[check]->check.signals()) {
    json.begin_object().member("kind", signal.kind);
    if (!signal.detail.empty()) {
      json.member("detail", signal.detail);
    }
    json.member_uint("atByte", signal.at_byte).end_object();
  }
  json.end_array();
  give(out);
}

// The last `size` bytes, then the verdict: word_valid, word_decision, and where word_detail is not 0 its JSON as the
// result. With `tell` the findings that became certain in this call are given at word_certain. The check is then ready
// for the next artifact.
PLUMB_EXPORT(plumb_check_end)(std::uint32_t check, std::uint32_t size, std::uint32_t tell)->void {
  Host& all = host();
  CheckSlot& one = *all.checks[check];
  all.certain.clear();
  if (size != 0) {
    one.check.push(input(0, size), all.certain);
  }
  give_verdict(one.check.end(all.certain));
  frame[word_findings] = static_cast<std::uint32_t>(all.certain.size());
  if (tell != 0) {
    all.certain_json.clear();
    write_findings(all.certain_json, all.certain);
    frame[word_certain] = address(all.certain_json.data());
    frame[word_certain_length] = static_cast<std::uint32_t>(all.certain_json.size());
  }
  one.check.reset();
}

// Forgets what was pushed; the check is ready for the next artifact.
PLUMB_EXPORT(plumb_check_reset)(std::uint32_t check)->void { host().checks[check]->check.reset(); }

// What every rule means, as a JSON array of {rule, kind, meaning, decides?, fix?, contract?, artifact?, breaks?}.
PLUMB_EXPORT(plumb_explain)()->void {
  std::string& out = new_result();
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
  give(out);
}

// Renders verdicts. In the buffer: `size` bytes of JSON {format, color?, ascii?, tool?, action?, verdicts: [verdict
// with `file`]}. Formats that are of one verdict are written one after the other. "summary" is the end of a text
// report. Returns 1; 0 for a format that is not known, with the error.
PLUMB_EXPORT(plumb_render)(std::uint32_t size)->std::uint32_t {
  plumb::json::Arena arena;
  // A verdict may be deeper than an artifact: causes of causes.
  const auto parsed = plumb::json::parse(input(0, size), arena);
  if (!parsed) {
    return fail(parsed.error());
  }
  const Value& given = parsed.value();
  const std::string_view format = text_of(given, "format");
  const plumb::contract::TextStyle style{plumb::wasm::read_flag(given, "color"),
                                         plumb::wasm::read_flag(given, "ascii")};
  std::vector<plumb::contract::FileVerdict> all;
  for (const Value& one : plumb::wasm::read_items(given, "verdicts")) {
    all.push_back({plumb::wasm::read_text(one, "file"), plumb::wasm::read_verdict(one)});
  }
  std::string& out = new_result();
  if (format == "summary") {
    out = plumb::contract::render_text_summary(all, style);
  } else if (format == "json") {
    out = plumb::contract::render_json(all);
  } else if (format == "sarif") {
    out = plumb::contract::render_sarif(all);
  } else if (format == "junit") {
    out = plumb::contract::render_junit(all);
  } else {
    for (const plumb::contract::FileVerdict& one : all) {
      if (format == "text") {
        out += plumb::contract::render_text(one, style);
      } else if (format == "jsonl") {
        out += plumb::contract::render_jsonl(one);
      } else if (format == "github") {
        out += plumb::contract::render_github(one);
      } else if (format == "llm") {
        out += plumb::contract::render_llm(one.verdict, text_of(given, "tool"), text_of(given, "action"));
      } else {
        return fail({plumb::ErrorCode::invalid_argument,
                     "no such format; there are text, json, jsonl, sarif, junit, github and llm", "", 0, 0});
      }
    }
  }
  give(out);
  return 1;
}
