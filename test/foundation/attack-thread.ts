import { parentPort, workerData } from 'node:worker_threads';
import { attacksOn, type Literal } from './attack-strings.ts';

/** Thread: runs each expression on its attack strings and posts the CPU seconds of the slowest. */
const { literals, length, most } = workerData as { literals: Literal[]; length: number; most: number };
for (const literal of literals) {
  parentPort?.postMessage({ begun: literal });
  const expression = new RegExp(literal.source, literal.flags);
  let worst = 0;
  let text = '';
  for (const attack of attacksOn(literal, length)) {
    const before = process.threadCpuUsage().user;
    expression.lastIndex = 0;
    if (literal.flags.includes('g')) attack.replace(expression, '');
    else expression.exec(attack);
    const seconds = (process.threadCpuUsage().user - before) / 1e6;
    if (seconds > worst) [worst, text] = [seconds, attack];
    if (worst > most) break;
  }
  parentPort?.postMessage({ ended: literal, worst, text: JSON.stringify(text.slice(0, 40)) });
}
parentPort?.postMessage({});
