"""Whether a recording's markers are the events that a program's own listener was told.

activities.py LOG MARKERS LOST FLOWS: the log of activities.cs, and what `uimon flows --json` says of the
recording, with `--search Example-App-Activities`, with `--search "Markers lost"`, and without. All events are there, on their threads and
with their payloads; a Start and a Stop of one activity are one interval; and each activity is a flow from
its Start to its Stop.
"""
import json
import sys

SOURCE = "Example-App-Activities"
NO_ID = "00000000-0000-0000-0000-000000000000"


def fail(text):
    print(text)
    sys.exit(1)


def read_log(path):
    events = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            columns = line.rstrip("\r\n").split("\t")
            if columns[0] != "event":
                continue
            fields = dict(column.split("=", 1) for column in columns[6:])
            if columns[3] == "Packet":
                # The runtime does not describe what has an array: here a number, which WriteEvent takes as one
                # of 8 bytes if an array follows, the array's length, and the array.
                size = 8 + 4 + int(fields["bytes"].split()[0])
                fields = {"not decoded": f"{size} bytes: the runtime does not say which fields there are"}
            events.append({"ns": int(columns[1]), "thread": columns[2], "name": columns[3],
                           "activity": columns[4], "related": columns[5], "fields": fields})
    return events


def task(event):
    """What a Start or a Stop begins or ends, and which of them it is."""
    for end in ("Start", "Stop"):
        if event["name"].endswith(end):
            return event["name"][:-len(end)], end
    return None, None


def expected(events):
    """The markers, by thread and start. A marker begins after the event before it on its thread was
    logged, and before it was logged itself."""
    markers, open_ones, last, requests = [], {}, {}, {}
    for event in events:
        name, end = task(event)
        key = (name, event["activity"])
        before = last.setdefault(event["thread"], [])
        event["not_before"] = before[-1]["ns"] if before else 0
        if event["name"] == "QueryStop":
            for within in before[-3:]:  # Note, Packet and Sold
                within["activity"] = event["activity"]
        if event["name"] == "RequestStart":
            requests[event["fields"]["number"]] = event["activity"]
        if event["name"] == "Handed":
            event["activity"] = requests[event["fields"]["number"]]
        before.append(event)
        if end == "Start":
            open_ones[key] = event
        elif end == "Stop":
            start = open_ones.pop(key)
            markers.append((start, event))
        else:
            markers.append((event, None))
    if open_ones:
        fail(f"the program has left {list(open_ones)}")
    return sorted(markers, key=lambda pair: (pair[0]["thread"], pair[0]["ns"]))


def name_of(pair):
    return task(pair[0])[0] if pair[1] else pair[0]["name"]


def payload(pair):
    """The payload as it must be: of the Start, then of the Stop."""
    fields = dict(pair[0]["fields"])
    for name, value in (pair[1]["fields"] if pair[1] else {}).items():
        fields[f"{name} (stop)" if name in pair[0]["fields"] else name] = value
    return fields


def is_same(wanted, field):
    return float(wanted) == field["number"] if "number" in field else wanted == field["text"]


def ids(marker, name):
    """The flows of a marker's fields with a name, each with whether it ends there."""
    return [(field["flow"]["id"], False) if "flow" in field else (field["terminating_flow"]["id"], True)
            for field in marker.get("fields", []) if field["name"] == name]


def differs(pair, marker):
    wanted = payload(pair)
    shown = [field for field in marker.get("fields", [])
             if field["name"] not in ("activity", "related activity", "not shown")]
    if marker["name"] != name_of(pair):
        return f"its name is {marker['name']}"
    if (marker["end_ms"] > marker["start_ms"]) != (pair[1] is not None):
        return "it is the one of instant and interval that it should not be"
    if [field["name"] for field in shown] != list(wanted):
        return f"its fields are {[field['name'] for field in shown]}, not {list(wanted)}"
    for field in shown:
        if not is_same(wanted[field["name"]], field):
            return f"{field} should be {wanted[field['name']]}"
    related, activity = pair[0]["related"], pair[0]["activity"]
    if ids(marker, "related activity") != [(related, False)] * (related != NO_ID):
        return f"its related activity is not {related}"
    flows = [(activity, False)] + [(activity, True)] * (pair[1] is not None)
    if activity != NO_ID and ids(marker, "activity") != flows:
        return f"its activity is {ids(marker, 'activity')}, not {activity}"
    return None


def compare_markers(pairs, markers):
    """Compares them one by one, and returns what is to be added to a marker's time to get the log's: from
    so much to so much."""
    least, most = -sys.maxsize, sys.maxsize
    if len(markers) != len(pairs):
        fail(f"{len(markers)} markers of {len(pairs)}")
    for pair, marker in zip(pairs, markers):
        what = differs(pair, marker)
        if what:
            fail(f"{name_of(pair)} on {pair[0]['thread']} at {marker['start_ms']} ms: {what}")
        for event, at_ms in ((pair[0], marker["start_ms"]), (pair[1], marker["end_ms"])):
            if event:
                least = max(least, event["not_before"] - round(at_ms * 1e6))
                most = min(most, event["ns"] - round(at_ms * 1e6))
    return least, most


def compare_flows(pairs, flows):
    """Each activity is one flow, of the markers that mention it."""
    members = {}
    for pair in pairs:
        for flow in {pair[0]["activity"], pair[0]["related"]} - {NO_ID}:
            members.setdefault(flow, []).append(name_of(pair))
    for activity, names in members.items():
        found = [flow for flow in flows if flow["id"] == activity]
        if len(found) != 1:
            fail(f"{len(found)} flows of {activity}")
        got = [marker["name"] for marker in found[0]["markers"]]
        if sorted(got) != sorted(names):
            fail(f"{activity} has {got}, not {names}")
        end_ms = max(marker["end_ms"] for marker in found[0]["markers"])
        if found[0]["end_ms"] != end_ms:
            fail(f"{activity} ends at {found[0]['end_ms']} ms, not {end_ms}")
        connected = {pair[0]["related"] if pair[0]["activity"] == activity else pair[0]["activity"]
                      for pair in pairs if pair[0]["related"] != NO_ID and
                      activity in (pair[0]["activity"], pair[0]["related"])}
        if {flow["id"] for flow in found[0]["connected"]} != connected:
            fail(f"{activity} is connected with {found[0]['connected']}, not {connected}")
    return len(members)


def compare_flood(log, floods, lost):
    """Of a flood so many events are kept that with those that are counted as lost there are all."""
    with open(log, encoding="utf-8") as file:
        events = sum(int(line.split()[1]) for line in file if line.startswith("flood "))
    left_out = sum(field["number"] for marker in lost for field in marker["fields"]
                   if field["name"] == "lost")
    seconds = (floods[-1]["start_ms"] - floods[0]["start_ms"]) // 1000 + 2
    print(f"of a flood of {events} events {len(floods)} are there, and {left_out:.0f} are counted as lost")
    if len(floods) + left_out != events or left_out == 0 or len(floods) > 5000 * seconds:
        fail("that is not so many as the program has written")


def read_json(path, name):
    with open(path, encoding="utf-8") as file:
        return json.load(file)[name]


def main():
    log, markers, lost, flows = sys.argv[1:]
    pairs = expected(read_log(log))
    got = [marker for marker in read_json(markers, "markers") if marker["category"] == SOURCE]
    compare_flood(log, [marker for marker in got if marker["name"] == "Flood"], read_json(lost, "markers"))
    got = [marker for marker in got if marker["name"] != "Flood"]
    got.sort(key=lambda marker: (marker["thread"], marker["start_ms"]))
    least, most = compare_markers(pairs, got)
    if least > most:
        fail(f"the times are not those of the log, by {least - most} ns")
    count = compare_flows(pairs, read_json(flows, "flows"))
    print(f"{len(got)} markers and {count} activities are those of the log; their times, too, "
          f"to within {(most - least) / 1e6:.3f} ms")


main()
