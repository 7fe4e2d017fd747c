// Traces in Chrome's JSON, as other programs write flows, in uimon and in Perfetto's own trace
// processor: both find the same arrows, from marker to marker, but where it is written down below that
// Perfetto has others.
//   node cases.mjs NODE_MODULES UIMON FOLDER
import { readFileSync, readdirSync, mkdtempSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { open } from "./perfetto.mjs";

const [modules, uimon, cases] = process.argv.slice(2);
const folder = mkdtempSync(`${tmpdir()}/uimon-`);

// What each has, and why Perfetto has it. `stats`: what its importer reports.
const DIGITS = {
    why:
        "times are doubles there, exact to 256 ns so long after 1970: the second slice of a thread " +
        "begins before the first one has ended, and is dropped",
    uimon: ["one -> three", "two -> four"],
    perfetto: ["one -> three", "one -> three"],
    stats: ["slice_drop_overlapping_complete_event 2"],
};
const END_FIRST = {
    why:
        "of flow events at the same time the file's order counts there: the end of the flow is " +
        "before its begin, and is dropped",
    uimon: ["send -> recv"],
    perfetto: [],
    stats: [],
};
const different = {
    "04a_us1970_number.json": DIGITS,
    "04b_us1970_text.json": DIGITS,
    "05a_equal.json": END_FIRST,
    "05c_equal_f_first.json": END_FIRST,
    "05d_reuse.json": {
        why:
            "the first end is before its begin in the file, so that begin gets the second end; an " +
            "id cannot begin twice",
        uimon: ["send -> recv", "send2 -> recv2"],
        perfetto: ["send -> recv2"],
        stats: ["flow_duplicate_id 1"],
    },
};

function ofUimon(file) {
    const out = `${folder}/flows.json`;
    const words = ["flows", file, "--quiet", "--json", out];
    execFileSync(uimon, words, { stdio: ["ignore", "ignore", "inherit"] });
    return JSON.parse(readFileSync(out, "utf8"))
        .flows.flatMap(({ markers }) => markers.slice(1).map((m, i) => `${markers[i].name} -> ${m.name}`))
        .sort();
}

async function ofPerfetto(file) {
    const query = await open(modules, file);
    const stats = await query("select name, value from stats where value != 0 and severity != 'info'");
    const rows = await query(
        `select o.name as a, i.name as b from flow f
         join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in`,
    );
    return {
        arrows: rows.map(({ a, b }) => `${a} -> ${b}`).sort(),
        stats: stats.map(({ name, value }) => `${name} ${value}`),
    };
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const text = (arrows) => `${arrows.length} (${arrows.join(", ")})`;

// Whether a file has in both what it should. Without an entry above that is the same in both, and at
// least one arrow.
async function check(name) {
    const file = `${cases}/${name}`;
    const ours = ofUimon(file);
    const { arrows, stats } = await ofPerfetto(file);
    const known = different[name] ?? { uimon: arrows, perfetto: arrows, stats: [] };
    const isRight =
        ours.length > 0 &&
        same(ours, known.uimon) &&
        same(arrows, known.perfetto) &&
        same(stats, known.stats);
    console.log(
        `${name}: uimon ${text(ours)}, Perfetto ${text(arrows)}${stats.map((stat) => `, ${stat}`).join("")}` +
            `${known.why ? `: ${known.why}` : ""}${isRight ? "" : "  WRONG"}`,
    );
    return isRight;
}

let wrong = 0;
try {
    const names = readdirSync(cases).filter((name) => name.endsWith(".json")).sort();
    for (const name of names) wrong += !(await check(name));
    console.log(`${names.length} files, of which ${wrong} are not as they should be`);
    if (names.length === 0) wrong = 1;
} finally {
    rmSync(folder, { recursive: true });
}
process.exit(wrong === 0 ? 0 : 1);
