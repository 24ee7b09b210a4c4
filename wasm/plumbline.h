/* plumbline.h: the ABI of libplumbline.so, and of plumb-check.wasm, for C and whatever calls C.
 *
 * Text goes in through one buffer, results come out through one frame of words. A check, with every error looked at:
 *
 *   const plumb_word* frame = plumb_frame();              once in each thread, before anything else
 *   memcpy(plumb_buffer(size, 0), contract, size);
 *   uint32_t of = plumb_contract_read(size, 0);
 *   if (of == 0) { ... the error is plumb_result(frame), a JSON object {code, message, where, line, column} ... }
 *   uint32_t check = plumb_check_new(of, 0, 0);            0 and the error, as above
 *   memcpy(plumb_buffer(length, 0), artifact, length);
 *   plumb_check_whole(check, length);                      again and again with the same check
 *   if (frame[PLUMB_WORD_VALID]) ...
 *   if (frame[PLUMB_WORD_DETAIL] & PLUMB_DETAIL_JSON) { ... the verdict is plumb_result(frame), a JSON object ... }
 *
 * Text is UTF-8 and is not terminated: every result has an address and a length. What the buffer and the frame point to
 * stays valid until the next call in the same thread; the frame itself as long as the thread.
 *
 * Each thread has an instance of its own: contracts and checks are numbers that mean something only in
 * the thread that made them, and go with it. 0 is "none". At most 65,536 of a kind live at once.
 *
 * Wrong data never ends the process: it is an error in the frame, or a finding in a verdict. A wrong call does: a
 * number that is not in use, a size beyond the buffer. One line on stderr says which, then abort(). So does memory that
 * runs out.
 *
 * Until version 1.0 the ABI may change with the minor version, which is in the SONAME. */
#ifndef PLUMBLINE_H
#define PLUMBLINE_H

#include <stdint.h>

#if defined(__wasm__) || !defined(__GNUC__)
#define PLUMB_API
#else
#define PLUMB_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Wide enough for an address. */
typedef uintptr_t plumb_word;

/* The words of the frame. */
enum {
  PLUMB_WORD_RESULT = 0, /* address and length of the result */
  PLUMB_WORD_LENGTH = 1,
  PLUMB_WORD_VALID = 2,    /* of the verdict: 1 or 0 */
  PLUMB_WORD_DECISION = 3, /* of the verdict: one of the PLUMB_DECISION_ values */
  PLUMB_WORD_DETAIL = 4,   /* PLUMB_DETAIL_ bits */
  PLUMB_WORD_FINDINGS = 5, /* findings that became certain in this call */
  PLUMB_WORD_SIGNALS = 6,  /* signals raised so far */
  PLUMB_WORD_CERTAIN = 7,  /* plumb_check_end with tell: address of the findings that became certain at the end */
  PLUMB_WORD_TRAP = 8,     /* in WebAssembly, after a trap: address and length of what was broken */
  PLUMB_WORD_TRAP_LENGTH = 9,
  PLUMB_WORD_CERTAIN_LENGTH = 10,
  PLUMB_WORD_TEXT = 11, /* after a verdict: address and length of the text as edited; length 0: no edit was made */
  PLUMB_WORD_TEXT_LENGTH = 12,
  PLUMB_WORD_COUNT = 13
};

enum {
  PLUMB_DECISION_ACCEPT = 0,
  PLUMB_DECISION_ACCEPT_WITH_WARNINGS = 1,
  PLUMB_DECISION_ACCEPT_UNVERIFIED = 2,
  PLUMB_DECISION_UNDECIDED = 3,
  PLUMB_DECISION_REVISE = 4,
  PLUMB_DECISION_BLOCK = 5
};

enum {
  PLUMB_DETAIL_JSON =
      1, /* the result is the verdict; otherwise it says nothing but its decision, and none is written */
  PLUMB_DETAIL_MORE = 2,    /* there were more findings than are kept; they are counted by rule */
  PLUMB_DETAIL_SIGNALS = 4, /* a signal was raised */
  PLUMB_DETAIL_KEPT = 8,    /* keep this verdict: */
  PLUMB_DETAIL_SAME = 16    /* it is the one that came last for this check with KEPT, and is not written again */
};

enum {
  PLUMB_VALUE_GROWING = 0,
  PLUMB_VALUE_COMPLETE = 1, /* only white space may follow */
  PLUMB_VALUE_BROKEN = 2,   /* the text is no JSON, or ended too early: the value stays as it is */
  PLUMB_VALUE_LIMIT = 3     /* depthMax, bytesMax, or a number of more than 200,000 bytes: likewise */
};

/* The frame of this thread, PLUMB_WORD_COUNT words. */
PLUMB_API const plumb_word* plumb_frame(void);
/* A buffer of at least `size` bytes; the first `kept` bytes of what was in it stay. It is never NULL. Memory beyond 1
 * MB is given back with the next request for less. */
PLUMB_API char* plumb_buffer(uint32_t size, uint32_t kept);

static inline const char* plumb_result(const plumb_word* frame) { return (const char*)frame[PLUMB_WORD_RESULT]; }

/* Result: {version, keywords: [name], contracts: [{name, text}]}. */
PLUMB_API void plumb_about(void);
/* The buffer: `text_size` bytes of a contract, then `options_size` bytes of JSON (0: none), {name?, uri?, dialect?:
 * "2019-09" | "draft-07" | "draft-06" | "draft-04", assertFormats?, documents?: {URI: text}}. Returns its number, with the result {name, title,
 * hash, warnings, context, without_keywords}; or 0, with the error. */
PLUMB_API uint32_t plumb_contract_read(uint32_t text_size, uint32_t options_size);
PLUMB_API void plumb_contract_free(uint32_t contract);
/* The buffer: `context_size` bytes of the context document (0: none), then `limits_size` bytes of JSON (0: the
 * defaults), {depthMax?, bytesMax?, findingsMax?, heldMax?, evaluationsMax?, exponentMax?, seed?, edits?}. Returns its
 * number, or 0 with the error. */
PLUMB_API uint32_t plumb_check_new(uint32_t contract, uint32_t context_size, uint32_t limits_size);
PLUMB_API void plumb_check_free(uint32_t check);
/* The verdict on a whole text in the buffer: VALID, DECISION, DETAIL, TEXT. The check is then ready for the next one.
 */
PLUMB_API void plumb_check_whole(uint32_t check, uint32_t size);
/* Or piece by piece. push: how many findings became certain, with their JSON array as the result; FINDINGS, SIGNALS.
 * feed: the same for who waits for the verdict. end: the last piece, then as plumb_check_whole; with `tell` CERTAIN
 * too. */
PLUMB_API uint32_t plumb_check_push(uint32_t check, uint32_t size);
PLUMB_API void plumb_check_feed(uint32_t check, uint32_t size);
PLUMB_API void plumb_check_signals(uint32_t check);
/* The value so far of what is pushed: one of the PLUMB_VALUE_ values, and as the result what was added since the last
 * call, a JSON array: 0, then steps. 1 an object begins, 2 an array begins, 3 KEY, 4 VALUE, 5 TEXT a string begins, 6
 * TEXT it goes on, 0 what began last is complete. Call it with `size` 0, first before the first push, or later with all
 * that was pushed in the buffer, in one piece or several; with edits that is not needed. After plumb_check_end the last
 * steps are there until plumb_check_reset, which must come before the next artifact. */
PLUMB_API uint32_t plumb_check_value(uint32_t check, uint32_t size);
PLUMB_API void plumb_check_end(uint32_t check, uint32_t size, uint32_t tell);
PLUMB_API void plumb_check_reset(uint32_t check);
/* Each a function of a JSON text in the buffer. 1, or 0 with the error. */
PLUMB_API uint32_t plumb_feedback(uint32_t size);
PLUMB_API uint32_t plumb_clarify(uint32_t size);
PLUMB_API uint32_t plumb_measure(uint32_t size);
/* For callers whose text is UTF-16: room for 16,384 units, and `count` of them into the buffer as UTF-8, from `from`
 * on. */
PLUMB_API uint16_t* plumb_units(void);
PLUMB_API uint32_t plumb_utf8(uint32_t count, uint32_t from);

#ifndef __wasm__
/* A boundary (docs/boundaries.md): items are judged, rejected ones revised, and judged again, at most twice.
 *
 * A function gets a question and gives its answer, both JSON objects as C strings. The answer is read before the next
 * question; NULL, or anything else than an answer, means that there is none: the items of a judge then pass as
 * unverified, and the item of a reviser stays as it is. Questions come one after another, in this thread.
 *
 *   judge    {"what": "judge", "cycle", "items": [{"id", "name"?, "item"}], "rules": [{"id", "title"?, "ask"}], "context"?}
 *            answer: {"rejected": [{"id", "rule", "reason", "suggestion"?}]}
 *   revise   {"what": "revise", "cycle", "id", "name"?, "item", "rejection": {"rule", "reason", ...}, "upstream"}
 *            answer: {"item": ITEM}, or {"items": [ITEM]} for at most 5 parts
 *
 * Either may say {"error": "why there is no answer"}, and add "usage": {"input_tokens", "output_tokens"}. */
typedef const char* (*plumb_answer)(void* user, const char* question);
/* The buffer: `size` bytes of JSON, {items, contract, id?, upstream?, context?, name?, observe?, ...} as in the body of POST
 * /v1/runs. `judge` may be NULL: rules with `ask` are then not judged; `revise` may be NULL: nothing is revised. `user` is
 * handed to both. 1 with the result {decision, items, warnings, held_back, unverified, quality_flags, tokens,
 * tokens_wasted}; 0 with the error. */
PLUMB_API uint32_t plumb_boundary(uint32_t size, plumb_answer judge, plumb_answer revise, void* user);
/* The journal of the last boundary in this thread, a file as docs/journal.md has it; empty if it has failed. */
PLUMB_API void plumb_boundary_journal(void);
#endif

#ifdef __cplusplus
}
#endif

#endif
