// A model that knows nothing of us: it speaks the interfaces of OpenAI, Anthropic and Ollama, refuses what these
// document to refuse, and answers from the request alone. For trying an interface without a key, with faults; and for
// our own pipelines, which must do with what they send.
//
//   Stranger stranger;
//   Answered answer = stranger.answer(Wire::openai, body, 0);
//   answer.status                        200, or what the interface answers; 0: the connection ends without an answer
//   for (const Piece& piece : answer.pieces) { wait(piece.after_ms); write(piece.bytes); }
//
// How it behaves is said by the model's name (manner.hpp). The same body asked for the same time gives the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/stranger/asked.hpp"
#include "core/stranger/compose.hpp"

namespace plumb::stranger {

struct Piece {
  std::uint64_t after_ms = 0;  // since the piece before it
  std::string bytes;
};

struct Answered {
  int status = 200;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case
  std::vector<Piece> pieces;
  bool whole = true;                 // false: the connection ends behind the last piece, without an end
  const Refusal* refusal = nullptr;  // why the interface refuses it
  bool shortened = false;            // Ollama: the context was too small, and the beginning was left out
  Mode mode = Mode::obedient;
  Fault fault = Fault::any;
};

class Stranger {
 public:
  // `times_asked`: how often this very body has been asked for before, so that a retry may fare better.
  Answered answer(wire::Wire wire, std::string_view body, std::uint64_t times_asked);

 private:
  Shelf shelf_;
};

}  // namespace plumb::stranger
