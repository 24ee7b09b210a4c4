// Check: judges what a model wrote. First edits, then the engine. It is contract::Check with edits: the verdict lists
// them, and findings have their places in the original text.
//
//   Check check(contract, options, {.level = EditLevel::certain, .keep_text = true});
//   Verdict verdict = check.whole(text);      // or push(...), end()
//   verdict.edits;  check.text();             // what was judged, as JSON text
//
// With EditLevel::none it is exactly contract::Check. The way the bytes are split changes nothing. `decided_at` is the
// byte of the original that made the finding certain in the edited text. If an edit needs more bytes to decide, the
// finding comes that much later. A text that is strict JSON and has no finding takes no longer than without edits.
//
// An escape that was hardly meant is a warning (escape_warnings.hpp), with and without edits; without them only in a
// text of at most `escapes_bytes_max` bytes.
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
  static constexpr std::size_t escapes_bytes_max = std::size_t{1} << 20;

  Check(const contract::Contract& contract, const contract::CheckOptions& options, const EditOptions& edits);

  const Error* context_error() const { return check_.context_error(); }
  void push(std::string_view bytes, std::vector<contract::Finding>& certain);
  const std::vector<contract::Signal>& signals() const { return edits_ ? signals_ : check_.signals(); }
  contract::Verdict end(std::vector<contract::Finding>& certain);
  contract::Verdict end();
  contract::Verdict whole(std::string_view text);
  // The same for a caller that continues with the edited text; it needs keep_text. If an edit was made, the places of
  // findings and `bytes` refer to text(). Judges the text at most twice.
  contract::Verdict whole_mended(std::string_view text);
  // end() and whole() for a caller that keeps a verdict, as in contract::Check. With edits they always return a
  // verdict.
  std::optional<contract::Verdict> end_unless(const contract::Verdict& known, std::vector<contract::Finding>& certain);
  std::optional<contract::Verdict> whole_unless(const contract::Verdict& known, std::string_view text);
  // The text that was judged; needs keep_text. Read it after the verdict. Empty if the reader gave up, because an edit
  // that the syntax needs was not allowed, or no edit helps.
  const std::string& text() const { return text_; }
  // True if an edit was made and the judged text is complete.
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
  void look_at(std::string_view bytes);
  void warn(contract::Verdict& verdict, std::string_view text, std::vector<contract::Finding>& certain) const;

  contract::Check check_;
  EditOptions options_;
  bool edits_ = false;
  Reader reader_;
  const contract::Program* program_;
  std::uint32_t depth_max_;
  std::vector<contract::Signal> signals_;
  std::string text_;
  std::string looked_at_;  // without edits: the text so far, for warnings
  std::uint64_t bytes_ = 0;
  bool mended_ = false;
};

}  // namespace plumb::repair
