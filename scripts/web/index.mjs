// Opens the engine in a worker, in browsers and in Node.

const isNode = typeof process !== "undefined" && Boolean(process.versions?.node);

/**
 * Opens the engine. `onLine` receives each line of its output.
 * `stop` and `quit` act at once where memory can be shared (Node; pages that are cross-origin isolated), else after the search.
 */
export async function open(onLine, address = new URL("nullwindow.js", import.meta.url)) {
  const WorkerType = isNode ? (await import("node:worker_threads")).Worker : globalThis.Worker;
  const worker = new WorkerType(address);
  if (isNode) worker.on("message", onLine);
  else worker.onmessage = ({ data }) => onLine(data);
  const canStop = isNode || globalThis.crossOriginIsolated === true;
  const flag = canStop ? new Int32Array(new SharedArrayBuffer(4)) : null;
  if (flag) worker.postMessage({ flag: flag.buffer });
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
    /** Ends the worker. */
    close() {
      return worker.terminate();
    },
  };
}
