// How pieces of the text come in. The scanner's loop is instantiated here and nowhere else: this file is built for
// speed, also where the rest of the engine is built for size.

#include <utility>

#include "core/contract/engine.hpp"

namespace plumb::contract {

void Engine::scan(std::string_view bytes) {
  scanner_.push(bytes.data(), bytes.size());
  if (stopped_ && !signals_.empty() && signals_.back().at_byte > now_) {
    signals_.pop_back();  // of what comes after the text has turned out to be none
  }
}

void Engine::scan_end() { scanner_.end(); }

void Engine::watch_stream(std::string_view bytes) {
  if (const char* what = degenerate_.next(bytes, whole_)) {
    signals_.push_back({"degenerate", what, degenerate_.at()});
  }
}

// Judges a piece of the text, up to a container that is held back.
void Engine::take(std::string_view piece) {
  walk_.waits = false;
  if (!stopped_) {
    scan(piece);
  }
  const bool waits = walk_.waits;
  const std::string_view taken = waits ? piece.substr(0, static_cast<std::size_t>(walk_.from - chunk_start_)) : piece;
  const bool held = walk_.holds(piece.data());
  if (held && !waits) {
    walk_.let_go(piece.data() + piece.size());
  }
  if (held && touched_.empty() && placed_frames_ == depth() && !scanner_.in_token()) {
    passed_ += taken.size();  // nobody asks for a place in it: its lines are counted later, many pieces at once
  } else {
    if (passed_ > 0) {
      positions_.advance({piece.data() - passed_, passed_});
      passed_ = 0;
    }
    find_places(taken, chunk_start_, false);
    walk_.move_held();
  }
  chunk_start_ += taken.size();
}

// Counts the lines of what was passed without that, and gives its room back.
void Engine::count_passed() {
  positions_.advance({walk_.held.data() + walk_.held_from - passed_, passed_});
  passed_ = 0;
  walk_.move_held();
}

// Nothing more comes to what is held back.
void Engine::take_rest() {
  if (walk_.waits) {
    take(skim_ends());
  }
  if (passed_ > 0) {
    count_passed();
  }
}

void Engine::push(std::string_view bytes, std::vector<Finding>& certain) {
  if (bytes_ + bytes.size() > options_.limits.bytes_max && !stopped_) {
    std::size_t room = static_cast<std::size_t>(options_.limits.bytes_max - bytes_);
    std::string_view rest = bytes.substr(room);
    if (room > 0) {
      push(bytes.substr(0, room), certain);
    }
    take_rest();
    if (!stopped_) {
      now_ = bytes_ + 1;
      limit_found("The text is longer than " + std::to_string(options_.limits.bytes_max) + " bytes",
                  pointer_of(depth() > 0 ? depth() - 1 : 0), bytes_, bytes_ + 1,
                  "at most " + std::to_string(options_.limits.bytes_max) + " bytes");
      stopped_ = true;
      size_stopped_ = true;
      find_places(rest, bytes_, false);
      tell(certain);
      bytes_ += rest.size();
      chunk_start_ = bytes_;
      return;
    }
    bytes = rest;
  }
  if (!stopped_) {
    watch_stream(bytes);
  }
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (walk_.waits) {
      const std::string_view piece = skim_more(bytes);
      if (piece.empty()) {
        break;
      }
      take(piece);
    } else if (bytes.size() <= SkimWalk::short_piece && !stopped_) {
      if (passed_ > 0 && !walk_.has_room(bytes.size())) {
        count_passed();
      }
      take(walk_.copy(std::exchange(bytes, {})));
    } else {
      if (passed_ > 0) {
        count_passed();
      }
      take(std::exchange(bytes, {}));
    }
  }
  if (!certain_.empty() || !completed_.empty()) {
    tell(certain);
  }
}

}  // namespace plumb::contract
