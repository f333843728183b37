import { LRUCache } from 'lru-cache';
import { loadOnce } from '../../data/load-once.ts';

type Values = Float32Array | Float64Array;

/** The last used values of all previews that are open in this thread: planes, blocks of them, steps of meshes. */
const recent = new LRUCache<string, Promise<Values>>({ maxSize: 128 << 20 });
/** Bytes of a value besides its numbers. */
const entryBytes = 200;

let opened = 0;

/** Values of one preview; those of a key are always of one type. */
export class RecentValues {
  readonly #prefix = `${++opened} `;

  get<T extends Values>(key: string, load: () => Promise<T>): Promise<T> {
    const bytes = ({ byteLength }: Values) => byteLength + entryBytes;
    return loadOnce(recent, this.#prefix + key, load, bytes) as Promise<T>;
  }

  /** The values if they are there. */
  peek<T extends Values>(key: string): Promise<T> | undefined {
    return recent.get(this.#prefix + key) as Promise<T> | undefined;
  }

  set(key: string, values: Values): void {
    recent.set(this.#prefix + key, Promise.resolve(values), { size: values.byteLength + entryBytes });
  }

  close(): void {
    for (const key of [...recent.keys()]) if (key.startsWith(this.#prefix)) recent.delete(key);
  }
}
