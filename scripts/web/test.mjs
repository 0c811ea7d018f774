// Tests the installed package in Node: sessions, node counts, stop, errors.
//   node test.mjs BENCH_TOTAL PROTOCOL_MD
import assert from "node:assert/strict";
import { test } from "node:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { open } from "nullwindow";

const [total, protocol] = process.argv.slice(2);
const timeout = 60_000;
const program = createRequire(import.meta.url).resolve("nullwindow/nullwindow.js");

// An engine for a test, and a function that sends lines and returns the output up to one that begins with `last`.
async function start(context, options) {
  const lines = [];
  let wake = () => {};
  const engine = await open((line) => { lines.push(line); wake(); }, options);
  context.after(() => engine.close());
  const ask = async (sent, last) => {
    for (const line of [sent].flat()) engine.send(line);
    for (;;) {
      const end = lines.findIndex((line) => line.startsWith(last));
      if (end >= 0) return lines.splice(0, end + 1);
      await new Promise((resolve) => { wake = resolve; });
    }
  };
  return { engine, ask };
}

test("the searches visit the nodes of every other system", { timeout }, async (context) => {
  const { ask } = await start(context);
  const lines = await ask("bench", "nodes ");
  assert.equal(lines.at(-1).split(" ")[1], total);
});

// Whether a line is that of a session in protocol.md, with `...` for any text and N for any number.
function matches(expected, line) {
  const text = expected.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("\\.\\.\\.", ".*");
  return new RegExp(`^${text.replace(/(nps|time) N/g, "$1 \\d+")}$`).test(line);
}

// Files and the network are missing here.
const sessions = readFileSync(protocol, "utf8").matchAll(/^```transcript\n(.*?)^```$/gms);
for (const [, session] of [...sessions].filter(([, text]) => !text.includes("Log File"))) {
  const lines = session.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  test(`the session of protocol.md with ${lines[0]}`, { timeout }, async (context) => {
    const { engine, ask } = await start(context);
    let skips = false;
    for (const line of lines) {
      const expected = line.replace(/^< ?/, "");
      if (line.startsWith("> ")) engine.send(line.slice(2));
      else if (expected === "...") skips = true;
      else {
        let said;
        do [said] = await ask([], ""); while (skips && !matches(expected, said));
        assert.ok(matches(expected, said), `expected ${expected}\nbut got ${said}`);
        skips = false;
      }
    }
  });
}

test("games, perft and dialects", { timeout }, async (context) => {
  const { ask } = await start(context);
  assert.deepEqual(await ask("isready", "readyok"), ["readyok"]);
  const perft = await ask("go perft 6", "info string perft 6");
  assert.match(perft.at(-1), /total 8200$/);
  const found = await ask(["position startpos moves f5", "go depth 8"], "bestmove");
  assert.match(found.at(-1), /^bestmove d6/);
  assert.match(found.at(-3), /^info depth 8 .* pv d6 /);
  await ask(["setoption name Game value tictactoe", "go exact"], "bestmove");
  await ask(["setoption name Game value scorefour", "go depth 6"], "bestmove");
  const gtp = await start(context);
  assert.deepEqual((await gtp.ask("1 name", "=1"))[0], "=1 nullwindow");
});

test("stop ends the last search sent before it, at once", { timeout }, async (context) => {
  const { engine, ask } = await start(context);
  await ask("isready", "readyok");
  assert.equal(engine.canStop, true);
  const searching = ask("go infinite", "bestmove");
  await new Promise((resolve) => { setTimeout(resolve, 500); });
  const begun = performance.now();
  engine.send("stop");
  await searching;
  console.log(`stop: ${(performance.now() - begun).toFixed(1)} ms`);
  const both = await ask(["go depth 4", "go infinite", "stop", "isready"], "readyok");
  const moves = both.filter((line) => line.startsWith("bestmove"));
  assert.equal(moves.length, 2);
  assert.ok(both.slice(0, both.indexOf(moves[0])).some((line) => line.startsWith("info depth 4 ")), both.join("\n"));
});

test("each stop ends its own search", { timeout }, async (context) => {
  const { ask } = await start(context);
  const lines = ["go infinite", "stop", "position startpos\ngo infinite", "moves d3", "stop", "go depth 2", "isready"];
  const found = await ask(lines, "readyok");
  assert.equal(found.filter((line) => line.startsWith("bestmove")).length, 3, found.join("\n"));
});

test("a ping of NBoard ends the searches sent since the last one, at once and without output", { timeout }, async (context) => {
  const { engine, ask } = await start(context);
  await ask(["nboard 2", "ping 1"], "pong 1");
  const searching = ask(["set depth 60", "hint 1"], "pong 2");
  await new Promise((resolve) => { setTimeout(resolve, 500); });
  engine.send("ping 2");
  const ended = [...await searching, ...await ask(["hint 1", "go", "ping 3"], "pong 3")];
  assert.deepEqual(ended.filter((line) => !line.startsWith("search ")), ["pong 2", "pong 3"]);
  const last = await ask(["set depth 4", "hint 1"], "nodestats");
  assert.ok(last.some((line) => /^search .* 4(@|$)/.test(line)), last.join("\n"));
});

test("ping ends no search of another protocol", { timeout }, async (context) => {
  const { ask } = await start(context);
  const lines = await ask(["position startpos", "go depth 8", "ping 1"], "bestmove");
  assert.ok(lines.some((line) => line.startsWith("info depth 8 ")), lines.join("\n"));
});

test("exit ends a search like quit", { timeout }, async (context) => {
  const { engine, ask } = await start(context);
  await ask("isready", "readyok");
  const searching = ask("go infinite", "bestmove");
  await new Promise((resolve) => { setTimeout(resolve, 100); });
  engine.send("exit");
  await searching;
});

test("what the system lacks is an error line", { timeout }, async (context) => {
  const { ask } = await start(context);
  for (const option of ["Threads value 2", "Hash value 2048", "Debug Log File value log.txt", "EvalFile value weights", "Book File value book"]) {
    const lines = await ask([`setoption name ${option}`, "isready"], "readyok");
    assert.match(lines[0], /^info string error: /, option);
  }
  const found = await ask(["position startpos", "go depth 4"], "bestmove");
  assert.match(found.at(-1), /^bestmove /);
});

test("the worker alone has the habits of stockfish.js", { timeout }, async () => {
  const worker = new Worker(program);
  const found = new Promise((resolve) => {
    worker.on("message", (line) => { if (line.startsWith("bestmove")) resolve(line); });
  });
  worker.postMessage("position startpos moves f5");
  worker.postMessage("go depth 8");
  assert.match(await found, /^bestmove d6/);
  worker.terminate();
});

test("quit ends the worker after its answers", { timeout }, async () => {
  const worker = new Worker(program), lines = [];
  worker.on("message", (line) => lines.push(line));
  for (const line of ["position startpos moves f5", "go depth 4", "quit"]) worker.postMessage(line);
  await new Promise((resolve) => { worker.on("exit", resolve); });
  assert.match(lines.at(-1), /^bestmove /);
});

test("the weights are a file of their own, whose arrival is reported", { timeout }, async (context) => {
  const seen = [];
  const { ask } = await start(context, { onProgress: (progress) => seen.push(progress.loaded) });
  await ask("isready", "readyok");
  assert.ok(seen.at(-1) > 1_000_000, String(seen));
});

test("bundlers find no module of Node", () => {
  const text = readFileSync(join(dirname(program), "index.mjs"), "utf8");
  assert.doesNotMatch(text, /\b(import|require)\(|^import /m);
});

test("the address of the worker may be a path", { timeout }, async (context) => {
  const { ask } = await start(context, { address: program });
  assert.deepEqual(await ask("isready", "readyok"), ["readyok"]);
});

// A copy of the package: its folder, and the address of its worker.
function copied(context) {
  const folder = mkdtempSync(join(tmpdir(), "nullwindow-web-"));
  context.after(() => rmSync(folder, { recursive: true }));
  cpSync(dirname(program), folder, { recursive: true });
  return { folder, address: pathToFileURL(join(folder, "nullwindow.js")) };
}

test("a worker without its file is an error line", { timeout }, async (context) => {
  const { folder, address } = copied(context);
  rmSync(join(folder, "nullwindow.js"));
  const { ask } = await start(context, { address });
  assert.match((await ask("isready", "info string error")).at(-1), /: the engine has failed: .*nullwindow.js/);
  await ask("isready", "info string error");
});

test("a line that fails in the module is an error line, and later lines are answered", { timeout }, async (context) => {
  const { folder, address } = copied(context);
  // A module with `memory`, `input`, `weights`, and `send`, which fails.
  const text = (name) => [name.length, ...Buffer.from(name)];
  const section = (id, ...bytes) => [id, bytes.length, ...bytes];
  writeFileSync(join(folder, "nullwindow.wasm"), Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, 2, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 0, 0), // (i32) -> i32, () -> ()
    ...section(3, 3, 0, 1, 1),
    ...section(5, 1, 0, 0x80, 4), // 512 pages
    ...section(7, 4, ...text("memory"), 2, 0, ...text("input"), 0, 0, ...text("weights"), 0, 1, ...text("send"), 0, 2),
    ...section(10, 3, 4, 0, 0x41, 0, 0x0b, 2, 0, 0x0b, 3, 0, 0, 0x0b), // 0, nothing, `unreachable`
  ]));
  const { ask } = await start(context, { address });
  for (let line = 1; line <= 3; line += 1) {
    assert.match((await ask("isready", "info string error")).at(-1), /: the engine has failed: unreachable$/);
  }
});

test("weights that are absent, damaged or of another version are an error line", { timeout }, async (context) => {
  const { folder, address } = copied(context);
  const weights = join(folder, "nullwindow.weights");
  const answer = async () => (await (await start(context, { address })).ask("isready", "info string error")).at(-1);
  writeFileSync(weights, "not gzip");
  assert.match(await answer(), /^info string error: cannot load the engine: /);
  writeFileSync(weights, gzipSync("other weights"));
  assert.match(await answer(), /^info string error: weights: not an Othello weight file of nullwindow$/);
  rmSync(weights);
  assert.match(await answer(), /^info string error: cannot load the engine: .*nullwindow.weights/);
});
