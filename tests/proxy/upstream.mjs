// A provider on loopback that speaks the three wires as the providers document them; only what it says is scripted.
//
//   const upstream = await Upstream.start();
//   upstream.script("quiz", [{ text: faulty }, { text: repaired }]);     // the answers to calls of the model `quiz`
//   upstream.asked("quiz")                                               // the bodies that came, in turn
//
// An answer: text, thinking, calls [{name, arguments}], status with retryAfter, piece (characters a piece), gap_ms,
// cut (after so many pieces), hang. The last answer of a script is given again and again.
import { createServer } from "node:http";

const usage = { input: 21, output: 34 };

export class Upstream {
  #scripts = new Map();
  #asked = new Map();
  #left = new Map();
  #sent = new Map();

  static async start() {
    const upstream = new Upstream();
    upstream.server = createServer((request, response) => upstream.#serve(request, response));
    await new Promise((done) => upstream.server.listen(0, "127.0.0.1", done));
    upstream.port = upstream.server.address().port;
    return upstream;
  }
  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
  script(model, answers) {
    this.#scripts.set(model, answers);
    this.#asked.set(model, []);
    this.#left.set(model, 0);
    this.#sent.set(model, 0);
  }
  asked(model) {
    return this.#asked.get(model);
  }
  // How many clients left before the end, and how many characters of answers were written.
  left(model) {
    return this.#left.get(model);
  }
  sent(model) {
    return this.#sent.get(model);
  }

  async #serve(request, response) {
    let text = "";
    for await (const piece of request) {
      text += piece;
    }
    const body = JSON.parse(text);
    const script = this.#scripts.get(body.model);
    const asked = this.#asked.get(body.model);
    asked.push(body);
    const answer = script[Math.min(asked.length, script.length) - 1];
    const wire = request.url.endsWith("/chat/completions") ? "openai" : request.url.endsWith("/api/chat") ? "ollama" : "anthropic";
    if (answer.status) {
      const message = answer.message ?? "scripted failure";
      response.writeHead(answer.status, {
        "content-type": "application/json",
        ...(answer.retryAfter === undefined ? {} : { "retry-after": String(answer.retryAfter) }),
      });
      response.end(JSON.stringify(errors[wire](message, answer.status)));
      return;
    }
    let over = false;
    response.on("close", () => {
      if (!over) {
        this.#left.set(body.model, this.#left.get(body.model) + 1);
      }
      over = true;
    });
    if (answer.hang) {
      return;
    }
    // Anthropic is asked for a structured answer by a tool that it must call.
    const structured = wire === "anthropic" && body.tool_choice?.type === "tool" ? body.tool_choice.name : "";
    if (!body.stream) {
      over = true;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(whole[wire](answer, structured)));
      return;
    }
    response.writeHead(200, { "content-type": wire === "ollama" ? "application/x-ndjson" : "text/event-stream" });
    let pieces = 0;
    for (const { data, characters } of streamed[wire](answer, structured, body)) {
      if (over || (answer.cut !== undefined && characters && pieces++ === answer.cut)) {
        over = true;
        response.destroy();
        return;
      }
      this.#sent.set(body.model, this.#sent.get(body.model) + (characters ?? 0));
      await new Promise((done) => response.write(data, done));
      if (answer.gap_ms && characters) {
        await new Promise((done) => setTimeout(done, answer.gap_ms));
      }
    }
    over = true;
    response.end();
  }
}

const errors = {
  openai: (message) => ({ error: { message, type: "scripted_error", param: null, code: null } }),
  anthropic: (message, status) => ({
    type: "error",
    error: { type: { 401: "authentication_error", 500: "api_error", 503: "overloaded_error" }[status] ?? "invalid_request_error", message },
  }),
  ollama: (message) => ({ error: message }),
};

function* cut(text, size = 7) {
  for (let at = 0; at < text.length; at += size) {
    yield text.slice(at, at + size);
  }
}

const whole = {
  openai: (answer) => ({
    id: "chatcmpl-1", object: "chat.completion", created: 1, model: "real",
    choices: [{
      index: 0, logprobs: null, finish_reason: answer.calls ? "tool_calls" : "stop",
      message: {
        role: "assistant", content: answer.text ?? null, refusal: null,
        ...(answer.calls && {
          tool_calls: answer.calls.map((call, i) => ({
            id: `call_${i}`, type: "function", function: { name: call.name, arguments: call.arguments },
          })),
        }),
      },
    }],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
  }),
  anthropic: (answer, structured) => ({
    id: "msg_1", type: "message", role: "assistant", model: "real",
    content: [
      ...(structured ? [{ type: "tool_use", id: "toolu_s", name: structured, input: JSON.parse(answer.text) }]
        : answer.text ? [{ type: "text", text: answer.text }] : []),
      ...(answer.calls ?? []).map((call, i) => ({
        type: "tool_use", id: `toolu_${i}`, name: call.name, input: JSON.parse(call.arguments),
      })),
    ],
    stop_reason: answer.calls || structured ? "tool_use" : "end_turn", stop_sequence: null,
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  }),
  ollama: (answer) => ({
    model: "real", created_at: "2025-01-01T00:00:00Z", done: true, done_reason: "stop",
    message: {
      role: "assistant", content: answer.text ?? "",
      ...(answer.calls && {
        tool_calls: answer.calls.map((call) => ({ function: { name: call.name, arguments: JSON.parse(call.arguments) } })),
      }),
    },
    prompt_eval_count: usage.input, eval_count: usage.output,
  }),
};

const streamed = {
  *openai(answer, _structured, body) {
    const chunk = (delta, finish = null) => ({
      data: `data: ${JSON.stringify({
        id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "real",
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      })}\n\n`,
    });
    yield chunk({ role: "assistant", content: "", refusal: null });
    for (const piece of cut(answer.text ?? "", answer.piece)) {
      yield { ...chunk({ content: piece }), characters: piece.length };
    }
    for (const [index, call] of (answer.calls ?? []).entries()) {
      yield chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name: call.name, arguments: "" } }] });
      for (const piece of cut(call.arguments, answer.piece)) {
        yield { ...chunk({ tool_calls: [{ index, function: { arguments: piece } }] }), characters: piece.length };
      }
    }
    yield chunk({}, answer.calls ? "tool_calls" : "stop");
    if (body.stream_options?.include_usage) {
      const told = whole.openai(answer).usage;
      yield { data: `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "real", choices: [], usage: told })}\n\n` };
    }
    yield { data: "data: [DONE]\n\n" };
  },
  *anthropic(answer, structured) {
    const event = (type, more) => ({ data: `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n` });
    yield event("message_start", {
      message: {
        id: "msg_1", type: "message", role: "assistant", model: "real", content: [], stop_reason: null, stop_sequence: null,
        usage: { input_tokens: usage.input, output_tokens: 1 },
      },
    });
    const blocks = [];
    if (structured) {
      blocks.push([{ type: "tool_use", id: "toolu_s", name: structured, input: {} }, answer.text]);
    } else if (answer.text) {
      blocks.push([{ type: "text", text: "" }, answer.text]);
    }
    for (const [i, call] of (answer.calls ?? []).entries()) {
      blocks.push([{ type: "tool_use", id: `toolu_${i}`, name: call.name, input: {} }, call.arguments]);
    }
    for (const [index, [block, text]] of blocks.entries()) {
      yield event("content_block_start", { index, content_block: block });
      for (const piece of cut(text, answer.piece)) {
        const delta = block.type === "text" ? { type: "text_delta", text: piece } : { type: "input_json_delta", partial_json: piece };
        yield { ...event("content_block_delta", { index, delta }), characters: piece.length };
      }
      yield event("content_block_stop", { index });
    }
    yield event("message_delta", {
      delta: { stop_reason: answer.calls || structured ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: usage.output },
    });
    yield event("message_stop", {});
  },
  *ollama(answer) {
    const line = (message, more) => ({
      data: `${JSON.stringify({ model: "real", created_at: "2025-01-01T00:00:00Z", message: { role: "assistant", ...message }, done: false, ...more })}\n`,
    });
    for (const piece of cut(answer.text ?? "", answer.piece)) {
      yield { ...line({ content: piece }), characters: piece.length };
    }
    if (answer.calls) {
      yield line({ content: "", tool_calls: answer.calls.map((call) => ({ function: { name: call.name, arguments: JSON.parse(call.arguments) } })) });
    }
    yield line({ content: "" }, { done: true, done_reason: "stop", prompt_eval_count: usage.input, eval_count: usage.output });
  },
};
