"""What uimon says that the layout of panels costs, by the program's own log: JSON LOG."""
import json
import sys

rows = {row["text"]: row for row in json.load(open(sys.argv[1]))["layout"]}
log = open(sys.argv[2]).read().splitlines()
failed = False


def busy_ms(what, name):
    return sum(int(line.split()[2]) for line in log if line.startswith(f"{what} {name} ")) / 1e6


for name in "outer", "middle", "inner":
    row = rows.get(name)
    if not row:
        sys.exit(f"no component {name} in {sorted(rows)}")
    layout, paint = busy_ms("layout", name), busy_ms("paint", name)
    print(f"{name}: layout {row['own_layout_ms']:.1f} ms of its own, busy for {layout:.1f}; "
          f"{row['frames']} frames, authored {row.get('authored')}, rendered {row.get('rendered')}; "
          f"mostly {row.get('message')}, {row.get('handler')}")
    # What the toolkit does around OnLayout comes on top.
    failed |= not 0.9 * layout <= row["own_layout_ms"] <= 1.5 * layout + 3 * row["frames"]
    failed |= row["paint_ms"] < 0.9 * paint
# The ranking is the program's: by what each does itself, and by what meters show, with those within.
NAMES = ["outer", "middle", "inner"]
own = sorted(NAMES, key=lambda name: rows[name]["own_layout_ms"] / rows[name]["frames"])
logged = sorted(NAMES, key=lambda name: busy_ms("layout", name))
whole = sorted(NAMES, key=lambda name: rows[name]["layout_ms"] / rows[name]["frames"])
nested = sorted(NAMES, key=lambda name: sum(busy_ms("layout", within)
                                            for within in NAMES[NAMES.index(name):]))
print(f"by own ms a frame: {own}, by the program: {logged}")
print(f"by ms a frame: {whole}, by the program: {nested}")
failed |= own != logged or whole != nested
inner, middle, outer = (rows[name] for name in ("inner", "middle", "outer"))
failed |= not inner["layout_ms"] <= middle["layout_ms"] <= outer["layout_ms"]
failed |= inner["parent"] != "middle" or middle["parent"] != "outer"
sys.exit("they differ" if failed else 0)
