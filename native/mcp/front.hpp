// Front: sits in front of a server. It is handed every message of either side, and says what becomes of it. It knows no
// transport: who calls it passes on the bytes that it was given, or those of the step.
//
//   Front front(settings, tools, told, seed);
//   Step step = front.from_client(text, now_ms);
//     pass      send `text` on to the server, as it is
//     answer    do not; give the client `step.text` instead
//     list      the server's tools are to be known first: send it `step.text`, keep the message, and hand it in again
//               when from_server() has said `listed`
//   Step step = front.from_server(text, now_ms);
//     pass      send `text` on to the client, as it is
//     answer    give the client `step.text` in its place
//     list      it was a page of our own list: send the server `step.text` for the next one
//     listed    it was the last page: what was kept is to be handed in again
//     drop      no message of the protocol, or the answer to nothing
//
// Arguments of a call are judged against the tool's `inputSchema`, results against its `outputSchema`, both against the
// contracts of plumb.yaml. Where the tool is enforced, what breaks them does not pass: whoever asked gets a result with
// `isError` and what is wrong (ADR-007). A schema that cannot be used, and a server that does not list its tools, hold
// up nothing and are told. Not for two threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/contract/verdict.hpp"
#include "native/mcp/known_tools.hpp"
#include "native/mcp/message.hpp"
#include "native/mcp/settings.hpp"

namespace plumb::mcp {

// What an operator sees of one judgement, or of a trouble.
struct Told {
  std::string_view event;  // "call", "result", "schema", "message", "tools"
  std::string tool = {};
  std::string_view mode = {};
  std::string contract = {};  // "inputSchema", or the name of plumb.yaml's
  std::string_view decision = {};
  std::uint64_t findings = 0;
  std::string_view did = {};  // "passed", "refused", "replaced", "dropped"
  std::string why = {};
  bool warn = false;
};
using Tell = std::function<void(const Told&)>;

struct Step {
  enum class What : std::uint8_t { pass, answer, list, listed, drop } what = What::pass;
  std::string text = {};
};

class Front {
 public:
  static constexpr std::uint64_t list_ms_max = 30'000;  // that a call waits for the list of tools
  static constexpr std::size_t open_max = 100'000;      // requests and tasks that have no end yet

  Front(const FrontSettings& settings, std::shared_ptr<KnownTools> tools, Tell tell, std::uint64_t seed);

  Step from_client(std::string_view text, std::uint64_t now_ms);
  Step from_server(std::string_view text, std::uint64_t now_ms);
  // The list that was asked for did not come: what was kept passes without the server's schemas.
  void no_list(std::string_view why, std::uint64_t now_ms);
  // The client no longer waits for this request; the id as id_key() has it, empty: no such message.
  static std::string cancelled_by(std::string_view text);

 private:
  struct Open {
    std::string method, tool;
    bool stateless = false;
  };
  struct Judged {
    bool passes = true;
    std::string feedback;
  };

  Step not_a_message(std::string_view text, const Error& error, bool client);
  Step call(const Message& message, std::uint64_t now_ms);
  Step response(const Message& message, std::uint64_t now_ms);
  Step result_of_call(const Message& message, const Open& open);
  Step own_list(const Message& message, std::uint64_t now_ms);
  std::string list_request(std::string_view cursor);
  Judged judge(const contract::Contract& contract, const std::string& name, std::string_view artifact,
               const std::string& tool, Side side, Mode mode);
  Judged missing(const std::string& tool, Mode mode);
  Judged judge_all(const std::string& tool, Side side, std::string_view artifact, bool by_schema, Mode mode);
  void note_open(const json::Value& id, Open open);

  const FrontSettings& settings_;
  std::shared_ptr<KnownTools> tools_;
  Tell tell_;
  std::uint64_t seed_;
  std::map<std::string, Open, std::less<>> open_;          // requests of the client, by id
  std::map<std::string, std::string, std::less<>> tasks_;  // and the tools of tasks
  std::string list_id_;                                    // of our own request; empty: none is under way
  std::string late_id_;    // of one that was given up: should it come after all, it is of use
  std::string list_meta_;  // `_meta` that it has to carry, as JSON
  std::uint64_t ids_ = 0, pages_ = 0;
  std::uint64_t without_until_ms_ = 0;  // no list could be had: until then calls are not held up for it
};

}  // namespace plumb::mcp
