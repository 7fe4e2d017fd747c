"""Whether uimon shows of each payload what is known of it, and no more.

payloads.py LOG MARKERS TEXT: the log of payloads.cs, and what `uimon flows --search Example-App-Payloads` says of
the recording, as JSON and as text. Where the runtime describes what it writes, the fields are those that the
program's own listener was told. Elsewhere none is shown, and the number of bytes is that of what the program wrote.
"""
import json
import sys

SOURCE = "Example-App-Payloads"
SHOWN = 9    # fields of a marker
KNOWN = 32   # fields of a definition that uimon reads
UNDESCRIBED = "the runtime does not say which fields there are"


def fail(text):
    print(text)
    sys.exit(1)


def read_log(path):
    """Each event as its name and its fields, in the order in which they were written."""
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\r\n").split("\t") for line in file if line.startswith("event\t")]
    return [(row[1], dict(field.split("=", 1) for field in row[2:])) for row in rows]


def text_bytes(text):
    return len(text.encode("utf-16-le")) + 2


def bytes_of(name, fields):
    """How long a payload is, by the sizes in which .NET writes such values."""
    if name == "Packet":  # a text, a number, and an array with its length in front
        return text_bytes(fields["name"]) + 4 + 4 + int(fields["bytes"].split()[0])
    if name == "Parcel":  # an enum of bytes is written as a number of four
        return 4 + 4 + text_bytes(fields["text"])
    if name == "Short":
        return 4
    if name == "TaskStart":
        return 4 + 4
    if name == "List":  # an array of numbers with its length, of two bytes, in front
        return text_bytes(fields["Item"]) + 2 + 4 * int(fields["Numbers"].split()[0])
    return fail(f"the size of {name} is not known")


def shown(text):
    """A text as a marker has it: one of more than 127 bytes ends in a hash (FNV-1a, its halves combined) of
    what uimon keeps, which is 4096 bytes of a payload, with a number of 4 before the text."""
    if len(text.encode("utf-8")) <= 127:
        return text
    value = 2166136261
    for byte in text.encode("utf-16-le")[:4096 - 4].decode("utf-16-le", "ignore").encode("utf-8"):
        value = (value ^ byte) * 16777619 & 0xffffffff
    return f"{text.encode('utf-8')[:119].decode('utf-8', 'ignore')}…#{(value ^ value >> 16) & 0xffff:04x}"


def expected(name, fields):
    """A marker's fields; a text of several numbers of fields stands for one of them."""
    if name in ("Packet", "List"):
        return {"not decoded": f"{bytes_of(name, fields)} bytes: {UNDESCRIBED}"}
    if name == "Parcel":
        return {"not decoded": f"{bytes_of(name, fields)} bytes that do not fit its 3 fields"}
    if name == "Short":
        return {"not decoded": "4 bytes that do not fit its 2 fields"}
    if name == "Wide":
        values = dict(list(fields.items())[:SHOWN])
        return {**values, "not shown": f"{KNOWN - SHOWN} fields, {4 * (len(fields) - KNOWN)} bytes"}
    values = {name: shown(value) for name, value in fields.items()}
    if name == "Plain" and len(fields["text"]) > 2048:  # uimon keeps 4096 bytes of a payload
        left = 4 + text_bytes(fields["text"]) - 4096
        values["not shown"] = f"{left} bytes"
    return values


def expected_markers(events):
    """The name, the fields, and whether it is an interval, and one without an end."""
    markers = []
    for name, fields in events:
        if name == "TaskStop":
            at = [marker[0] for marker in markers].index("Task")
            task, before, _, _ = markers[at]
            stop = {f"{name} (stop)" if name == "number" else name: value for name, value in fields.items()}
            markers[at] = (task, {**before, **stop}, True, False)
        elif name.endswith("Start"):
            before = expected(name, fields) if name == "WorkStart" else \
                {"not decoded": f"{bytes_of(name, fields)} bytes that do not fit its 2 fields"}
            markers.append((name[:-len("Start")], before, True, True))
        else:
            markers.append((name, expected(name, fields), False, False))
    return markers


def value_of(field):
    return field["text"] if "text" in field else f"{field['number']:.0f}"


def fields_of(marker):
    return {field["name"]: value_of(field) for field in marker.get("fields", [])
            if field["name"] not in ("activity", "related activity")}


def compare(wanted, marker):
    name, fields, is_interval, is_open = wanted
    if marker["name"] != name:
        fail(f"{marker['name']} is not {name}")
    if fields_of(marker) != fields:
        fail(f"{name} has {fields_of(marker)}, not {fields}")
    if marker.get("open", False) != is_open or ("end_ms" in marker) == is_open:
        fail(f"{name} is {'not ' if is_open else ''}open: {marker}")
    if not is_open and (marker["end_ms"] > marker["start_ms"]) != is_interval:
        fail(f"{name} is the one of instant and interval that it should not be")


def compare_text(markers, text):
    """Of those without an end the table says so instead of a length, and of no others."""
    with open(text, encoding="utf-8") as file:
        rows = {line.split()[0]: line for line in file if line.strip()}
    for marker in markers:
        if ("no end seen" in rows[marker["marker"]]) != marker.get("open", False):
            fail(f"the table has {rows[marker['marker']]}")


def main():
    log, path, text = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        markers = [marker for marker in json.load(file)["markers"] if marker["category"] == SOURCE]
    markers.sort(key=lambda marker: int(marker["marker"].split(":")[1]))
    wanted = expected_markers(read_log(log))
    if len(markers) != len(wanted):
        fail(f"{[marker['name'] for marker in markers]} are not {[marker[0] for marker in wanted]}")
    for pair in zip(wanted, markers):
        compare(*pair)
    compare_text(markers, text)
    print(f"{len(markers)} markers have what is known of their payloads")


main()
