// FileReads: the Fulfiller of `read` effects: files and trees under roots that were declared, and nothing else.
//
//   FileReads files({{"corpus", "/srv/texts"}}, {});
//   {"root": "corpus", "path": "biology/cells.md"}          -> {"text", "bytes", "bad_lines"?}
//   {"root": "corpus", "path": "a.md", "front_matter": true} -> {"text", "bytes", "front_matter"?, "line"?, "lines"?}
//   {"root": "corpus", "path": "biology", "tree": true}     -> {"entries": [{"path", "kind", "bytes"}], "cut": true?}
//
// With `front_matter` what a text says of itself in YAML is given as JSON (native/base/front_matter.hpp); `text` is the
// rest then, which begins in `line`, and `lines` has the line of each member. What is no front matter fails the read,
// with line and column.
//
// Of a tree, `leave_out` names folders that are not entered wherever they are ("." stands for all whose names begin
// with a dot), and `within` the folders, by their paths from `path`, that alone are: neither counts towards the bound.
//
// There is no way out of a root: a path that is absolute or has `..` is refused, and no link is followed, neither the
// last part of a path nor one before it. Files are regular, text and at most `bytes_max`: lines that are no UTF-8 are
// given as empty ones and counted (`bad_lines`: {"count", "first"}), a file of mostly such is refused. A tree lists at
// most `entries_max`, in the order of their bytes, links left out, and says when it was cut.
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

// Whether a root is declared, and a folder now; the error names the roots that are.
Result<bool> known_root(const std::map<std::string, std::string>& roots, std::string_view name);

class FileReads final : public Fulfiller {
 public:
  FileReads(std::map<std::string, std::string> roots, FileReadLimits limits);

  void begin(EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override;  // a read is short: it ends by itself

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
