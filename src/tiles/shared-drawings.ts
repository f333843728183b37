interface Shared<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** One drawing per key, however many requests wait for it. It is cancelled when the last of them has left. */
export class SharedDrawings<T> {
  readonly #running = new Map<string, Shared<T>>();

  of(key: string, signal: AbortSignal, draw: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const shared = this.#running.get(key) ?? this.#start(key, draw);
    shared.waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        shared.waiting--;
        if (shared.waiting === 0) {
          // A later request draws anew.
          if (this.#running.get(key) === shared) this.#running.delete(key);
          shared.controller.abort(signal.reason);
        }
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      shared.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #start(key: string, draw: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const controller = new AbortController();
    const result = draw(controller.signal).finally(() => {
      if (this.#running.get(key) === shared) this.#running.delete(key);
    });
    const shared: Shared<T> = { result, controller, waiting: 0 };
    result.catch(() => undefined);
    this.#running.set(key, shared);
    return shared;
  }
}
