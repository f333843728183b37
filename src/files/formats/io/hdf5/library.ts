import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type * as H5wasm from 'h5wasm';
import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { FileSink, FileSource } from '../bytes.ts';
import { GlobalHeapGuard } from './global-heap.ts';

const chunk = 1 << 20;
let mounted = 0;
let loading: Promise<Library> | undefined;
let loads = 0;

interface Library {
  readonly File: typeof H5wasm.File;
  readonly system: FileSystem;
}

/** The library. A trap leaves its memory in any state, so the next file gets another one. */
async function load(): Promise<Library> {
  // The query makes a module of its own.
  const address = `${import.meta.resolve('h5wasm')}?${loads}`;
  const { File, ready } = await (loads++ === 0 ? import('h5wasm') : (import(address) as Promise<typeof H5wasm>));
  const module = await ready;
  module.activate_throwing_error_handler();
  return { File, system: module.FS as unknown as FileSystem };
}

/** Members of Emscripten's file system that a file of our own needs; its types declare none of them. */
interface FileNode {
  node_ops: Record<string, unknown>;
  stream_ops: Record<string, unknown>;
  readonly mode: number;
  readonly id: number;
}
interface FileSystem {
  createDataFile(folder: string, name: string, data: Uint8Array, canRead: boolean, canWrite: boolean): void;
  lookupPath(path: string): { node: FileNode };
  unlink(path: string): void;
}

/**
 * Opens a file with the HDF5 library (WebAssembly), which reads only the parts that it needs. The library sees no other
 * file: external links, raw data and virtual datasets of other files have nothing to open.
 */
export async function openHdf5(source: ByteSource, context: Context): Promise<H5wasm.File> {
  const local = source.readNow === undefined ? await localCopy(source, context) : source;
  loading ??= load();
  const { File, system } = await loading;
  const name = `input${mounted++}`;
  system.createDataFile('/', name, new Uint8Array(0), true, false);
  mount(system.lookupPath(`/${name}`).node, local);
  const file = guarded(() => new File(`/${name}`, 'r'));
  if (!(file.file_id > 0n)) throw new FormatError('The HDF5 library cannot open the file.');
  context.onEnd(async () => {
    try {
      file.close();
      system.unlink(`/${name}`);
    } catch (error) {
      // The library cannot close a damaged file, which lives in its memory alone.
      context.log('debug', `The HDF5 library did not close the file: ${reasonOf(error)}`);
    }
  });
  return file;
}

/** Reads of the file go to the source. */
function mount(node: FileNode, source: ByteSource): void {
  const { size } = source;
  const time = new Date(0);
  const heap = new GlobalHeapGuard(source);
  node.node_ops = {
    ...node.node_ops,
    getattr: ({ id, mode }: FileNode) => ({
      dev: 1,
      ino: id,
      mode,
      nlink: 1,
      uid: 0,
      gid: 0,
      rdev: 0,
      size,
      atime: time,
      mtime: time,
      ctime: time,
      blksize: 4096,
      blocks: Math.ceil(size / 4096),
    }),
  };
  node.stream_ops = {
    ...node.stream_ops,
    read(_stream: unknown, buffer: Int8Array, offset: number, length: number, position: number): number {
      const most = Math.max(0, Math.min(length, size - position));
      if (most === 0) return 0;
      const target = Buffer.from(buffer.buffer, buffer.byteOffset + offset, most);
      const count = source.readNow!(target, position);
      heap.check(target.subarray(0, count), position);
      return count;
    },
    llseek(stream: { position: number }, offset: number, from: number): number {
      return offset + (from === 1 ? stream.position : from === 2 ? size : 0);
    },
  };
}

async function localCopy(source: ByteSource, context: Context): Promise<FileSource> {
  const path = join(context.scratch, `${randomUUID()}.h5`);
  context.onEnd(() => rm(path, { force: true }));
  await using sink = await FileSink.create(path, { checksum: false });
  for (let at = 0; at < source.size; at += chunk) await sink.append(await source.read(at, chunk));
  await sink.flush();
  const file = await FileSource.open(path, { checksum: false });
  context.onEnd(() => file.close());
  return file;
}

/**
 * Calls the library.
 * @throws FormatError with its message
 */
export function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof FormatError) throw error;
    if (error instanceof Error && error.name === 'RuntimeError') loading = undefined;
    throw new FormatError(`The HDF5 library cannot read the file: ${reasonOf(error)}`);
  }
}

/** The innermost reason of the library's stack of errors, as a sentence. */
function reasonOf(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).trim();
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const reason = (lines.at(-1) ?? 'no reason given').trim().slice(0, 200);
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
