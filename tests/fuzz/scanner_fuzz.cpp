// The scanner gives the same events however the text is cut, its places grow, and it accepts what json::parse accepts
// (which refuses duplicate keys besides).
#include <algorithm>

#include "core/json/scanner.hpp"
#include "core/json/value.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace {

using plumb::json::Kind;
using plumb::json::ScanError;
using plumb::json::StringWant;

struct Recorder {
  std::string events;
  std::uint64_t last = 0;
  std::size_t size = 0;
  bool is_broken = false;
  bool accepted_surrogate = false;
  std::vector<std::vector<std::string>> keys;
  bool duplicate = false;

  void add(const char* what, std::uint64_t from, std::uint64_t to, std::string_view text = {}) {
    plumb::fuzz::expect(from <= to && to <= size, "an event lies inside the text");
    plumb::fuzz::expect(from >= last, "events come in the order of their places");
    last = from;
    events += what;
    events += ' ';
    events += std::to_string(from);
    events += ' ';
    events += std::to_string(to);
    events += ' ';
    events += text;
    events += '\n';
  }

  void begin_object(std::uint64_t from) {
    add("{", from, from + 1);
    keys.emplace_back();
  }
  void end_object(std::uint64_t to) {
    add("}", to - 1, to);
    keys.pop_back();
  }
  void begin_array(std::uint64_t from) { add("[", from, from + 1); }
  void end_array(std::uint64_t to) { add("]", to - 1, to); }
  void key(std::string_view decoded, std::uint64_t from, std::uint64_t to) {
    add("key", from, to, decoded);
    auto& own = keys.back();
    duplicate = duplicate || std::find(own.begin(), own.end(), decoded) != own.end();
    own.emplace_back(decoded);
  }
  void string(std::string_view decoded, std::uint64_t from, std::uint64_t to) { add("string", from, to, decoded); }
  bool string_decoded(std::string_view /*text*/, std::uint64_t /*from*/, std::uint64_t /*to*/) { return false; }
  StringWant string_begin(std::uint64_t /*from*/) { return StringWant::whole; }
  void string_piece(std::string_view /*decoded*/, std::uint64_t /*from*/, std::uint64_t /*to*/, bool /*verbatim*/) {}
  void string_end(std::string_view decoded, std::uint64_t from, std::uint64_t to) { add("string", from, to, decoded); }
  void scalar_begin(Kind /*kind*/, std::uint64_t /*from*/) {}
  void number(std::string_view text, std::uint64_t from, std::uint64_t to, std::uint64_t decided) {
    add("number", from, to, text);
    plumb::fuzz::expect(decided >= to, "a number is decided at its end or later");
    events += std::to_string(decided) + "\n";
  }
  void literal(Kind kind, bool value, std::uint64_t from, std::uint64_t to) {
    add(kind == Kind::null ? "null" : value ? "true" : "false", from, to);
  }
  void lone_surrogate(std::uint64_t /*from*/, std::uint64_t /*to*/, std::uint64_t /*decided*/) {
    accepted_surrogate = true;
  }
  void broken(ScanError what, std::uint64_t at, std::uint64_t decided) {
    is_broken = true;
    events += "broken " + std::to_string(static_cast<int>(what)) + " " + std::to_string(at) + " " +
              std::to_string(decided) + "\n";
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::uint32_t depth_max = 64;
  std::string first;
  for (unsigned way = 0; way < plumb::fuzz::ways; ++way) {
    Recorder recorder;
    recorder.size = size;
    plumb::json::Scanner<Recorder> scanner(recorder, depth_max);
    bool good = true;
    for (const std::string_view piece : plumb::fuzz::pieces_of(text, way)) {
      const plumb::fuzz::OwnPiece own(piece);
      good = scanner.push(own.view().data(), own.view().size());
      if (!good) {
        break;
      }
    }
    good = good && scanner.end();
    plumb::fuzz::expect(good != recorder.is_broken, "what is refused is told as broken");
    if (way == 0) {
      first = recorder.events;
      plumb::json::Arena arena;
      plumb::json::ParseLimits limits;
      limits.depth_max = depth_max;
      const bool parsed = static_cast<bool>(plumb::json::parse(text, arena, limits));
      plumb::fuzz::expect(!parsed || good, "what parse() accepts the scanner accepts");
      plumb::fuzz::expect(!good || parsed || recorder.duplicate || recorder.accepted_surrogate,
                          "what the scanner accepts parse() accepts, unless a key comes twice or a surrogate is alone");
    } else {
      plumb::fuzz::expect(recorder.events == first, "the cut of the text changes the events", first, recorder.events);
    }
  }
  return 0;
}
