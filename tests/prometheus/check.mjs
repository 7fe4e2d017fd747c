// What Prometheus makes of two watched demos, each scraped as a machine of its own, against the
// demos' own logs. For when both are over.
//   node check.mjs PROMETHEUS_URL DASHBOARD JSON LOG JSON LOG
import { readFileSync } from "node:fs";
import { strict as assert } from "node:assert";

const [url, dashboard, ...files] = process.argv.slice(2);
const read = (name) => readFileSync(name, "utf8");
const summaries = [read(files[0]), read(files[2])].map((text) => JSON.parse(text));
const periodS = 0.01; // from beat to beat

async function query(expression, timeS) {
    const words = new URLSearchParams({ query: expression, ...(timeS && { time: timeS }) });
    const answer = await (await fetch(`${url}/api/v1/query?${words}`)).json();
    assert.equal(answer.status, "success", `${expression}: ${answer.error}`);
    return answer.data.result;
}

async function number(expression) {
    const result = await query(expression);
    assert.equal(result.length, 1, expression);
    return Number(result[0].value[1]);
}

// Freezes by the logs: from the retrieval of the message to the end, in seconds.
const freezes = [read(files[1]), read(files[3])]
    .flatMap((log) => log.split("\n"))
    .map((line) => line.split(" "))
    .filter(([kind]) => kind === "freeze")
    .map(([, , end, , , retrieved]) => Number(BigInt(end) - BigInt(retrieved)) / 1e9);
assert.equal(freezes.length, 5);

// How many beats, one each period, would have waited longer in these freezes.
const longerThan = (boundS) =>
    freezes.reduce((sum, lengthS) => sum + Math.max(0, lengthS - boundS) / periodS, 0);

const last = (name) => `last_over_time(${name}[5m])`;
const bucket = (le) => last(`uimon_input_latency_seconds_bucket{le="${le}"}`);
const count = await number(`sum(${last("uimon_input_latency_seconds_count")})`);

// Both targets are there, and gone since their uimon ended.
assert.equal((await query(last("uimon_build_info"))).length, 2);
assert.equal((await query("uimon_build_info")).length, 0);

// As many beats as the summaries have, but for those after the last time that the files were written.
const counted = summaries.reduce((sum, { latency_ms }) => sum + latency_ms.count, 0);
const missing = counted - count;
console.log(`beats: ${count} scraped, ${counted} in the summaries`);
assert(missing >= 0 && missing < (2 * 8) / periodS);

for (const boundS of [0.25, 0.5, 1]) {
    const longer = count - (await number(`sum(${bucket(boundS)})`));
    const wanted = longerThan(boundS);
    console.log(`beats over ${boundS} s: ${longer}, by the logs ${wanted.toFixed(1)}`);
    assert(Math.abs(longer - wanted) <= 2 * freezes.length);
}

// The percentile over both, interpolated in its bucket as Prometheus does it. By the logs alone, the
// value lies in the same bucket.
const p99 = await number(
    `histogram_quantile(0.99, sum by (le) (${last("uimon_input_latency_seconds_bucket")}))`,
);
const longest = 0.01 * count;
const [below, above] = [longerThan(0.5), longerThan(1)];
const wanted = 0.5 + (0.5 * (below - longest)) / (below - above);
console.log(`p99 of both: ${p99.toFixed(3)} s, by the logs ${wanted.toFixed(3)} s`);
assert(above < longest && longest < below, "the freezes put it into another bucket");
assert(Math.abs(p99 - wanted) < 0.05);

const hangs = await number(`sum(${last("uimon_ui_hangs_total")})`);
const hangS = await number(`sum(${last("uimon_ui_hang_duration_seconds_sum")})`);
const lengthS = freezes.reduce((sum, length) => sum + length, 0);
console.log(`${hangs} freezes of ${hangS.toFixed(4)} s, by the logs ${lengthS.toFixed(4)} s`);
assert.equal(hangs, freezes.length);
assert(Math.abs(hangS - lengthS) < 0.005 * freezes.length);

// Every panel of the dashboard shows something, as of the middle of the sessions.
const middleS = Date.parse(summaries[0].started) / 1000 + summaries[0].duration_ms / 2000;
const panels = JSON.parse(read(dashboard)).panels;
for (const { title, targets } of panels) {
    for (const { expr } of targets) {
        const expression = expr
            .replace(/\$__(rate_interval|range)/g, "1m")
            .replace(/\$(process|host)/g, ".+");
        assert((await query(expression, middleS)).length > 0, `${title} shows nothing`);
    }
}
console.log(`${panels.length} panels of the dashboard show something`);
