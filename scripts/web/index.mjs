// Opens the engine in a worker, in browsers and in Node.

const isNode = typeof process !== "undefined" && Boolean(process.versions?.node);

/**
 * Opens the engine. `onLine` receives each line of its output, `onProgress` the bytes of the weights that have arrived.
 * `stop` and `quit` act at once where memory can be shared (Node; pages that are cross-origin isolated), else after the search.
 */
export async function open(onLine, { onProgress = () => {}, address = new URL("nullwindow.js", import.meta.url) } = {}) {
  const WorkerType = isNode ? (await import("node:worker_threads")).Worker : globalThis.Worker;
  const worker = new WorkerType(address);
  let isOpen = true;
  const receive = (data) => {
    if (!isOpen) return;
    if (typeof data === "string") onLine(data);
    else onProgress(data);
  };
  if (isNode) worker.on("message", receive);
  else worker.onmessage = ({ data }) => receive(data);
  const canStop = isNode || globalThis.crossOriginIsolated === true;
  const flag = canStop ? new Int32Array(new SharedArrayBuffer(4)) : null;
  worker.postMessage({ flag: flag && flag.buffer });
  let number = 0, search = 0;
  return {
    /** Whether `stop` acts during a search. */
    canStop,
    /** Sends a line of the protocol. */
    send(line) {
      number += 1;
      const word = line.trim().split(/\s/)[0];
      if (["go", "bench", "moves"].includes(word)) search = number;
      // `stop` ends the last search sent before it, as protocol.md says, `quit` all of them.
      if (flag && word === "stop") Atomics.store(flag, 0, search);
      if (flag && word === "quit") Atomics.store(flag, 0, -1);
      worker.postMessage({ number, line });
    },
    /** Ends the worker; no line follows. */
    close() {
      isOpen = false;
      return worker.terminate();
    },
  };
}
