import { writeFile } from 'node:fs/promises';
import { request as ask, createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { terminal } from '../../cli/io.ts';
import { main } from '../../cli/main.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { PASSWORD, world } from '../world.ts';
import { machines } from './machine.ts';

/** No worker runs: a transfer ends when it is cancelled. */
const w = world(test);
const machine = machines(w);
const streams = ({ headers }: IncomingMessage) => headers.accept === 'text/event-stream';

/** Something between the program and the platform; `spoil` says what becomes of a stream of events. */
async function between(t: ExecutionContext, platform: string, spoil: 'nothing' | 'cut' | 'answer') {
  const asked: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.includes('/transfer/')) asked.push(incoming);
    const headers = { ...incoming.headers };
    if (streams(incoming) && spoil === 'answer') headers.accept = 'application/json';
    const onward = ask(`${platform}${incoming.url}`, { method: incoming.method ?? '', headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
      if (streams(incoming) && spoil === 'cut') answer.once('data', () => setTimeout(() => outgoing.destroy(), 50));
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

for (const [spoil, rule] of [
  ['nothing', 'watch listens to one stream, and asks once at its end'],
  ['cut', 'watch goes on when its stream breaks off, again and again'],
  ['answer', 'watch asks again and again where the server does not stream'],
] as const) {
  test(rule, async (t) => {
    const { url, run } = await machine(t);
    const middle = await between(t, url, spoil);
    const user = await w.account();
    const client = w.as(user);
    const env = { PLATFORM_URL: middle.url };
    await run(['login', '--id', user.id, '--password-stdin'], { stdin: `${PASSWORD}\n`, env });
    const { id } = (await start(client, copyRequest(await newProject(client), await upload(w, client, 'x')))).body;
    const watching = run(['transfer', 'watch', id], { env });
    const counts = () => {
      const followed = middle.asked.filter(streams).length;
      return { followed, polled: middle.asked.length - followed };
    };
    const enough = {
      nothing: () => counts().followed === 1,
      cut: () => counts().followed > 2,
      answer: () => counts().polled > 2,
    };
    while (!enough[spoil]()) await sleep(50);
    await client.post(`/api/conversion/transfer/${id}/cancel`);
    t.like(await watching, { code: 1, out: '' });
    t.regex((await watching).err, /failed: Cancelled\./);
    if (spoil === 'nothing') t.deepEqual(counts(), { followed: 1, polled: 1 });
    if (spoil === 'answer') t.is(counts().followed, 1);
  });
}

test('Ctrl-C while several files are imported leaves their transfers running and names them', async (t) => {
  const { url, folder, logIn } = await machine(t);
  const user = await w.account();
  await logIn(user.id);
  const project = await newProject(w.as(user));
  const files = ['a.txt', 'b.txt'].map((name) => join(folder, name));
  for (const file of files) await writeFile(file, 'x');
  const pipes = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let said = '';
  pipes.stderr.on('data', (chunk) => {
    said += chunk;
  });
  let interrupt = () => {};
  const on = (_: string, listener: () => void) => {
    interrupt = listener;
  };
  const io = terminal({ ...pipes, on, off() {} }, { PLATFORM_URL: url, XDG_CONFIG_HOME: join(folder, 'config') });
  const importing = main(
    ['transfer', 'import', ...files, '--project', project, '--reader', 'FileReader', '--watch'],
    io,
  );
  const started = async () => (await w.as(user).get('/api/conversion/transfer/list')).body.data as { id: string }[];
  while ((await started()).length < 2) await sleep(50);
  await sleep(500);
  interrupt();
  t.is(await importing, 130, said);
  for (const { id } of await started()) t.true(said.includes(id), said);
  t.regex(said, /These transfers continue: /);
});
