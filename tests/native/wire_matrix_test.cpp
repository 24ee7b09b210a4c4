// The wires among each other, as recorded text: what each client's request is for each provider, and what each
// provider's answer is for each client. PLUMB_REWRITE=1 writes what is answered into the files of tests/cases/wire, so
// that the diff is the review. Beside them the laws that hold for every pair, whatever is recorded.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/client_request.hpp"
#include "core/wire/generate.hpp"
#include "core/wire/model_json.hpp"
#include "core/wire/reply.hpp"
#include "core/wire/reply_writer.hpp"
#include "core/wire/request.hpp"
#include "core/wire/told_failure.hpp"
#include "core/wire/translate.hpp"
#include "core/wire/usage_watch.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

constexpr std::array<Wire, 4> wires = {Wire::openai, Wire::anthropic, Wire::responses, Wire::ollama};
// A provider that has responses speaks chat to other clients than those of responses.
bool is_asked(Wire client, Wire provider) { return provider != Wire::responses || client == Wire::responses; }
constexpr std::uint64_t now_ms = 1'700'000'000'000;

struct Recorded {
  std::string title;
  std::string input;
};

struct Matrix {
  std::string path;
  std::string text;
  std::string comment;
  std::vector<Recorded> cases;
};

Matrix read_matrix(std::string_view kind, Wire wire) {
  Matrix matrix;
  matrix.path =
      test::source_dir() + "/tests/cases/wire/" + std::string(kind) + "_" + std::string(wire_name(wire)) + ".txt";
  std::ifstream file(matrix.path, std::ios::binary);
  matrix.text = {std::istreambuf_iterator<char>(file), {}};
  REQUIRE_MESSAGE(!matrix.text.empty(), matrix.path);
  std::size_t from = matrix.text.find("\n=== ");
  matrix.comment = matrix.text.substr(0, from);
  while (from != std::string::npos) {
    const std::size_t to = matrix.text.find("\n=== ", from + 1);
    std::string_view one(matrix.text);
    one = one.substr(from + 5, to == std::string::npos ? to : to - from - 5);
    const std::size_t line = one.find('\n');
    std::string_view input = one.substr(line + 1);
    input = input.substr(0, input.find("--- "));
    // The blank line between two cases that have no answers yet belongs to neither.
    matrix.cases.push_back({std::string(one.substr(0, line)), std::string(input)});
    from = to;
  }
  return matrix;
}

void compare(const Matrix& matrix, const std::string& text) {
  if (std::getenv("PLUMB_REWRITE") != nullptr) {
    std::ofstream(matrix.path, std::ios::binary) << text;
  } else {
    const bool as_recorded = text == matrix.text;
    CHECK_MESSAGE(as_recorded, matrix.path);
  }
}

std::string_view without_end(std::string_view text) {
  while (text.ends_with('\n'))
    text.remove_suffix(1);
  return text;
}

void add_line(std::string& out, std::string_view text) {
  out += text;
  if (!text.ends_with('\n'))
    out += '\n';
}

const ReplyHead head = {"id1", "alias", 1700000000, 9, true};

struct Read {
  ModelReply reply;
  std::optional<Failure> failure;
};

// What a client's stream is, from the provider's in pieces of this size.
std::string translated(Wire provider, std::string_view stream, Wire client, std::size_t size, Read& read) {
  ReplyStream reader(provider);
  StreamWriter writer(client, head);
  std::string out;
  writer.begin(out);
  const auto pass = [&] {
    for (ModelDelta delta; reader.next(delta);)
      writer.delta(out, delta);
  };
  for (; !stream.empty(); stream.remove_prefix(std::min(size, stream.size()))) {
    const std::string piece(stream.substr(0, size));
    reader.push(piece);
    pass();
  }
  reader.end();
  pass();
  read.failure = reader.failure();
  read.reply = reader.take_reply();
  if (read.failure)
    writer.fail(out, *read.failure);
  else
    writer.end(out, read.reply);
  return out;
}

Read read_stream(Wire wire, std::string_view stream) {
  ReplyStream reader(wire);
  reader.push(stream);
  reader.end();
  for (ModelDelta delta; reader.next(delta);) {
  }
  return {reader.reply(), reader.failure()};
}

std::string failed(Wire client, const Failure& failure) {
  std::string out = "status " + std::to_string(status_of(failure)) + "\n";
  append_failure(out, client, failure);
  return out;
}

// What the answer says to a client of this wire, in one line; without ids. A refusal is a text where the wire has no
// member for it, what a filter has cut is told as a refusal in one and the other way round in another, and Ollama's
// clients know only one word for all of these.
std::string meaning(ModelReply reply, Wire client) {
  const bool refused = reply.finish == Finish::refusal || reply.finish == Finish::content_filter;
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    reply.calls[i].id = std::to_string(i);
    json::Arena arena;
    if (const Result<json::Value> value = json::parse(reply.calls[i].arguments, arena))
      reply.calls[i].arguments = json::value_text(value.value());
    else if (reply.finish == Finish::length)
      reply.calls[i].arguments = "{}";  // half of an object cannot be told everywhere
  }
  std::string out = reply.text + reply.refusal + "|";
  out += client != Wire::ollama && refused ? "refused" : finish_name(refused ? Finish::stop : reply.finish);
  for (const ToolCall& call : reply.calls)
    out += "|" + call.name + call.arguments;
  return out;
}

std::string told(const Read& read, Wire wire) {
  return read.failure ? std::string(failure_class_name(read.failure->failure_class)) : meaning(read.reply, wire);
}

struct Answered {
  std::string out;  // as the client gets it
  Read read;        // as we read it
  Read again;       // as its client reads it
};

Answered answered(Wire provider, const Recorded& one, Wire client) {
  Answered answer;
  if (one.title.starts_with("status ")) {
    const int status = std::atoi(one.title.c_str() + 7);
    answer.read.failure = failure_of(status, {}, without_end(one.input), now_ms);
    REQUIRE(answer.read.failure);
  } else if (one.title.ends_with(", streamed")) {
    answer.out = translated(provider, one.input, client, one.input.size(), answer.read);
    answer.again = read_stream(client, answer.out);
    return answer;
  } else {
    ReplyOutcome outcome = read_reply(provider, without_end(one.input));
    answer.read = {std::move(outcome.reply), std::move(outcome.failure)};
  }
  if (!answer.read.failure) {
    if (const Result<bool> done = append_reply(answer.out, client, answer.read.reply, head); !done) {
      answer.again.failure = make_failure(FailureClass::malformed, done.error().message);
      answer.out = failed(client, *answer.again.failure);
      return answer;
    }
    ReplyOutcome again = read_reply(client, answer.out);
    answer.again = {std::move(again.reply), std::move(again.failure)};
    return answer;
  }
  answer.out = failed(client, *answer.read.failure);
  answer.again.failure =
      failure_of(status_of(*answer.read.failure), {}, answer.out.substr(answer.out.find('\n') + 1), now_ms);
  return answer;
}

// The request for a provider of this wire, or why there is none.
std::string asked(Wire client, std::string_view body, Wire provider) {
  std::vector<std::string> lost;
  const Result<ModelRequest> request = translated_request(client, body, provider, &lost);
  if (!request)
    return "refused at \"" + request.error().where + "\": " + request.error().message;
  const Result<std::string> out = request_body(provider, request.value());
  if (!out)
    return "refused at \"" + out.error().where + "\": " + out.error().message;
  std::string said;
  for (const std::string& one : lost)
    said += (said.empty() ? "lost: " : ", ") + one;
  return said + (said.empty() ? "" : "\n") + out.value();
}

}  // namespace

TEST_CASE("wire matrix: each client's request is what is recorded for each provider") {
  for (const Wire client : wires) {
    const Matrix matrix = read_matrix("requests", client);
    std::string text = matrix.comment;
    for (const Recorded& one : matrix.cases) {
      CAPTURE(one.title);
      const std::string_view body = without_end(one.input);
      REQUIRE(read_client_request(client, body));
      text += "\n=== " + one.title + "\n" + std::string(body) + "\n";
      for (const Wire provider : wires) {
        if (!is_asked(client, provider))
          continue;
        const std::string out = asked(client, body, provider);
        text += "--- " + std::string(wire_name(provider)) + "\n";
        add_line(text, out);
        if (out.starts_with("refused"))
          continue;
        // What a provider is sent is a request that its own clients could have made, and asks the same.
        const std::string sent = out.substr(out.rfind('\n') + 1);
        CAPTURE(sent);
        const auto read = read_client_request(provider, sent);
        REQUIRE(read);
        CHECK(read.value().stream == read_client_request(client, body).value().stream);
        CHECK(asked(provider, sent, provider).ends_with(sent));
      }
    }
    compare(matrix, text);
  }
}

TEST_CASE("wire matrix: each provider's answer is what is recorded for each client") {
  for (const Wire provider : wires) {
    const Matrix matrix = read_matrix("answers", provider);
    std::string text = matrix.comment;
    for (const Recorded& one : matrix.cases) {
      const std::string input(without_end(one.input));
      text += "\n=== " + one.title + "\n" + input + "\n";
      if (one.input.ends_with("\n\n"))
        text += "\n";  // the end of an event
      for (const Wire client : wires) {
        text += "--- " + std::string(wire_name(client)) + "\n";
        add_line(text, answered(provider, one, client).out);
      }
    }
    compare(matrix, text);
  }
}

TEST_CASE("wire matrix: each client reads what its provider has said, and an answer without an end is never finished") {
  for (const Wire provider : wires) {
    for (const Recorded& one : read_matrix("answers", provider).cases) {
      CAPTURE(wire_name(provider));
      CAPTURE(one.title);
      const bool ended = !one.title.starts_with("no ") && !one.title.starts_with("in progress") &&
                         one.title.find("error") == std::string::npos && !one.title.starts_with("a failure") &&
                         !one.title.starts_with("status");
      for (const Wire client : wires) {
        CAPTURE(wire_name(client));
        const Answered answer = answered(provider, one, client);
        CHECK(answer.read.failure.has_value() != ended);
        const bool told = ended && can_be_written(client, answer.read.reply);
        CHECK(answer.again.failure.has_value() != told);
        if (told)
          CHECK(meaning(answer.again.reply, client) == meaning(answer.read.reply, client));
        else
          CHECK(answer.again.reply.finish == Finish::none);
      }
    }
  }
}

TEST_CASE("wire matrix: streamed and whole have the same text, calls, finish, usage and error") {
  for (const Wire provider : wires) {
    std::map<std::string, std::pair<std::string, Read>> streams;
    std::size_t pairs = 0;
    for (const Recorded& one : read_matrix("answers", provider).cases) {
      CAPTURE(wire_name(provider));
      CAPTURE(one.title);
      const std::string name = one.title.substr(0, one.title.find(", "));
      const Answered now = answered(provider, one, provider);
      if (one.title.ends_with(", streamed")) {
        streams[name] = {told(now.read, provider), now.read};
      } else if (const auto other = streams.find(name); other != streams.end()) {
        ++pairs;
        CHECK(told(now.read, provider) == other->second.first);
        if (!now.read.failure) {
          CHECK(now.read.reply.usage == other->second.second.reply.usage);
          CHECK(now.read.reply.thinking == other->second.second.reply.thinking);
          CHECK(now.read.reply.refusal == other->second.second.reply.refusal);
        } else if (name.find("error") != std::string::npos) {
          CHECK(now.read.failure->message == other->second.second.failure->message);
          CHECK(now.read.failure->code == other->second.second.failure->code);
        }
      }
    }
    CHECK(pairs >= 5);
  }
}

TEST_CASE("wire matrix: a prompt of Ollama's is the chat that asks the same, and its answer is a text") {
  const auto chat = [](std::string_view body) {
    const Result<std::string> out = chat_of_generate(body);
    return out ? out.value() : out.error().where + ": " + out.error().message;
  };
  CHECK(chat(R"({"model":"m","prompt":"Hi","system":"Be brief.","images":["AAAA"],"stream":false,"context":[],)"
             R"("options":{"seed":1},"suffix":"","raw":false,"template":null})") ==
        R"({"model":"m","stream":false,"options":{"seed":1},"messages":[{"role":"system","content":"Be brief."},)"
        R"({"role":"user","content":"Hi","images":["AAAA"]}]})");
  CHECK(chat(R"({"model":"m"})").starts_with("/prompt: "));
  CHECK(chat(R"({"model":"m","prompt":["Hi"]})").starts_with("/prompt: "));
  CHECK(chat(R"({"model":"m","prompt":"Hi","context":[1,2]})") ==
        "/context: This has no counterpart here; use /api/chat");
  CHECK(chat(R"({"model":"m","prompt":"Hi","raw":true})").starts_with("/raw: "));
  CHECK(chat("[]").starts_with(": "));
  CHECK(chat("{").find("line") == std::string::npos);
  ReplyHead as_text = head;
  as_text.prompt = true;
  ModelReply reply;
  reply.text = "Yes";
  reply.thinking = "So.";
  reply.finish = Finish::stop;
  std::string whole;
  REQUIRE(append_reply(whole, Wire::ollama, reply, as_text));
  CHECK(whole.starts_with(R"({"model":"alias","created_at":"2023-11-14T22:13:20Z","response":"Yes","thinking":"So.",)"
                          R"("done_reason":"stop","done":true,)"));
  StreamWriter writer(Wire::ollama, as_text);
  std::string stream;
  writer.begin(stream);
  writer.delta(stream, {DeltaKind::thinking, 0, "So.", {}, {}});
  writer.delta(stream, {DeltaKind::text, 0, "Yes", {}, {}});
  writer.end(stream, reply);
  const std::string line = R"({"model":"alias","created_at":"2023-11-14T22:13:20Z","response":)";
  CHECK(stream.starts_with(line + R"("","thinking":"So.","done":false})" + "\n" + line + R"("Yes","done":false})" +
                           "\n" + line + R"("","done_reason":"stop","done":true,)"));
}

TEST_CASE("wire matrix: how the bytes are cut changes nothing that a client gets") {
  for (const Wire provider : wires) {
    for (const Recorded& one : read_matrix("answers", provider).cases) {
      if (!one.title.ends_with(", streamed"))
        continue;
      CAPTURE(wire_name(provider));
      CAPTURE(one.title);
      for (const Wire client : wires) {
        Read read;
        const std::string wanted = translated(provider, one.input, client, one.input.size(), read);
        for (const std::size_t size : {1U, 2U, 3U, 7U, 64U}) {
          CAPTURE(size);
          CHECK(translated(provider, one.input, client, size, read) == wanted);
        }
      }
    }
  }
}

TEST_CASE("wire matrix: what is passed on unread tells the same end, reason, usage and error as what is read") {
  for (const Wire provider : wires) {
    for (const Recorded& one : read_matrix("answers", provider).cases) {
      if (one.title.starts_with("status "))
        continue;
      CAPTURE(wire_name(provider));
      CAPTURE(one.title);
      const bool streamed = one.title.ends_with(", streamed");
      const Read read = answered(provider, one, provider).read;
      for (const std::size_t size : {std::size_t{1}, std::size_t{50}, one.input.size()}) {
        UsageWatch watch(provider, streamed);
        for (std::string_view rest = one.input; !rest.empty(); rest.remove_prefix(std::min(size, rest.size())))
          watch.push(rest.substr(0, size));
        watch.end();
        const bool finished = watch.ended() && !watch.failure() && watch.finish() != Finish::none;
        CHECK(finished == !read.failure.has_value());
        if (!read.failure) {
          CHECK(watch.usage() == read.reply.usage);
          continue;
        }
        // What a whole answer tells of its error is read by whoever has kept it.
        const std::optional<Failure> told = streamed ? watch.failure() : told_failure(one.input);
        if (told) {
          CHECK(told->message == read.failure->message);
          CHECK(told->failure_class == read.failure->failure_class);
        }
      }
    }
  }
}
