// What Perfetto's trace processor takes to read a file with its flows, in time of the processor, and how
// many connections from slice to slice it has then. Its own start does not count.
//   node perfetto_flows.mjs NODE_MODULES FILE
import { load, start } from "../profiles/perfetto.mjs";

const [modules, file] = process.argv.slice(2);
const engine = await start(modules);
const begin = process.cpuUsage();
const query = await load(engine, file);
const [{ count }] = await query("select count(*) as count from flow");
const { user, system } = process.cpuUsage(begin);
console.log(`${((user + system) / 1e6).toFixed(3)} s, ${count} connections`);
process.exit(0);
