import { Children } from '../../../src/transfers/children/children.ts';

/** A worker to be killed: it has children that spin and wait, and prints the process ids of all. */
const [program = ''] = process.argv.slice(2);
const children = new Children({ program, memoryMb: 512 });
await children.warm();
const request = (reader: string) => ({
  input: { path: '/nowhere', name: 'x' },
  output: { path: '/nowhere' },
  scratch: '/nowhere',
  reader: { name: reader },
  writer: { name: 'FileWriter' },
});
for (const reader of ['spin', 'wait']) {
  void children.convert(
    request(reader),
    { memoryMb: 512, scratchGb: 1, time: 60_000, timeLimit: 60_000 },
    {
      signal: new AbortController().signal,
      progress: () => {},
      log: (_, message) => console.log(/^pid (\d+)/.exec(message)?.[1]),
    },
  );
}
