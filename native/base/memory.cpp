#include "native/base/memory.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/base/file_bytes.hpp"

// mimalloc's, where the command is linked with it (cmake/native.cmake).
extern "C" void mi_collect(bool force) __attribute__((weak));

namespace plumb {

namespace {

constexpr std::size_t status_bytes_max = 64 << 10;

// A segment that nobody may write, so that all of it is as the file has it: no relocation has touched it.
int give_back_segments(dl_phdr_info* object, std::size_t /*size*/, void* /*data*/) {
  const std::uintptr_t page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) {
      continue;
    }
    const std::uintptr_t from = (object->dlpi_addr + part.p_vaddr + page - 1) / page * page;
    const std::uintptr_t to = (object->dlpi_addr + part.p_vaddr + part.p_memsz) / page * page;
    if (from < to) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as numbers
      ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
    }
  }
  return 0;
}

// Whether a debugger is attached: what it has put into the code would be gone.
bool is_traced() {
  const Result<std::string> status = read_file("/proc/self/status", status_bytes_max);
  if (!status) {
    return false;
  }
  constexpr std::string_view name = "TracerPid:\t";
  const std::size_t at = status.value().find(name);
  return at != std::string::npos && status.value().compare(at + name.size(), 1, "0") != 0;
}

}  // namespace

void give_back_memory() {
  if (mi_collect != nullptr) {
    mi_collect(true);
  }
}

void give_back_code() {
  if (!is_traced()) {
    ::dl_iterate_phdr(&give_back_segments, nullptr);
  }
}

}  // namespace plumb
