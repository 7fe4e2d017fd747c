// Gives the exports in tests/golden, and those of a recording, to readers that are not uimon's:
// speedscope's own schema by ajv, the Firefox Profiler's own loader, and Perfetto's own trace
// processor. Each must find the same stacks with the same time in the same threads as the folded ones have
// them.
// The last two must find the markers that the table (csv) has, the same counters, and the same stacks
// of freezes, and the trace processor the table's flows, also in the files for Chrome.
//   node check.mjs NODE_MODULES GOLDEN EXPORTED...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";
import { open as openFirefox } from "./firefox.mjs";
import { open } from "./perfetto.mjs";

const [modules, golden, ...exported] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const GUESS = "? "; // in front of a function that is one
const read = (name) => readFileSync(name, "utf8");

function count(stacks, thread, frames, n = 1) {
    const stack = [thread, ...frames.map((frame) => frame.replaceAll(";", ":"))].join(";");
    stacks.set(stack, (stacks.get(stack) ?? 0) + n);
}

// A module's path and a function's name, as uimon writes them elsewhere.
function label(module, name) {
    if (name.startsWith(GUESS)) return GUESS + label(module, name.slice(GUESS.length));
    const stem = module.replace(/^.*[\\/]/, "").replace(/\.(exe|dll)$/i, "");
    return stem && !name.includes("+0x") ? `${stem}!${name}` : name;
}

// A table's cells as RFC 4180 has them; there are no ends of lines in ours.
const cells = (row) =>
    [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
    );

// The markers of a table, and its flows: each flow's markers, in the order of time, and of those at
// the same time in that of the table.
function readTable(file) {
    const [header, ...rows] = read(file).trimEnd().split("\n").map(cells);
    const markers = rows.map((row) => Object.fromEntries(row.map((cell, i) => [header[i], cell])));
    const flows = new Map();
    for (const marker of markers) {
        for (const flow of new Set(marker.flows.split(" ").filter(Boolean)))
            flows.set(flow, [...(flows.get(flow) ?? []), marker]);
    }
    for (const members of flows.values()) members.sort((a, b) => a.start_ms - b.start_ms);
    return { markers, flows };
}

// A flow is arrows from each of its markers to the next.
const arrows = ({ flows }) =>
    [...flows.values()]
        .flatMap((members) => members.slice(1).map((to, i) => [members[i], to]))
        .map(([from, to]) => `${from.name} ${from.start_ms} -> ${to.name} ${to.start_ms}`)
        .sort();

// In ms.
function readFolded() {
    const stacks = new Map();
    for (const line of read(`${golden}/profile.folded`).trimEnd().split("\n")) {
        const [, stack, n] = /^(.*) (\d+)$/.exec(line); // as flamegraph.pl splits it
        assert(!stacks.has(stack), stack);
        stacks.set(stack, Number(n) / 1000);
    }
    return stacks;
}

function readSpeedscope() {
    const Ajv = require("ajv").default;
    const schema = JSON.parse(read(`${modules}/speedscope/dist/release/file-format-schema.json`));
    const profile = JSON.parse(read(`${golden}/profile.speedscope.json`));
    const validate = new Ajv({ strict: false }).compile(schema);
    assert(validate(profile), JSON.stringify(validate.errors));
    // What the schema does not say: indexes within the table, as many weights as samples, their sum.
    const stacks = new Map();
    for (const { name, samples, weights, startValue, endValue } of profile.profiles) {
        assert.equal(samples.length, weights.length);
        assert.equal(startValue + weights.reduce((sum, weight) => sum + weight, 0), endValue);
        for (const [i, sample] of samples.entries()) {
            for (const frame of sample) assert(frame < profile.shared.frames.length);
            count(stacks, name, sample.map((frame) => profile.shared.frames[frame].name), weights[i] / 1e6);
        }
    }
    return stacks;
}

function readFirefox(file, first_ns) {
    const { ask, close } = openFirefox(modules, file);
    const stacks = new Map();
    const markers = [];
    const causes = [];
    const named = ({ nameWithLibrary }) => {
        const [, module, name] = /^(?:(.*\.(?:exe|dll))!)?(.*)$/is.exec(nameWithLibrary);
        return label(module ?? "", name);
    };
    const walk = (thread, path, { children, selfSamples, ...node }) => {
        const frames = path ? [...path, named(node)] : [];
        if (selfSamples) count(stacks, thread, frames, selfSamples);
        for (const child of children) walk(thread, frames, child);
    };
    try {
        for (const { threadHandle, name } of ask("thread", "list").threads) {
            const of = ["--thread", threadHandle];
            const tree = ["samples-top-down", "--include-idle", "--max-lines", "100000"];
            walk(name, null, ask("thread", ...tree, ...of).regularCallTree);
            for (const marker of ask("thread", "markers", "--list", "--limit", "0", ...of).flatMarkers) {
                const start = (Math.round(marker.start * 1e6) + first_ns) / 1e6;
                markers.push({ ...marker, start });
                if (!marker.hasStack) continue;
                const { frames } = ask("marker", "stack", marker.handle).stack;
                causes.push(`${marker.name} ${start} ${frames.map(named).reverse().join(";")}`);
            }
        }
        const counters = ask("counter", "list").counters.map(
            ({ counterHandle, name }) => `${name} ${ask("counter", "info", counterHandle).sampleCount}`,
        );
        return { stacks, markers, causes: causes.sort(), counters: counters.sort() };
    } finally {
        close();
    }
}

// The stacks in that file with the marks of guesses, which are a category there and no part of a name.
function guessesOfFirefox(file) {
    const { meta, shared, threads } = JSON.parse(read(file));
    const { stackTable, frameTable, funcTable, resourceTable, stringArray } = shared;
    const guess = meta.categories.findIndex(({ name }) => name === "Guessed caller");
    const named = (frame) => {
        const func = frameTable.func[frame];
        const resource = funcTable.resource[func];
        const module = resource < 0 ? "" : stringArray[resourceTable.name[resource]];
        const mark = frameTable.category[frame] === guess ? GUESS : "";
        return mark + label(module, stringArray[funcTable.name[func]]);
    };
    const stacks = new Map();
    for (const { name, samples } of threads) {
        samples.stack.forEach((stack, i) => {
            const frames = [];
            for (let at = stack; at !== null; at = stackTable.prefix[at]) frames.unshift(named(stackTable.frame[at]));
            count(stacks, name, frames, samples.weight[i]);
        });
    }
    return stacks;
}

// The values of the counters in that file, as its graph shows them: counts by the time since the one
// before.
function countersOfFirefox(file) {
    const { counters, meta } = JSON.parse(read(file));
    return counters.flatMap(({ name, samples: { time, count } }) =>
        time.map((ms, i) => [name, ms, count[i] / (i > 0 ? ms - time[i - 1] : meta.interval)]),
    );
}

// `first_ns` is the begin of a file that has no clock.
async function readPerfetto(file, first_ns = 0) {
    const query = await open(modules, file);
    const wrong = await query("select * from stats where value != 0 and severity != 'info'");
    assert.deepEqual(wrong, []);
    const sites = new Map();
    for (const { id, parent_id, name, module } of await query(
        `select c.id, c.parent_id, f.name, m.name as module from stack_profile_callsite c
         join stack_profile_frame f on f.id = c.frame_id
         join stack_profile_mapping m on m.id = f.mapping order by c.depth`,
    ))
        sites.set(id, [...(sites.get(parent_id) ?? []), label(module, name)]);
    const stacks = new Map();
    // As the flame graph of that name weighs them.
    await query("include perfetto module linux.perf.counters");
    for (const { name, callsite_id, ns } of await query(
        `select t.name, s.callsite_id, s.counter_value as ns from linux_perf_sample_with_counters s
         join thread t using (utid) join perf_counter_track p on p.id = s.track_id where p.name = 'time (ns)'`,
    ))
        count(stacks, name, sites.get(callsite_id) ?? [], ns / 1e6);
    const clock = await query("select clock_value as ns from clock_snapshot limit 1");
    const start = BigInt(clock[0]?.ns ?? -first_ns);
    const ms = (ns) => String(Number(BigInt(ns) - start) / 1e6);
    const markers = (await query("select name, category, ts, dur from slice")).map(
        ({ name, category, ts, dur }) => [
            name,
            category,
            ms(ts),
            BigInt(dur) < 0n ? null : ms(BigInt(ts) + BigInt(dur)),
        ],
    );
    const flows = await query(
        `select a.name as a, a.ts as a_ts, b.name as b, b.ts as b_ts from flow
         join slice a on a.id = flow.slice_out join slice b on b.id = flow.slice_in`,
    );
    const causes = await query(
        `select s.name, s.ts, c.callsite_id from __intrinsic_track_event_callstacks c
         join slice s on s.id = c.slice_id`,
    );
    const counters = await query(
        `select t.name, c.ts, c.value from counter c join counter_track t on t.id = c.track_id
         where t.name != 'time (ns)' order by c.ts`, // that one is of the samples
    );
    return {
        stacks,
        markers,
        causes: causes.map((c) => `${c.name} ${ms(c.ts)} ${sites.get(c.callsite_id).join(";")}`).sort(),
        counters: counters.map(({ name, ts, value }) => [name, Number(ms(ts)), value]),
        arrows: flows.map((f) => `${f.a} ${ms(f.a_ts)} -> ${f.b} ${ms(f.b_ts)}`).sort(),
    };
}

// Stacks, or what has one, without the marks of guesses.
const unmarked = (text) => text.replace(/(^|[; ])\? /g, "$1");
function withoutMarks(stacks) {
    const all = new Map();
    for (const [stack, n] of stacks) all.set(unmarked(stack), (all.get(unmarked(stack)) ?? 0) + n);
    return [...all].sort();
}

// Each of the values is in both, and is the same but for the last digits.
function expectSame(found, expected) {
    const byName = (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]);
    const [one, other] = [found.toSorted(byName), expected.toSorted(byName)];
    assert.deepEqual(one.map(([name, ms]) => `${name} ${ms}`), other.map(([name, ms]) => `${name} ${ms}`));
    one.forEach(([name, ms, value], i) =>
        assert(Math.abs(value - other[i][2]) <= 1e-9 * Math.abs(value), `${name} at ${ms}: ${value}`),
    );
}

// How many values each name has.
const counted = (counters) =>
    [...new Set(counters.map(([name]) => name))]
        .map((name) => `${name} ${counters.filter((c) => c[0] === name).length}`)
        .sort();

// The markers of a file of each format are those of the table, and so are the flows.
async function checkMarkers(folder) {
    const table = readTable(`${folder}/profile.csv`);
    // The Firefox Profiler and Chrome's format count from the first marker on, if that was before the
    // session's start.
    const first = Math.round(Math.min(0, ...table.markers.map((m) => m.start_ms)) * 1e6);
    const firefox = readFirefox(`${folder}/profile.firefox.json`, first);
    const perfetto = await readPerfetto(`${folder}/profile.perfetto`);
    const chrome = await readPerfetto(`${folder}/profile.chrome.json`, first);
    const names = (markers) => markers.map((m) => `${m.name} ${Number(m.start ?? m.start_ms)}`).sort();
    assert(table.markers.length > 0 && arrows(table).length > 0);
    assert.deepEqual(names(firefox.markers), names(table.markers));
    // An interval without an end has none in the table, which says that it is open.
    const found = perfetto.markers.map((m) => m.with(3, m[3] ?? ""));
    for (const m of table.markers) assert.equal(m.open, m.end_ms === "" ? "open" : "");
    const whole = ({ name, category, start_ms, end_ms }) => [name, category, start_ms, end_ms];
    assert.deepEqual(found.sort(), table.markers.map(whole).sort());
    assert.deepEqual(perfetto.arrows, arrows(table));
    assert.deepEqual(chrome.arrows, arrows(table));
    const marked = new Map(withoutMarks([...perfetto.stacks]));
    assert.deepEqual([...firefox.stacks.keys()].sort(), [...marked.keys()].sort());
    for (const [stack, ms] of firefox.stacks) // it has each sample to the µs
        assert(Math.abs(ms - marked.get(stack)) <= Math.max(0.01, ms * 1e-4), stack);
    assert.deepEqual(firefox.causes, perfetto.causes.map(unmarked).sort());
    assert(perfetto.counters.length > 0);
    assert.deepEqual(firefox.counters, counted(perfetto.counters));
    expectSame(countersOfFirefox(`${folder}/profile.firefox.json`), perfetto.counters);
    // The unit stands behind the name there.
    expectSame(chrome.counters.map(([name, ...c]) => [name.replace(/ \S+$/, ""), ...c]), perfetto.counters);
    return { firefox, perfetto, table };
}

const folded = [...readFolded()].sort();
const { firefox, perfetto, table } = await checkMarkers(golden);
assert.deepEqual([...readSpeedscope()].sort(), folded);
assert.deepEqual([...firefox.stacks].sort(), withoutMarks(folded));
assert(folded.some(([stack]) => unmarked(stack) !== stack));
assert.deepEqual([...guessesOfFirefox(`${golden}/profile.firefox.json`)].sort(), folded);
assert.deepEqual([...perfetto.stacks].sort(), folded);
assert(perfetto.causes.length > 0);
const tables = [table];
let values = perfetto.counters.length;
for (const folder of exported) {
    const found = await checkMarkers(folder);
    tables.push(found.table);
    values += found.perfetto.counters.length;
}
const sum = (of) => tables.reduce((all, one) => all + of(one), 0);
console.log(
    `${folded.length} stacks, ${sum((t) => t.markers.length)} markers, ${sum((t) => t.flows.size)} flows, ` +
        `${values} values of counters, read as they were written`,
);
process.exit(0);
