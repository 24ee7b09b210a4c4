// DataCall: one model call of a client, from its request to the last byte of its answer: who is asked, what comes of
// it, what the client is given of that, and when it is over.
//
//   auto call = std::make_shared<DataCall>(services, loop, request, client, wire::Wire::openai);
//   call->start(cors);
//   return call;                       // the client's connection holds it: Answering
//
// Three ways an answer goes:
//   relay      client and provider speak the same and no contract binds: bytes pass as they came, in whole events
//   observe    the same, and the guard reads along; what it says stands before the protocol's end
//   rewritten  through deltas: another wire, or a guard that holds back
//
// All of it happens on the loop's thread, but for bodies and verdicts so large that they would hold others up: these
// are read by a worker. The policy's Call is told of every try, and ended exactly once, whatever happens. A broken
// assumption of ours (core/require.hpp) in any of it ends this call alone, as `internal_error`, and is logged with its
// place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/guard/guard.hpp"
#include "core/wire/client_request.hpp"
#include "core/wire/reply_writer.hpp"
#include "native/host/contained.hpp"
#include "native/host/workers.hpp"
#include "native/proxy/call_round.hpp"
#include "native/proxy/client_answer.hpp"
#include "native/proxy/guarding.hpp"
#include "native/proxy/http_server.hpp"
#include "native/proxy/policy.hpp"

namespace plumb::proxy {

// What all calls of a port share.
struct PortServices {
  Policy& policy;
  host::Workers& workers;
  provider::ContractShelf& shelf;
  std::uint64_t hash_seed = 0;
};

class DataCall final : public Answering, public std::enable_shared_from_this<DataCall> {
 public:
  DataCall(PortServices& services, Loop& loop, HttpRequest& request, Client& client, wire::Wire wire);

  // `fields`: lines for every head (CORS). `random`: for the policy's choices.
  void start(const CallerPtr& caller, std::string fields, std::uint64_t random);

  void gone(Gone why) override;
  void has_room() override;
  void tick(std::uint64_t now_ms) override;
  void written() override;

 private:
  // data_call.cpp: the beginning and the end
  template <class Work>
  void contained(Work&& work) {
    if (std::optional<std::string> broken = host::contained(std::forward<Work>(work)))
      end_broken(*broken);
  }
  void end_broken(const std::string& why);
  void read_body();
  void on_read(Result<wire::ClientRequest> read);
  bool begin_call();
  bool answered_before();
  void refuse(const wire::Failure& failure);
  void fail(const wire::Failure& failure, CallResult result);
  void finish(CallResult result, std::string_view error);
  void settle_stored(CallResult result);
  void on_gone(Gone why);
  void judge_too_late();
  void on_tick(std::uint64_t now_ms);
  Moment now() const { return loop_.now(); }
  void later(void (DataCall::*work)());
  void heavy(std::size_t bytes, std::function<void()> work, std::function<void()> then);

  // data_call_rounds.cpp: asking providers
  struct Reader;
  void ask_next();
  void ask(const Step& step);
  void on_head(const provider::ExchangeHead& head);
  provider::Flow on_bytes(std::string_view bytes);
  void on_end(const provider::ExchangeOutcome& outcome);
  void try_failed(const wire::Failure& failure);
  void stop_round();
  wire::Usage usage_so_far() const;

  // data_call_answers.cpp: what the client is given
  bool relay(std::string_view bytes);
  void relay_whole(std::string_view bytes);
  void relay_ended();
  void observe(std::string_view bytes);
  bool rewrite(std::string_view bytes);
  void rewritten_ended();
  void on_guard();
  void want_repair();
  void want_judge();
  void finish_guarded();
  void finish_observed();
  void finish_unguarded(const wire::ModelReply& reply);
  void write_deltas();
  wire::ReplyHead reply_head() const;

  PortServices& services_;
  Loop& loop_;
  const HttpRequest& head_;  // lives as long as the client is there
  wire::Wire wire_;
  std::string body_;
  ClientAnswer answer_;
  CallerPtr caller_;
  std::uint64_t random_ = 0;
  wire::ClientRequest request_;
  // What most calls do without is made when it is needed: thousands are open at once.
  std::unique_ptr<GuardChoice> choice_;  // where a contract is kept
  std::optional<guard::Guard> guard_;
  guard::GuardStep step_;
  std::unique_ptr<wire::StreamWriter> writer_;
  std::unique_ptr<wire::ReplyHead> answer_head_;  // before a judge was asked
  std::string out_;
  std::unique_ptr<Call> call_;
  Round round_;
  std::optional<ReplyKey> cache_key_;
  std::optional<ReplyKey> ticket_;  // of an Idempotency-Key
  std::uint64_t wake_at_ms_ = 0;
  std::uint64_t output_bytes_ = 0;
  std::uint64_t judge_until_ms_ = 0;  // of all judgements; 0: none has begun
  bool repairing_ = false;
  bool judging_ = false;
  bool own_limits_ = false;  // are told to the client, and not those of the provider's account
  bool paused_ = false;
  bool working_ = false;  // a worker has the guard
  bool over_ = false;
};

}  // namespace plumb::proxy
