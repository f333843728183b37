import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { endWithWorker } from '../../../src/transfers/children/lifeline.ts';
import type { Report, RequestMessage } from '../../../src/transfers/children/messages.ts';

/** A child that obeys the name of its reader: it does what converters must not do. */
const tell = (report: Report) => process.send?.(report);

const held: unknown[] = [];
/** Node's types do not declare WebAssembly. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: { Memory: new (size: { initial: number }) => { grow(pages: number): number; buffer: ArrayBuffer } };
};
const misdeeds: Record<string, (scratch: string) => void> = {
  eatAtOnce() {
    held.push(Buffer.alloc(1 << 30, 1));
    setInterval(() => {}, 1000);
  },
  eatShared() {
    setInterval(() => held.push(new Uint8Array(new SharedArrayBuffer(32 << 20)).fill(1)), 5);
  },
  /** Each thread's heap has a limit of its own, and none reaches it. */
  eatInThreads() {
    const program = `const held = []; setInterval(() => {
      if (held.length < 10) held.push(Array.from({ length: 100_000 }, (_, n) => ({ n, text: 'x' + n })));
    }, 5)`;
    setInterval(() => held.push(new Worker(program, { eval: true })), 100);
  },
  eatExternal() {
    setInterval(() => held.push(new ArrayBuffer(16 << 20), Buffer.allocUnsafeSlow(16 << 20).fill(1)), 5);
  },
  eatWasm() {
    const memory = new wasm.Memory({ initial: 1 });
    held.push(memory);
    setInterval(() => {
      memory.grow(256);
      new Uint8Array(memory.buffer).fill(1);
    }, 5);
  },
  writeMuch(scratch) {
    const name = join(scratch, 'much');
    setInterval(() => appendFileSync(name, Buffer.alloc(1 << 20, 1)), 5);
  },
  eat() {
    const held: Buffer[] = [];
    setInterval(() => held.push(Buffer.alloc(16 << 20, 1)), 5);
  },
  eatHeap() {
    const held: number[][] = [];
    for (;;) held.push(new Array<number>(1000).fill(held.length));
  },
  eatSmall() {
    const held = new Map<string, object>();
    for (let n = 0; ; n++) held.set(`key ${n}`, { n });
  },
  spin() {
    for (;;);
  },
  crash() {
    process.kill(process.pid, 'SIGSEGV');
  },
  leave() {
    process.exit(3);
  },
  fillDisk() {
    tell({ is: 'failed', why: 'outage', message: 'ENOSPC: no space left on device, write' });
  },
};

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
await endWithWorker();
process.on('message', (message: RequestMessage) => {
  // such programs draw nothing
  if ('thumbnail' in message || 'overview' in message) return tell({ is: 'done', result: {} });
  const { reader, scratch } = 'request' in message ? message.request : message.inspect;
  tell({ is: 'log', level: 'info', message: `pid ${process.pid}, ${Object.keys(process.env).join(' ')}` });
  setImmediate(() => misdeeds[reader?.name ?? '']?.(scratch));
});
tell({ is: 'ready' });
