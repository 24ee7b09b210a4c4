// /v1/runs/{id}/asks: what a run asks the client that started it, or another, and the answers.
#include <algorithm>
#include <chrono>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/boundary/client_question.hpp"
#include "core/run/person.hpp"
#include "core/run/stamp.hpp"
#include "native/control/control.hpp"
#include "native/control/event_stream.hpp"
#include "native/control/route_table.hpp"

namespace plumb::control {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t wait_s_usual = 30;
constexpr std::uint64_t wait_s_max = 60;
constexpr std::uint64_t look_ms = 500;

// The last part of its key, which is unique in its run.
std::string_view ask_id(const run::Entry& attempt) {
  const std::string_view key = attempt.key;
  return key.substr(key.rfind('/') + 1);
}

bool is_over(const run::Journal& journal) { return journal.entries().back().kind == run::EntryKind::end; }

bool is_open(const run::Journal& journal, const run::ClientAsk& ask) {
  return ask.reply == nullptr && !is_over(journal);
}

std::string asks_text(const run::Journal& journal) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("asks").begin_array();
  for (const run::ClientAsk& ask : run::client_asks(journal)) {
    if (!is_open(journal, ask)) {
      continue;
    }
    json.begin_object().member("ask", ask_id(*ask.attempt));
    if (ask.attempt->deadline_ms > 0) {
      json.member("answer_by", run::iso_time(ask.attempt->at_ms + ask.attempt->deadline_ms));
    }
    const json::Value* question = ask.attempt->data.value().find("question");
    for (const json::Member& member : question == nullptr ? std::span<const json::Member>() : question->object()) {
      json.key(member.key).value(member.value);
    }
    json.end_object();
  }
  json.end_array().member_boolean("ended", is_over(journal)).end_object();
  return out;
}

bool has_news(const run::Journal& journal) {
  const std::vector<run::ClientAsk> asks = run::client_asks(journal);
  return is_over(journal) ||
         std::any_of(asks.begin(), asks.end(), [&](const run::ClientAsk& ask) { return is_open(journal, ask); });
}

std::optional<run::ClientAsk> find_ask(const run::Journal& journal, std::string_view id) {
  const std::vector<run::ClientAsk> asks = run::client_asks(journal);
  const auto found =
      std::find_if(asks.begin(), asks.end(), [&](const run::ClientAsk& ask) { return ask_id(*ask.attempt) == id; });
  return found == asks.end() ? std::nullopt : std::optional(*found);
}

Answer closed_answer(const run::Journal& journal, const run::ClientAsk& ask) {
  std::string why = "The run has ended.";
  if (ask.reply != nullptr && ask.reply->status == run::Status::timed_out) {
    why = "This answer is too late: there was " + ask.reply->error + ". The boundary has passed on without it.";
  } else if (ask.reply != nullptr && ask.reply->status != run::Status::cancelled) {
    why = "This ask was answered already, with another answer. The first one counts.";
  } else if (!is_over(journal)) {
    why = "This ask is no longer open.";
  }
  return refuse(Wrong::conflict, std::move(why));
}

Answer taken_answer(const std::string& id, std::string_view ask) {
  std::string text;
  json::Writer(text).begin_object().member("id", id).member("ask", ask).end_object();
  return json_answer(202, std::move(text));
}

}  // namespace

Answer get_run_asks(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"wait"})) {
    return std::move(*refused);
  }
  const AskedNumber wait = asked_number(request, "wait", wait_s_usual, 0, wait_s_max);
  if (wait.refused) {
    return *wait.refused;
  }
  const std::string id(request.value("id"));
  const auto until = Clock::now() + std::chrono::seconds(wait.number);
  std::shared_ptr<void> place;
  std::unique_ptr<host::Watch> watch;
  for (;;) {
    const Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(id);
    if (!journal) {
      return refuse(journal.error());
    }
    if (has_news(*journal.value()) || Clock::now() >= until || control.serving->stopping) {
      return json_answer(200, asks_text(*journal.value()));
    }
    if (watch == nullptr) {
      place = take_stream_place(control);
      if (place == nullptr) {
        return no_stream_place();
      }
      Result<std::unique_ptr<host::Watch>> watched = control.host->watch(id, journal.value()->entries().size());
      if (!watched) {
        return refuse(watched.error());
      }
      watch = std::move(watched).value();
    }
    // What is there already is taken in one go.
    for (std::uint64_t wait_ms = look_ms; watch->next(wait_ms).what == host::Watch::What::entry; wait_ms = 0) {
    }
    if (request.listening && !request.listening()) {
      return json_answer(200, R"({"asks":[],"ended":false})");
    }
  }
}

Answer post_run_ask(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  const std::string_view name = request.value("ask");
  Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(id);
  if (!journal) {
    return refuse(journal.error());
  }
  const std::optional<run::ClientAsk> ask = find_ask(*journal.value(), name);
  if (!ask) {
    return refuse(Wrong::not_found,
                  "The run has no ask '" + std::string(name) + "'; GET /v1/runs/" + id + "/asks lists the open ones.");
  }
  json::Arena arena;
  const Result<json::Value> body = json::parse(*request.body, arena);
  if (!body) {
    return refuse(Wrong::bad_request, body.error());
  }
  const Result<run::Reply> reply = pipelines::client_reply(ask->attempt->data.value(), body.value());
  if (!reply) {
    return refuse(Wrong::not_processable, reply.error());
  }
  const auto same = [&](const run::Entry* before) {
    return before != nullptr && before->status == reply.value().status && before->error == reply.value().error &&
           before->data.text() == reply.value().value.text();
  };
  if (same(ask->reply)) {
    return taken_answer(id, name);  // the same once more is no second answer
  }
  if (!is_open(*journal.value(), *ask)) {
    return closed_answer(*journal.value(), *ask);
  }
  const Result<bool> taken = control.host->reply(id, ask->attempt->key, reply.value());
  if (!taken) {
    return refuse(taken.error());
  }
  if (taken.value()) {
    return taken_answer(id, name);
  }
  journal = control.host->snapshot(id);
  const std::optional<run::ClientAsk> now = journal ? find_ask(*journal.value(), name) : std::nullopt;
  if (!now) {
    return refuse(Wrong::conflict, "This ask is no longer open.");
  }
  return same(now->reply) ? taken_answer(id, name) : closed_answer(*journal.value(), *now);
}

}  // namespace plumb::control
