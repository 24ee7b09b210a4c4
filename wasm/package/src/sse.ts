/** Server-sent events, as providers and the proxy stream an answer: the data of each, read as JSON. */

/** A body of a response, or anything else that gives bytes. */
export interface ByteStream {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(reason?: unknown): Promise<void> };
}

/** What `data: [DONE]` is read as. */
export const streamEnd = /* @__PURE__ */ Symbol("[DONE]");

/** The events of a stream. Comments are left out; data that is no JSON is given as the text that it is. */
export async function* eventsOf(body: ByteStream): AsyncGenerator<unknown, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  let ended = false;
  try {
    while (!ended) {
      const { done, value } = await reader.read();
      ended = done;
      rest += done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true });
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop()!;
      for (const line of lines) {
        if (line.startsWith("data:")) {
          data.push(line.slice(line[5] === " " ? 6 : 5));
        } else if (line === "" && data.length > 0) {
          const text = data.join("\n");
          data = [];
          yield text === "[DONE]" ? streamEnd : parsed(text);
        }
      }
    }
  } finally {
    if (!ended) {
      await reader.cancel().catch(() => undefined);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
