#!/usr/bin/env python3
"""Compiles and runs modules that `plumb contracts derive --to pydantic` has written.

    pydantic_run.py --version            the version of pydantic; "none" where there is none
    pydantic_run.py --compile < LINES    each line {"text": MODULE}; prints how many compile
    pydantic_run.py --run < LINES        each line {"text": MODULE, "artifacts": [JSON TEXT]}; a line for each with
                                         {"taken": [bool]} or {"error": TEXT}
"""
import json
import re
import sys
import types
import warnings


def compiled(text):
    return compile(text, "<derived>", "exec", dont_inherit=True)


def run(line, number):
    from pydantic import BaseModel, TypeAdapter, ValidationError

    name = f"derived_{number}"
    module = types.ModuleType(name)
    sys.modules[name] = module  # where names are looked up later
    try:
        exec(compiled(line["text"]), module.__dict__)
        root = getattr(module, re.match(r"# (\w+)", line["text"]).group(1))
        model = isinstance(root, type) and issubclass(root, BaseModel)
        read = root.model_validate_json if model else TypeAdapter(root).validate_json
        taken = []
        for artifact in line["artifacts"]:
            try:
                value = read(artifact)
                taken.append(True)
                if model and value.model_dump_json(by_alias=True, exclude_unset=True) is None:
                    raise AssertionError(artifact)
            except ValidationError:
                taken.append(False)
        return {"taken": taken}
    except Exception as error:  # whatever it is, it is the module's fault
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    if sys.argv[1] == "--version":
        try:
            import pydantic

            print(pydantic.VERSION)
        except ImportError:
            print("none")
        return
    warnings.simplefilter("error")  # pydantic warns of names that shadow its own
    lines = [json.loads(line) for line in sys.stdin]
    if sys.argv[1] == "--compile":
        for line in lines:
            compiled(line["text"])
        print(len(lines))
        return
    for number, line in enumerate(lines):
        print(json.dumps(run(line, number)))


main()
