// Bodies of clients, whatever their bytes: what is read is where it is said to be; a changed body is JSON, says
// what was wanted and keeps all else; a translation is a request that can be written, or an error with a place. The
// first byte says which wire and which changes.
#include "core/json/value.hpp"
#include "core/wire/client_request.hpp"
#include "core/wire/request.hpp"
#include "core/wire/translate.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace plumb;
using namespace plumb::wire;
using plumb::fuzz::expect;

namespace {

void check_error(const Error& error, std::string_view body) {
  expect(!error.message.empty(), "an error has a message");
  expect(error.line <= body.size() + 1, "an error's line is in the body");
  const Failure failure = failure_of_request(error);
  expect(failure.status == 400 || failure.status == 413, "a request's error has a status of 400 or 413");
}

void check_changes(Wire wire, std::string_view body, const ClientRequest& request, unsigned char how) {
  BodyChanges changes;
  changes.model = (how & 1U) != 0 ? "other \"model\"" : "";
  changes.remove_plumb = (how & 2U) != 0;
  changes.include_usage = (how & 4U) != 0;
  if ((how & 8U) != 0) {
    changes.stream = (how & 16U) != 0;
  }
  const std::string out = changed_body(body, request, changes);
  if (changes.model.empty() && !changes.remove_plumb && !changes.include_usage && !changes.stream) {
    expect(out == body, "no change changes nothing", body, out);
  }
  const Result<ClientRequest> again = read_client_request(wire, out);
  expect(static_cast<bool>(again), "a changed body can be read", body, out);
  expect(again.value().model == (changes.model.empty() ? request.model : std::string(changes.model)), "the model", out);
  expect(again.value().stream == changes.stream.value_or(request.stream), "the stream", out);
  expect(again.value().plumb.there == (request.plumb.there && !changes.remove_plumb), "the plumb object", out);
  expect(again.value().messages_at.in(out) == request.messages_at.in(body), "messages stay as they are", body, out);
  if (changes.include_usage && again.value().stream && wire == Wire::openai) {
    expect(again.value().include_usage, "usage is asked for", out);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const Wire wire = (data[0] & 128U) != 0 ? Wire::anthropic : Wire::openai;
  const fuzz::OwnPiece own(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  const std::string_view body = own.view();
  const Result<ClientRequest> request = read_client_request(wire, body);
  if (!request) {
    check_error(request.error(), body);
    return 0;
  }
  json::Arena arena;
  const Result<json::Value> tree = json::parse(body, arena);
  expect(static_cast<bool>(tree), "what is read is JSON", body);
  expect(tree.value().find("model")->str() == request.value().model, "the model is the body's", body);
  expect(tree.value().object().size() == request.value().members.size(), "each member is listed", body);
  check_changes(wire, body, request.value(), data[0]);
  for (const Wire upstream : {Wire::openai, Wire::anthropic, Wire::ollama}) {
    const Result<ModelRequest> translated = translated_request(wire, body, upstream);
    if (translated) {
      const Result<std::string> written = request_body(upstream, translated.value());
      json::Arena again;
      expect(!written || json::parse(written.value(), again), "what is written is JSON", body);
    } else {
      check_error(translated.error(), body);
    }
  }
  return 0;
}
