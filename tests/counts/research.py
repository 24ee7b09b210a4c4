#!/usr/bin/env python3
"""Counts what `plumb research` calls met: questions that documents answer and do not, asked of a planner that calls everything met.

    PLUMB_BIN=build/bin/plumb tests/counts/research.py     fails where the table differs from research.txt
    PLUMB_REWRITE=1 ...                                    writes it

The provider is ours: it plans the question as it was asked, quotes what its case says, and says of every criterion that it is met.
`extract` is asked the same questions without a provider.
"""
import concurrent.futures
import http.server
import json
import os
import re
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "native"))
sys.path.insert(0, HERE)
import driven  # noqa: E402
import research_cases as cases  # noqa: E402
import stored_table  # noqa: E402

ROLES = (("You are the intake", "intake"), ("You plan research", "brain"), ("You control the searches", "researcher"),
         ("You answer a question from passages", "answer"), ("You write reports", "report"), ("You check a decision", "judge"))
DESCRIPTION = "It gives the objective what it asks about {}, as the documents say it."
GOAL = "The number, name or date that is asked for, with its source."


def fences(text):
    return {name: body for name, body in re.findall(r"<<<(\S+) \S+\n(.*?)\n\S+>>>", text, re.S)}


def answer_as(role, user, case, faults):
    """What the provider says. `case`: name, question, quote, criterion."""
    _, question, quote, criterion = case
    given = fences(user)
    if role == "intake":
        call = {"tool": "startResearch", "arguments": {"message": "I look.", "reason": "It is clear.", "objective": question,
                                                       "successCriteria": [criterion]}}
        return {"calls": [call]}
    if role == "brain":
        if given.get("completed", "").strip():
            return {"decision": "done", "reasoning": "It is answered.", "questions": [],
                    "criteria": [{"criterion": 0, "met": True, "why": "A completed question states it."}]}
        if "plan" in faults:
            return faults["plan"]
        words = max(re.findall(r"[^\W\d_]+", question), key=len)
        asked = {"question": faults.get("question", question), "goal": faults.get("goal", GOAL),
                 "description": faults.get("description", DESCRIPTION.format(words))}
        more = [dict(asked, question=faults["second"])] if "second" in faults else []
        return {"decision": "continue", "reasoning": "Nothing is known yet.", "questions": [asked] + more, "criteria": []}
    if role == "researcher":
        searches = given.get("history", "").count("\"query\":")
        if searches < 2 and ("query" in faults or "reasoning" in faults):
            return {"decision": "continue",
                    "reasoning": faults.get("reasoning", "The one missing evidence piece is: steps of the harbour lamp."),
                    "query": faults.get("query", "Which document counts the steps of the harbour lamp?"),
                    "missing": {"entity": "harbour lamp", "attribute": "steps", "scope": ""}}
        return {"decision": "done", "reasoning": "Nothing is missing.", "query": "",
                "missing": {"entity": "", "attribute": "", "scope": ""}}
    if role == "answer":
        number = next((int(name[8:]) for name, body in given.items() if name.startswith("passage-") and quote in body), 1)
        return {"answer": [{"claim": quote, "source": number, "quote": quote}], "confidence": "high", "missing": ""}
    if role == "report":
        return {"claims": [{"claim": quote, "citations": [1]}]}
    return {"claims": []}


class Provider:
    """OpenAI's chat completions, on a port of its own; the path says which case is asked about."""

    def __init__(self):
        outer = self
        self.cases = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                by_role = {}
                for message in body["messages"]:
                    content = message["content"]
                    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
                    by_role[message["role"]] = by_role.get(message["role"], "") + text
                system = by_role.get("system", by_role.get("developer", ""))
                role = next(name for begins, name in ROLES if begins in system)
                said = answer_as(role, by_role["user"], *outer.cases[body["model"]])
                text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
                out = {"id": "c", "object": "chat.completion", "model": body["model"],
                       "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                       "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}}
                if body.get("stream"):
                    delta = {"id": "c", "object": "chat.completion.chunk", "model": body["model"],
                             "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}
                    data = ("data: " + json.dumps(delta) + "\n\ndata: [DONE]\n\n").encode()
                    kind = "text/event-stream"
                else:
                    data = json.dumps(out).encode()
                    kind = "application/json"
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Counts:
    def __init__(self, place, provider):
        self.place = place
        self.provider = provider
        self.extracted = {}

    def run(self, question, *more, env=None):
        done = self.place.run("research", "--corpus", self.place.path("docs"), "--json", "--no-ask", "-q", *more, question, env=env)
        view = json.loads(done.stdout) if done.stdout else {}
        result = view.get("result") or {}
        states = ",".join(one.get("state", "") for one in result.get("success_criteria", []))
        return done.returncode, states or "-", result.get("ended", "-"), [query["query"] for one in view.get("questions", []) for query in one["searches"]]

    def model(self, index, case, faults):
        name = f"case-{index}"
        self.provider.cases[name] = (case, faults)
        return self.run(case[1], "--provider", "openai/" + name,
                        env={"OPENAI_BASE_URL": self.provider.url, "OPENAI_API_KEY": "k",
                             "PLUMB_STORE": self.place.path(f"{name}.db")})

    def extract(self, index, case):
        if case[3] != cases.SOURCE:  # it sets its own criterion
            return "", "-"
        return self.run(case[1], env={"PLUMB_STORE": self.place.path(f"extract-{index}.db")})


def line(columns):
    return " | ".join(columns).rstrip()


def table():
    groups = [("answerable", cases.ANSWERABLE), ("unanswerable", cases.UNANSWERABLE), ("beyond words", cases.BEYOND)]
    with driven.Place("counts") as place, Provider() as provider:
        for name, text in cases.DOCUMENTS.items():
            place.file("docs/" + name, text)
        counts = Counts(place, provider)
        counts.run(cases.ANSWERABLE[0][1])  # the index is made once
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            asked = [(group, case, pool.submit(counts.model, f"{g}-{i}", case, {}),
                      pool.submit(counts.extract, f"{g}-{i}", case))
                     for g, (group, all_of) in enumerate(groups) for i, case in enumerate(all_of)]
            broken = [(name, pool.submit(counts.model, f"broken-{i}", cases.ANSWERABLE[0], faults))
                      for i, (name, faults) in enumerate(cases.BROKEN)]
            described = [(group, pool.submit(counts.model, f"described-{g}-{i}", case, {"description": "It is of interest."}))
                         for g, (group, all_of) in enumerate(groups) for i, case in enumerate(all_of)]
            rows = [(group, case[0], one.result()[:2], other.result()[:2]) for group, case, one, other in asked]
            broken = [(name, one.result()) for name, one in broken]
            described = [(group, one.result()[:2]) for group, one in described]
    out = ["group | case | exit and state with a provider that calls everything met | with extract"]
    out += [line([group, name, "{} {}".format(*one), "{} {}".format(*other)]) for group, name, one, other in rows]
    out += ["", "group | by | met | judge_only | undecided | unmet | none"]
    for group, _ in groups:
        for by, results in (("provider", [one for name, _, one, _ in rows if name == group]),
                            ("provider, every description broken", [one for name, one in described if name == group]),
                            ("extract", [other for name, _, _, other in rows if name == group])):
            out.append(line([group, by] + [str(sum(1 for _, state in results if state == wanted))
                                           for wanted in ("met", "judge_only", "undecided", "unmet", "-")]))
    out += ["", "broken | exit | state | ended | what was searched for"]
    out += [line([name, str(code), state, ended, " / ".join(queries)]) for name, (code, state, ended, queries) in broken]
    return "\n".join(out) + "\n"


def main():
    return stored_table.compare("research", table())


if __name__ == "__main__":
    sys.exit(main())
