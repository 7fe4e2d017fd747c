// judge_markers.mjs LOG JSON: the flows of a recording (`uimon flows --json`), against what a program of
// .NET logged of its own markers (markers.cs).
import { readFileSync } from "node:fs";

const LEAST = 30; // flows
const FIRST = 0x7a5c000000000000n;
let failures = 0;

function fail(text) {
  console.log(`FAILED: ${text}`);
  failures++;
}

const log = readFileSync(process.argv[2], "utf8").split("\n").map((l) => l.trim().split(" "));
const said = new Map(); // task: ["Post THREAD", "Run THREAD"]
for (const [what, name, task, thread] of log)
  if (what === "mark") said.set(task, [...(said.get(task) ?? []), `${name} ${thread}`]);
const ended = new Set(log.filter((l) => l[0] === "flow").map((l) => l[1]));

let compared = 0;
const { flows } = JSON.parse(readFileSync(process.argv[3], "utf8"));
const ours = flows.filter((f) => f.id.startsWith("7a5c"));
const tasks = ours.map((f) => BigInt(`0x${f.id}`) - FIRST);
if (new Set(tasks).size !== tasks.length) fail("a task is two flows");
for (const [i, flow] of ours.entries()) {
  const task = String(tasks[i]);
  if (i < 2 || i >= ours.length - 4 || !ended.has(task)) continue; // at the begin and end of the recording
  compared++;
  const found = flow.markers.map((m) => `${m.name} ${m.thread}`).sort();
  const expected = (said.get(task) ?? []).sort();
  if (found.join() !== expected.join()) fail(`task ${task}: ${found} and not ${expected}`);
  for (const marker of flow.markers)
    if (marker.category !== "\u00fcber .NET") fail(`task ${task} is of ${marker.category}`);
  const last = flow.markers.at(-1);
  if (last.name !== "Run" || !last.fields.some((f) => f.name === "done")) fail(`task ${task} has no end`);
}
const between = [...ended].map(BigInt).filter((t) => t > tasks[1] && t < tasks.at(-4));
for (const task of between) if (!tasks.includes(task)) fail(`task ${task} is not in the recording`);
if (compared < LEAST) fail(`only ${compared} flows`);
console.log(`${compared} flows compared`);
process.exit(failures ? 1 : 0);
