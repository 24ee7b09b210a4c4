// Answers that pass unread, whatever their bytes: how they are cut changes nothing that is told of them, and where they
// can be read, usage is what reading them tells. The first byte says which provider, and whether it streams.
#include "core/wire/reply.hpp"
#include "core/wire/usage_watch.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace plumb;
using namespace plumb::wire;
using plumb::fuzz::expect;

namespace {

UsageWatch watched(Wire wire, bool streamed, std::string_view bytes, unsigned way) {
  UsageWatch watch(wire, streamed);
  for (const std::string_view piece : fuzz::pieces_of(bytes, way)) {
    const fuzz::OwnPiece own(piece);
    watch.push(own.view());
  }
  watch.end();
  return watch;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto wire = static_cast<Wire>((data[0] & 3U) % 3U);
  const bool streamed = (data[0] & 4U) != 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const UsageWatch whole = watched(wire, streamed, bytes, 0);
  for (unsigned way = 1; way < fuzz::ways; ++way) {
    const UsageWatch cut = watched(wire, streamed, bytes, way);
    expect(cut.usage() == whole.usage() && cut.ended() == whole.ended() && cut.model() == whole.model() &&
               cut.finish() == whole.finish() && cut.events() == whole.events() && cut.skipped() == whole.skipped() &&
               cut.failure().has_value() == whole.failure().has_value(),
           "pieces change nothing");
  }
  if (!streamed && wire != Wire::ollama && whole.ended()) {
    const ReplyOutcome read = read_reply(wire, bytes);
    expect(read.failure || read.reply.usage == whole.usage(), "usage is the answer's");
  }
  return 0;
}
