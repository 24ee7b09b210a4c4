// Project: what the files of an editor are to `plumb check` and `plumb contracts lint`. The command gives it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/contract/contract.hpp"
#include "core/result.hpp"

namespace plumb::lsp {

// What a document is held to, as of now: files are read again each time.
struct Held {
  enum class As : std::uint8_t { nothing, contract, artifact } as = As::nothing;
  contract::ReadOptions reading = {};               // of a contract
  std::shared_ptr<const void> owner = {};           // of the documents that `reading` has
  std::optional<contract::Contract> contract = {};  // of an artifact
  std::string context = {};                         // JSON text, or empty
  bool lines = false;                               // the file has one artifact a line
};

class Project {
 public:
  virtual ~Project() = default;
  // `path`: absolute, or empty for a document that is no file. `text`: what the editor has. An error is what the
  // command would say instead of checking: its message is the whole line.
  virtual Result<Held> held(const std::string& path, std::string_view text) const = 0;
};

}  // namespace plumb::lsp
