// Gives the latencies that uimon exported to HdrHistogram's JavaScript: the log's histograms, added up,
// must have the percentiles that the summary of the same recording has in its JSON, within their
// precision, and the same text of percentiles as each `hgrm`.
//   node latencies.mjs NODE_MODULES GOLDEN EXPORTED...
import { readFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";

const [modules, golden, ...exported] = process.argv.slice(2);
const hdr = createRequire(`${modules}/`)("hdr-histogram-js");
const read = (name) => readFileSync(name, "utf8");

const UNIT_NS = 512; // of our histograms
const PRECISION = 1e-3;
const ROUNDED_NS = 500; // of the JSON

// Where the summary has what a tag is about, by the name of its part.
const places = {
    beats: ({ latency_ms }) => latency_ms,
    ...Object.fromEntries(
        [["keys", "key"], ["clicks", "click"], ["wheel", "wheel"]].flatMap(([tag, kind]) => [
            [tag, ({ interactions }) => interactions?.[kind]?.total_ms],
            [`${tag}-handled`, ({ interactions }) => interactions?.[kind]?.to_handled_ms],
        ]),
    ),
};

// All histograms of each tag as one; the times of those of a tag follow each other.
function readLog(file) {
    const reader = new hdr.HistogramLogReader(read(file), 64);
    const sums = new Map();
    const ends = new Map();
    for (let one; (one = reader.nextIntervalHistogram()); ) {
        assert(one.totalCount > 0);
        assert(one.startTimeStampMsec >= (ends.get(one.tag) ?? 0) && one.startTimeStampMsec > 1e12);
        ends.set(one.tag, one.endTimeStampMsec);
        const sum = sums.get(one.tag);
        if (sum) {
            sum.add(one);
            sum.establishInternalTackingValues(); // each sum makes the greatest value a unit more
        } else {
            sums.set(one.tag, one);
        }
    }
    return sums;
}

function checkPercentiles(tag, histogram, summary) {
    assert.equal(histogram.totalCount, summary.count, tag);
    for (const [key, ms] of Object.entries(summary)) {
        const percentile = key === "max" ? 100 : Number(/^p(\d\d)(\d*)$/.exec(key)?.slice(1).join("."));
        if (Number.isNaN(percentile)) continue;
        const ns = histogram.getValueAtPercentile(percentile);
        const most = Math.max(UNIT_NS, ms * 1e6 * PRECISION) + ROUNDED_NS;
        assert(Math.abs(ns - ms * 1e6) <= most, `${tag} ${key}: ${ns} ns and ${ms} ms`);
    }
}

// The greatest value is, as in Java, the highest that cannot be told from it. That of the JavaScript is
// the value itself where it was recorded there, and up to a unit more where it was read.
function expectSameText(tag, file, histogram) {
    const max = /^(#\[Max +=) +([\d.]+)/m;
    const [ours, theirs] = [read(file), histogram.outputPercentileDistribution(5, 1e6)];
    assert.equal(ours.replace(max, "$1"), theirs.replace(max, "$1"), tag);
    const [one, other] = [ours, theirs].map((text) => Number(max.exec(text)[2]));
    assert(Math.abs(one - other) <= Math.max(UNIT_NS / 1e6, one * PRECISION) + ROUNDED_NS / 1e6, tag);
}

function check(folder) {
    const sums = readLog(`${folder}/profile.hlog`);
    const summary = JSON.parse(read(`${folder}/summary.json`));
    for (const [tag, place] of Object.entries(places)) {
        const expected = place(summary);
        assert.equal(sums.has(tag), (expected?.count ?? 0) > 0, tag);
        assert.equal(sums.has(tag), existsSync(`${folder}/${tag}.hgrm`), tag);
        if (!sums.has(tag)) continue;
        checkPercentiles(tag, sums.get(tag), expected);
        expectSameText(tag, `${folder}/${tag}.hgrm`, sums.get(tag));
    }
    return [...sums.keys()];
}

// The values of the golden file, as its test makes them: beats 10 ms apart, each with what was left out.
function checkGolden() {
    const histogram = hdr.build({
        bitBucketSize: 64,
        lowestDiscernibleValue: 1000,
        highestTrackableValue: 30 * 24 * 3600 * 1e9,
        numberOfSignificantValueDigits: 3,
    });
    for (let i = 0; i < 1200; i++)
        histogram.recordValueWithExpectedInterval(i % 500 === 499 ? i * 1e6 : i * 1e3 + 1, 1e7);
    expectSameText("golden", `${golden}/profile.hgrm`, histogram);
}

checkGolden();
const tags = exported.flatMap(check);
assert(tags.length > 0);
console.log(`${tags.length} latencies with the percentiles of their summaries: ${tags.join(", ")}`);
