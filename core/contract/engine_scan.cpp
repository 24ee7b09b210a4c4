// The scanner's loop is instantiated here and nowhere else: this file is built for speed, also where the rest of the
// engine is built for size.

#include "core/contract/engine.hpp"

namespace plumb::contract {

void Engine::scan(std::string_view bytes) {
  scanner_.push(bytes.data(), bytes.size());
  if (stopped_ && !signals_.empty() && signals_.back().at_byte > now_) {
    signals_.pop_back();  // of what comes after the text has turned out to be none
  }
}

void Engine::scan_end() { scanner_.end(); }

}  // namespace plumb::contract
