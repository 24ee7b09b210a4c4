#include "native/provider/sample_exchanges.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/json/number_text.hpp"
#include "core/json/sha256.hpp"

namespace plumb::provider {

std::uint64_t NetworkExchanges::now_ms() const {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

stranger::Answered SampleParty::answer(wire::Wire wire, std::string_view body) {
  const std::lock_guard lock(mutex_);
  if (asked_.size() >= bodies_max) {
    asked_.clear();
  }
  return stranger_.answer(wire, body, asked_[json::sha256_hex(body)]++);
}

std::optional<wire::Wire> sample_wire(std::string_view path) {
  if (path == "/v1/chat/completions") {
    return wire::Wire::openai;
  }
  if (path == "/v1/messages") {
    return wire::Wire::anthropic;
  }
  if (path == "/api/chat") {
    return wire::Wire::ollama;
  }
  return std::nullopt;
}

struct SampleExchanges::Exchange {
  ExchangeId id = 0;
  ExchangeLimits limits;
  ExchangeEvents events;
  stranger::Answered answered;
  std::uint64_t deadline_ms = 0;
  std::size_t next = 0;  // piece
  bool over = false;
};

ExchangeId SampleExchanges::start(ExchangeRequest request, const ExchangeLimits& limits, ExchangeEvents events) {
  auto exchange = std::make_shared<Exchange>();
  {
    const std::lock_guard lock(mutex_);
    exchange->id = ++last_id_;
    active_.emplace(exchange->id, exchange);
  }
  exchange->limits = limits;
  exchange->events = std::move(events);
  exchange->deadline_ms = clock_.now_ms() + limits.deadline_ms;
  const std::optional<wire::Wire> wire = sample_wire(request.target);
  exchange->answered = party_.answer(wire.value_or(wire::Wire::openai), request.body);
  if (told_) {
    told_(request, exchange->answered);
  }
  clock_.post([this, exchange] {
    if (exchange->over) {
      return;
    }
    if (exchange->answered.status == 0) {
      end(exchange, ExchangeEnd::cut, "the sample has ended the connection without an answer");
      return;
    }
    play(exchange);
  });
  return exchange->id;
}

// All pieces that come at once, then a wait for the next one.
void SampleExchanges::play(const std::shared_ptr<Exchange>& exchange) {
  const stranger::Answered& answered = exchange->answered;
  std::uint64_t waited = exchange->next < answered.pieces.size() ? answered.pieces[exchange->next].after_ms : 0;
  if (waited > 0) {
    const std::uint64_t now = clock_.now_ms();
    const std::uint64_t left = exchange->deadline_ms > now ? exchange->deadline_ms - now : 0;
    const std::uint64_t silent = exchange->next == 0 ? exchange->limits.first_byte_ms : exchange->limits.idle_ms;
    const std::uint64_t most = std::min(left, silent);
    if (waited > most) {
      const bool late = left <= silent;
      clock_.after(most, [this, exchange, late, silent] {
        end(exchange, late ? ExchangeEnd::deadline : ExchangeEnd::timed_out,
            late ? "the time of the call is used up"
                 : "the sample has sent nothing for " + json::uint_text(silent) + " ms");
      });
      return;
    }
  }
  const auto go_on = [this, exchange] {
    if (exchange->over) {
      return;
    }
    const stranger::Answered& all = exchange->answered;
    if (exchange->next == 0) {
      ExchangeHead head;
      head.status = all.status;
      head.headers.push_back({"content-type", all.content_type});
      for (const auto& [name, value] : all.fields) {
        head.headers.push_back({name, value});
      }
      exchange->events.head(head);
    }
    while (exchange->next < all.pieces.size()) {
      const Flow flow = exchange->events.bytes(all.pieces[exchange->next].bytes);
      ++exchange->next;
      if (exchange->over) {
        return;
      }
      if (flow == Flow::stop) {
        end(exchange, ExchangeEnd::cancelled, "cancelled");
        return;
      }
      if (exchange->next < all.pieces.size() && all.pieces[exchange->next].after_ms > 0) {
        play(exchange);
        return;
      }
    }
    end(exchange, all.whole ? ExchangeEnd::complete : ExchangeEnd::cut,
        all.whole ? "" : "the sample has ended the connection before its answer was whole");
  };
  if (waited > 0) {
    clock_.after(waited, go_on);
  } else {
    go_on();
  }
}

void SampleExchanges::end(const std::shared_ptr<Exchange>& exchange, ExchangeEnd how, std::string message) {
  {
    const std::lock_guard lock(mutex_);
    if (exchange->over) {
      return;
    }
    exchange->over = true;
    active_.erase(exchange->id);
  }
  exchange->events.end({how, std::move(message)});
}

void SampleExchanges::cancel(ExchangeId id) {
  clock_.post([this, id] {
    std::shared_ptr<Exchange> exchange;
    {
      const std::lock_guard lock(mutex_);
      const auto found = active_.find(id);
      exchange = found == active_.end() ? nullptr : found->second;
    }
    if (exchange) {
      end(exchange, ExchangeEnd::cancelled, "cancelled");
    }
  });
}

}  // namespace plumb::provider
