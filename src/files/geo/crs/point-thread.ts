import { parentPort } from 'node:worker_threads';
import type { PointWork } from './point-threads.ts';
import { transformer } from './transform.ts';

parentPort?.on('message', ({ from, to, x, y }: PointWork) => {
  transform({ from, to, x, y }).then(
    (answer) => parentPort?.postMessage(answer),
    (error: unknown) => parentPort?.postMessage({ failure: error instanceof Error ? error.message : String(error) }),
  );
});

async function transform({ from, to, x, y }: PointWork) {
  using change = await transformer(from, to);
  change.forward(x, y);
  return { x, y };
}
