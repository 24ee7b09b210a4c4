// Workers: a few threads that take work from one queue, in order.
//
// If a worker is suspended during its work (isolated_call.hpp), calling lost() on its thread starts a replacement.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace plumb::host {

class Workers {
 public:
  explicit Workers(std::size_t threads);
  ~Workers();  // the same as stop()
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void give(std::function<void()> work);
  void lost();
  // Waits until all given work is done, including what that work gives, then ends the threads.
  void stop();

 private:
  struct Shared;
  static void work(const std::shared_ptr<Shared>& shared);
  static void begin(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace plumb::host
