import { parentPort } from 'node:worker_threads';
import { documentPieces } from '../../src/files/convert/references/document.ts';
import { readReferences } from '../../src/files/convert/references/references.ts';
import type { Context } from '../../src/files/formats/define.ts';
import { endedBy } from './hostile.ts';

/** Makes references of the bytes in each message, which are read at once and as they are, and answers how that ended. */
parentPort!.on('message', async (bytes: Uint8Array) => {
  const closing: (() => Promise<void>)[] = [];
  const nothing = () => {};
  const context: Context = {
    signal: new AbortController().signal,
    scratch: '',
    log: nothing,
    progress: nothing,
    reportLoss: nothing,
    remark: nothing,
    reportBadRecord: ({ reason }) => {
      throw reason;
    },
    onEnd: (close) => void closing.push(close),
  };
  const source = {
    size: bytes.length,
    read: async (offset: number, length: number) => bytes.slice(offset, offset + length),
    readNow(target: Uint8Array, offset: number) {
      const part = bytes.subarray(offset, offset + target.length);
      target.set(part);
      return part.length;
    },
  };
  try {
    const end = await endedBy(async () => {
      for (const _ of documentPieces(await readReferences(source, context), { address: 'file' }));
    });
    for (const close of closing.toReversed()) await close();
    parentPort!.postMessage({ end });
  } catch (error) {
    parentPort!.postMessage({ error: (error as Error).stack });
  }
});
