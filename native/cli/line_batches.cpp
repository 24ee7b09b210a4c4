#include "native/cli/line_batches.hpp"

#include <algorithm>

#include "core/ascii.hpp"

namespace plumb::cli {

Result<LineBatches> LineBatches::open(const std::string& path) {
  Result<FileReader> reader = FileReader::open(path);
  if (!reader) {
    return reader.error();
  }
  return LineBatches(std::move(reader).value());
}

Result<LineBatches::Batch> LineBatches::next() {
  Batch batch;
  batch.first_line = line_;
  // How much of carry_ is known to hold no line end; it grows with every read.
  std::size_t searched = 0;
  for (;;) {
    if (in_long_) {
      const std::size_t end = carry_.find('\n');
      if (end != std::string::npos || ended_) {
        in_long_ = false;
        const std::size_t size = std::min(end, carry_.size());
        batch.kind = Kind::long_end;
        batch.bytes = carry_.substr(0, size);
        batch.consumed = std::min(size + 1, carry_.size());
        carry_.erase(0, size + 1);
        ++line_;
        return batch;
      }
      if (carry_.size() >= batch_bytes) {
        batch.kind = Kind::long_piece;
        batch.consumed = carry_.size();
        batch.bytes = std::move(carry_);
        carry_.clear();
        return batch;
      }
    } else {
      // A pipe gives what is there: its whole lines are judged without waiting for more.
      const std::size_t end = carry_.rfind('\n');
      if (end != std::string::npos && end >= searched) {
        batch.kind = Kind::lines;
        batch.bytes = carry_.substr(0, end + 1);
        batch.consumed = end + 1;
        carry_.erase(0, end + 1);
        line_ += static_cast<std::uint64_t>(std::count(batch.bytes.begin(), batch.bytes.end(), '\n'));
        return batch;
      }
      searched = carry_.size();
      if (ended_) {
        batch.kind = carry_.empty() ? Kind::end : Kind::lines;
        batch.consumed = carry_.size();
        batch.bytes = std::move(carry_);
        carry_.clear();
        return batch;
      }
      if (carry_.size() > line_bytes_max) {
        in_long_ = true;
        batch.kind = Kind::long_piece;
        batch.consumed = carry_.size();
        batch.bytes = std::move(carry_);
        carry_.clear();
        return batch;
      }
    }
    const std::size_t before = carry_.size();
    carry_.resize(before + batch_bytes);
    const Result<std::size_t> count = reader_.read(carry_.data() + before, batch_bytes);
    carry_.resize(before + (count ? count.value() : 0));
    if (!count) {
      return count.error();
    }
    if (count.value() == 0) {
      ended_ = true;
    }
  }
}

bool take_line(std::string_view& bytes, Line& line) {
  if (bytes.empty()) {
    return false;
  }
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  line.text = bytes.substr(0, end);
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  if (!line.text.empty() && line.text.back() == '\r') {
    line.text.remove_suffix(1);
  }
  line.blank = ascii::only(line.text, ascii::line_blanks);
  return true;
}

}  // namespace plumb::cli
