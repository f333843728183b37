import test from 'ava';
import { newProject, start, upload } from '../world/transfers.ts';
import { ownWorld, PASSWORD } from '../world.ts';

const w = ownWorld(test, { 'accounts.registration': 'true' });
const administrator = async () => w.as(await w.administrator());
/** Looks like `report-exe.txt` with U+202E, and so on. */
const CONTROLS = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'];
const REFUSED = /must not contain characters that change the direction of text/;

interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}
interface Document {
  paths: Record<string, Record<string, { requestBody?: { content?: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

/** Members by which people recognize something. */
const NAMES = new Set(['name', 'company', 'phoneNumber', 'targetFileName', 'tags[]']);
/** Members of that name that refer to something: a parameter, or a series to look for. */
const REFERENCES = /(Parameters|arguments|conditions)\[\]\.name$|^\[\]\.name$/;

/** Paths of the names in a body: `datasetProperties.name`, `items[].name`. */
function namesIn(schema: Schema | undefined, all: Document['components']['schemas'], path = '', depth = 0): string[] {
  if (schema === undefined || depth > 6) return [];
  if (schema.$ref) return namesIn(all[schema.$ref.split('/').at(-1) ?? ''], all, path, depth + 1);
  const found = (schema.anyOf ?? []).flatMap((one) => namesIn(one, all, path, depth + 1));
  if (schema.items) found.push(...namesIn(schema.items, all, `${path}[]`, depth + 1));
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    found.push(...namesIn(member, all, path === '' ? name : `${path}.${name}`, depth + 1));
  if (schema.type === 'string' && !schema.enum && !schema.format) {
    const [last = ''] = /[^.]*$/.exec(path) ?? [];
    if (NAMES.has(last) && !REFERENCES.test(path)) found.push(path);
  }
  return found;
}

/** A body with this text at the path, and nothing else. */
function bodyWith(path: string, text: string): unknown {
  const [, first = '', rest] = /^(\[\]|[^.[\]]+)\.?(.*)$/.exec(path) ?? [];
  if (first === '') return text;
  const inner = bodyWith(rest ?? '', text);
  return first === '[]' ? [inner] : { [first]: inner };
}

test('no route takes a name with controls that change the direction of text', async (t) => {
  const admin = await administrator();
  const document: Document = (await w.nobody.get('/openapi.json')).body;
  const checked: string[] = [];
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { requestBody }] of Object.entries(methods))
      for (const member of new Set(
        namesIn(requestBody?.content?.['application/json']?.schema, document.components.schemas),
      )) {
        const url = path.replace('{index}', '0').replaceAll(/\{[^}]*\}/g, '0198c0de-0000-7000-8000-000000000000');
        const payload = bodyWith(member, 'report-\u202etxt.exe') as object;
        const { status, body } = await admin.send({ method: method.toUpperCase() as 'POST', url, payload });
        const said = Object.entries<string[]>(body.errors ?? {}).filter(
          ([name]) => name === member.replaceAll('[]', '[0]'),
        );
        const what = `${method} ${path} ${member}: ${status} ${JSON.stringify(body)}`;
        t.is(status, 400, what);
        t.true(
          said.some(([, sentences]) => sentences.some((one) => REFUSED.test(one))),
          what,
        );
        checked.push(`${method} ${path} ${member}`);
      }
  for (const one of [
    'post /api/accounts name',
    'put /api/accounts/me company',
    'post /api/usergroups name',
    'post /api/iam/tenant name',
    'post /api/iam/key name',
    'post /api/metadata/project name',
    'put /api/metadata/project/{id}/dataset name',
    'put /api/metadata/project/{id}/dataset tags[]',
    'post /api/admin/feature name',
    'post /api/ts/dataset datasetProperties.name',
    'post /api/ts/dataset/{id}/timeseries item.name',
    'post /api/conversion/upload-convert outputDatasetData.name',
    'post /api/metadata/dataset/{id}/download-convert targetFileName',
  ])
    t.true(checked.includes(one), one);
});

test('each of the nine controls is refused, the marks that Arabic and Hebrew need are not', async (t) => {
  const admin = await administrator();
  for (const control of CONTROLS)
    t.is(
      (await admin.post('/api/iam/tenant', { name: `a${control}b` })).status,
      400,
      control.codePointAt(0)?.toString(16),
    );
  for (const mark of ['\u200e', '\u200f', '\u061c']) {
    const { status, body } = await admin.post('/api/iam/tenant', { name: `نهر${mark}1` });
    t.is(status, 201);
    t.is(body.name, `نهر${mark}1`);
  }
});

test('neither a download nor a layer of vector tiles gets a name with bidirectional controls', async (t) => {
  const client = w.as(await w.account());
  const id = '0198c0de-0000-7000-8000-000000000000';
  const named = encodeURIComponent('report-\u202etxt.exe');
  const { body } = await client.get(`/api/raw/dataset/${id}?downloadFileName=${named}`);
  t.regex(body.errors.downloadFileName[0], REFUSED);
  const projectId = await newProject(client);
  const drawn = await start(client, {
    projectId,
    originalFileName: 'a.geojson',
    uploadUrl: await upload(w, client, '{}'),
    outputDatasetData: { name: 'Tiles' },
    readerName: 'GeoJsonReader',
    writerName: 'PMTilesWriter',
    writerParameters: [{ name: 'LayerName', value: 'a\u202eb' }],
  });
  t.is(drawn.status, 400);
  t.regex(JSON.stringify(drawn.body.errors), REFUSED);
});

test('paths of hierarchies cannot create a forbidden name, but an existing item is found, renamed and deleted', async (t) => {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const act = (...actions: object[]) => client.post(`/api/hierarchy/project/${projectId}`, { actions });
  for (const path of ['a\u202eb', 'a\u202eb/', 'a\u202eb/c'])
    t.is((await act({ type: 'PathActionCreate', path, isFolder: true })).status, 400, path);
  t.is(
    (await act({ type: 'PathActionCreate', path: 'old/' }, { type: 'PathActionCreate', path: 'gone/' })).status,
    200,
  );
  t.is((await act({ type: 'PathActionMove', path: 'old/', newPath: 'o\u202eld/' })).status, 400);
  for (const name of ['old', 'gone'])
    await w.sql('update projects set name = $1 where parent_id = $2 and name = $3', [`${name}\u202e`, projectId, name]);
  t.is((await act({ type: 'PathActionMove', path: 'old\u202e/', newPath: 'new/' })).status, 200);
  t.is((await act({ type: 'PathActionDelete', path: 'gone\u202e/' })).status, 200);
});

test('names of files are cleaned', async (t) => {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const url = await upload(w, client, 'x');
  const { body: staged } = await client.post(`/api/conversion/project/${projectId}/file/import-staged`, {
    files: [{ url, fileName: 'flood\u202efig.txt' }],
  });
  const { body: dataset } = await client.get(`/api/metadata/dataset/${staged.datasets[0].datasetId}`);
  t.is(dataset.name, 'floodfig.txt');

  const { status, body } = await start(client, {
    projectId,
    originalFileName: 'val\u2066ley.bin',
    uploadUrl: await upload(w, client, 'y'),
    outputDatasetData: { name: 'Valley' },
    readerName: 'FileReader',
    writerName: 'FileWriter',
  });
  t.is(status, 200, JSON.stringify(body));
  const [row] = await w.sql<{ name: string }>("select request->>'inputName' as name from transfers where id = $1", [
    body.id,
  ]);
  t.is(row?.name, 'valley.bin');
});

for (const [id, why] of [
  ['\u0430dmin', /has letters of several scripts/],
  ['adm\u0456n@river.example', /has letters of several scripts/],
  ['\u03b1nn', /has letters of several scripts/],
  ['\u13aaNN', /has letters of several scripts/],
  ['\u043f\u03b1\u043f', /has letters of several scripts/],
  ['ann\u202e', /has the character U\+202E/],
  ['an\u200bn', /has the character U\+200B/],
  ['an\u00adn', /has the character U\+00AD/],
  ['ann\ufe0f', /has the character U\+FE0F/],
  ['\uff41nn', /has the character U\+FF41/],
  ['\u{1d41a}nn', /has the character U\+1D41A/],
  ['ann\u2024smith', /has the character U\+2024/],
  ['ann\u{1f600}', /has the character U\+1F600/],
] as const)
  test(`a new account cannot have the login id ${JSON.stringify(id)} (${[...id].map((one) => one.codePointAt(0)?.toString(16)).join(' ')})`, async (t) => {
    const { status, body } = await (await administrator()).post('/api/accounts', { id, password: PASSWORD });
    t.is(status, 400);
    t.regex(body.errors.id[0], why);
    const registration = { id, name: 'x', email: 'x@example.org', password: PASSWORD };
    t.is((await w.nobody.post('/api/accounts/registration', registration)).status, 400);
  });

test('login ids of one script, or of Latin with a script without lookalikes, are accepted', async (t) => {
  const admin = await administrator();
  for (const id of [
    'ann.o’neil+1@river.example',
    'Ann Smith_2',
    'Ådne Ørsted',
    'İbrahim Straße',
    'анна@пример.рф',
    'Νίκος-7',
    '水野 ひろし',
    'ann水野カナ',
    '김민수-kim',
    'أحمد-ahmad',
    'רות',
    'अनिल',
    'l·l',
  ])
    t.is((await admin.post('/api/accounts', { id, password: PASSWORD })).status, 201, id);
});

test('an account of an older version keeps its login id', async (t) => {
  const { id, userId } = await w.account({ id: 'mixed-one' });
  const older = '\u0430nn-mixed';
  await w.sql('update accounts set id = $1 where user_id = $2', [older, userId]);
  t.is((await w.nobody.post('/api/tokens', { id: older, password: PASSWORD })).status, 200);
  t.is((await (await administrator()).put('/api/accounts', { id: older, name: 'Ann' })).status, 200);
  t.is((await w.nobody.post('/api/tokens', { id, password: PASSWORD })).status, 400);
});

test('a password must not contain the login id, in any letter case', async (t) => {
  const admin = await administrator();
  const make = (id: string, password: string) => admin.post('/api/accounts', { id, password });
  for (const [id, password] of [
    ['Jane', 'xJANE-77-horse'],
    ['straße', 'STRASSE-77-horse'],
    ['jane@river.example', 'Jane@River.example1'],
  ] as const) {
    const { status, body } = await make(id, password);
    t.is(status, 400);
    t.deepEqual(body.errors.password, ['PasswordContainsLoginId']);
    t.regex(body.detail, /it contains the login id/);
  }
  t.is((await make('cor', PASSWORD)).status, 201, 'three characters are in a password by chance');
  const user = await w.account({ id: 'longname' });
  const own = await w.as(user).put('/api/accounts/me', { password: 'Longname-77-x' });
  t.deepEqual(own.body.errors.password, ['PasswordContainsLoginId']);
  const other = await admin.put('/api/accounts', { id: 'LONGNAME', password: 'xLongname-77' });
  t.deepEqual(other.body.errors.password, ['PasswordContainsLoginId']);
});
