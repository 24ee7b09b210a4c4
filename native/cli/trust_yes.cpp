#include "native/cli/trust_yes.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "native/cli/terminal.hpp"

namespace plumb::cli {

bool lets_it_hold(const Arguments& arguments) {
  const bool terminal = is_terminal(STDIN_FILENO);
  if (arguments.has("--yes")) {
    const char* said = std::getenv("PLUMB_TRUST_YES");
    if (terminal || (said != nullptr && std::string_view(said) == "1")) {
      return true;
    }
    note("Nothing was trusted: --yes counts only at a terminal. The owner of this machine decides.");
    return false;
  }
  if (!terminal) {
    note("Nothing was trusted: the owner of this machine decides, at a terminal.");
    return false;
  }
  write_all(STDERR_FILENO, "Let it hold? [y/N] ");
  std::array<char, 64> answer{};
  const ssize_t size = ::read(STDIN_FILENO, answer.data(), answer.size());
  return size > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

}  // namespace plumb::cli
