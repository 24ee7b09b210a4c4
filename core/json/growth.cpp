#include "core/json/growth.hpp"

#include <algorithm>
#include <utility>

#include "core/json/scanner.hpp"
#include "core/json/writer.hpp"

namespace plumb::json {

// The scanner's events as steps. While a string is read, the step that tells of it stays open in `out`: its pieces
// become one text.
struct Growth::Reader {
  explicit Reader(std::uint32_t depth_max) : scanner(*this, depth_max) {}

  void begin_object(std::uint64_t /*from*/) { out += ",1"; }
  void begin_array(std::uint64_t /*from*/) { out += ",2"; }
  void end_object(std::uint64_t /*to*/) { out += ",0"; }
  void end_array(std::uint64_t /*to*/) { out += ",0"; }
  void key(std::string_view decoded, std::uint64_t /*from*/, std::uint64_t /*to*/) {
    out += ",3,";
    append_string(out, decoded);
  }
  void string(std::string_view decoded, std::uint64_t /*from*/, std::uint64_t /*to*/) {
    out += ",4,";
    append_string(out, decoded);
  }
  bool string_decoded(std::string_view decoded, std::uint64_t from, std::uint64_t to) {
    string(decoded, from, to);
    return true;
  }
  StringWant string_begin(std::uint64_t /*from*/) {
    out += ",5,\"";
    open = true;
    return StringWant::pieces;
  }
  void string_piece(std::string_view decoded, std::uint64_t /*from*/, std::uint64_t /*to*/, bool /*verbatim*/) {
    if (!open) {
      out += ",6,\"";
      open = true;
    }
    // Between the quotes that are open: the one that append_string() writes first comes where the last byte is.
    const char last = out.back();
    out.pop_back();
    const std::size_t at = out.size();
    append_string(out, decoded);
    out[at] = last;
    out.pop_back();
  }
  void string_end(std::string_view /*decoded*/, std::uint64_t /*from*/, std::uint64_t /*to*/) {
    close();
    out += ",0";
  }
  void scalar_begin(Kind /*kind*/, std::uint64_t /*from*/) {}
  void number(std::string_view text, std::uint64_t /*from*/, std::uint64_t to, std::uint64_t decided) {
    // Where the end of the text decided it inside a list or object, more digits may be missing.
    if (decided > to || scanner.depth() == 0) {
      out += ",4,";
      out += text;
    }
  }
  void literal(Kind kind, bool value, std::uint64_t /*from*/, std::uint64_t /*to*/) {
    out += kind == Kind::null ? ",4,null" : value ? ",4,true" : ",4,false";
  }
  void lone_surrogate(std::uint64_t /*from*/, std::uint64_t /*to*/, std::uint64_t /*decided*/) {}
  void broken(ScanError what, std::uint64_t /*at*/, std::uint64_t /*decided*/) {
    stopped = is_limit(what) ? State::limit : State::broken;
  }

  void close() {
    if (open) {
      out += '"';
      open = false;
    }
  }

  std::string out = "[0";
  bool open = false;  // the text of a step is, in `out`
  State stopped = State::growing;
  Scanner<Reader> scanner;
};

Growth::Growth(std::uint32_t depth_max, std::uint64_t bytes_max)
    : reader_(std::make_unique<Reader>(depth_max)), bytes_max_(bytes_max) {}
Growth::~Growth() = default;

void Growth::read(std::string_view bytes) {
  if (reader_->stopped == State::growing) {
    const std::uint64_t room = bytes_max_ - bytes_;
    reader_->scanner.push(bytes.data(), static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), room)));
    if (bytes.size() > room && reader_->stopped == State::growing) {
      reader_->stopped = State::limit;
    }
  }
  bytes_ += bytes.size();
}

void Growth::end(bool lost) {
  if (lost && reader_->stopped == State::growing) {
    reader_->stopped = State::broken;
  }
  if (reader_->stopped == State::growing) {
    reader_->scanner.end();
  }
}

void Growth::take(std::string& out) {
  reader_->close();
  reader_->out += ']';
  std::swap(out, reader_->out);
  reader_->out = "[0";
}

Growth::State Growth::state() const {
  return reader_->stopped == State::growing && reader_->scanner.done() ? State::complete : reader_->stopped;
}

}  // namespace plumb::json
