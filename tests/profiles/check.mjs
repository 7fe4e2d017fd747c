// Gives the exports in tests/golden to readers that are not uimon's: speedscope's own schema by ajv,
// the Firefox Profiler's own loader, and Perfetto's own trace processor. Each must find the same
// stacks as often in the same threads as the folded ones have them, and the last two the same freezes.
//   node check.mjs NODE_MODULES GOLDEN
import { readFileSync, mkdtempSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";
import { tmpdir } from "node:os";
import { open } from "./perfetto.mjs";

const [modules, golden] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const read = (name) => readFileSync(name, "utf8");

function count(stacks, thread, frames, n = 1) {
    const stack = [thread, ...frames.map((frame) => frame.replaceAll(";", ":"))].join(";");
    stacks.set(stack, (stacks.get(stack) ?? 0) + n);
}

// A module's path and a function's name, as uimon writes them elsewhere.
function label(module, name) {
    const stem = module.replace(/^.*[\\/]/, "").replace(/\.(exe|dll)$/i, "");
    return stem && !name.includes("+0x") ? `${stem}!${name}` : name;
}

function readFolded() {
    const stacks = new Map();
    for (const line of read(`${golden}/profile.folded`).trimEnd().split("\n")) {
        const [, stack, n] = /^(.*) (\d+)$/.exec(line); // as flamegraph.pl splits it
        assert(!stacks.has(stack), stack);
        stacks.set(stack, Number(n));
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
        for (const sample of samples) {
            for (const frame of sample) assert(frame < profile.shared.frames.length);
            count(stacks, name, sample.map((frame) => profile.shared.frames[frame].name));
        }
    }
    return stacks;
}

function readFirefox() {
    const cli = `${modules}/@firefox-devtools/profiler-cli/dist/profiler-cli.js`;
    const folder = mkdtempSync(`${tmpdir()}/uimon-`);
    const env = { ...process.env, PROFILER_CLI_SESSION_DIR: folder };
    const ask = (...words) => execFileSync("node", [cli, ...words], { env, encoding: "utf8" });
    const stacks = new Map();
    const freezes = [];
    const walk = (thread, path, { children, nameWithLibrary, selfSamples }) => {
        const [, module, name] = /^(?:(.*\.(?:exe|dll))!)?(.*)$/is.exec(nameWithLibrary);
        const frames = path ? [...path, label(module ?? "", name)] : [];
        if (selfSamples) count(stacks, thread, frames, selfSamples);
        for (const child of children) walk(thread, frames, child);
    };
    try {
        ask("load", `${golden}/profile.firefox.json`);
        for (const { threadHandle, name } of JSON.parse(ask("thread", "list", "--json")).threads) {
            const of = ["--thread", threadHandle, "--json"];
            const tree = ["samples-top-down", "--include-idle", "--max-lines", "100000"];
            walk(name, null, JSON.parse(ask("thread", ...tree, ...of)).regularCallTree);
            const { flatMarkers } = JSON.parse(ask("thread", "markers", "--list", ...of));
            for (const { start, duration, label } of flatMarkers) {
                const [, state, suspect] = /^(\w+): (.*)$/.exec(label);
                freezes.push([start, duration, state, suspect]);
            }
        }
    } finally {
        ask("stop", "--all");
        rmSync(folder, { recursive: true });
    }
    return { stacks, freezes };
}

async function readPerfetto() {
    const query = await open(modules, `${golden}/profile.perfetto`);
    assert.deepEqual(await query("select * from stats where value != 0 and severity != 'info'"), []);
    const sites = new Map();
    for (const { id, parent_id, name, module } of await query(
        `select c.id, c.parent_id, f.name, m.name as module from stack_profile_callsite c
         join stack_profile_frame f on f.id = c.frame_id
         join stack_profile_mapping m on m.id = f.mapping order by c.depth`,
    ))
        sites.set(id, [...(sites.get(parent_id) ?? []), label(module, name)]);
    const stacks = new Map();
    for (const { name, callsite_id } of await query(
        "select t.name, s.callsite_id from perf_sample s join thread t using (utid)",
    ))
        count(stacks, name, sites.get(callsite_id) ?? []);
    const start = (await query("select clock_value as ns from clock_snapshot limit 1"))[0].ns;
    const freezes = await query(
        `select ts, dur, extract_arg(arg_set_id, 'debug.state') as state,
                extract_arg(arg_set_id, 'debug.suspect') as suspect from slice`,
    );
    const ms = (ns) => Number(ns) / 1e6;
    return {
        stacks,
        freezes: freezes.map((f) => [ms(f.ts - start), ms(f.dur), f.state, f.suspect ?? ""]),
    };
}

const folded = [...readFolded()].sort();
const firefox = readFirefox();
const perfetto = await readPerfetto();
assert.deepEqual([...readSpeedscope()].sort(), folded);
assert.deepEqual([...firefox.stacks].sort(), folded);
assert.deepEqual([...perfetto.stacks].sort(), folded);
assert(firefox.freezes.length > 0);
assert.deepEqual(firefox.freezes, perfetto.freezes);
console.log(`${folded.length} stacks, ${firefox.freezes.length} freezes, read as they were written`);
process.exit(0);
