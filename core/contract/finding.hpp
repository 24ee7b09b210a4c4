// Finding: one thing that is wrong with an artifact, and where. docs/contract-reference.md describes every rule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::contract {

enum class Severity : std::uint8_t { error, warning, info };

// The kind of fault: in the value itself, in a reference to something that is not there, in the number of things, or
// in the meaning.
enum class FindingClass : std::uint8_t { inner, reference, count, meaning };

// A value's place in the text. Ranges are half open. Lines and columns count from 1. Columns count UTF-16 code units,
// as editors do. A line ends with LF, CRLF or CR.
struct Span {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t utf16_from = 0;
  std::uint64_t utf16_to = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t line_to = 1;
  std::uint32_t column_to = 1;
};

struct Finding {
  std::uint32_t id = 0;  // counted from 1, in the order in which findings became certain
  // A keyword ("minItems"), a rule's id ("answerable"), or syntax, duplicateKey, loneSurrogate, limit.
  std::string rule;
  Severity severity = Severity::error;
  FindingClass finding_class = FindingClass::inner;
  std::string at;       // JSON Pointer of the instance
  std::string item;     // the nearest item label, such as "Question 1", or empty
  std::string message;  // one sentence for people; empty while `partial`
  // The value, at most 200 characters of it; empty while `partial`. For `required`: the name of a member that is there,
  // that no schema names, and that is spelled almost like the missing one; empty if there is none.
  std::string provided;
  std::string requirement;           // what is required, without the place: "at least 4 items"
  std::string property;              // the member's name, for `required` and for additional and unevaluated properties
  std::string action;                // the rule's own `action`, or empty
  std::string schema_location;       // JSON Pointer into the contract, or URI#pointer for another document
  std::string wants_context;         // undecided only: the context pointer that led to nothing
  std::vector<std::string> allowed;  // JSON texts, the most similar first, at most 20
  std::uint64_t decided_at = 0;      // the number of bytes after which the finding was certain
  Span span;
  bool partial = false;           // the finding is certain, but its value has not ended yet
  bool blocks = false;            // it breaks a rule with `blocks`
  std::uint32_t shadowed_by = 0;  // id of the finding whose stopAt hides this one, or 0
  std::vector<Finding> causes;    // anyOf, oneOf: why the closest branch does not hold
};

}  // namespace plumb::contract
