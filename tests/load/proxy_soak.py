#!/usr/bin/env python3
"""Mixed load on the proxy for a while: does its memory stay flat, does anything hang, is each call counted once?

    proxy_soak.py PLUMB [SECONDS] [AT_ONCE]

Clients ask for whole answers and streams, with contracts and without, leave at any point, read slowly, or open a
connection and say nothing; the provider answers, refuses, cuts, is silent or writes what breaks the contract; the
configuration is read again all the while. What is checked at the end: every call that a client began was ended by the
policy exactly once, none is open, and the memory after the first quarter is that of the end.
"""
import asyncio
import collections
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import urllib.request

PLUMB = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 600
AT_ONCE = int(sys.argv[3]) if len(sys.argv) > 3 else 60
SEED = int(os.environ.get("PLUMB_SOAK_SEED", "1"))
GROWTH_MB = 8
WAIT = 60
QUIZ = {"questions": [{"question": "Which gas do plants take in?", "options": ["Oxygen", "Carbon dioxide", "Helium", "Neon"],
                       "correct_answer": "Carbon dioxide", "explanation": "Plants take in carbon dioxide."}]}
BAD = {"questions": [{**QUIZ["questions"][0], "options": ["Oxygen", "Helium", "Neon"]}]}
choose = random.Random(SEED)
seen = collections.Counter()


def event(text):
    return "data: " + json.dumps({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                                  "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}) + "\n\n"


END = ('data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],'
       '"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}\n\ndata: [DONE]\n\n')


def chunk(text):
    data = text.encode()
    return b"%x\r\n%s\r\n" % (len(data), data)


async def read_request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head, re.I).group(1))
    return json.loads(await reader.readexactly(length))


async def provide(reader, writer):
    """One connection of the proxy to the provider."""
    try:
        while True:
            body = await read_request(reader)
            said = json.dumps(body["messages"])
            repaired = len(body["messages"]) > 1 or "finding" in said
            text = json.dumps(QUIZ if repaired or "bad" not in said else BAD)
            kind = choose.choices(["answer", "429", "500", "cut", "silent", "end"], [80, 4, 4, 4, 2, 2])[0]
            if kind in ("429", "500"):
                answer = b'{"error":{"message":"not now"}}'
                writer.write(b"HTTP/1.1 %s No\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
                             % (kind.encode(), len(answer), answer))
                continue
            if kind == "silent":
                await asyncio.sleep(1)
                return
            if not body.get("stream"):
                answer = json.dumps({"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
                    {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
                             % len(answer))
                writer.write(answer[:20] if kind == "cut" else answer)
                if kind == "cut":
                    return
                continue
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            step = max(1, len(text) // 8)
            for at in range(0, len(text), step):
                if kind in ("cut", "end") and at > len(text) // 2:
                    break
                writer.write(chunk(event(text[at:at + step])))
                await writer.drain()
                await asyncio.sleep(choose.random() * 0.02)
            if kind == "cut":
                return
            writer.write((chunk(END) if kind == "answer" else b"") + b"0\r\n\r\n")
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def call(port):
    """One client; counts how it ended. A call counts as begun when its request was sent whole."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        kind = choose.choices(["read", "leave", "slow", "idle", "half"], [70, 15, 10, 2, 3])[0]
        if kind == "idle":
            await asyncio.sleep(choose.random())
            return
        stream = choose.random() < 0.6
        contract = choose.random() < 0.4
        bad = "bad " if choose.random() < 0.5 else ""
        body = json.dumps({"model": "m", "stream": stream,
                           "messages": [{"role": "user", "content": bad + str(choose.random())}]}).encode()
        head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        if contract:
            mode = choose.choice([b"observe", b"enforce", b"hold-back"])
            head += b"x-plumb-contract: quiz\r\nx-plumb-mode: " + mode + b"\r\n"
        head += b"content-length: %d\r\n\r\n" % len(body)
        if kind == "half":
            writer.write(head + body[:10])
            await writer.drain()
            return
        writer.write(head + body)
        await writer.drain()
        seen["begun"] += 1
        if kind == "leave":
            # Only after something of the answer, or a while: a request that nobody has read yet is not a call.
            await asyncio.sleep(0.05 + choose.random() * 0.2)
            seen["left"] += 1
            return
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT)
        seen[head[9:12].decode()] += 1
        length = re.search(rb"content-length: (\d+)", head, re.I)
        if length:
            await asyncio.wait_for(reader.readexactly(int(length.group(1))), WAIT)
            return
        got = b""
        while not got.endswith(b"0\r\n\r\n"):
            if kind == "slow":
                await asyncio.sleep(0.01)
            piece = await asyncio.wait_for(reader.read(512 if kind == "slow" else 65536), WAIT)
            if not piece:
                break
            got += piece
        whole = b"[DONE]" in got
        seen["stream whole" if whole else "stream with an error" if b'"error"' in got else "stream cut"] += 1
    except asyncio.TimeoutError:
        seen["STUCK"] += 1
    finally:
        writer.close()


def memory_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS:"))


def metric(text, name):
    return sum(int(float(line.rsplit(" ", 1)[1])) for line in text.splitlines()
               if line.startswith((name + " ", name + "{")))


async def main():
    folder = tempfile.mkdtemp(prefix="plumb-soak-")
    provider = await asyncio.start_server(provide, "127.0.0.1", 0)
    upstream = provider.sockets[0].getsockname()[1]
    config = f"{folder}/plumb.yaml"

    def write_config(limit):
        with open(config + ".new", "w", encoding="ascii") as file:
            file.write(f"""providers: {{one: {{speaks: openai, base_url: "http://127.0.0.1:{upstream}/v1", key_env: KEY}}}}
proxy:
  listen: 127.0.0.1:0
  models: {{m: one/m}}
  retries: {{max: 1, backoff_ms: 20, backoff_max_ms: 50}}
  breaker: {{failures: 100000}}
  limits: {{requests_per_minute: {limit}}}
  keys: none
  counters: {folder}/counters.json
  bounds: {{head_ms: 2000, client_idle_ms: 3000}}
""")
        os.replace(config + ".new", config)

    write_config(100_000_000)
    process = await asyncio.create_subprocess_exec(
        PLUMB, "serve", "--port", "0", "--config", config, "--store", f"{folder}/runs.db", "--log-level", "info",
        stdout=asyncio.subprocess.PIPE, stderr=open(f"{folder}/log", "wb"), env={**os.environ, "KEY": "sk-soak"})
    told = [await process.stdout.readline(), await process.stdout.readline()]
    if not all(told):
        sys.exit(open(f"{folder}/log", encoding="utf-8").read())
    control, port = (int(re.search(rb":(\d+)/", line).group(1)) for line in told)
    began, rows, running, problems = time.monotonic(), [], set(), []
    next_row = next_change = 0
    while (past := time.monotonic() - began) < SECONDS:
        while len(running) < AT_ONCE:
            task = asyncio.create_task(call(port))
            running.add(task)
            task.add_done_callback(running.discard)
        if past >= next_row:
            rows.append((past, memory_mb(process.pid), seen["begun"]))
            print(f"{past:6.0f} s {rows[-1][1]:7.1f} MB {seen['begun']:9d} calls", flush=True)
            next_row += max(2, SECONDS / 20)
        if past >= next_change:
            write_config(100_000_000 + int(past))
            process.send_signal(signal.SIGHUP)
            next_change += 1
        await asyncio.sleep(0.005)
    await asyncio.gather(*running, return_exceptions=True)
    until = time.monotonic() + WAIT
    while True:
        text = await asyncio.to_thread(
            lambda: urllib.request.urlopen(f"http://127.0.0.1:{control}/metrics", timeout=10).read().decode())
        ended, open_now = metric(text, "plumb_proxy_calls_total"), metric(text, "plumb_proxy_calls_open")
        if (open_now == 0 and ended == seen["begun"]) or time.monotonic() > until:
            break
        await asyncio.sleep(0.1)
    process.terminate()
    await process.wait()
    shutil.rmtree(folder, ignore_errors=True)
    print(dict(sorted(seen.items())))
    if ended != seen["begun"] or open_now != 0:
        problems.append(f"{seen['begun']} calls were begun, {ended} ended, {open_now} are open")
    if seen["STUCK"]:
        problems.append(f"{seen['STUCK']} answers never ended")
    settled = [row[1] for row in rows if row[0] >= SECONDS / 4]
    if settled and max(settled[-3:]) > min(settled[:3]) + GROWTH_MB:
        problems.append(f"memory went from {min(settled[:3]):.1f} to {max(settled[-3:]):.1f} MB")
    for problem in problems:
        print("WRONG:", problem)
    if settled:
        print(f"{seen['begun']} calls, each accounted for once; {settled[0]:.1f} MB after the first quarter, "
              f"{settled[-1]:.1f} MB at the end" if not problems else "soak failed")
    return 1 if problems else 0


sys.exit(asyncio.run(main()))
