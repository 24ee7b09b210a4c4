"""Schemas as strangers send them, which no host may take harm from: dialects, vocabularies and references that lead
nowhere, in each place where one may be. (schema, words of the error), or None where it is a contract."""

UNKNOWN = "x:unknown"

SCHEMAS = [
    ({"$schema": "http://json-schema.org/draft-03/schema#"}, "draft-03/schema' is not known"),
    ({"$schema": "http://json-schema.org/draft-05/schema#", "type": "object"}, "draft-05/schema' is not known"),
    ({"$schema": UNKNOWN}, "x:unknown' is not known"),
    ({"$schema": ""}, "is not known"),
    ({"$schema": "#"}, "is not known"),
    ({"$schema": 4}, "$schema must be a URI in a string"),
    ({"$schema": None}, "$schema must be a URI in a string"),
    ({"$id": "x:a", "$schema": UNKNOWN, "$defs": {"a": {"$id": "x:b"}}}, "x:unknown' is not known"),
    ({"$defs": {"a": {"$id": "x:b", "$schema": UNKNOWN}}}, "x:unknown' is not known"),
    ({"items": {"$id": "x:b", "$schema": UNKNOWN}}, "x:unknown' is not known"),
    ({"$ref": UNKNOWN}, "leads to x:unknown, which is not there"),
    ({"$ref": "#/nowhere"}, "leads to nothing"),
    ({"$ref": "#nowhere"}, "the anchor nowhere"),
    ({"$ref": "#"}, "leads back to itself"),
    ({"$dynamicRef": "#nowhere"}, "the anchor nowhere"),
    ({"$ref": 1}, "$ref must be a URI reference in a string"),
    ({"$id": "x:a", "$defs": {"a": {"$id": "x:a"}}}, "is used twice"),
    ({"$anchor": "a", "$defs": {"a": {"$anchor": "a"}}}, "is used twice"),
    ({"$schema": "https://json-schema.org/draft/2020-12/meta/core", "$vocabulary": {UNKNOWN: True}}, None),
    ({"$vocabulary": {UNKNOWN: True}}, None),
    ({"$id": 1, "$anchor": 2, "$comment": 3}, None),
]
