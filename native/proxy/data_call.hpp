// DataCall: one model call of a client, from its request to the last byte of its answer. It decides whom to ask, what
// the client gets, and when the call is over.
//
//   auto call = std::make_shared<DataCall>(services, loop, request, client, *client_route("/v1/responses"));
//   call->start(caller, address, cors, random);         // the client's connection holds it: Answering
//
// An answer reaches the client in one of three ways:
//   relay      same wire format and no contract: bytes pass unchanged, in whole events
//   observe    the same, and the guard reads along; its result comes before the protocol's end
//   rewritten  through deltas: another wire format, or a guard that holds text back
//
// Embeddings, token counts and requests about kept responses (start_kept) are relayed too.
//
// Everything happens on the loop's thread, except large bodies and costly contracts, which workers handle. The
// policy's Call hears about every try and is ended exactly once. If an assumption breaks (core/require.hpp), only this
// call ends, as `internal_error`, and the place is logged.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/guard/guard.hpp"
#include "core/wire/client_request.hpp"
#include "core/wire/reply_writer.hpp"
#include "native/host/contained.hpp"
#include "native/proxy/call_phase.hpp"
#include "native/proxy/call_round.hpp"
#include "native/proxy/client_answer.hpp"
#include "native/proxy/client_route.hpp"
#include "native/proxy/guarding.hpp"
#include "native/proxy/port_services.hpp"
#include "native/proxy/spend_cap.hpp"

namespace plumb::proxy {

class DataCall final : public Answering, public std::enable_shared_from_this<DataCall> {
 public:
  DataCall(PortServices& services, Loop& loop, HttpRequest& request, Client& client, const ClientRoute& route);

  // `address`: the client's. `fields`: lines for every head (CORS). `kept`: views into the request's own target.
  void start(const CallerPtr& caller, std::string address, const std::string& fields, std::uint64_t random);

  void start_kept(const CallerPtr& caller, std::string address, const std::string& fields, std::uint64_t random,
                  const KeptAsk& kept);

  void gone(Gone why) override;
  void has_room() override;
  void tick(std::uint64_t now_ms) override;
  void written() override;

 private:
  // data_call.cpp: beginning and end
  template <class Work>
  void contained(Work&& work) {
    if (std::optional<std::string> broken = host::contained(std::forward<Work>(work))) {
      end_broken(*broken);
    }
  }
  void end_broken(const std::string& why);
  void read_body(), begin_chosen(), begin_asking(), hear_others();
  void on_read(Result<wire::ClientRequest> read);
  struct Choosing;
  struct Work;
  GuardAsk ask_guard(const Choosing& chosen) const;
  void choose(Choosing&chosen) const, on_chosen(Choosing&chosen);
  enum class Beginning : std::uint8_t { begun, refused, pending };
  Beginning begin_call(TimePoint at, bool patient);
  bool answered_before(), answered(const IdempotentStart&start);
  std::optional<wire::Failure> find_previous(), choose_held(Choosing&chosen) const;
  void put_response(std::string_view id, bool booked);
  void refuse(const wire::Failure& failure);
  void fail(const wire::Failure& failure, CallResult result);
  void finish(CallResult result, std::string_view error);
  void settle_stored(CallResult result), on_gone(Gone why);
  TimePoint now() const { return loop_.now(); }
  void later(void (DataCall::*work)());
  void on_worker(std::function<void()> work, std::function<void()> then);

  // data_call_rounds.cpp: asking providers, and timeouts
  void on_tick(std::uint64_t now_ms), judge_too_late();
  struct Reader;
  void ask_next(), tell_estimate(), tell_spent();
  bool counts_nothing() const;
  void ask(const Step&step), tell_provider_id(std::string_view id);
  std::optional<wire::Failure> cannot_take(const Step& step) const;
  void on_head(const provider::ExchangeHead& head);
  provider::Flow on_bytes(std::string_view bytes);
  void on_end(const provider::ExchangeOutcome& outcome);
  void try_failed(const wire::Failure&failure), stop_round();
  wire::Usage usage_so_far() const;

  // data_call_answers.cpp: what the client gets
  bool knows_form(std::string_view bytes), pass_on(std::string_view bytes), becomes_stream() const;
  bool relay(std::string_view bytes), relay_whole(std::string_view bytes);
  void take_form(wire::AnswerForm form), relay_failed(const wire::Failure&failure, std::string_view bytes);
  std::optional<wire::Failure> collect(), told_whole() const;
  wire::Usage relayed_usage();
  void tell_as_stream(std::string_view plumb), observe(std::string_view bytes);
  void judge(const wire::ModelDelta& delta);
  void judge_rest(std::function<void()> then);
  bool rewrite(std::string_view bytes);
  void rewritten_ended(), relay_ended(), on_guard(), finish_guarded();
  void want_repair(), want_judge(), finish_observed(), tell_observed();
  void finish_unguarded(const wire::ModelReply& reply);
  wire::ReplyHead reply_head() const, head_of(const wire::ModelReply*reply) const;

  PortServices& services_;
  Loop& loop_;
  const HttpRequest& head_;  // valid as long as the client is connected
  const ClientRoute& route_;
  const wire::Wire wire_;
  KeptAsk kept_;
  std::string response_id_, pinned_;  // the response's id in the book, and the only target that has it
  std::string body_, address_, out_;
  ClientAnswer answer_;
  CallerPtr caller_;
  std::uint64_t random_ = 0, began_ms_ = 0, patient_until_ms_ = 0;  // the last: for a share of a limit
  wire::ClientRequest request_;
  std::unique_ptr<GuardChoice> choice_;  // made on demand: thousands of calls are open at once
  std::optional<guard::Guard> guard_;
  guard::GuardStep step_;
  std::shared_ptr<Work> work_;
  std::shared_ptr<text::Steps> steps_;        // its budget
  std::vector<guard::ReleasedDelta> behind_;  // for a worker to judge when the answer has ended
  std::unique_ptr<wire::StreamWriter> writer_;
  std::unique_ptr<wire::ReplyHead> answer_head_;  // from before a judge was asked
  std::unique_ptr<Call> call_;
  SpendCap spend_cap_;
  Round round_;
  std::optional<ReplyKey> ticket_;       // of an Idempotency-Key
  std::unique_ptr<AskedOthers> others_;  // other proxies, while they are asked about it
  // For all verdicts together; 0: none has begun.
  std::uint64_t wake_at_ms_ = 0, output_bytes_ = 0, judge_until_ms_ = 0;
  CallProgress at_;
  bool paused_ = false, puts_off_ = false;
  bool events_ = false;      // the client asks for our events (x-plumb-events)
  bool own_limits_ = false;  // the client gets our limits, not those of the provider's account
  bool usage_open_ = true;   // of a kept response: its usage is not booked yet
  bool working_ = false;     // a worker has the guard
};

}  // namespace plumb::proxy
