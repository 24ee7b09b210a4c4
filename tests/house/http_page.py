"""docs/http.md is written from native/control/openapi.json: every route with its parameters and what it does.

    tests/house/http_page.py --write     writes the page; house_test.py says whether it is up to date
"""
import json
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = "docs/http.md"
HEAD = """# HTTP routes

Look up a route of `plumb serve`. `GET /openapi.json` has the full description, with every request and answer as a schema.

```sh
plumb serve
curl -sS http://127.0.0.1:8787/openapi.json > openapi.json
```

[The server](server.md) explains jobs, runs, events, errors, tokens and projects. A test generates this page from the server's own
description. `*` marks a required member of a request.
"""


def cell(text):
    """A text of the description as the cell of a table, with links to the pages that it names."""
    return re.sub(r"docs/([\w-]+)\.md", r"[\1](\1.md)", " ".join(text.split()).replace("|", "\\|"))


def followed(api, value):
    """The value that a local reference leads to."""
    while "$ref" in value:
        target = api
        for part in value["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        value = target
    return value


def inputs_of(api, operation):
    """Parameters in the query or in headers, and the members of the body."""
    listed = [followed(api, one) for one in operation.get("parameters", [])]
    out = [f"`{one['name']}`" for one in listed if one["in"] != "path"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None:
        schema = followed(api, body["schema"])
        members = [f"`{name}`" + ("*" if name in schema.get("required", []) else "") for name in schema.get("properties", {})]
        out.append("body: " + (", ".join(members) or "JSON"))
    return "; ".join(filter(None, [", ".join(out[:len(out) - (body is not None)]), out[-1] if body is not None else ""]))


def page(api):
    text = HEAD
    for tag in api["tags"]:
        text += f"\n## {tag['name'].capitalize()}\n\n{cell(tag['description'])}\n\n| route | takes | what it does |\n| --- | --- | --- |\n"
        for path, operations in api["paths"].items():
            for method, operation in operations.items():
                if tag["name"] in operation.get("tags", []) if isinstance(operation, dict) else False:
                    about = " ".join(filter(None, [operation["summary"], operation.get("description", "")]))
                    text += f"| `{method.upper()} {path}` | {inputs_of(api, operation)} | {cell(about)} |\n"
    return text


def written():
    with open(os.path.join(TOP, "native/control/openapi.json"), encoding="utf-8") as file:
        return page(json.load(file))


def the_page_of_routes_is_what_the_server_describes():
    """docs/http.md has every route of native/control/openapi.json, as tests/house/http_page.py --write writes it"""
    path = os.path.join(TOP, PAGE)
    if not os.path.exists(path) or open(path, encoding="utf-8").read() != written():
        yield f"{PAGE} is out of date: python3 tests/house/http_page.py --write"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        with open(os.path.join(TOP, PAGE), "w", encoding="utf-8") as file:
            file.write(written())
    sys.exit(1 if list(the_page_of_routes_is_what_the_server_describes()) else 0)
