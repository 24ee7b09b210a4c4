#include "native/process/kept_output.hpp"

#include <algorithm>

namespace plumb::process {

void KeptOutput::add(std::string_view bytes) {
  bytes_ += bytes.size();
  const std::size_t room = static_cast<std::size_t>(std::min<std::uint64_t>(first_max_ - first_.size(), bytes.size()));
  first_.append(bytes.substr(0, room));
  bytes.remove_prefix(room);
  const std::size_t most = static_cast<std::size_t>(last_max_);
  if (bytes.size() >= most) {
    ring_.assign(bytes.substr(bytes.size() - most));
    return;
  }
  ring_.append(bytes);
  if (ring_.size() > 2 * most) {
    ring_.erase(0, ring_.size() - most);
  }
}

std::string KeptOutput::text() const {
  const std::uint64_t out = left_out();
  if (out == 0) {
    return first_ + ring_;
  }
  const std::string_view last = std::string_view(ring_).substr(
      ring_.size() - std::min<std::size_t>(ring_.size(), static_cast<std::size_t>(last_max_)));
  return first_ + "\n[... " + std::to_string(out) + " bytes left out ...]\n" + std::string(last);
}

}  // namespace plumb::process
