// Gives the exports in tests/golden to readers that are not uimon's: speedscope's own schema, by ajv.
// The folded stacks are compared with the same samples as speedscope's file has them.
//   node check.mjs NODE_MODULES GOLDEN
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";

const [modules, golden] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const read = (name) => readFileSync(name, "utf8");

const Ajv = require("ajv").default;
const schema = JSON.parse(read(`${modules}/speedscope/dist/release/file-format-schema.json`));
const profile = JSON.parse(read(`${golden}/profile.speedscope.json`));
const validate = new Ajv({ strict: false }).compile(schema);
assert(validate(profile), JSON.stringify(validate.errors));

// What the schema does not say: indexes within the table, as many weights as samples, and their sum.
const stacks = new Map();
for (const { name, samples, weights, startValue, endValue } of profile.profiles) {
    assert.equal(samples.length, weights.length);
    assert.equal(startValue + weights.reduce((sum, weight) => sum + weight, 0), endValue);
    for (const sample of samples) {
        const frames = sample.map((frame) => {
            assert(frame < profile.shared.frames.length);
            return profile.shared.frames[frame].name.replaceAll(";", ":");
        });
        const stack = [name, ...frames].join(";");
        stacks.set(stack, (stacks.get(stack) ?? 0) + 1);
    }
}
const folded = new Map();
for (const line of read(`${golden}/profile.folded`).trimEnd().split("\n")) {
    const [, stack, count] = /^(.*) (\d+)$/.exec(line); // as flamegraph.pl splits it
    assert(!folded.has(stack), stack);
    folded.set(stack, Number(count));
}
assert.deepEqual([...folded].sort(), [...stacks].sort());
console.log(`${profile.profiles.length} threads, ${folded.size} stacks, read as they were written`);
