// The Firefox Profiler's own loader, as its command line profiler-cli has it: a process for each file
// that is loaded, which is asked by further ones.
//   const { ask, close } = open(NODE_MODULES, FILE); ask(WORD...) gives what it prints as JSON
import { mkdtempSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";

const WAITS = 120; // seconds, at most

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

export function open(modules, file) {
    const cli = `${modules}/@firefox-devtools/profiler-cli/dist/profiler-cli.js`;
    const folder = mkdtempSync(`${tmpdir()}/uimon-`);
    const env = { ...process.env, PROFILER_CLI_SESSION_DIR: folder };
    const run = (...words) =>
        execFileSync("node", [cli, ...words], { env, encoding: "utf8", maxBuffer: 1 << 28, stdio: "pipe" });
    const ask = (...words) => JSON.parse(run(...words, "--json"));
    const close = () => {
        run("stop", "--all");
        rmSync(folder, { recursive: true });
    };
    try {
        run("load", file);
    } catch (error) {
        // On a busy machine its process is not ready within the half second for which it is waited.
        if (!/did not become ready/.test(error.stderr)) throw error;
        for (let i = 0; ; i++) {
            try {
                ask("thread", "list");
                break;
            } catch (late) {
                if (i === WAITS) throw late;
                sleep(1000);
            }
        }
    }
    return { ask, close };
}
