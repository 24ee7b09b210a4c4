// ClientPrograms: the Fulfiller that asks programs of the user in place of models (`plumb boundary --judge CMD`).
//
//   ClientPrograms programs({{"judge", "python3 judge.py"}}, models);
//
// For each question the program is started with `/bin/sh -c`, in this folder, with this environment. It gets the
// question (core/pipelines/boundary/client_question.hpp) as one line of JSON on its standard input, and writes its
// answer as one line of JSON on its standard output. It may use all of the call's time, and 16 MB of output. If it ends
// with another exit code than 0, answers nothing, or anything else, the call has failed. What it writes on standard
// error is shown as the reason.
//
// Effects that no program answers go to `others`, which must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/host/fulfil.hpp"
#include "native/host/workers.hpp"

namespace plumb::cli {

class ClientPrograms final : public host::Fulfiller {
 public:
  // "judge" or "revise", and its command line.
  using Programs = std::vector<std::pair<std::string, std::string>>;
  ClientPrograms(Programs programs, host::Fulfiller& others);

  bool can(run::EffectKind kind) const override { return others_.can(kind); }
  bool can_answer_for_client() const override { return true; }
  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  host::Fulfiller& others_;
  host::Workers workers_;
};

}  // namespace plumb::cli
