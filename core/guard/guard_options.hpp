// What a guard is to keep, and how.
//
//   GuardOptions options;
//   options.text = {contract, "quiz", "", Mode::enforce};
//   add_tool_contracts(options, request.tools_at.in(body), Wire::openai, Mode::observe, compile);
//
// A schema that the engine cannot compile is no reason to refuse a call: it is observed as undecided, with the reason.
// (Where it is to be enforced, nothing can be promised, and the outcome says so as `on_error` wants it.)
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/repair/edit_options.hpp"
#include "core/result.hpp"
#include "core/wire/client_request.hpp"
#include "core/wire/model.hpp"

namespace plumb::guard {

enum class Mode : std::uint8_t { observe, enforce, hold_back };
std::string_view mode_name(Mode mode);  // "hold-back"
std::optional<Mode> mode_named(std::string_view name);

enum class OnError : std::uint8_t { fail, pass };
std::string_view on_error_name(OnError on_error);
std::optional<OnError> on_error_named(std::string_view name);

// The contract of one part of an answer.
struct PartContract {
  std::shared_ptr<const contract::Contract> contract;  // null: there is none, or `reason` says why it cannot be used
  std::string name;
  std::string reason;
  Mode mode = Mode::observe;
  bool there() const { return contract != nullptr || !reason.empty(); }
};

struct ToolContract {
  std::string tool;
  PartContract arguments;
};

// Who is asked for what rules leave to a judge (`ask`), in enforce and hold-back.
struct JudgeOptions {
  bool there = false;                               // the host can ask one
  std::uint32_t calls_max = 3;                      // of one answer
  bool answer_is_evidence = false;                  // quotes of the answer itself prove something too
  bool open_passes = true;                          // what it leaves open passes, as accept_unverified; else undecided
  std::shared_ptr<const pipelines::Prompt> prompt;  // null: prompts/guard-judge.md
};

struct GuardOptions {
  PartContract text;
  std::vector<ToolContract> tools;  // all that are offered, with or without a contract
  bool calls_in_parallel = true;    // an answer may have several calls
  repair::EditOptions edits{contract::EditLevel::certain, {}, 100'000, false};
  std::uint32_t attempts_max = 2;
  std::uint64_t tokens_max = 0;  // of all calls together; 0: no bound but the attempts
  OnError on_error = OnError::fail;
  bool early_stop = true;
  std::string context;             // JSON text, for rules that read beside the artifact
  std::uint64_t input_tokens = 0;  // of the first call, estimated, for answers that are stopped before they tell
  // What such an answer takes when nothing stops it, where the host knows (a mean of earlier ones): what a stop has
  // saved is counted by it, else by the answer that was given in the end.
  std::uint64_t output_tokens_expected = 0;
  std::uint64_t hash_seed = 0;
  std::shared_ptr<text::Steps> steps;                    // a budget for all that is judged of this answer; null: none
  std::size_t answer_bytes_max = std::size_t{16} << 20;  // of one part
  std::shared_ptr<const pipelines::Prompt> prompt;       // of repairs; null: prompts/guard-repair.md
  JudgeOptions judge;
};

// Contracts by their text, compiled once: the host's cache. The name is for people.
using CompileContract =
    std::function<Result<std::shared_ptr<const contract::Contract>>(std::string_view schema, std::string_view name)>;

// Each tool's own schema, from the `tools` of a client's body.
void add_tool_contracts(GuardOptions& options, std::string_view tools, wire::Wire wire, Mode mode,
                        const CompileContract& compile);
// The schema of a `response_format` of type json_schema (OpenAI), `output_config.format` or `output_format`
// (Anthropic), `text.format` (responses). False where it has none: nothing was set.
bool set_format_contract(GuardOptions& options, std::string_view response_format, Mode mode,
                         const CompileContract& compile);
// What a `plumb` object says about mode, edits, attempts, tokens, on_error and context. The contract itself is the
// host's to find. The error names the member.
Result<bool> set_wishes(GuardOptions& options, const wire::PlumbMember& plumb);

}  // namespace plumb::guard
