import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { generateApi } from 'swagger-typescript-api';
import { PASSWORD, world } from '../world.ts';

const w = world(test);
const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Sample code of a user of the generated client; it must compile as strictly as the client itself. */
const PROGRAM = `
import { Api, type NewProject, type Project } from './client.ts';

const [baseUrl = '', id = '', password = '', uploaded = ''] = process.argv.slice(2);
const { api } = new Api({ baseUrl });
const { data: signedIn } = await api.signIn({ id, password });
if (!('accessToken' in signedIn)) throw new Error('A one-time password is asked for.');
const { token, expiration } = signedIn.accessToken;
if (Number.isNaN(Date.parse(expiration))) throw new Error(expiration);

const { api: own } = new Api({ baseUrl, baseApiParams: { headers: { authorization: \`Bearer \${token}\` } } });
const wanted: NewProject = { name: 'Generated', metadata: { kept: null } };
const made: Project = (await own.createProject(wanted)).data;
const page = (await own.listProjects({ namePrefix: 'Gen', sortOrder: 'Desc' as never, limit: 5 })).data;
const dry = (
  await own.uploadConvert(
    {
      projectId: made.id,
      originalFileName: 'a.asc',
      uploadUrl: uploaded,
      outputDatasetData: { name: 'A' },
      readerName: 'AsciiGridReader',
      writerName: 'GeoTiffWriter',
      transformations: [{ type: 'crsTransformation', outputSrid: 3857 }],
    },
    { dryRun: true },
  )
).data;
const refused = await own.getProject('00000000-0000-4000-8000-000000000000').catch((answer) => answer.error);
console.log(JSON.stringify({ made, found: page.data.map(({ name }) => name), dry, refused: refused.code }));
`;

test('A TypeScript client is generated from the description, compiles strictly, and signs in, creates and lists', async (t) => {
  t.timeout(170_000);
  // below the repository, so that the compiler finds the types of Node
  const folder = await mkdtemp(join(ROOT, 'node_modules/.openapi-client-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { status, body: specification } = await w.nobody.get('/openapi.json');
  t.is(status, 200);
  await generateApi({ spec: specification, output: folder, fileName: 'client.ts', silent: true, cleanOutput: false });
  const client = await readFile(join(folder, 'client.ts'), 'utf8');
  t.true(client.includes('export class Api'));
  // the generator tells compilers to look away; here they are to look
  await writeFile(join(folder, 'client.ts'), client.replace('// @ts-nocheck', ''));
  await writeFile(join(folder, 'program.ts'), PROGRAM);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        target: 'esnext',
        module: 'nodenext',
        lib: ['esnext', 'dom', 'dom.iterable'],
        types: ['node'],
        skipLibCheck: true,
        rewriteRelativeImportExtensions: true,
        outDir: 'made',
      },
      include: ['*.ts'],
    }),
  );
  const compiled = await run(process.execPath, [TSC, '-p', folder]).catch(({ stdout }) => ({ stdout }));
  t.is(compiled.stdout, '');

  const url = await w.listen();
  const { id, userId } = await w.account();
  const { data: uploaded } = (await w.as({ userId }).get('/api/conversion/transfer/upload-url')).body;
  await w.nobody.put(
    new URL(uploaded).pathname + new URL(uploaded).search,
    'ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1\n',
  );
  const { stdout } = await run(process.execPath, [join(folder, 'made/program.js'), url, id, PASSWORD, uploaded]);
  const told = JSON.parse(stdout);
  t.is(told.made.name, 'Generated');
  t.deepEqual(told.made.metadata, { kept: null });
  t.true(told.made.capabilities.canDelete);
  t.deepEqual(told.found, ['Generated']);
  t.true(told.dry.valid);
  t.is(told.refused, 'NotFound');
});
