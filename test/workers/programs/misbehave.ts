import { endWithWorker } from '../../../workers/lifeline.ts';
import type { Order, Report } from '../../../workers/messages.ts';

/** A child that obeys the name of its reader: it does what converters must not do. */
const tell = (report: Report) => process.send?.(report);

const misdeeds: Record<string, () => void> = {
  eat() {
    const held: Buffer[] = [];
    setInterval(() => held.push(Buffer.alloc(16 << 20, 1)), 5);
  },
  eatHeap() {
    const held: number[][] = [];
    for (;;) held.push(new Array<number>(1000).fill(held.length));
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
process.on('message', ({ request }: Order) => {
  tell({ is: 'log', level: 'info', message: `pid ${process.pid}, ${Object.keys(process.env).join(' ')}` });
  setImmediate(() => misdeeds[request.reader.name]?.());
});
tell({ is: 'ready' });
