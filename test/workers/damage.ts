import { randomUUID } from 'node:crypto';
import type { TestFn } from 'ava';
import { machines } from '../cli/machine.ts';
import { carryScene } from '../world/move-copy.ts';
import { ASCII_GRID, copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import type { World } from '../world.ts';

/** Bytes of a store, which a test changes behind the back of the platform. */
export interface Bytes {
  /** Changes four bytes in the middle, or at the end of a shorter one. */
  flip(blob: string): Promise<void>;
  lose(blob: string): Promise<void>;
  exchange(one: string, other: string): Promise<void>;
}

export const flipped = (bytes: Buffer) => {
  const at = Math.min(Math.floor(bytes.length / 2), bytes.length - 4);
  bytes.writeUInt32BE((bytes.readUInt32BE(at) ^ 0x01020408) >>> 0, at);
  return bytes;
};

const MIB = 2 ** 20;
const long = Buffer.from(Array.from({ length: 3 * MIB }, (_, n) => (n * 7919) % 251));

/** Rules for each kind of store. */
export function findsDamage(test: TestFn, w: World, bytes: Bytes, settings: Record<string, string> = {}) {
  const worker = sharedWorker(w, { 'worker.concurrency': '2', ...settings });
  const machine = machines(w);

  async function scene(content: string | Buffer = 'the right bytes of a file') {
    await worker();
    const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
    const client = w.as(owner);
    const projectId = await newProject(client);
    const name = `notes-${randomUUID()}`;
    const more = { outputDatasetData: { name } };
    const { body } = await start(client, copyRequest(projectId, await upload(w, client, content), more));
    const id = (await untilEnd(client, body.id)).importResults[0].datasetId as string;
    return { owner, client, projectId, id, name, blob: await blobOf(id) };
  }
  const blobOf = async (id: string) =>
    (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id]))[0]!.blob;
  const addressOf = async (client: { get(url: string): Promise<{ body: { data: string } }> }, id: string) =>
    local((await client.get(`/api/raw/dataset/${id}`)).body.data);
  const exported = (client: Awaited<ReturnType<typeof scene>>['client'], id: string, more: object = {}) =>
    client.post(`/api/metadata/dataset/${id}/download-convert`, {
      readerName: 'FileReader',
      writerName: 'FileWriter',
      ...more,
    });
  async function operator(t: Parameters<typeof machine>[0]) {
    await w.administrator();
    const { run, logIn } = await machine(t);
    const { code, err } = await logIn('root');
    if (code !== 0) throw new Error(err);
    return run;
  }
  const listed = async () => (await w.sql<{ name: string }>('select name from damaged_blobs')).map(({ name }) => name);

  test.serial(
    'blobs verify lists each damaged, missing or exchanged blob once; restored content leaves the list',
    async (t) => {
      await worker();
      const run = await operator(t);
      const right = await run(['blobs', 'verify']);
      t.is(right.code, 0, right.err);
      const [damaged, lost, one, other, sound] = [
        await scene(long),
        await scene(),
        await scene(),
        await scene('b'),
        await scene(),
      ];
      await bytes.flip(damaged!.blob);
      await bytes.lose(lost!.blob);
      await bytes.exchange(one!.blob, other!.blob);
      // as of an earlier version
      await w.sql('delete from blob_digests where name = $1', [sound!.blob]);
      const first = await run(['blobs', 'verify']);
      t.is(first.code, 1, first.err);
      for (const { name, blob, problem } of [
        { ...damaged!, problem: 'damaged' },
        { ...lost!, problem: 'missing' },
        { ...one!, problem: 'damaged' },
        { ...other!, problem: 'damaged' },
      ]) {
        t.regex(first.out, new RegExp(`^${problem} +dataset +${name} .*${blob}$`, 'm'));
      }
      t.is(first.out.trim().split('\n').length, 5);
      t.is((await w.sql('select from blob_digests where name = $1', [sound!.blob])).length, 1);
      const json = await run(['blobs', 'verify', '--json']);
      t.is(json.code, 1);
      t.is(JSON.parse(json.out).length, 4);
      const metrics = (await w.nobody.get('/metrics')).raw.toString();
      t.regex(metrics, /^platform_blobs_damaged 4$/m);
      t.regex(metrics, /^platform_blobs_missing 1$/m);
      const show = await run(['blobs', 'show']);
      t.regex(show.out, /^damaged blobs +3$/m);
      const owner = await machine(t);
      await owner.logIn(damaged!.owner.id);
      t.regex((await owner.run(['dataset', 'show', damaged!.id])).out, /^content +damaged: /m);
      await bytes.exchange(one!.blob, other!.blob);
      const again = await run(['blobs', 'verify', '--sample', '100']);
      t.is(again.out.trim().split('\n').length, 3, again.out);
      t.is((await w.nobody.get(await addressOf(one!.client, one!.id))).status, 200);
    },
  );

  for (const [what, content] of [
    ['short', 'the right bytes of a file'],
    ['long', long],
  ] as const) {
    test.serial(`a transfer of a ${what} file with 4 changed bytes fails, and names its dataset`, async (t) => {
      const { client, id, name, blob } = await scene(content);
      await bytes.flip(blob);
      const { body } = await exported(client, id);
      const ended = await untilEnd(client, body.id);
      t.is(ended.status, 'Error');
      t.true(
        ended.errorMessage.startsWith(`The content of dataset '${name}' (${id}) is damaged: `),
        ended.errorMessage,
      );
      t.true((await listed()).includes(blob));
      t.is((await client.get(`/api/metadata/dataset/${id}`)).body.contentProblem, 'damaged');
    });
  }

  test.serial('a download of damaged content is 500 ContentDamaged, whole, in ranges and for HEAD', async (t) => {
    const { client, id, name, blob } = await scene();
    const address = await addressOf(client, id);
    await bytes.flip(blob);
    for (const range of ['bytes=0-', 'bytes=0-3']) {
      const { status, body, headers: sent } = await w.nobody.get(address, { 'x-ms-range': range });
      t.like(
        { status, code: body.code, header: sent['x-ms-error-code'] },
        {
          status: 500,
          code: 'ContentDamaged',
          header: 'ContentDamaged',
        },
      );
      t.true(body.detail.includes(`'${name}'`), body.detail);
    }
    const head = await w.app.inject({ method: 'HEAD', url: address });
    t.is(head.statusCode, 500);
    t.is(head.headers['x-ms-error-code'], 'ContentDamaged');
    t.is((await w.nobody.put(address.replace(/\?.*/, ''), 'x')).status, 403);
  });

  test.serial('replacing damaged content clears the problem', async (t) => {
    const { client, projectId, id, blob } = await scene();
    await bytes.flip(blob);
    t.is((await w.nobody.get(await addressOf(client, id))).status, 500);
    const token = await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}`);
    t.is((await w.nobody.put(`/api/blob/dataset/${id}?${token.body.data}`, Buffer.from('new'))).status, 201);
    t.is((await w.nobody.get(await addressOf(client, id))).raw.toString(), 'new');
    t.is((await client.get(`/api/metadata/dataset/${id}`)).body.contentProblem, undefined);
  });

  test.serial('a copy of damaged content fails, to another tenant and to another address', async (t) => {
    const { client, ask, datasetId, target } = await carryScene(w, 'bytes that were right');
    await worker();
    const address = await addressOf(client, datasetId);
    const blob = await blobOf(datasetId);
    await bytes.flip(blob);
    const { body } = await ask('copy');
    const ended = await untilEnd(client, body.id);
    t.is(ended.status, 'Error');
    t.regex(ended.errorMessage, /^The content of dataset '.*' \(.*\) is damaged/);
    t.deepEqual(await w.sql('select from datasets where project_id = $1', [target.projectId]), []);
    await w.sql('delete from damaged_blobs');
    const upload = local((await client.get('/api/conversion/transfer/upload-url')).body.data);
    const copied = await w.nobody.put(upload, '', { 'x-ms-copy-source': `http://127.0.0.1${address}` });
    t.like(copied.body, { status: 500, code: 'ContentDamaged' });
  });

  test.serial('lost content is 500 ContentDamaged for downloads, transfers and copies, and never 404', async (t) => {
    const { client, id, name, blob } = await scene();
    const address = await addressOf(client, id);
    await bytes.lose(blob);
    const { status, body, headers } = await w.nobody.get(address);
    t.is(status, 500);
    t.is(headers['x-ms-error-code'], 'ContentDamaged');
    t.true(body.detail.startsWith(`The content of dataset '${name}' (${id}) is missing: `), body.detail);
    const transfer = await exported(client, id);
    t.regex((await untilEnd(client, transfer.body.id)).errorMessage, / is missing: /);
    t.is((await client.get(`/api/metadata/dataset/${id}`)).body.contentProblem, 'missing');
  });

  test.serial('every way of creating content stores a digest', async (t) => {
    const { client, projectId, id } = await scene();
    const staged = async (content: string) => {
      const url = (await client.get('/api/conversion/transfer/upload-url')).body.data;
      t.is((await w.nobody.put(local(url), Buffer.from(content))).status, 201);
      return url as string;
    };
    const url = await staged(ASCII_GRID);
    // in blocks
    const inBlocks = local((await client.get('/api/conversion/transfer/upload-url')).body.data);
    for (const block of ['YQ==', 'Yg=='])
      t.is(
        (await w.nobody.put(`${inBlocks}&comp=block&blockid=${encodeURIComponent(block)}`, Buffer.from(block))).status,
        201,
      );
    const list = '<BlockList><Latest>Yg==</Latest><Latest>YQ==</Latest></BlockList>';
    t.is((await w.nobody.put(`${inBlocks}&comp=blocklist`, Buffer.from(list))).status, 201);
    // a conversion
    const grid = { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter', originalFileName: 'terrain.asc' };
    const made = await start(client, copyRequest(projectId, url, { ...grid, outputDatasetData: { name: 'terrain' } }));
    t.is((await untilEnd(client, made.body.id)).status, 'Completed');
    // imports of staged files, the second one by a copy
    const files = [0, 1].map((n) => ({ url, fileName: `${n}.asc` }));
    const wanted = { destinationPath: '/', createDestinationPathIfNotExists: true, files };
    const imported = await client.post(`/api/conversion/project/${projectId}/file/import-staged`, wanted);
    t.is(imported.body.datasets?.length, 2, JSON.stringify(imported.body));
    // an export
    t.is((await untilEnd(client, (await exported(client, id)).body.id)).status, 'Completed');
    const missing = await w.sql(
      'select n.name from named_blobs n where not exists (select from blob_digests b where b.name = n.name)',
    );
    t.deepEqual(missing, []);
    const wrong = await w.sql(`
      select d.name from datasets d join blob_digests b on b.name = d.blob where b.size <> d.storage_size and d.project_id = '${projectId}'`);
    t.deepEqual(wrong, []);
  });
}
