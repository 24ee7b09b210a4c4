// A provider on loopback that speaks the wires as the providers document them; only what it says is scripted.
//
//   const upstream = await Upstream.start();
//   upstream.script("quiz", [{ text: faulty }, { text: repaired }]);     // the answers to calls of the model `quiz`
//   upstream.asked("quiz")                                               // the bodies that came, in turn
//
// An answer: text, thinking, calls [{name, arguments}], status with retryAfter, piece (characters a piece), gap_ms,
// cut (after so many pieces), hang. The last answer of a script is given again and again. Of responses also `reasoning`:
// an item as JSON text, which comes first. What was written of the last answer is `bytes(model)`. Responses are kept, and
// given again by their id as the events that were written so far, and as they go on.
import { createServer } from "node:http";

const usage = { input: 21, output: 34 };

export class Upstream {
  #scripts = new Map();
  #asked = new Map();
  #left = new Map();
  #sent = new Map();
  #bytes = new Map();
  #kept = new Map();
  #number = 0;

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

  bytes(model) {
    return this.#bytes.get(model);
  }
  kept(id) {
    return this.#kept.get(id);
  }

  // GET, DELETE and cancel of a response.
  async #again(request, response) {
    const url = new URL(request.url, "http://upstream");
    const [id, what] = url.pathname.split("/responses/")[1].split("/");
    const kept = this.#kept.get(id);
    if (!kept) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify(errors.openai(`Response with id '${id}' not found.`)));
      return;
    }
    kept.asked.push(`${request.method} ${request.url}`);
    if (url.searchParams.get("stream") === "true") {
      const after = Number(url.searchParams.get("starting_after") ?? -1);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let at = 0; at < kept.events.length || !kept.over; ++at) {
        while (at >= kept.events.length && !kept.over) {
          await new Promise((done) => setTimeout(done, 2));
        }
        if (kept.events[at] && kept.events[at].number > after) {
          response.write(kept.events[at].data);
        }
      }
      response.end();
      return;
    }
    response.writeHead(200, { "content-type": "application/json" });
    if (request.method === "DELETE") {
      this.#kept.delete(id);
      response.end(JSON.stringify({ id, object: "response.deleted", deleted: true }));
    } else if (what === "input_items") {
      response.end(JSON.stringify({ object: "list", data: [], has_more: false, first_id: null, last_id: null }));
    } else {
      response.end(JSON.stringify({ ...kept.whole, ...(what === "cancel" && { status: "cancelled" }) }));
    }
  }

  async #serve(request, response) {
    let text = "";
    for await (const piece of request) {
      text += piece;
    }
    if (request.url.includes("/responses/")) {
      await this.#again(request, response);
      return;
    }
    if (request.method === "GET") {
      const body = request.url === "/v1/models" ? { object: "list", data: [{ id: "the-providers-own", object: "model" }] } : {};
      response.writeHead(request.url === "/v1/models" ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
      return;
    }
    const body = JSON.parse(text);
    const script = this.#scripts.get(body.model);
    const asked = this.#asked.get(body.model);
    asked.push(body);
    const answer = script[Math.min(asked.length, script.length) - 1];
    asked.texts = [...(asked.texts ?? []), text];
    asked.headers = request.headers;
    const wire = request.url.endsWith("/chat/completions") ? "openai" : request.url.endsWith("/api/chat") ? "ollama"
      : request.url.endsWith("/responses") ? "responses" : "anthropic";
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
    if (request.url.endsWith("/embeddings") || request.url.endsWith("/count_tokens")) {
      over = true;
      const told = request.url.endsWith("/embeddings")
        ? { object: "list", model: "real", data: [{ object: "embedding", index: 0, embedding: "AACAPw==" }],
            usage: { prompt_tokens: 7, total_tokens: 7 } }
        : { input_tokens: 4711 };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(told));
      return;
    }
    let kept;
    if (wire === "responses") {
      answer.id = `resp_${++this.#number}`;
      kept = { events: [], over: false, asked: [], whole: whole.responses(answer, "", body) };
      if (body.store !== false) {
        this.#kept.set(answer.id, kept);
      }
      if (body.background && !body.stream) {
        over = true;
        kept.over = true;
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ ...kept.whole, status: "queued", output: [], usage: null }));
        return;
      }
    }
    // Anthropic is asked for a structured answer by a tool that it must call.
    const structured = wire === "anthropic" && body.tool_choice?.type === "tool" ? body.tool_choice.name : "";
    if (!body.stream) {
      over = true;
      response.writeHead(200, { "content-type": "application/json" });
      const told = JSON.stringify(whole[wire](answer, structured, body));
      this.#bytes.set(body.model, told);
      if (kept) {
        kept.over = true;
      }
      response.end(told);
      return;
    }
    response.writeHead(200, { "content-type": wire === "ollama" ? "application/x-ndjson" : "text/event-stream" });
    let pieces = 0;
    this.#bytes.set(body.model, "");
    for (const { data, characters } of streamed[wire](answer, structured, body)) {
      kept?.events.push({ data, number: kept.events.length });
      if ((over && !body.background) || (answer.cut !== undefined && characters && pieces++ === answer.cut)) {
        over = true;
        response.destroy();
        return;
      }
      this.#bytes.set(body.model, this.#bytes.get(body.model) + data);
      this.#sent.set(body.model, this.#sent.get(body.model) + (characters ?? 0));
      await new Promise((done) => (response.destroyed ? done() : response.write(data, done)));
      if (answer.gap_ms && characters) {
        await new Promise((done) => setTimeout(done, answer.gap_ms));
      }
    }
    over = true;
    if (kept) {
      kept.over = true;
    }
    response.end();
  }
}

const errors = {
  openai: (message) => ({ error: { message, type: "scripted_error", param: null, code: null } }),
  anthropic: (message, status) => ({
    type: "error",
    error: { type: { 401: "authentication_error", 429: "rate_limit_error", 500: "api_error", 503: "overloaded_error" }[status] ?? "invalid_request_error", message },
  }),
  ollama: (message) => ({ error: message }),
  get responses() {
    return this.openai;
  },
};

// A response as it is at its end; odd escapes and blanks in it must come through as they are.
function responseOf(answer, body, status) {
  const output = [
    ...(answer.reasoning ? [JSON.parse(answer.reasoning)] : []),
    ...(answer.text === undefined ? [] : [{
      id: "msg_up", type: "message", status: "completed", role: "assistant",
      content: [{ type: "output_text", text: answer.text, annotations: [], logprobs: [] }],
    }]),
    ...(answer.calls ?? []).map((call, i) => ({
      id: `fc_up${i}`, type: "function_call", status: "completed", arguments: call.arguments, call_id: `call_${i}`, name: call.name,
    })),
  ];
  const over = status === "completed";
  return {
    id: answer.id, object: "response", created_at: 1, status, background: body.background ?? false, error: null,
    incomplete_details: null, instructions: body.instructions ?? null, metadata: { from: "upstream" }, model: "real",
    output: over ? output : [], parallel_tool_calls: true, store: body.store ?? true, temperature: 1, text: body.text ?? { format: { type: "text" } },
    tool_choice: "auto", tools: body.tools ?? [], top_p: 1,
    usage: over ? {
      input_tokens: usage.input, input_tokens_details: { cached_tokens: 3 }, output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 2 }, total_tokens: usage.input + usage.output,
    } : null,
  };
}

function* cut(text, size = 7) {
  for (let at = 0; at < text.length; at += size) {
    yield text.slice(at, at + size);
  }
}

const whole = {
  responses: (answer, _structured, body) => responseOf(answer, body, "completed"),
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
  *responses(answer, _structured, body) {
    let number = 0;
    const event = (type, more, raw) => {
      const text = JSON.stringify({ type, sequence_number: number++, ...more });
      return { data: `event: ${type}\ndata: ${raw ? text.replace('"@raw"', () => raw) : text}\n\n` };
    };
    yield event("response.created", { response: responseOf(answer, body, "in_progress") });
    yield event("response.in_progress", { response: responseOf(answer, body, "in_progress") });
    let output_index = 0;
    if (answer.reasoning) {
      yield event("response.output_item.added", { output_index, item: "@raw" }, answer.reasoning);
      yield event("response.output_item.done", { output_index, item: "@raw" }, answer.reasoning);
      ++output_index;
    }
    const done = responseOf(answer, body, "completed");
    for (const item of done.output.slice(output_index)) {
      const at = { item_id: item.id, output_index };
      if (item.type === "message") {
        yield event("response.output_item.added", { output_index, item: { ...item, status: "in_progress", content: [] } });
        yield event("response.content_part.added", { ...at, content_index: 0, part: { type: "output_text", text: "", annotations: [], logprobs: [] } });
        for (const delta of cut(answer.text, answer.piece)) {
          yield { ...event("response.output_text.delta", { ...at, content_index: 0, delta, logprobs: [] }), characters: delta.length };
        }
        yield event("response.output_text.done", { ...at, content_index: 0, text: answer.text, logprobs: [] });
        yield event("response.content_part.done", { ...at, content_index: 0, part: item.content[0] });
      } else {
        yield event("response.output_item.added", { output_index, item: { ...item, status: "in_progress", arguments: "" } });
        for (const delta of cut(item.arguments, answer.piece)) {
          yield { ...event("response.function_call_arguments.delta", { ...at, delta }), characters: delta.length };
        }
        yield event("response.function_call_arguments.done", { ...at, name: item.name, arguments: item.arguments });
      }
      yield event("response.output_item.done", { output_index, item });
      ++output_index;
    }
    yield event("response.completed", { response: done });
  },
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
