/** The engine in a worker. */
export interface Engine {
  /** Whether `stop` and `quit` act during a search: memory can be shared with the worker. */
  readonly canStop: boolean;
  /** Sends a line of UGI, UCI, GTP or NBoard; the first one selects the protocol. */
  send(line: string): void;
  /** Ends the worker. */
  close(): void | Promise<number>;
}

/**
 * Opens the engine.
 * @param onLine receives each line of the output.
 * @param address of nullwindow.js, beside which nullwindow.wasm is.
 */
export function open(onLine: (line: string) => void, address?: URL): Promise<Engine>;
