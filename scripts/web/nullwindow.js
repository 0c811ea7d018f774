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

// The number of the running command, and the shared numbers of the commands that are to stop, each in its place: -1 every one,
// ~number without output.
let running = 0, flag = null;
const wanted = () => (flag === null ? 0 : Atomics.load(flag, running % flag.length));

// The bytes of the weights, reported to open() as they arrive; the total is 0 if the server does not send it.
let isReported = false;
const progress = { loaded: 0, total: 0 };
function report() {
  if (isReported) port.postMessage(progress);
}

// A file beside this one. Browsers cache it and revalidate it with the server: files of two versions do not fit.
async function read(name) {
  if (isNode) return new Response(require("node:fs").readFileSync(require("node:path").join(__dirname, name)));
  const response = await fetch(new URL(name, self.location.href), { cache: "no-cache" });
  if (!response.ok) throw new Error(`${name}: HTTP status ${response.status}`);
  return response;
}

async function load() {
  const [code, packed] = await Promise.all([read("nullwindow.wasm"), read("nullwindow.weights")]);
  progress.total = Number(packed.headers.get("content-length"));
  const counted = new TransformStream({
    transform(chunk, stream) {
      progress.loaded += chunk.length;
      report();
      stream.enqueue(chunk);
    },
  });
  const weights = packed.body.pipeThrough(counted).pipeThrough(new DecompressionStream("gzip"));
  const imports = {
    nullwindow: {
      now: () => performance.now(),
      stopped: () => Number(running !== 0 && [running, ~running, -1].includes(wanted())),
      line: (place, length) => {
        if (running !== 0 && wanted() === ~running) return;
        // A copy: decoders reject memory that is shared.
        port.postMessage(new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, place, length).slice()));
      },
    },
  };
  const wasm = (await WebAssembly.instantiate(await code.arrayBuffer(), imports)).instance.exports;
  const put = (bytes) => {
    const place = wasm.input(bytes.length);
    new Uint8Array(wasm.memory.buffer, place, bytes.length).set(bytes);
  };
  put(new Uint8Array(await new Response(weights).arrayBuffer()));
  wasm.weights();
  return (text) => {
    put(new TextEncoder().encode(text));
    return wasm.send();
  };
}

// Without the engine, every line is answered by the error.
const loaded = load().catch((error) => () => port.postMessage(`info string error: cannot load the engine: ${error.message}`));
let order = loaded;

// A line, a numbered line, or the shared flag of open(). Lines are handled in order.
function receive(message) {
  if (message.flag !== undefined) {
    flag = message.flag && new Int32Array(message.flag);
    isReported = true;
    report();
    return;
  }
  const { number = 0, line = message } = message;
  order = order.then(async () => {
    const send = await loaded;
    running = number;
    for (const text of String(line).split("\n")) {
      try {
        if (send(text)) port.close(); // after `quit`
      } catch (error) {
        port.postMessage(`info string error: the engine has failed: ${error.message}`);
      }
    }
    running = 0;
  });
}

if (isNode) port.on("message", receive);
else self.onmessage = ({ data }) => receive(data);
