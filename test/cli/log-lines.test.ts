import { PassThrough } from 'node:stream';
import test from 'ava';
import { readableLine, readableLines } from '../../cli/log-lines.ts';

test('a log line is printed as time, process, level, message and the other members in order', (t) => {
  const line = '{"level":40,"time":1795270694858,"pid":7,"hostname":"h","traceId":"a b","status":503,"msg":"slow"}';
  t.is(readableLine('api', line), '14:18:14.858 api WARN: slow traceId=a b status=503');
});

test('an error shows its stack', (t) => {
  const line = '{"level":50,"time":0,"msg":"failed","err":{"message":"no","stack":"Error: no\\n  at x"}}';
  t.is(readableLine('worker', line), '00:00:00.000 worker ERROR: failed\nError: no\n  at x');
});

for (const line of ['plain words', '{"not":"a log"}', '{broken', 'null', '']) {
  test(`'${line}' is printed unchanged`, (t) => t.is(readableLine('api', line), `api ${line}`));
}

test('lines split across chunks are joined', async (t) => {
  const output = new PassThrough();
  const written: string[] = [];
  readableLines('api', output, (line) => written.push(line));
  for (const part of ['one', ' line\ntwo ', 'lines\nlast']) output.write(part);
  output.end();
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(written, ['api one line', 'api two lines', 'api last']);
});
