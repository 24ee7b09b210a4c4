// Answers of providers, whatever their bytes: the deltas, the reply and the failure are the same however the bytes are
// cut; the texts of the deltas make up the reply; a failure has a message that is short, on one line and UTF-8; what is
// written for a client of another provider is read again as it was. The first byte says which provider.
#include <optional>

#include "core/text/utf8.hpp"
#include "core/wire/model_json.hpp"
#include "core/wire/reply.hpp"
#include "core/wire/reply_writer.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace {

using namespace plumb;
using namespace plumb::wire;
using plumb::fuzz::expect;

// Small, so that they are reached.
ReplyOptions options_of(unsigned char byte) {
  ReplyOptions options;
  options.event_bytes_max = (byte & 4U) != 0 ? 300 : std::size_t{8} << 20;
  options.answer_bytes_max = (byte & 8U) != 0 ? 200 : std::size_t{64} << 20;
  options.stream_bytes_max = (byte & 16U) != 0 ? 500 : std::size_t{1} << 30;
  options.done_required = (byte & 32U) == 0;
  options.structured_tool = (byte & 64U) != 0 ? "answer" : "";
  return options;
}

struct Told {
  std::string text;  // all of it
  std::string written;
  ModelReply reply;
  std::optional<Failure> failure;
};

void append(Told& told, const ModelDelta& delta) {
  told.text.push_back(static_cast<char>('a' + static_cast<int>(delta.kind)));
  told.text += std::to_string(delta.index);
  for (const std::string_view text : {delta.text, delta.id, delta.name}) {
    told.text += std::to_string(text.size());
    told.text += text;
  }
}

Told told_by(Wire wire, Wire client, const ReplyOptions& options, std::string_view stream, unsigned way) {
  ReplyStream reader(wire, options);
  StreamWriter writer(client, {"id", "model", 1, 0, true});
  Told told;
  writer.begin(told.written);
  ModelReply rebuilt;
  const auto drain = [&] {
    for (ModelDelta delta; reader.next(delta);) {
      append(told, delta);
      writer.delta(told.written, delta);
      if (delta.kind == DeltaKind::text) {
        rebuilt.text += delta.text;
      } else if (delta.kind == DeltaKind::call_begin) {
        rebuilt.calls.push_back({std::string(delta.id), std::string(delta.name), ""});
      } else if (delta.kind == DeltaKind::call_arguments) {
        rebuilt.calls[delta.index].arguments += delta.text;
      }
    }
  };
  for (const std::string_view piece : fuzz::pieces_of(stream, way)) {
    const fuzz::OwnPiece own(piece);
    reader.push(own.view());
    drain();
  }
  reader.end();
  drain();
  told.failure = reader.failure();
  told.reply = reader.take_reply();
  expect(told.failure.has_value() || reader.done(), "a stream has ended or failed");
  expect(rebuilt.text == told.reply.text, "the deltas make up the text", rebuilt.text, told.reply.text);
  expect(rebuilt.calls.size() == told.reply.calls.size(), "the deltas make up the calls");
  for (std::size_t i = 0; i < rebuilt.calls.size(); ++i) {
    expect(rebuilt.calls[i].arguments == told.reply.calls[i].arguments, "the deltas make up the arguments");
  }
  append_model_reply(told.text, told.reply);
  if (told.failure) {
    told.text += failure_class_name(told.failure->failure_class);
    told.text += told.failure->message;
    writer.fail(told.written, *told.failure);
  } else {
    writer.end(told.written, told.reply);
  }
  return told;
}

void check_failure(const std::optional<Failure>& failure) {
  if (failure) {
    expect(!failure->message.empty() && text::is_utf8(failure->message), "a failure has a message in UTF-8");
    expect(text::code_points(failure->message) <= 300, "a failure's message is short", failure->message);
    expect(failure->message.find('\n') == std::string::npos, "a failure's message is one line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const unsigned char first = data[0];
  const auto wire = static_cast<Wire>((first & 3U) % 3U);
  const Wire client = wire == Wire::anthropic ? Wire::openai : Wire::anthropic;
  const ReplyOptions options = options_of(first);
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);

  const Told whole = told_by(wire, client, options, stream, 0);
  check_failure(whole.failure);
  for (unsigned way = 1; way < fuzz::ways; ++way) {
    const Told cut = told_by(wire, client, options, stream, way);
    expect(cut.text == whole.text, "pieces change nothing", whole.text, cut.text);
    expect(cut.written == whole.written, "pieces change nothing that is written", whole.written, cut.written);
  }
  const Told again = told_by(client, wire == Wire::ollama ? Wire::openai : wire, {}, whole.written, 1);
  expect(again.failure.has_value() == whole.failure.has_value(), "what is written ends as it ended", whole.written);
  expect(again.reply.text + again.reply.refusal == whole.reply.text + whole.reply.refusal ||
             (!whole.reply.refusal.empty() && client == Wire::anthropic),
         "what is written has the same text", whole.reply.text, again.reply.text);
  expect(again.reply.calls.size() == whole.reply.calls.size(), "what is written has the same calls");

  const ReplyOutcome outcome = read_reply(wire, stream, options);
  check_failure(outcome.failure);
  const std::vector<std::string_view> secrets = {stream.substr(0, stream.size() < 8 ? 0 : 8)};
  check_failure(failure_of(first * 4, {}, stream, 0, secrets));
  const std::vector<Header> headers = {{"retry-after", stream}};
  const std::optional<std::uint64_t> wait_ms = retry_after_ms(headers, 784'111'777'000);
  expect(!wait_ms || *wait_ms <= 86'400'000, "no wait is longer than a day");
  return 0;
}
