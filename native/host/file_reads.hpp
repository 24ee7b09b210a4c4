// FileReads: the Fulfiller for `read` effects. It reads files and lists trees below declared roots only.
//
//   FileReads files({{"corpus", "/srv/texts"}}, {});
//   {"root": "corpus", "path": "biology/cells.md"}          -> {"text", "bytes", "bad_lines"?}
//   {"root": "corpus", "path": "a.md", "front_matter": true} -> {"text", "bytes", "front_matter"?, "line"?, "lines"?}
//   {"root": "corpus", "path": "biology", "tree": true}     -> {"entries": [{"path", "kind", "bytes"}], "cut": true?}
//
// With `front_matter`, a text's YAML front matter is returned as JSON (native/base/front_matter.hpp). `text` is then
// the rest, which begins at `line`, and `lines` has the line of each member. Invalid front matter fails the read, with
// line and column.
//
// For a tree, `leave_out` names folders to skip at any depth ("." stands for all names that begin with a dot).
// `within` lists the only folders to enter, as paths from `path`. Skipped folders do not count towards the bound.
//
// Nothing outside a root can be read. Absolute paths and `..` are refused, and no link is followed anywhere in a path.
// Files must be regular, text, and at most `bytes_max` bytes. Lines that are not UTF-8 become empty lines and are
// counted (`bad_lines`: {"count", "first"}); a file with mostly such lines is refused. A tree lists at most
// `entries_max` entries in byte order without links, and sets `cut` if there are more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "native/host/fulfil.hpp"
#include "native/host/workers.hpp"

namespace plumb::host {

struct FileReadLimits {
  std::uint64_t bytes_max = 8U << 20U;
  std::size_t entries_max = 10'000;
  std::size_t levels_max = 32;
  std::size_t threads = 2;
};

// True if a root is declared and is a folder. The error lists the declared roots.
Result<bool> known_root(const std::map<std::string, std::string>& roots, std::string_view name);

class FileReads final : public Fulfiller {
 public:
  FileReads(std::map<std::string, std::string> roots, FileReadLimits limits);

  void begin(EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override;  // a read is short and ends by itself

 private:
  struct FileReadSettings {
    std::map<std::string, std::string> roots;
    FileReadLimits limits;
  };
  static run::Reply read(const FileReadSettings& reading, const run::Data& request);

  std::shared_ptr<const FileReadSettings> reading_;
  Workers workers_;
};

}  // namespace plumb::host
