#!/usr/bin/env python3
"""A provider on loopback that does what its address says: the only thing in the tests that is not the real one.

    scripted_upstream.py [--tls CERTIFICATE KEY]      prints its port, serves until standard input ends

An address is http://127.0.0.1:PORT/TAG/SCRIPT/... where SCRIPT is words joined by commas, each NAME or NAME=NUMBER, and
TAG keeps the counts of one test apart from those of others. What is spoken follows from how the path ends: OpenAI's
/chat/completions and /models, Anthropic's /v1/messages and /v1/models, Ollama's /api/chat and /api/tags.

The answer is what the last message says after "say: ", else a sentence.

    ok                  the answer
    delay=MS            waits before it answers
    gap=MS              waits between pieces
    piece=N             N characters of the answer a piece (default 5)
    split=N             writes N bytes at a time
    status=N            answers N, with the provider's own form of an error; with first=M only to the first M requests
    after=S             adds Retry-After: S to these
    no_tools            answers 400 to tools
    no_schema           answers 400 to structured output with a schema; no_format: to any
    key_told            repeats the key in the message of the error
    hang                reads the request and says nothing
    silent_after=N      says nothing more after N pieces
    close               closes the connection without an answer; with first=M only to the first M requests
    cut=N               closes the connection in the middle of a chunk after N pieces
    end=N               ends the stream in good order after N pieces, in the middle of the answer
    html, half, empty, redirect      HTML, half a JSON, an answer without a choice, a redirect, as their names say
    spaces, repeat      white space, or the same text, without end
    no_usage            tells no usage
    calls               Ollama: answers by a call of the first tool in the request
    once                closes the connection after each answer

GET /TAG/stats gives {"requests", "gone": clients that left before the end of an answer, "connections", "authorization",
"bodies": the last 20, "pieces": sent, "paths"}; "connections" are all that were ever made.
"""
import asyncio
import json
import ssl
import sys
from urllib.parse import unquote

STATS = {}
CONNECTIONS = 0


class Gone(Exception):
    pass


def stats_of(tag):
    return STATS.setdefault(tag, {"requests": 0, "gone": 0, "headers": [], "bodies": [], "pieces": 0, "paths": []})


def read_script(text):
    script = {}
    for word in unquote(text).split(","):
        name, _, number = word.partition("=")
        script[name] = int(number) if number else 1
    return script


class Connection:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.split = 0

    async def write(self, data):
        if isinstance(data, str):
            data = data.encode()
        step = self.split or len(data) or 1
        for at in range(0, len(data), step):
            if self.writer.is_closing() or self.reader.at_eof():
                raise Gone()
            self.writer.write(data[at:at + step])
            try:
                await self.writer.drain()
            except ConnectionError:
                raise Gone()
            if self.split:
                await asyncio.sleep(0)

    async def rest(self, seconds):
        """Waits, and knows when the client leaves meanwhile: it sends nothing more, so what comes is the end."""
        try:
            await asyncio.wait_for(self.reader.read(1), seconds)
        except asyncio.TimeoutError:
            return
        except ConnectionError:
            pass
        raise Gone()

    async def chunk(self, data):
        data = data.encode()
        await self.write(b"%x\r\n%s\r\n" % (len(data), data))


async def read_request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ", 2)
    headers = {}
    for line in lines[1:]:
        if line:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return method, path, headers, body


def wire_of(path):
    path = path.partition("?")[0]
    if path.endswith(("/chat/completions", "/models")):
        return "openai"
    return "ollama" if "/api/" in path else "anthropic"


ERROR_TYPES = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
               429: "rate_limit_error", 503: "overloaded_error", 529: "overloaded_error"}
OPENAI_TYPES = {400: "invalid_request_error", 401: "invalid_request_error", 429: "requests"}


def error_body(wire, status, message):
    if wire == "ollama":
        return json.dumps({"error": message})
    if wire == "anthropic":
        return json.dumps({"type": "error", "error": {"type": ERROR_TYPES.get(status, "api_error"), "message": message}})
    return json.dumps({"error": {"message": message, "type": OPENAI_TYPES.get(status), "code": None}})


def answer_of(body):
    content = body["messages"][-1]["content"] if body.get("messages") else ""
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    _, found, text = content.partition("say: ")
    return text if found else "The answer is forty-two."


def is_structured(wire, body):
    return wire == "anthropic" and body.get("tool_choice", {}).get("type") == "tool"


async def stream_openai(connection, body, pieces, script):
    def event(delta, finish=None, **more):
        return "data: " + json.dumps({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted-1",
                                      "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}) + "\n\n"
    await connection.chunk(event({"role": "assistant", "content": ""}))
    async for piece in pieces:
        await connection.chunk(event({"content": piece}))
    await connection.chunk(event({}, "stop"))
    if "no_usage" not in script and body.get("stream_options", {}).get("include_usage"):
        await connection.chunk("data: " + json.dumps({"id": "chatcmpl-1", "choices": [], "model": "scripted-1", "usage": {
            "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}) + "\n\n")
    await connection.chunk("data: [DONE]\n\n")


async def stream_anthropic(connection, body, pieces, script):
    def event(kind, **more):
        return f"event: {kind}\ndata: " + json.dumps({"type": kind, **more}) + "\n\n"
    tool = is_structured("anthropic", body)
    usage = {} if "no_usage" in script else {"usage": {"input_tokens": 11, "output_tokens": 1}}
    await connection.chunk(event("message_start", message={
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-1", "content": [], "stop_reason": None, **usage}))
    block = {"type": "tool_use", "id": "toolu_1", "name": body["tool_choice"]["name"], "input": {}} if tool else {
        "type": "text", "text": ""}
    await connection.chunk(event("content_block_start", index=0, content_block=block))
    await connection.chunk(event("ping"))
    async for piece in pieces:
        delta = {"type": "input_json_delta", "partial_json": piece} if tool else {"type": "text_delta", "text": piece}
        await connection.chunk(event("content_block_delta", index=0, delta=delta))
    await connection.chunk(event("content_block_stop", index=0))
    done = {} if "no_usage" in script else {"usage": {"output_tokens": 7}}
    await connection.chunk(event("message_delta", delta={"stop_reason": "tool_use" if tool else "end_turn"}, **done))
    await connection.chunk(event("message_stop"))


async def stream_ollama(connection, body, pieces, script):
    def line(content, **more):
        return json.dumps({"model": "scripted-1", "created_at": "2024-01-01T00:00:00Z",
                           "message": {"role": "assistant", "content": content}, "done": False, **more}) + "\n"
    if "calls" in script and body.get("tools"):
        call = {"function": {"name": body["tools"][0]["function"]["name"], "arguments": json.loads(answer_of(body))}}
        await connection.chunk(json.dumps({"model": "scripted-1", "message": {"role": "assistant", "content": "",
                                                                               "tool_calls": [call]}, "done": False}) + "\n")
    else:
        async for piece in pieces:
            await connection.chunk(line(piece))
    usage = {} if "no_usage" in script else {"prompt_eval_count": 11, "eval_count": 7}
    await connection.chunk(line("", **{"done": True, "done_reason": "stop", **usage}))


def whole_answer(wire, body, text, script):
    if wire == "openai":
        answer = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted-1",
                  "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                  "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}
        if "empty" in script:
            answer["choices"] = []
    elif wire == "anthropic":
        content = {"type": "text", "text": text}
        if is_structured(wire, body):
            content = {"type": "tool_use", "id": "toolu_1", "name": body["tool_choice"]["name"], "input": json.loads(text)}
        answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-1", "content": [content],
                  "stop_reason": "end_turn", "usage": {"input_tokens": 11, "output_tokens": 7}}
        if "empty" in script:
            del answer["content"]
    else:
        answer = {"model": "scripted-1", "created_at": "2024-01-01T00:00:00Z",
                  "message": {"role": "assistant", "content": text}, "done": True, "done_reason": "stop",
                  "prompt_eval_count": 11, "eval_count": 7}
        if "empty" in script:
            answer = {"model": "scripted-1"}
    if "no_usage" in script:
        for name in ("usage", "prompt_eval_count", "eval_count"):
            answer.pop(name, None)
    return json.dumps(answer)


async def plain(connection, status, body, kind="application/json", extra=""):
    data = body.encode()
    await connection.write(f"HTTP/1.1 {status} Scripted\r\ncontent-type: {kind}\r\ncontent-length: {len(data)}\r\n{extra}\r\n"
                           .encode() + data)


class EndOfScript(Exception):
    pass


async def answer(connection, stats, number, wire, script, headers, body):
    connection.split = script.get("split", 0)
    if script.get("delay"):
        await connection.rest(script["delay"] / 1000)
    first = number <= script.get("first", 1 << 60)
    if "hang" in script:
        await connection.rest(600)
    if "close" in script and first:
        raise EndOfScript()
    if "status" in script and first:
        message = "scripted failure"
        if "key_told" in script:
            message += " for the key " + headers.get("authorization", headers.get("x-api-key", "none"))
        extra = f"retry-after: {script['after']}\r\n" if "after" in script else ""
        await plain(connection, script["status"], error_body(wire, script["status"], message), extra=extra)
        return
    form = body.get("response_format") or body.get("format") or {}
    with_schema = isinstance(form, dict) and form.get("type") != "json_object" and form != {}
    if "no_tools" in script and body.get("tools"):
        await plain(connection, 400, error_body(wire, 400, "scripted-1 does not support tools"))
        return
    if (form and "no_format" in script) or (with_schema and "no_schema" in script):
        await plain(connection, 400, error_body(wire, 400, "this response_format type is unavailable"))
        return
    if "redirect" in script:
        await plain(connection, 302, "", extra=f"location: http://127.0.0.1:1/elsewhere\r\n")
        return
    if "html" in script:
        await plain(connection, 200, "<!doctype html><title>Gateway</title>", "text/html")
        return
    text = answer_of(body)
    if "half" in script:
        whole = whole_answer(wire, body, text, script)
        await plain(connection, 200, whole[:len(whole) // 2])
        return
    if not body.get("stream", wire == "ollama"):
        await plain(connection, 200, whole_answer(wire, body, text, script))
        return

    async def pieces():
        step = script.get("piece", 5)
        cut = min(script.get("cut", 1 << 60), script.get("end", 1 << 60), script.get("silent_after", 1 << 60))
        parts = [text[at:at + step] for at in range(0, len(text), step)]
        sent = 0
        while "spaces" in script or "repeat" in script or sent < len(parts):
            if sent >= cut:
                if "silent_after" in script:
                    await connection.rest(600)
                if "cut" in script:
                    await connection.write(b"40\r\ndata: {\"cho")
                raise EndOfScript()
            stats["pieces"] += 1
            yield " " * 50 if "spaces" in script else "again and again, " if "repeat" in script else parts[sent]
            sent += 1
            if script.get("gap"):
                await connection.rest(script["gap"] / 1000)

    kind = "application/x-ndjson" if wire == "ollama" else "text/event-stream"
    await connection.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n")
    if "empty" in script:
        lines = {"openai": 'data: {"choices":[]}\n\ndata: [DONE]\n\n', "anthropic": 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
                 "ollama": '{"model":"scripted-1"}\n'}
        await connection.chunk(lines[wire])
    else:
        try:
            await {"openai": stream_openai, "anthropic": stream_anthropic, "ollama": stream_ollama}[wire](
                connection, body, pieces(), script)
        except EndOfScript:
            if "end" not in script:
                raise
    await connection.write(b"0\r\n\r\n")


async def serve_one(connection):
    method, path, headers, data = await read_request(connection.reader)
    parts = path.split("/")
    tag = parts[1]
    if len(parts) == 3 and parts[2] == "stats":
        await plain(connection, 200, json.dumps({**stats_of(tag), "connections": CONNECTIONS}))
        return True
    stats = stats_of(tag)
    stats["requests"] += 1
    number = stats["requests"]
    stats["paths"] = (stats["paths"] + [method + " " + path])[-20:]
    stats["headers"] = (stats["headers"] + [headers])[-20:]
    script = read_script(parts[2])
    wire = wire_of(path)
    try:
        if method == "GET":
            if "status" in script or "hang" in script or "close" in script:
                await answer(connection, stats, number, wire, script, headers, {})
            else:
                listed = {"models": [{"name": "scripted-1", "model": "scripted-1"}]} if wire == "ollama" else {
                    "object": "list", "data": [{"id": "scripted-1"}]}
                await plain(connection, 200, json.dumps(listed))
            return "once" not in script
        body = json.loads(data)
        stats["bodies"] = (stats["bodies"] + [body])[-20:]
        await answer(connection, stats, number, wire, script, headers, body)
    except (Gone, ConnectionError):
        stats["gone"] += 1
        return False
    return "once" not in script


async def serve(reader, writer):
    global CONNECTIONS
    CONNECTIONS += 1
    connection = Connection(reader, writer)
    try:
        while True:
            connection.split = 0
            if not await serve_one(connection):
                break
    except (asyncio.IncompleteReadError, ConnectionError, EndOfScript, Gone):
        pass
    finally:
        writer.close()


async def main():
    context = None
    if len(sys.argv) == 4 and sys.argv[1] == "--tls":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=4096, limit=1 << 24, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
