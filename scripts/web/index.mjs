// Opens the engine in a worker, in browsers and in Node.

// The searches that may wait with their `stop`; the number of a search chooses its place in the shared memory.
const PLACES = 1024;
// The lines that search; `moves` with moves plays them.
const isSearch = (line) => /^\s*((go|bench)(\s|$)|moves\s*($|\sdepth(\s|$)))/.test(line);

const isNode = typeof process !== "undefined" && Boolean(process.versions?.node);

/**
 * Opens the engine. `onLine` receives each line of its output, `onProgress` the bytes of the weights that have arrived.
 * `stop`, NBoard's `ping` and `quit` act at once where memory can be shared (Node; pages that are cross-origin isolated), else after
 * the search.
 */
export async function open(onLine, { onProgress = () => {}, address = new URL("nullwindow.js", import.meta.url) } = {}) {
  // Not `import`: bundlers for browsers reject modules of Node.
  const WorkerType = isNode ? process.getBuiltinModule("node:worker_threads").Worker : globalThis.Worker;
  const worker = new WorkerType(address);
  let isOpen = true;
  const receive = (data) => {
    if (!isOpen) return;
    if (typeof data === "string") onLine(data);
    else onProgress(data);
  };
  // A worker that cannot be started, or has failed: every line is answered by the error.
  let failure = null;
  const fail = ({ message }) => {
    failure = `info string error: the engine has failed: ${message || address}`;
    receive(failure);
  };
  if (isNode) worker.on("message", receive).on("error", fail);
  else Object.assign(worker, { onmessage: ({ data }) => receive(data), onerror: fail });
  const canStop = isNode || globalThis.crossOriginIsolated === true;
  const flag = canStop ? new Int32Array(new SharedArrayBuffer(4 * PLACES)) : null;
  worker.postMessage({ flag: flag && flag.buffer });
  let number = 0, search = 0, isNBoard = null;
  const pending = []; // NBoard's searches since the last `ping`
  return {
    /** Whether `stop` acts during a search. */
    canStop,
    /** Sends a line of the protocol, or several. */
    send(lines) {
      for (const line of lines.split("\n")) {
        number += 1;
        if (isSearch(line)) search = number;
        if (isNBoard === null && /^\s*[^\s#]/.test(line)) isNBoard = /^\s*nboard(\s|$)/.test(line);
        if (isNBoard && /^\s*(go|hint|analyze)(\s|$)/.test(line)) pending.push(number);
        // As in protocol.md, `stop` ends the last search sent before it, `quit` all of them, and NBoard's `ping` those since the
        // last one, without output (~number).
        if (flag && /^\s*stop(\s|$)/.test(line)) Atomics.store(flag, search % PLACES, search);
        if (flag && isNBoard && /^\s*ping(\s|$)/.test(line)) {
          for (const cancelled of pending.splice(0)) Atomics.store(flag, cancelled % PLACES, ~cancelled);
        }
        if (flag && /^\s*(\d+\s+)?(quit|exit)(\s|$)/.test(line)) flag.forEach((_, place) => Atomics.store(flag, place, -1));
        if (failure === null) worker.postMessage({ number, line });
        else receive(failure);
      }
    },
    /** Ends the worker; no line follows. */
    close() {
      isOpen = false;
      return worker.terminate();
    },
  };
}
