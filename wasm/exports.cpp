// plumb-check.wasm: what judges, behind the C ABI of wasm/abi.hpp, for the loader in wasm/package. What is about
// writing and showing contracts and verdicts is in wasm/author_exports.cpp.
//
// Contracts and checks are numbered from 1; 0 is "none": the frame then holds an error. A number that is not in use is
// a bug of the loader and traps.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/contract/keywords.hpp"
#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/growth.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/repair/check.hpp"
#include "core/require.hpp"
#include "wasm/abi.hpp"
#include "wasm/read_contract.hpp"
#include "wasm/read_json.hpp"
#include "wasm/read_verdict.hpp"
#include "wasm/slots.hpp"
#include "wasm/texts.hpp"
#include "wasm/utf8_from_utf16.hpp"

namespace {

using plumb::json::Value;
using plumb::json::Writer;
using namespace plumb::wasm;

// detail_kept: the loader keeps this verdict; detail_same: the verdict is the one that it kept last for this check, and
// nothing is written.
constexpr std::uint32_t detail_json = PLUMB_DETAIL_JSON;
constexpr std::uint32_t detail_more = PLUMB_DETAIL_MORE;
constexpr std::uint32_t detail_signals = PLUMB_DETAIL_SIGNALS;
constexpr std::uint32_t detail_kept = PLUMB_DETAIL_KEPT;
constexpr std::uint32_t detail_same = PLUMB_DETAIL_SAME;

using plumb::contract::Decision;
using plumb::contract::Verdict;
static_assert(PLUMB_DECISION_ACCEPT == static_cast<int>(Decision::accept));
static_assert(PLUMB_DECISION_ACCEPT_WITH_WARNINGS == static_cast<int>(Decision::accept_with_warnings));
static_assert(PLUMB_DECISION_ACCEPT_UNVERIFIED == static_cast<int>(Decision::accept_unverified));
static_assert(PLUMB_DECISION_UNDECIDED == static_cast<int>(Decision::undecided));
static_assert(PLUMB_DECISION_REVISE == static_cast<int>(Decision::revise));
static_assert(PLUMB_DECISION_BLOCK == static_cast<int>(Decision::block));
using Growing = plumb::json::Growth::State;
static_assert(PLUMB_VALUE_GROWING == static_cast<int>(Growing::growing));
static_assert(PLUMB_VALUE_COMPLETE == static_cast<int>(Growing::complete));
static_assert(PLUMB_VALUE_BROKEN == static_cast<int>(Growing::broken));
static_assert(PLUMB_VALUE_LIMIT == static_cast<int>(Growing::limit));

// A verdict with more lines than this is not kept for comparison.
constexpr std::size_t same_lines_max = 256;

// Where the loader puts UTF-16, so many units at a time; a few more may be written behind them.
constexpr std::uint32_t units_max = 16384;
constinit PLUMB_INSTANCE std::array<std::uint16_t, units_max + 8> units{};

struct CheckSlot {
  std::shared_ptr<const plumb::contract::Contract> contract;  // a check may outlive the contract's own number
  plumb::repair::Check check;
  Verdict kept = {};    // the last one given with detail_kept
  Verdict silent = {};  // on a clean text, where that says nothing but its decision
  bool edits = false;
  plumb::contract::Limits limits = {};
  std::unique_ptr<plumb::json::Growth> growth = nullptr;  // of the value, once it is asked for

  const Verdict& known() const { return silent.clean ? silent : kept; }
};

struct Host {
  std::string certain_json;
  std::string edited;
  std::vector<plumb::contract::Finding> certain;
  Slots<std::shared_ptr<const plumb::contract::Contract>> contracts;
  Slots<std::unique_ptr<CheckSlot>> checks;
};

Host& host() {
  static PLUMB_INSTANCE Host one;
  return one;
}

void write_findings(std::string& out, const std::vector<plumb::contract::Finding>& findings) {
  Writer json(out);
  json.begin_array();
  for (const auto& finding : findings) {
    json.raw(plumb::contract::finding_json(finding));
  }
  json.end_array();
}

bool same(const Verdict& one, const Verdict& other) {
  return one.valid == other.valid && one.decision == other.decision && one.undecided == other.undecided &&
         one.scorecard == other.scorecard && one.labels == other.labels;
}

void give_decision(const Verdict& verdict, std::uint32_t detail) {
  frame[word_valid] = verdict.valid ? 1 : 0;
  frame[word_decision] = static_cast<std::uint32_t>(verdict.decision);
  frame[word_detail] = detail;
}

// The verdict into the frame; none: the known one once more. A verdict that says nothing but its decision is not
// written as JSON at all; one without findings, as artifacts that are fine have it one after the other, only where it
// differs from the one before.
void give_verdict(CheckSlot& slot, std::optional<Verdict> verdict) {
  if (!verdict) {
    give_decision(slot.known(), slot.silent.clean ? 0U : detail_same);
    return;
  }
  const bool more = !verdict->more.empty();
  const bool signals = !verdict->signals.empty();
  const bool plain = verdict->findings.empty() && verdict->edits.empty() && !more && !signals;
  const std::size_t lines = verdict->undecided.size() + verdict->scorecard.size() + verdict->labels.size();
  if (plain && lines == 0) {
    give_decision(*verdict, 0);
    if (verdict->clean && !slot.silent.clean) {
      slot.silent = std::move(*verdict);
    }
  } else if (plain && same(*verdict, slot.kept)) {
    give_decision(*verdict, detail_same);
  } else {
    const bool kept = plain && lines <= same_lines_max;
    give_decision(*verdict, detail_json | (more ? detail_more : 0U) | (signals ? detail_signals : 0U) |
                                (kept ? detail_kept : 0U));
    std::string& out = new_result();
    out = plumb::contract::verdict_json(*verdict);
    give(out);
    if (kept) {
      slot.kept = std::move(*verdict);
    }
  }
}

// Judges the next `size` bytes in the buffer. The value grows by the text that is judged: by these bytes, or by what
// they were edited to.
void read_next(CheckSlot& slot, std::uint32_t size) {
  const std::string_view bytes = input(0, size);
  host().certain.clear();
  slot.check.push(bytes, host().certain);
  if (slot.growth != nullptr && !slot.edits) {
    slot.growth->read(bytes);
  }
}

// The value grows by what was edited since.
void grow_by_edited(CheckSlot& slot) {
  const std::string& text = slot.check.text();
  if (text.size() > slot.growth->bytes()) {
    slot.growth->read(std::string_view(text).substr(static_cast<std::size_t>(slot.growth->bytes())));
  }
}

// The text as edited, where an edit was made.
void give_edited(const CheckSlot& slot) {
  std::string& edited = host().edited;
  edited = slot.check.mended() ? slot.check.text() : std::string();
  frame[word_text] = address(edited.data());
  frame[word_text_length] = static_cast<std::uint32_t>(edited.size());
}

}  // namespace

// Result: {version, keywords: [name], contracts: [{name, text}]}; the keywords are those of the vocabulary.
PLUMB_EXPORT(plumb_about)()->void {
  std::string& out = new_result();
  Writer json(out);
  json.begin_object().member("version", PLUMB_VERSION).key("keywords").begin_array();
  for (const std::string_view keyword : plumb::contract::vocabulary_keywords) {
    json.string(keyword);
  }
  json.end_array().key("contracts").begin_array();
  for (const plumb::contract::BuiltIn& one : plumb::contract::built_in_contracts()) {
    json.begin_object().member("name", one.name).member("text", one.text).end_object();
  }
  json.end_array().end_object();
  give(out);
}

// Reads the contract in the buffer: `text_size` bytes of its text, then `options_size` bytes of JSON as in
// wasm/read_contract.hpp. Returns its number; the result is {name, title, hash, warnings, context, without_keywords}.
// Returns 0 when it is no contract; the result is the error.
PLUMB_EXPORT(plumb_contract_read)(std::uint32_t text_size, std::uint32_t options_size)->std::uint32_t {
  plumb::json::Arena arena;
  auto contract = read_contract(input(0, text_size), options(input(text_size, options_size), arena));
  if (!contract) {
    return fail(contract.error());
  }
  const auto kept = std::make_shared<const plumb::contract::Contract>(std::move(contract).value());
  if (!reads_texts()) {
    for (const std::string& pointer : kept->context_read()) {
      if (pointer.starts_with("context:/measured")) {  // what is measured of a history (core/contract/measured.hpp)
        return fail({plumb::ErrorCode::invalid_argument, "'" + pointer + "' " + texts_wanted, "", 0, 0});
      }
    }
  }
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
  json.end_array().member_boolean("without_keywords", kept->program().without_keywords).end_object();
  give(out);
  return number;
}

PLUMB_EXPORT(plumb_contract_free)(std::uint32_t contract)->void { host().contracts.free(contract); }

// A check of artifacts under a contract. In the buffer: `context_size` bytes of the context document (0: none), then
// `limits_size` bytes of JSON {depthMax?, bytesMax?, findingsMax?, heldMax?, evaluationsMax?, exponentMax?, seed?,
// edits?} with edits as core/repair/edit_options.hpp reads them.
// Returns its number, or 0 when the context is no JSON or the edits are none; the result is the error.
PLUMB_EXPORT(plumb_check_new)
(std::uint32_t contract, std::uint32_t context_size, std::uint32_t limits_size)->std::uint32_t {
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
  plumb::repair::EditOptions edits;
  if (const Value* said = given.find("edits")) {
    const auto read = plumb::repair::read_edit_options(*said, edits);
    if (!read) {
      return fail(read.error());
    }
  }
  edits.keep_text = edits.level != plumb::contract::EditLevel::none;
  auto made = std::make_unique<CheckSlot>(CheckSlot{kept, plumb::repair::Check(*kept, check, edits)});
  made->edits = edits.keep_text;
  made->limits = limits;
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

// The address of room for 16,384 UTF-16 units, and eight more.
PLUMB_EXPORT(plumb_units)()->std::uint16_t* { return units.data(); }

// Writes the `count` units there into the buffer, from `from` on, as UTF-8; there must be room for three bytes
// each. Returns the number of bytes.
PLUMB_EXPORT(plumb_utf8)(std::uint32_t count, std::uint32_t from)->std::uint32_t {
  PLUMB_REQUIRE(count <= units_max, "the loader gives as many units as there is room for");
  return static_cast<std::uint32_t>(utf8_from_utf16(units.data(), count, input_room(from, 3 * count)));
}

// Judges the next `size` bytes in the buffer. Returns the number of findings that became certain; when there are any,
// the result is their JSON array. Frame: findings, signals.
PLUMB_EXPORT(plumb_check_push)(std::uint32_t check, std::uint32_t size)->std::uint32_t {
  Host& all = host();
  CheckSlot& one = *all.checks[check];
  read_next(one, size);
  frame[word_findings] = static_cast<std::uint32_t>(all.certain.size());
  frame[word_signals] = static_cast<std::uint32_t>(one.check.signals().size());
  if (!all.certain.empty()) {
    std::string& out = new_result();
    write_findings(out, all.certain);
    give(out);
  }
  return static_cast<std::uint32_t>(all.certain.size());
}

// As plumb_check_push, for a caller that waits for the verdict: nothing is written.
PLUMB_EXPORT(plumb_check_feed)(std::uint32_t check, std::uint32_t size)->void {
  read_next(*host().checks[check], size);
}

// The value so far, by what was added to it since the last call: the result is an array of steps as
// core/json/growth.hpp has them. Returns a PLUMB_VALUE_ number. What was pushed before the first call is given with it,
// `size` bytes in the buffer, or with the first few calls, in pieces; with edits the module has it, and it is not
// looked at. After plumb_check_end the last steps are still there, until plumb_check_reset.
PLUMB_EXPORT(plumb_check_value)(std::uint32_t check, std::uint32_t size)->std::uint32_t {
  CheckSlot& one = *host().checks[check];
  if (one.growth == nullptr) {
    one.growth = std::make_unique<plumb::json::Growth>(one.limits.depth_max, one.limits.bytes_max);
  }
  if (one.edits) {
    grow_by_edited(one);
  } else {
    one.growth->read(input(0, size));
  }
  std::string& out = new_result();
  one.growth->take(out);
  give(out);
  return static_cast<std::uint32_t>(one.growth->state());
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

// The verdict on a whole text, the `size` bytes in the buffer, as plumb_check_end gives it; faster than piece by piece.
// Only on a check that is ready for the next artifact.
PLUMB_EXPORT(plumb_check_whole)(std::uint32_t check, std::uint32_t size)->void {
  CheckSlot& one = *host().checks[check];
  give_verdict(one, one.check.whole_unless(one.known(), input(0, size)));
  give_edited(one);
  one.check.reset();
}

// The last `size` bytes, then the verdict: word_valid, word_decision, and where word_detail has detail_json its JSON as
// the result; the text as edited, where an edit was made, at word_text. With `tell` the findings that became certain in
// this call are given at word_certain. The check is then ready for the next artifact.
PLUMB_EXPORT(plumb_check_end)(std::uint32_t check, std::uint32_t size, std::uint32_t tell)->void {
  Host& all = host();
  CheckSlot& one = *all.checks[check];
  all.certain.clear();
  if (size != 0) {
    read_next(one, size);
  }
  give_verdict(one, one.check.end_unless(one.known(), all.certain));
  give_edited(one);
  if (one.growth != nullptr) {
    if (one.edits) {
      grow_by_edited(one);
    }
    one.growth->end(one.edits && one.check.text().size() < one.growth->bytes());
  }
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
PLUMB_EXPORT(plumb_check_reset)(std::uint32_t check)->void {
  CheckSlot& one = *host().checks[check];
  one.check.reset();
  one.growth.reset();
}

// Feedback for a model. In the buffer: `size` bytes of JSON {verdict, tool?, action?, text?}. Returns 1; 0 with the
// error.
PLUMB_EXPORT(plumb_feedback)(std::uint32_t size)->std::uint32_t {
  return answer(size, [](const Value& request) -> plumb::Result<std::string> {
    const Value* verdict = request.find("verdict");
    PLUMB_REQUIRE(verdict != nullptr, "the loader gives a verdict");
    return plumb::contract::render_llm(read_verdict(*verdict), view_text(request, "tool"), view_text(request, "action"),
                                       view_text(request, "text"));
  });
}
