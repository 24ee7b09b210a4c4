#include "native/base/memory.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

// mimalloc's, where the command is linked with it (cmake/native.cmake).
extern "C" void mi_collect(bool force) __attribute__((weak));

namespace plumb {

namespace {

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
      ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
    }
  }
  return 0;
}

}  // namespace

void give_back_memory() {
  if (mi_collect != nullptr) {
    mi_collect(true);
  }
}

void give_back_code() { ::dl_iterate_phdr(&give_back_segments, nullptr); }

}  // namespace plumb
