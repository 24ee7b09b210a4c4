// Files of the built page, by the path of a request. Nothing outside the folder is ever given, whatever the path or the
// links in the folder say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::control {

struct WebFile {
  std::string bytes;
  std::string_view type;   // "text/javascript; charset=utf-8"
  std::string etag;        // with its quotes
  bool immutable = false;  // its name carries a hash of what it holds
};

class WebFiles {
 public:
  static constexpr std::uint64_t bytes_max = std::uint64_t{64} << 20;  // of one file

  // Nothing when there is no such folder, or no index.html in it.
  static std::optional<WebFiles> open(const std::string& folder);

  // `path` as it is in the request, decoded: "/", "/assets/index-1a2b3c4d.js". A folder is its index.html.
  std::optional<WebFile> find(std::string_view path) const;

  const std::string& folder() const { return folder_; }

 private:
  explicit WebFiles(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;  // resolved: no links, no `/` at the end
};

// By the ending of the name; "application/octet-stream" for what is not known.
std::string_view type_of_name(std::string_view name);

}  // namespace plumb::control
