/** The engine in a worker. */
export interface Engine {
  /** Whether `stop`, NBoard's `ping` and `quit` act during a search: memory can be shared with the worker. */
  readonly canStop: boolean;
  /** Sends a line of UGI, UCI, GTP or NBoard, or several; the first one selects the protocol. */
  send(lines: string): void;
  /** Ends the worker; no line follows. */
  close(): void | Promise<number>;
}

/** The bytes of the weights. */
export interface Progress {
  loaded: number;
  /** 0 if the server does not send it. */
  total: number;
}

export interface Options {
  /** Receives the progress of the download. */
  onProgress?: (progress: Progress) => void;
  /** The address (in Node also the path) of nullwindow.js, beside which nullwindow.wasm and nullwindow.weights are. */
  address?: URL | string;
}

/**
 * Opens the engine.
 * @param onLine receives each line of the output.
 */
export function open(onLine: (line: string) => void, options?: Options): Promise<Engine>;
