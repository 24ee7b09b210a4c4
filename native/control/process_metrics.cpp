#include "native/control/process_metrics.hpp"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/ascii.hpp"
#include "native/base/concat.hpp"
#include "native/control/metrics.hpp"

namespace plumb::control {

namespace {

std::string text_of(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(4096, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

// The numbers of /proc/self/stat behind the name of the program, which may have anything in it: the first is field 3.
std::vector<std::uint64_t> stat_fields() {
  const std::string text = text_of("/proc/self/stat");
  std::vector<std::uint64_t> out;
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) {
    return out;
  }
  std::string_view rest = std::string_view(text).substr(name_end + 1);
  while (!rest.empty()) {
    rest = ascii::trim_front(rest, " ");
    const std::string_view one = rest.substr(0, rest.find(' '));
    std::uint64_t number = 0;
    std::from_chars(one.data(), one.data() + one.size(), number);
    out.push_back(number);
    rest.remove_prefix(one.size());
  }
  return out;
}

// Seconds since 1970 at which the machine was started.
std::uint64_t boot_s() {
  const std::string text = text_of("/proc/stat");
  constexpr std::string_view name = "\nbtime ";
  const std::size_t at = text.find(name);
  std::uint64_t number = 0;
  if (at != std::string::npos) {
    std::from_chars(text.data() + at + name.size(), text.data() + text.size(), number);
  }
  return number;
}

std::uint64_t open_files() {
  std::uint64_t count = 0;
  if (DIR* folder = ::opendir("/proc/self/fd")) {
    while (const dirent* entry = ::readdir(folder)) {
      count += entry->d_name[0] != '.' ? 1 : 0;
    }
    ::closedir(folder);
    count -= count > 0 ? 1 : 0;  // the folder itself
  }
  return count;
}

void append_seconds(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                    std::uint64_t ticks, std::uint64_t whole_s) {
  const auto each_s = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  append_heading(out, name, type, help);
  const std::uint64_t hundredths = ticks % each_s * 100 / each_s;
  out += concat(name, " ", whole_s + ticks / each_s, hundredths < 10 ? ".0" : ".", hundredths, "\n");
}

}  // namespace

void append_process_metrics(std::string& out) {
  // Places in stat_fields(): the numbers of proc(5) less 3.
  constexpr std::size_t user_ticks = 11;
  constexpr std::size_t system_ticks = 12;
  constexpr std::size_t threads = 17;
  constexpr std::size_t started_ticks = 19;
  constexpr std::size_t virtual_bytes = 20;
  constexpr std::size_t resident_pages = 21;
  const std::vector<std::uint64_t> fields = stat_fields();
  if (fields.size() > resident_pages) {
    append_seconds(out, "process_cpu_seconds_total", "counter", "CPU time of the process, user and system.",
                   fields[user_ticks] + fields[system_ticks], 0);
    append_metric(out, "process_resident_memory_bytes", "gauge", "Memory that is in use.",
                  fields[resident_pages] * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
    append_metric(out, "process_virtual_memory_bytes", "gauge", "Memory that is reserved.", fields[virtual_bytes]);
    append_metric(out, "process_threads", "gauge", "Threads.", fields[threads]);
    if (const std::uint64_t boot = boot_s(); boot != 0) {
      append_seconds(out, "process_start_time_seconds", "gauge", "When the process began, since 1970.",
                     fields[started_ticks], boot);
    }
  }
  append_metric(out, "process_open_fds", "gauge", "Open files and connections.", open_files());
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    append_metric(out, "process_max_fds", "gauge", "As many as there may be.", limit.rlim_cur);
  }
}

}  // namespace plumb::control
