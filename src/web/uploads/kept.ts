import { shared } from '../client/address.ts';
import type { ImportBody, Inspection } from '../client/api.ts';

/** What must be known to go on with an upload after the page, the browser or the computer was closed. */
export interface KeptUpload {
  readonly id: string;
  readonly userId: string;
  readonly tenantId: string;
  readonly projectId: string;
  /** Milliseconds since 1970. */
  readonly addedAt: number;
  readonly name: string;
  /** Bytes that are sent. */
  readonly size: number;
  readonly parts: readonly { name: string; size: number; lastModified: number }[];
  /** Digest of the first and last MiB: another file of this name, size and time is told from it. */
  readonly ends: string;
  readonly handles?: readonly FileSystemFileHandle[] | undefined;
  readonly uploadUrl?: string | undefined;
  /** All bytes are there. */
  readonly sent?: boolean | undefined;
  /** The reader's word, of the start or of the whole. */
  readonly inspection?: Inspection | undefined;
  readonly choice?: Choice | undefined;
  /** The person has said Start. */
  readonly wanted?: boolean | undefined;
  /** The start of the transfer as it was sent first: a repetition is the same request with the same key. */
  readonly request?: ImportBody | undefined;
  readonly key: string;
  readonly transferId?: string | undefined;
}

export interface Choice {
  readonly readerName: string;
  readonly writerName: string;
  /** Texts of the form, by name of the parameter. */
  readonly reader: Readonly<Record<string, string>>;
  readonly writer: Readonly<Record<string, string>>;
}

const STORE = 'uploads';
let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(shared(STORE), 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser keeps nothing.'));
  });
  return opened;
}

async function ask<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    const request = work(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? new Error('The browser keeps nothing.'));
  });
}

export const listKept = (): Promise<KeptUpload[]> => ask('readonly', (store) => store.getAll());

/** A browser that keeps nothing (private windows of some) uploads all the same, and cannot go on after a reload. */
export const keep = (upload: KeptUpload): Promise<unknown> =>
  ask('readwrite', (store) => store.put(upload)).catch(() => {});

export const forget = (id: string): Promise<unknown> => ask('readwrite', (store) => store.delete(id)).catch(() => {});
