// Checking what a model wrote: edits first, then the engine. What contract::Check is for strict JSON, with the edits in
// the verdict and all places of findings in the text that was given.
//
//   Check check(contract, options, {.level = EditLevel::certain, .keep_text = true});
//   Verdict verdict = check.whole(text);      // or push(...), end()
//   verdict.edits;  check.text();             // what was judged, as JSON text
//
// With EditLevel::none it is contract::Check and nothing else. How the bytes are split changes nothing. `decided_at` is
// the byte of the original that made the finding certain in the edited text; where an edit waits for more to decide,
// the finding is told as much later. A text that is strict JSON and has no finding takes no longer than without edits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/repair/edit_options.hpp"
#include "core/repair/reader.hpp"

namespace plumb::repair {

class Check {
 public:
  Check(const contract::Contract& contract, const contract::CheckOptions& options, const EditOptions& edits);

  const Error* context_error() const { return check_.context_error(); }
  void push(std::string_view bytes, std::vector<contract::Finding>& certain);
  const std::vector<contract::Signal>& signals() const { return edits_ ? signals_ : check_.signals(); }
  contract::Verdict end(std::vector<contract::Finding>& certain);
  contract::Verdict end();
  contract::Verdict whole(std::string_view text);
  // The same for whoever goes on with the edited text, which keep_text has to keep: where some edit was made, findings
  // are of text() as it is written, and `bytes` too. Judged twice at most.
  contract::Verdict whole_mended(std::string_view text);
  // end() and whole() for who keeps a verdict, as contract::Check has them; with edits there is always a verdict.
  std::optional<contract::Verdict> end_unless(const contract::Verdict& known, std::vector<contract::Finding>& certain);
  std::optional<contract::Verdict> whole_unless(const contract::Verdict& known, std::string_view text);
  // After the verdict, with keep_text: the text as it was judged. Empty where it was given up: an edit that the syntax
  // needs was not allowed, or there was none.
  const std::string& text() const { return text_; }
  // Some edit was made, and what was judged is a whole text.
  bool mended() const { return mended_; }
  void reset();

 private:
  struct Judge final : Output {
    void take(std::string_view bytes) override;
    Check* self = nullptr;
    std::vector<contract::Finding>* certain = nullptr;
  };
  void read(std::string_view bytes, bool final, std::vector<contract::Finding>& certain);
  void to_original(contract::Finding& finding) const;
  void note_signals();
  void note_mended();

  contract::Check check_;
  EditOptions options_;
  bool edits_ = false;
  Reader reader_;
  std::vector<contract::Signal> signals_;
  std::string text_;
  std::uint64_t bytes_ = 0;
  bool mended_ = false;
};

}  // namespace plumb::repair
