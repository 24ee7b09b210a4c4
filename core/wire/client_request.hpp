// What a client asks, as OpenAI's, Anthropic's and Ollama's clients write it: reading what matters of a body without
// building its tree, and changing it in place.
//
//   Result<ClientRequest> read = read_client_request(Wire::openai, body);
//   if (!read) { append_failure(answer, Wire::openai, failure_of_request(read.error())); }
//   BodyChanges changes;
//   changes.model = "gpt-4.1-mini";           // the name that the upstream knows
//   changes.remove_plumb = true;
//   changes.include_usage = true;             // OpenAI: stream_options.include_usage
//   std::string to_upstream = changed_body(body, request, changes);
//
// What is not changed stays byte for byte as it came: unknown members, images, the order of members, numbers. The whole
// body is scanned once, by our own scanner: it is strict JSON in UTF-8 in which no object has a member twice, and only
// the members below are looked at. An error says what is wrong; its `where` is a JSON Pointer into the body where there
// is one, with line and column.
//
// A call that goes to a provider of another wire is translated instead (translated_request, core/wire/translate.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

struct ClientLimits {
  std::size_t body_bytes_max = std::size_t{32} << 20;
  std::uint32_t depth_max = 128;
  std::size_t plumb_bytes_max = std::size_t{1} << 20;  // the `plumb` member, a contract in it included
  std::uint64_t hash_seed = 0;                         // from the host, against crafted keys
};

// Bytes of the body from `from` to `to`; empty where the member is not there.
struct BodyRange {
  std::size_t from = 0;
  std::size_t to = 0;
  bool there() const { return to != from; }
  std::string_view in(std::string_view body) const { return body.substr(from, to - from); }
};

// The `plumb` object: what is asked of Plumbline itself. What is not said is empty.
//
//   "plumb": { "contract": "quiz", "mode": "hold-back", "attempts": 1, "on_error": "pass" }
struct PlumbMember {
  bool there = false;
  std::string contract;                     // a name,
  std::string schema;                       // or a whole contract, as JSON text
  std::string mode;                         // "observe", "enforce" or "hold-back"
  std::string edits;                        // JSON text: "none", "certain", "guess", or an object from classes to these
  std::string on_error;                     // "fail" or "pass"
  std::string context;                      // JSON text: what the contract's rules read beside the artifact
  std::optional<std::uint64_t> attempts;    // repairs, 0 to 10
  std::optional<std::uint64_t> tokens_max;  // of all calls together
};

// What a client wants of a model.
enum class Wish : std::uint8_t {
  answer,
  embeddings,    // OpenAI's
  input_tokens,  // Anthropic's count_tokens: how many the messages are
};

struct ClientRequest {
  Wire wire = Wire::openai;
  Wish wish = Wish::answer;
  std::string model;
  bool stream = false;
  bool include_usage = false;           // of stream_options
  std::uint64_t output_tokens_max = 0;  // 0: not said
  std::uint64_t choices = 1;            // OpenAI's `n`
  bool calls_in_parallel = true;        // nothing forbids several calls of tools in one answer
  std::uint32_t messages = 0;
  std::uint32_t images = 0;
  // Hardly fewer than what the provider will count, made from the lengths of the texts: for reserving, not for billing.
  std::uint64_t input_tokens_most = 0;
  PlumbMember plumb;
  // Responses. `conversation`: one that the provider keeps is named.
  std::string previous_response;
  bool conversation = false;
  bool background = false;
  bool stored = true;  // `store` does not say false
  // Values of top-level members; empty where they are not there.
  BodyRange model_at;
  BodyRange stream_at;
  BodyRange stream_options_at;
  BodyRange messages_at;  // responses and embeddings: input
  BodyRange tools_at;
  BodyRange tool_choice_at;
  // OpenAI: response_format; Anthropic: output_config, else output_format; responses: text; Ollama: format
  BodyRange format_at;
  BodyRange plumb_at;
  // All of them, in their order: where the key begins, and the value.
  struct Member {
    std::size_t key_from = 0;
    BodyRange value;
  };
  std::vector<Member> members;
};

Result<ClientRequest> read_client_request(Wire wire, std::string_view body, const ClientLimits& limits = {},
                                          Wish wish = Wish::answer);

// A request's error as what a client is told: a status of 400, or 413 where a limit was reached.
Failure failure_of_request(const Error& error);

struct BodyChanges {
  std::string_view model;         // empty: as it is
  bool remove_plumb = false;      // providers refuse members that they do not know
  bool include_usage = false;     // sets stream_options.include_usage; OpenAI only
  std::optional<bool> stream;     // sets `stream`; false takes stream_options away
  std::string_view members = {};  // more members, behind the others: `"a":1,"b":2`
};

// `request` was read from this very body.
std::string changed_body(std::string_view body, const ClientRequest& request, const BodyChanges& changes);

}  // namespace plumb::wire
