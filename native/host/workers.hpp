// Workers: a few threads that take work from one queue, in its order.
//
// A worker that was put to rest in the middle of its work (isolated_call.hpp) is replaced with lost(), said on its
// thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace plumb::host {

class Workers {
 public:
  explicit Workers(std::size_t threads);
  ~Workers();  // as stop()
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void give(std::function<void()> work);
  void lost();
  // Until all that was given is done, what it gives in turn included; then the threads end.
  void stop();

 private:
  struct Shared;
  static void work(const std::shared_ptr<Shared>& shared);
  static void begin(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace plumb::host
