// judge.mjs LOG JSONL: what `uimon listen` wrote of a program's own counters, against what the
// program's listener was told (sample.cs, "counter"), value by value; uimon's hangs against the
// program's own; and the starvation of its pool, which it floods, against the pool's counters.
import { readFileSync } from "node:fs";

const LEAST = 8; // values of each counter
const HANG_MS = 500; // the program's threshold
let failures = 0;

function fail(text) {
  console.log(`FAILED: ${text}`);
  failures++;
}

const log = readFileSync(process.argv[2], "utf8").split("\n");
const told = new Map(); // name: [{ value, count, min, max }]
for (const line of log.filter((l) => l.startsWith("counter\t"))) {
  const [, , provider, name, type, mean, increment, count, min, max] = line.split("\t");
  const key = `${provider}/${name}`;
  const value =
    type === "Sum"
      ? { value: Number(increment) }
      : { value: Number(mean), count: Number(count), min: Number(min), max: Number(max) };
  if (value.count === 0) continue; // nothing was measured, so uimon tells nothing
  told.set(key, [...(told.get(key) ?? []), value]);
}

const lines = readFileSync(process.argv[3], "utf8").split("\n").filter(Boolean).map((l) => JSON.parse(l));
const heard = new Map();
for (const line of lines.filter((l) => l.kind === "counters"))
  for (const [key, v] of Object.entries(line.values)) {
    if (!key.includes("/")) continue;
    const value =
      typeof v === "number" ? { value: v } : { value: v.mean, count: v.count, min: v.min, max: v.max };
    heard.set(key, [...(heard.get(key) ?? []), value]);
  }

// To the digits that are written.
const near = (a, b) => Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
const same = (a, b) => Object.keys(b).every((key) => key in a && near(a[key], b[key]));

// In which place of what was told all that was heard begins; -1: nowhere.
function place(all, part) {
  for (let at = 0; at + part.length <= all.length; at++)
    if (part.every((v, i) => same(v, all[at + i]))) return at;
  return -1;
}

for (const key of told.keys()) if (!heard.has(key)) fail(`nothing was heard of ${key}`);
let values = 0;
for (const [key, part] of heard) {
  values += part.length;
  if (part.length < LEAST) fail(`${key}: only ${part.length} values`);
  if (place(told.get(key) ?? [], part) < 0)
    fail(`${key}: ${JSON.stringify(part.slice(0, 4))} of ${JSON.stringify((told.get(key) ?? []).slice(0, 6))}`);
}
console.log(`${values} values of ${heard.size} counters are those that the program was told`);

// What was told once as introduction is what the values are called.
const introduced = new Set(lines.filter((l) => l.kind === "counter").map((l) => l.name));
for (const key of heard.keys()) if (!introduced.has(key)) fail(`${key} was not introduced`);

// uimon's hangs: each of the program's freezes over its threshold, once, and as many as it counted.
const freezes = log.filter((l) => l.startsWith("freeze ")).map((l) => l.split(" "));
const long = freezes.filter((f) => (f[2] - f[1]) / 1e6 > HANG_MS);
const ended = lines.filter((l) => l.event === "UiHangEnded" && !l.void && l.length_ms > HANG_MS);
const own = Number(log.find((l) => l.startsWith("own ")).split(" ")[2]);
console.log(`hangs over ${HANG_MS} ms: the program counts ${own}, uimon ${ended.length}`);
if (long.length !== own || ended.length !== own) fail(`its log has ${long.length}`);
const counted = (heard.get("Example-App-Diagnostics/ui-hang-count") ?? []).reduce((sum, v) => sum + v.value, 0);
if (counted !== own) fail(`its counter says ${counted}`);
for (const freeze of long) {
  const ms = (freeze[2] - freeze[1]) / 1e6;
  const mine = ended.find((e) => Math.abs(e.clock_ns - freeze[2]) < 200e6);
  console.log(`${freeze[3]}: ${ms.toFixed(0)} ms, uimon says ${mine ? mine.length_ms.toFixed(0) : "nothing"}`);
  if (!mine || Math.abs(mine.length_ms - ms) > 60) fail("not as long");
}

// The pool is starved after two intervals in a row at whose end items waited, and fewer were completed
// than wait; it has recovered after the first one at whose end none waits.
const waiting = told.get("System.Runtime/threadpool-queue-length").map((v) => v.value);
const completed = told.get("System.Runtime/threadpool-completed-items-count").map((v) => v.value);
let starved = 0;
let recovered = 0;
let before = false;
let lasts = false;
for (let i = 0; i < waiting.length && i < completed.length; i++) {
  const stands = waiting[i] > 0 && completed[i] < waiting[i];
  if (!lasts && stands && before) {
    lasts = true;
    starved++;
  } else if (lasts && waiting[i] === 0) {
    lasts = false;
    recovered++;
  }
  before = stands;
}
const pool = lines.filter((l) => l.source === "dotnet").map((l) => l.event);
const detected = pool.filter((e) => e === "ThreadPoolStarvationDetected").length;
const over = pool.filter((e) => e === "ThreadPoolStarvationRecovered").length;
console.log(`the pool: ${waiting.join(" ")} items waited, ${completed.join(" ")} were completed`);
console.log(`starved ${starved} times, recovered ${recovered} times; uimon says ${detected} and ${over}`);
if (detected !== starved || over !== recovered) fail(`its pool: ${pool}`);
if (starved === 0 || recovered === 0) fail("the flood has not starved the pool");
process.exit(failures ? 1 : 0);
