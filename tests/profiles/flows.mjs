// Gives traces of other programs' formats, made here of random markers, to uimon and to the readers of
// these programs: the Firefox Profiler's own loader must find the same markers with the same ids of
// flows, and Perfetto's own trace processor the same connections in Chrome's JSON.
//   node flows.mjs NODE_MODULES GOLDEN UIMON
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { strict as assert } from "node:assert";
import { tmpdir } from "node:os";
import { open as openFirefox } from "./firefox.mjs";
import { open } from "./perfetto.mjs";

const [modules, golden, uimon] = process.argv.slice(2);
const folder = mkdtempSync(`${tmpdir()}/uimon-`);

let state = 24;
const random = (below) => (state = (state * 48271) % 2147483647) % below;

function askUimon(file, ...words) {
    execFileSync(uimon, ["flows", file, "--quiet", "--json", `${file}.out`, ...words]);
    return JSON.parse(readFileSync(`${file}.out`, "utf8"));
}

// Firefox ---------------------------------------------------------------------------------------------

const IDS = 40;
const MARKERS = 1000; // of a thread

function makeProfile() {
    const profile = JSON.parse(readFileSync(`${golden}/profile.firefox.json`, "utf8"));
    const strings = profile.shared.stringArray;
    const ids = Array.from({ length: IDS }, (_, i) => strings.push((0x10924c000 + 64 * i).toString(16)) - 1);
    const names = ["Load", "Fire", "Run"].map((name) => strings.push(name) - 1);
    profile.meta.profilingEndTime = 4 * MARKERS;
    profile.meta.markerSchema = [
        {
            name: "Flow",
            tableLabel: "{marker.name} {marker.data.part} {marker.data.last}",
            display: ["marker-chart", "marker-table"],
            isStackBased: true,
            fields: [
                { key: "part", label: "Part", format: "flow-id" },
                { key: "last", label: "Last", format: "terminating-flow-id" },
            ],
        },
    ];
    profile.threads = [7, 8, 9].map((tid) => {
        const markers = { name: [], startTime: [], endTime: [], phase: [], category: [], data: [] };
        const begun = new Map(names.map((name) => [name, 0]));
        for (let i = 0; i < MARKERS || [...begun.values()].some((n) => n > 0); i++) {
            const phase = i < MARKERS ? random(4) : 3; // each begin gets its end
            const name = names[random(names.length)];
            if (phase === 2) begun.set(name, begun.get(name) + 1);
            if (phase === 3) begun.set(name, Math.max(0, begun.get(name) - 1));
            markers.name.push(name);
            markers.startTime.push(phase === 3 ? null : 2 * i);
            markers.endTime.push(phase === 3 ? 2 * i : phase === 1 ? 2 * i + random(9) : null);
            markers.phase.push(phase);
            markers.category.push(0);
            const data = { type: "Flow", part: ids[random(IDS)] };
            if (random(4) === 0) data.last = ids[random(IDS)];
            markers.data.push(data);
        }
        const thread = structuredClone(profile.threads[0]);
        return Object.assign(thread, { tid, name: `thread ${tid}`, markers: { ...markers, length: markers.name.length } });
    });
    return profile;
}

// "START LENGTH NAME IDS...", in an order that does not depend on the reader.
function ofFirefox(file) {
    const { ask, close } = openFirefox(modules, file);
    try {
        return ask("thread", "list").threads.map(({ threadHandle }) => {
            const of = ["--thread", threadHandle, "--limit", "0"];
            const { flatMarkers } = ask("thread", "markers", "--list", ...of);
            return flatMarkers.map((m) => `${m.start} ${m.duration ?? 0} ${m.label.trim()}`).sort();
        });
    } finally {
        close();
    }
}

// Of a begin and an end that belong together, that loader keeps what the end says.
function ofUimon(file) {
    const threads = new Map();
    for (const m of askUimon(file, "--search", "Other").markers) {
        const data = Object.fromEntries(m.fields.map((f) => [f.name, (f.flow ?? f.terminating_flow).id]));
        const label = `${m.name} ${data.part} ${data.last ?? ""}`.trim();
        const line = `${m.start_ms} ${m.end_ms - m.start_ms} ${label}`;
        threads.set(m.thread, [...(threads.get(m.thread) ?? []), line]);
    }
    return [...threads.values()].map((list) => list.sort());
}

function checkFirefox() {
    const file = `${folder}/profile.json`;
    writeFileSync(file, JSON.stringify(makeProfile()));
    const found = ofUimon(file);
    assert.deepEqual(found, ofFirefox(file));
    return found.flat().length;
}

// Chrome ----------------------------------------------------------------------------------------------

const SLICES = 400; // of a thread, each with another one in it
const FLOWS = 900;

// The slices of a thread begin at other times than those of the others, so that a flow may lead to a
// slice that began before the one it comes from. No flow is mentioned between the ends of both
// slices: Perfetto takes the inner one, which has ended.
const firstOf = (tid) => 333 * (tid - 1);

function makeTrace() {
    const events = [];
    const taken = new Set();
    for (const tid of [1, 2, 3])
        for (let i = 0; i < SLICES; i++) {
            const slice = { pid: 1, tid, ph: "X", cat: "c" };
            const ts = firstOf(tid) + 1000 * i;
            events.push({ ...slice, name: `outer ${tid} ${i}`, ts, dur: 900 });
            events.push({ ...slice, name: `inner ${tid} ${i}`, ts: ts + 100, dur: 500 });
        }
    for (let id = 1; id <= FLOWS; id++) {
        const places = [];
        const slices = new Set(); // each is in a flow once
        const near = random(SLICES - 2);
        while (places.length < 2 + (id % 4)) {
            const tid = 1 + random(3);
            const within = 1 + random(599);
            const i = near + random(3);
            const ts = firstOf(tid) + 1000 * i + within;
            const slice = `${within < 100 ? "outer" : "inner"} ${tid} ${i}`;
            if (!taken.has(ts) && within !== 100 && !slices.has(slice)) places.push({ tid, ts });
            taken.add(ts);
            slices.add(slice);
        }
        places.sort((a, b) => a.ts - b.ts).forEach((place, i) => {
            const ph = i === 0 ? "s" : i + 1 < places.length ? "t" : "f";
            const event = { pid: 1, ...place, ph, cat: "c", name: "go", id };
            events.push(ph === "f" ? { ...event, bp: "e" } : event);
        });
    }
    return { traceEvents: events };
}

// From one marker to the next of a flow, which are next to each other by the times of their flow
// events. Perfetto turns a connection round whose first slice began later, so each is here without
// its direction. A connection from a slice to itself is none.
const pair = (a, b) => [a, b].sort().join(" with ");

async function checkChrome() {
    const file = `${folder}/trace.json`;
    writeFileSync(file, JSON.stringify(makeTrace()));
    const found = askUimon(file).flows.flatMap(({ markers }) =>
        markers.slice(1).map((m, i) =>
            pair(`${markers[i].start_ms} ${markers[i].name}`, `${m.start_ms} ${m.name}`),
        ),
    );
    const query = await open(modules, file);
    const stats = "select name, value from stats where value != 0 and severity != 'info'";
    assert.deepEqual(await query(stats), []);
    const rows = await query(
        `select o.ts as ots, o.name as oname, i.ts as its, i.name as iname from flow f
         join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in where o.id != i.id`,
    );
    const ms = (ns) => Number(ns) / 1e6;
    assert.deepEqual(found.sort(), rows.map((r) => pair(`${ms(r.ots)} ${r.oname}`, `${ms(r.its)} ${r.iname}`)).sort());
    return found.length;
}

try {
    console.log(`${checkFirefox()} markers and ${await checkChrome()} connections, as their programs read them`);
} finally {
    rmSync(folder, { recursive: true });
}
process.exit(0);
