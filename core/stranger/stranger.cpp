#include "core/stranger/stranger.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/json/sha256.hpp"
#include "core/sample/random.hpp"
#include "core/text/sentences.hpp"
#include "core/text/tokens.hpp"
#include "core/wire/failure.hpp"
#include "core/wire/reply_writer.hpp"

namespace plumb::stranger {

namespace {

using sample::Random;
using wire::DeltaKind;
using wire::FailureClass;
using wire::ModelDelta;
using wire::ModelReply;
using wire::Wire;

constexpr std::uint64_t created_s = 1'760'000'000;
constexpr std::uint64_t never_ms = std::uint64_t{24} * 3'600'000;
constexpr std::size_t pieces_max = 20'000;

// Of what was asked, however it was written, for the time that it is asked.
std::uint64_t seed_of(const Asked& asked, const Manner& manner, std::uint64_t times_asked) {
  json::Sha256 hash;
  const auto add = [&](std::string_view text) {
    hash.update(json::uint_text(text.size()));
    hash.update(text);
  };
  add(json::uint_text(manner.seed));
  add(json::uint_text(times_asked));
  for (const AskedMessage& one : asked.messages) {
    add(one.role);
    add(one.text);
  }
  for (const AskedTool& tool : asked.tools) {
    add(tool.name);
    add(tool.schema);
  }
  add(asked.schema);
  const json::Sha256::Digest digest = hash.digest();
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    out = out << 8U | digest[i];
  }
  return out;
}

// Ollama leaves out what does not fit: the oldest messages, and of the last one its beginning.
bool shorten(Asked& asked) {
  if (asked.wire != Wire::ollama || asked.input_tokens <= asked.context) {
    return false;
  }
  std::vector<AskedMessage>& all = asked.messages;
  for (std::size_t i = 0; i + 1 < all.size() && asked.input_tokens > asked.context;) {
    if (all[i].role == "system") {
      ++i;
      continue;
    }
    const std::uint64_t gone = 4 + text::estimate_tokens(all[i].text).likely;
    asked.input_tokens -= std::min(asked.input_tokens, gone);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (asked.input_tokens > asked.context && !all.empty()) {
    std::string& last = all.back().text;
    const std::size_t kept = static_cast<std::size_t>(last.size() * asked.context / asked.input_tokens);
    const std::string_view gone = text::first_code_points(last, last.size() - kept);
    last = last.substr(std::min(last.size(), gone.size()));
    asked.input_tokens = asked.context;
  }
  return true;
}

class Answerer {
 public:
  Answerer(Wire wire, Shelf& shelf) : wire_(wire), shelf_(shelf) {}

  Answered answer(std::string_view body, std::uint64_t times_asked) {
    ReadRequest read = read_asked(wire_, body);
    out_.mode = read.manner.mode;
    if (read.refused) {
      out_.refusal = read.refused->row;
      refuse(*read.refused);
      return std::move(out_);
    }
    Asked& asked = read.asked;
    out_.shortened = shorten(asked);
    const std::uint64_t seed = seed_of(asked, read.manner, times_asked);
    dice_ = Random(Random::mixed(seed + 1));
    const bool so = dice_.below(100) < read.manner.rate_percent;
    out_.fault = read.manner.fault;
    if (read.manner.mode == Mode::down && so) {
      fail(asked, read.manner, seed);
      return std::move(out_);
    }
    if (!so) {
      read.manner.mode = Mode::obedient;
      read.manner.fault = Fault::any;
    }
    out_.mode = read.manner.mode;
    read.manner.rate_percent = 100;
    const Composed composed = compose(asked, read.manner, shelf_, seed);
    if (composed.fault != Fault::any) {
      out_.fault = composed.fault;
    }
    write(asked, read.manner, composed.reply);
    return std::move(out_);
  }

 private:
  void write_failure(int status, FailureClass kind, std::string_view message, std::string_view code) {
    wire::Failure failure = wire::make_failure(kind, message);
    failure.status = status;
    failure.code = std::string(code);
    out_.status = status;
    out_.content_type = "application/json";
    out_.pieces.push_back({});
    wire::append_failure(out_.pieces.back().bytes, wire_, failure);
  }

  void refuse(const Refused& refused) {
    write_failure(refused.status, refused.status == 404 ? FailureClass::not_found : FailureClass::bad_request,
                  refused.message, refused.code);
  }

  void retry_after(std::uint64_t seconds) { out_.fields.emplace_back("retry-after", json::uint_text(seconds)); }

  void fail(const Asked& asked, const Manner& manner, std::uint64_t seed) {
    constexpr std::size_t first = static_cast<std::size_t>(Fault::overloaded);
    constexpr std::size_t kinds = static_cast<std::size_t>(Fault::halfway) - first + 1;
    out_.fault = manner.fault == Fault::any ? static_cast<Fault>(first + dice_.below(kinds)) : manner.fault;
    switch (out_.fault) {
      case Fault::limited:
        write_failure(429, FailureClass::rate_limited, "Rate limit reached for requests", "rate_limit_exceeded");
        retry_after(1 + dice_.below(3));
        return;
      case Fault::broken:
        write_failure(500, FailureClass::server, "The server had an error while processing your request", "");
        return;
      case Fault::page:
        out_.status = 502;
        out_.content_type = "text/html";
        out_.pieces.push_back({0, "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>\n"});
        return;
      case Fault::dropped:
        out_.status = 0;
        out_.whole = false;
        return;
      case Fault::halfway: {
        Manner obedient = manner;
        obedient.mode = Mode::obedient;
        write(asked, obedient, compose(asked, obedient, shelf_, seed).reply);
        out_.pieces.resize(std::max<std::size_t>(1, out_.pieces.size() / 2));
        std::string& last = out_.pieces.back().bytes;
        last.resize(last.size() / 2);
        out_.whole = false;
        return;
      }
      default:
        write_failure(wire_ == Wire::anthropic ? 529 : 503, FailureClass::overloaded,
                      "The engine is currently overloaded, please try again later", "");
        retry_after(1 + dice_.below(3));
    }
  }

  // Pieces of 1 to 24 code points.
  template <class Add>
  void in_pieces(std::string_view text, Add add) {
    while (!text.empty()) {
      const std::string_view piece = text::first_code_points(text, 1 + dice_.below(24) + text.size() / pieces_max);
      add(piece);
      text.remove_prefix(piece.size());
    }
  }

  void write(const Asked& asked, const Manner& manner, const ModelReply& reply) {
    wire::ReplyHead head;
    head.id = (wire_ == Wire::anthropic ? "msg_" : "chatcmpl-") + reply.id;
    head.model = asked.model;
    head.created_s = created_s;
    head.input_tokens = asked.input_tokens;
    head.usage = asked.usage;
    if (asked.stream) {
      out_.content_type = wire_ == Wire::ollama ? "application/x-ndjson" : "text/event-stream";
      stream(reply, std::move(head));
    } else {
      out_.content_type = "application/json";
      out_.pieces.push_back({});
      if (!wire::append_reply(out_.pieces.back().bytes, wire_, reply, head)) {
        // A call that was cut has no object as its arguments: the interface gives an empty one.
        ModelReply whole = reply;
        for (wire::ToolCall& call : whole.calls) {
          call.arguments = "{}";
        }
        (void)wire::append_reply(out_.pieces.back().bytes, wire_, whole, head);
      }
    }
    if (manner.mode == Mode::slow) {
      slow_down(manner.fault);
    }
  }

  void stream(const ModelReply& reply, wire::ReplyHead head) {
    wire::StreamWriter writer(wire_, std::move(head));
    const auto put = [&](const ModelDelta& delta) {
      out_.pieces.push_back({});
      writer.delta(out_.pieces.back().bytes, delta);
    };
    out_.pieces.push_back({});
    writer.begin(out_.pieces.back().bytes);
    for (const auto& [text, kind] :
         {std::pair{&reply.thinking, DeltaKind::thinking}, std::pair{&reply.text, DeltaKind::text},
          std::pair{&reply.refusal, DeltaKind::refusal}}) {
      in_pieces(*text, [&, delta_kind = kind](std::string_view piece) { put({delta_kind, 0, piece, {}, {}}); });
    }
    for (std::size_t i = 0; i < reply.calls.size(); ++i) {
      const wire::ToolCall& call = reply.calls[i];
      const auto index = static_cast<std::uint32_t>(i);
      put({DeltaKind::call_begin, index, {}, call.id, call.name});
      in_pieces(call.arguments, [&](std::string_view piece) {
        put({DeltaKind::call_arguments, index, piece, {}, {}});
      });
    }
    out_.pieces.push_back({});
    writer.end(out_.pieces.back().bytes, reply);
    out_.pieces.erase(
        std::remove_if(out_.pieces.begin(), out_.pieces.end(), [](const Piece& piece) { return piece.bytes.empty(); }),
        out_.pieces.end());
  }

  void slow_down(Fault fault) {
    constexpr std::size_t first = static_cast<std::size_t>(Fault::late);
    out_.fault = fault == Fault::any ? static_cast<Fault>(first + dice_.below(3)) : fault;
    if (out_.fault == Fault::late) {
      out_.pieces.front().after_ms = 5'000 + 1'000 * dice_.below(240);
    } else if (out_.fault == Fault::steady) {
      const std::uint64_t each_ms = 50 + dice_.below(2'000);
      for (Piece& piece : out_.pieces) {
        piece.after_ms = each_ms;
      }
    } else {
      out_.pieces[out_.pieces.size() / 2].after_ms = never_ms;
    }
  }

  Wire wire_;
  Shelf& shelf_;
  Random dice_{0};
  Answered out_;
};

}  // namespace

Answered Stranger::answer(Wire wire, std::string_view body, std::uint64_t times_asked) {
  return Answerer(wire, shelf_).answer(body, times_asked);
}

}  // namespace plumb::stranger
