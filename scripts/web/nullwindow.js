// The engine as a worker, in browsers and in Node: text in by postMessage, a line of the protocol each; lines out as messages.
//
//   const engine = new Worker("nullwindow.js");
//   engine.onmessage = ({ data }) => console.log(data);
//   engine.postMessage("position startpos moves f5");
//   engine.postMessage("go depth 10");
//
// A search occupies the worker. To stop one, use open() of index.mjs, which shares a flag with the worker, or end the worker.
"use strict";

const isNode = typeof process !== "undefined" && Boolean(process.versions?.node);
const port = isNode ? require("node:worker_threads").parentPort : self;

// The number of the running command, and the shared number of the command that is to stop (-1: every one).
let running = 0, flag = null;
const isStopped = (wanted) => wanted === running || wanted === -1;

async function load() {
  const imports = {
    nullwindow: {
      now: () => performance.now(),
      stopped: () => Number(flag !== null && isStopped(Atomics.load(flag, 0))),
      line: (place, length) => {
        // A copy: decoders reject memory that is shared.
        port.postMessage(new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, place, length).slice()));
      },
    },
  };
  const name = "nullwindow.wasm";
  let wasm;
  if (isNode) {
    const bytes = require("node:fs").readFileSync(require("node:path").join(__dirname, name));
    wasm = (await WebAssembly.instantiate(bytes, imports)).instance.exports;
  } else {
    const address = new URL(name, self.location.href);
    wasm = (await WebAssembly.instantiateStreaming(fetch(address), imports)).instance.exports;
  }
  return (text) => {
    const bytes = new TextEncoder().encode(text);
    const place = wasm.input(bytes.length);
    new Uint8Array(wasm.memory.buffer, place, bytes.length).set(bytes);
    wasm.send();
  };
}

const loaded = load();
let order = loaded;

// A line, a numbered line, or the shared flag. Lines are handled in order.
function receive(message) {
  if (message.flag) {
    flag = new Int32Array(message.flag);
    return;
  }
  const { number = 0, line = message } = message;
  order = order.then(async () => {
    const send = await loaded;
    running = number;
    for (const text of String(line).split("\n")) send(text);
    running = 0;
  });
}

if (isNode) port.on("message", receive);
else self.onmessage = ({ data }) => receive(data);
