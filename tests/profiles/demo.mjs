// The flows of recordings, in Perfetto's own trace processor: its table has each flow of `uimon flows
// --json` that has two markers or more, from the same marker to the same, through all between, in
// their order, and no others.
//   node demo.mjs NODE_MODULES EXPORTED...
import { readFileSync } from "node:fs";
import { strict as assert } from "node:assert";
import { open } from "./perfetto.mjs";

const [modules, ...exported] = process.argv.slice(2);

// "ID: NAME MS, NAME MS", of each flow of a file.
function ofUimon(file) {
    const { flows } = JSON.parse(readFileSync(file, "utf8"));
    return flows
        .filter(({ markers }) => markers.length > 1)
        .map(({ id, markers }) => `${id}: ${markers.map((m) => `${m.name} ${m.start_ms}`).join(", ")}`)
        .sort();
}

async function ofPerfetto(file) {
    const query = await open(modules, file);
    const [{ ns: start }] = await query("select clock_value as ns from clock_snapshot limit 1");
    const rows = await query(
        `select f.trace_id as flow, f.slice_out, f.slice_in, o.name as oname, o.ts as ots, i.name as iname, i.ts as its
         from flow f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in
         order by f.id`,
    );
    const text = (name, ts) => `${name} ${Number(BigInt(ts) - BigInt(start)) / 1e6}`;
    const flows = new Map();
    for (const row of rows) {
        const id = BigInt.asUintN(64, BigInt(row.flow)).toString(16).padStart(16, "0");
        if (!flows.has(id)) flows.set(id, { last: row.slice_out, markers: [text(row.oname, row.ots)] });
        const flow = flows.get(id);
        assert.equal(row.slice_out, flow.last, `${id} is no chain`);
        flow.last = row.slice_in;
        flow.markers.push(text(row.iname, row.its));
    }
    return [...flows].map(([id, { markers }]) => `${id}: ${markers.join(", ")}`).sort();
}

let count = 0;
for (const folder of exported) {
    const flows = ofUimon(`${folder}/flows.json`);
    assert(flows.length > 0);
    assert.deepEqual(await ofPerfetto(`${folder}/profile.perfetto`), flows);
    count += flows.length;
}
console.log(`${count} flows, as Perfetto has them`);
process.exit(0);
