import test from 'ava';
import { newDataset } from '../world/content.ts';
import { copyRequest, newProject, upload } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);
/** Maximum size of most bodies. */
const BODY = 256 * 2 ** 10;
const MIB = 2 ** 20;
/** An object that has this many bytes as JSON. */
const sized = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
const SENTENCE = /at most 1,048,576 bytes as JSON, not 1,048,577/;

interface Route {
  member: string;
  send(value: unknown): Promise<{ status: number; body: { errors?: Record<string, string[]>; detail?: string } }>;
  done: number;
}

async function routes(): Promise<Record<string, Route>> {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  const datasetId = await newDataset(w, projectId, owner, { datasetFormat: 'file' });
  const uploadUrl = await upload(w, client, 'x');
  const all: Record<string, Route> = {};
  for (const member of ['metadata', 'settings']) {
    all[`POST project, ${member}`] = {
      member,
      send: (value) => client.post('/api/metadata/project', { name: 'New', [member]: value }),
      done: 201,
    };
    all[`POST subproject, ${member}`] = {
      member,
      send: (value) => client.post(`/api/metadata/project/${projectId}/subproject`, { name: 'New', [member]: value }),
      done: 201,
    };
    all[`PUT project, ${member}`] = {
      member,
      send: (value) => client.put('/api/metadata/project', { id: projectId, name: 'New', [member]: value }),
      done: 200,
    };
  }
  for (const member of ['metadata', 'properties']) {
    all[`PUT dataset, ${member}`] = {
      member,
      send: (value) =>
        client.put(`/api/metadata/project/${projectId}/dataset`, { id: datasetId, name: 'New', [member]: value }),
      done: 200,
    };
    all[`upload-convert, ${member}`] = {
      member: `outputDatasetData.${member}`,
      send: (value) =>
        client.post(
          '/api/conversion/upload-convert',
          copyRequest(projectId, uploadUrl, { outputDatasetData: { name: 'New', [member]: value } }),
        ),
      done: 200,
    };
    all[`upload, ${member}`] = {
      member: `datasetImportData.${member}`,
      send: (value) =>
        client.post('/api/conversion/upload', {
          projectId,
          uploadUrl,
          fileName: 'x',
          format: 'file',
          datasetImportData: { [member]: value },
        }),
      done: 200,
    };
    all[`convert, ${member}`] = {
      member: `outputDatasetData.${member}`,
      send: (value) =>
        client.post(`/api/metadata/dataset/${datasetId}/convert`, {
          writerName: 'FileWriter',
          outputDatasetData: { name: 'New', [member]: value },
        }),
      done: 200,
    };
  }
  return all;
}

test.serial('metadata, properties and settings hold at most 1 MiB each, on every route that takes them', async (t) => {
  for (const [name, { member, send, done }] of Object.entries(await routes())) {
    t.is((await send(sized(MIB))).status, done, name);
    const { status, body } = await send(sized(MIB + 1));
    t.is(status, 400, name);
    t.regex(body.errors?.[member]?.[0] ?? '', SENTENCE, name);
  }
});

test.serial(
  'the limit of free-form members counts the stored size: text in UTF-8, numbers by their digits',
  async (t) => {
    const client = w.as(await w.account());
    const status = async (metadata: unknown) =>
      (await client.post('/api/metadata/project', { name: 'Counted', metadata })).status;
    t.is(await status({ text: 'ü'.repeat(MIB / 2 - 10) }), 201);
    t.is(await status({ text: 'ü'.repeat(MIB / 2) }), 400);
    t.is(await status({ numbers: Array.from({ length: 1000 }, () => 1e300) }), 201);
    t.is(await status({ numbers: Array.from({ length: 4000 }, () => 1e300) }), 400);
    t.is(await status({ numbers: Array.from({ length: 4000 }, () => 1e-300) }), 400);
    t.is(await status({ text: `${'1e+300 '.repeat(4000)}` }), 201, 'text is no number');
  },
);

test.serial('permissions hold at most 1 MiB, descriptions 16,384 characters', async (t) => {
  const client = w.as(await w.account());
  const principals = Array.from({ length: 1000 }, (_, n) => String(n).padStart(200, 'p'));
  const permissions = Array.from({ length: 6 }, () => ({ principals, operation: 'read' }));
  const { status, body } = await client.post('/api/metadata/project', { name: 'Open', permissions });
  t.is(status, 400);
  t.regex(body.errors.permissions[0], /at most 1,048,576 bytes as JSON/);
  const described = (length: number) =>
    client.post('/api/metadata/project', { name: 'Described', description: 'd'.repeat(length) });
  t.is((await described(16_384)).status, 201);
  t.is((await described(16_385)).status, 400);
});

test.serial('tags, spatial and temporal information of a dataset hold at most 1 MiB each', async (t) => {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  const id = await newDataset(w, projectId, owner);
  const large = 'x'.repeat(MIB);
  for (const said of [
    { tags: ['short', large] },
    { temporalInformation: { startTime: large } },
    { spatialInformation: { location: large } },
  ]) {
    const { status, body } = await client.put(`/api/metadata/project/${projectId}/dataset`, { id, name: 'x', ...said });
    const [member = ''] = Object.keys(said);
    t.is(status, 400, member);
    t.regex(body.errors?.[member]?.[0] ?? '', /at most 1,048,576 bytes as JSON/);
  }
  const tags = Array.from({ length: 1000 }, (_, n) => String(n).padStart(1000, 't'));
  const { status } = await client.put(`/api/metadata/project/${projectId}/dataset`, { id, name: 'x', tags });
  t.is(status, 200);
});

test.serial('metadata of accounts and groups may be as large as the body limit of their routes', async (t) => {
  const admin = w.as(await w.administrator());
  const { id } = await w.account();
  t.is((await admin.put('/api/accounts', { id, metadata: sized(BODY - 1000) })).status, 200);
  t.is((await admin.put('/api/accounts', { id, metadata: sized(BODY) })).status, 413);
  t.is((await admin.post('/api/usergroups', { name: 'Large', metadata: sized(BODY - 1000) })).status, 201);
  t.is((await admin.put('/api/usergroups', { id: 'Large', metadata: sized(BODY) })).status, 413);
  const numbers = Array.from({ length: 4000 }, () => 1e300);
  const { status, body } = await admin.put('/api/accounts', { id, metadata: { numbers } });
  t.is(status, 400);
  t.regex(body.errors.metadata[0], /at most 1,048,576 bytes as JSON/);
});

test.serial('lists of any length return items of any size in order', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const admin = w.as(await w.administrator());
  const projectId = await newProject(client, 'Lists');
  const heavy = { text: 'xü"\\'.repeat(50_000), none: null, nested: { Deep: [null, 1.5] } };
  const names: string[] = [];
  for (const [index, metadata] of [{}, heavy, { light: 1 }, heavy, heavy, {}].entries()) {
    const name = `${index} of all`;
    names.push(name);
    const project = { name, metadata, settings: metadata };
    t.is((await client.post(`/api/metadata/project/${projectId}/subproject`, project)).status, 201);
    await newDataset(w, projectId, owner, { name, metadata, properties: { Own: index } });
    // their bodies are smaller
    const less = metadata === heavy ? { ...heavy, text: heavy.text.slice(0, 100_000) } : metadata;
    t.is((await admin.post('/api/usergroups', { name, metadata: less })).status, 201);
    const { id } = await w.account({ id: `${name}.` });
    t.is((await admin.put('/api/accounts', { id, metadata: less })).status, 200);
  }
  const nameOf = ({ name }: { name: string }) => name;
  const same = async (list: { id: string }[], one: (id: string) => string, of = client) => {
    for (const each of list) t.deepEqual(each, (await of.get(one(encodeURIComponent(each.id)))).body);
  };
  const datasets = (await client.get(`/api/metadata/project/${projectId}/dataset/list`)).body.data;
  t.deepEqual(datasets.map(nameOf), names);
  await same(datasets, (id) => `/api/metadata/dataset/${id}`);
  const projects = (await client.get(`/api/project/${projectId}/subprojects`)).body.data;
  t.deepEqual(projects.map(nameOf), names);
  await same(projects, (id) => `/api/metadata/project/${id}`);
  const few = (await client.get(`/api/project/${projectId}/subprojects?offset=1&limit=2&sortOrder=desc`)).body.data;
  t.deepEqual(few.map(nameOf), ['4 of all', '3 of all']);
  const own = ({ id }: { id: string }) => / of all/.test(id);
  const groups = (await admin.get('/api/usergroups')).body.filter(own);
  t.deepEqual(groups.map(nameOf), names);
  await same(groups, (id) => `/api/usergroups/${id}`, admin);
  const accounts = (await admin.get('/api/accounts')).body.filter(own);
  t.is(accounts.length, names.length);
  await same(accounts, (id) => `/api/accounts/${id}`, admin);

  for (const { id } of datasets) t.is((await client.delete(`/api/metadata/dataset/${id}`)).status, 204);
  const deleted = (await client.get(`/api/recycle-bin/project/${projectId}/dataset/list?sortBy=Name`)).body.data;
  t.deepEqual(deleted.map(nameOf), names);
  t.deepEqual(deleted[1].metadata, heavy);

  await w.sql(
    `insert into datasets (project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
     select $1, 'many ' || lpad(n::text, 4, '0'), 'file', 'file', 'dataset/' || gen_random_uuid(), 0, $2, $2 from generate_series(1, 600) n`,
    [projectId, owner.userId],
  );
  const expected = Array.from({ length: 600 }, (_, n) => `many ${String(n + 1).padStart(4, '0')}`);
  for (const path of ['list', 'list-summaries']) {
    const url = `/api/metadata/project/${projectId}/dataset/${path}`;
    t.deepEqual((await client.get(url)).body.data.map(nameOf), expected);
    t.deepEqual((await client.get(`${url}?offset=100&limit=400`)).body.data.map(nameOf), expected.slice(100, 500));
  }
});
