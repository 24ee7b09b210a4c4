// What the tests of the proxy's policy begin with: plumb.yaml as text in a folder of its own, moments, a policy.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "native/proxy/policy.hpp"
#include "native/proxy/settings_file.hpp"

namespace proxy_setup {

// A folder that goes with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string write(std::string_view name, std::string_view text) const;
  std::string read(std::string_view name) const;

 private:
  std::string path_;
};

plumb::Result<std::shared_ptr<const plumb::proxy::Settings>> read(const Folder& folder, const std::string& yaml,
                                                                  plumb::provider::Variables variables = {});
// The plumb.yaml that is there.
plumb::Result<std::shared_ptr<const plumb::proxy::Settings>> read_again(const Folder& folder,
                                                                        plumb::provider::Variables variables = {});
// Two providers without keys, two models, files in the folder; `more` are further lines of `proxy:`.
std::string usual_yaml(const Folder& folder, std::string_view more = {});

// Noon of a day, so many milliseconds later.
plumb::proxy::TimePoint after(std::uint64_t ms);

struct Opened {
  std::unique_ptr<plumb::proxy::Policy> policy;
  std::shared_ptr<std::vector<std::string>> lines;  // of the log, for tests in which nobody else writes it
  std::shared_ptr<std::mutex> lines_mutex;

  bool has_said(std::string_view words) const;
};
Opened open(const Folder& folder, std::string_view more = {});
plumb::proxy::CallerPtr local(plumb::proxy::Policy& policy);

plumb::wire::Usage usage(std::uint64_t input, std::uint64_t output);

}  // namespace proxy_setup
