#include "core/json/writer.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "native/host/host.hpp"

namespace plumb::host {

Result<std::size_t> go_on(Host& host, std::string_view id) {
  const Result<std::shared_ptr<const run::Journal>> journal = host.snapshot(id);
  if (!journal) {
    return journal.error();
  }
  std::size_t answered = 0;
  for (const pipelines::Question& question : pipelines::open_questions(*journal.value())) {
    const Result<bool> taken = host.answer(id, question.key, run::Data::written(R"({"decision":"go on"})"));
    if (!taken) {
      return taken.error();
    }
    answered += taken.value() ? 1 : 0;
  }
  return answered;
}

}  // namespace plumb::host
