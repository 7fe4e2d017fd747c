// The flows of recordings, in Perfetto's own trace processor, of both formats that it reads: its table
// has each flow of `uimon flows --json` that has two markers or more, from the same marker to the same,
// through all between, in their order, and no others.
//   node demo.mjs NODE_MODULES EXPORTED...
import { readFileSync } from "node:fs";
import { strict as assert } from "node:assert";
import { open } from "./perfetto.mjs";

const [modules, ...exported] = process.argv.slice(2);
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

// The id, and "NAME MS, NAME MS", of each flow of a file.
const ofUimon = (file) =>
    readJson(file)
        .flows.filter(({ markers }) => markers.length > 1)
        .map(({ id, markers }) => ({ id, markers: markers.map((m) => `${m.name} ${m.start_ms}`) }));

// `startOf` gives the session's start in a file's clock.
async function ofPerfetto(file, startOf) {
    const query = await open(modules, file);
    const wrong = await query("select name from stats where value != 0 and severity != 'info'");
    assert.deepEqual(wrong, []);
    const start = await startOf(query);
    const rows = await query(
        `select f.trace_id as flow, f.slice_out, f.slice_in, o.name as oname, o.ts as ots, i.name as iname, i.ts as its
         from flow f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in
         order by f.id`,
    );
    const text = (name, ts) => `${name} ${Number(BigInt(ts) - start) / 1e6}`;
    const flows = [];
    const latest = new Map(); // of each id, which may be used again
    for (const row of rows) {
        const id = BigInt.asUintN(64, BigInt(row.flow)).toString(16).padStart(16, "0");
        if (latest.get(id)?.slice !== row.slice_out) {
            latest.set(id, { markers: [text(row.oname, row.ots)] });
            flows.push({ id, markers: latest.get(id).markers });
        }
        latest.get(id).slice = row.slice_in;
        latest.get(id).markers.push(text(row.iname, row.its));
    }
    return flows;
}

// In Perfetto's format an id that is no number is a hash of it.
const isNumber = (id) => /^[0-9a-f]{16}$/.test(id);
const byNumber = (flows, numbers) =>
    flows.map(({ id, markers }) => `${numbers.has(id) ? id : "text"}: ${markers.join(", ")}`).sort();
const withoutIds = (flows) => flows.map(({ markers }) => markers.join(", ")).sort();

async function check(folder) {
    const flows = ofUimon(`${folder}/flows.json`);
    assert(flows.length > 0);
    const perfetto = await ofPerfetto(`${folder}/profile.perfetto`, async (query) => {
        const [{ ns }] = await query("select clock_value as ns from clock_snapshot limit 1");
        return BigInt(ns);
    });
    const numbers = new Set(flows.map(({ id }) => id).filter(isNumber));
    assert.deepEqual(byNumber(perfetto, numbers), byNumber(flows, numbers));
    // Ids in Chrome's format are numbers of their own.
    const { session_start_us } = readJson(`${folder}/profile.chrome.json`).otherData;
    const chrome = await ofPerfetto(`${folder}/profile.chrome.json`, () =>
        BigInt(Math.round(session_start_us * 1000)),
    );
    assert.deepEqual(withoutIds(chrome), withoutIds(flows));
    return flows;
}

const all = [];
for (const folder of exported) all.push(...(await check(folder)));
const arrows = all.reduce((sum, { markers }) => sum + markers.length - 1, 0);
console.log(`${all.length} flows with ${arrows} arrows, as Perfetto has them in both formats`);
process.exit(0);
