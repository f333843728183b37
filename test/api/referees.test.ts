import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { attempt } from '../world/authenticator.ts';
import { clock } from '../world/clock.ts';
import { PASSWORD, world } from '../world.ts';

const w = world(test);
const run = promisify(execFile);

/** Programs that others wrote; a machine without them says so. */
async function isThere(program: string, args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

test("Debian's oathtool logs in with the registered secret", async (t) => {
  if (!(await isThere('oathtool', ['--version']))) {
    t.log('SKIPPED: there is no oathtool on this machine');
    return t.pass();
  }
  const { id } = await w.account();
  const { manualEntryCode } = (await attempt(w, { id }, '/api/tokens/otp/registration')).body;
  // the platform's clock stands still in tests
  const now = `${new Date(clock()).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const { stdout } = await run('oathtool', ['--totp', '--base32', `--now=${now}`, manualEntryCode]);
  const { status, body } = await attempt(w, { id, otp: stdout.trim(), otpAuthenticator: 'APPAUTH' });
  t.is(status, 200);
  t.truthy(body.accessToken.token);
});

const PYTHON = '/opt/ref/bin/python';
const VERIFY = `
import json, sys, jwt
token, keys = sys.argv[1], json.loads(sys.argv[2])
kid = jwt.get_unverified_header(token)['kid']
key = next(jwt.PyJWK(one) for one in keys['keys'] if one['kid'] == kid)
print(json.dumps(jwt.decode(token, key.key, algorithms=['RS256'], audience='platform', issuer='platform')))
`;

test('PyJWT verifies a token with only the published keys, also after a rotation', async (t) => {
  if (!(await isThere(PYTHON, ['-c', 'import jwt']))) {
    t.log(`SKIPPED: there is no ${PYTHON} with PyJWT on this machine`);
    return t.pass();
  }
  const { id } = await w.account();
  const login = async () => (await w.nobody.post('/api/tokens', { id, password: PASSWORD })).body.accessToken.token;
  const verified = async (token: string) => {
    const { body } = await w.nobody.get('/.well-known/jwks.json');
    return JSON.parse((await run(PYTHON, ['-c', VERIFY, token, JSON.stringify(body)])).stdout);
  };
  const before = await login();
  t.is((await verified(before)).sub, id);
  await w.as(await w.administrator()).post('/api/tokens/keys/rotate');
  t.is((await verified(before)).sub, id);
  t.is((await verified(await login())).sub, id);
  await t.throwsAsync(verified(`${before.slice(0, -8)}AAAAAAAA`), { message: /InvalidSignatureError/ });
});

/** The reference Python where there is one, else the machine's own, with the module. */
async function pythonWith(module: string): Promise<string | undefined> {
  for (const python of [PYTHON, 'python3']) if (await isThere(python, ['-c', `import ${module}`])) return python;
  return undefined;
}

async function openapiFile(t: { teardown(f: () => Promise<void>): void }) {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'openapi.json');
  await writeFile(path, JSON.stringify((await w.nobody.get('/openapi.json')).body));
  return { folder, path };
}

test('openapi-spec-validator finds the description to be valid OpenAPI 3.1', async (t) => {
  const python = await pythonWith('openapi_spec_validator');
  if (python === undefined) {
    t.log('SKIPPED: there is no Python with openapi-spec-validator (PyPI) on this machine');
    return t.pass();
  }
  const { path } = await openapiFile(t);
  const program =
    'import json, sys, openapi_spec_validator as v; v.OpenAPIV31SpecValidator(json.load(open(sys.argv[1]))).validate()';
  await t.notThrowsAsync(run(python, ['-c', program, path]));
});

const PYTHON_PROGRAM = `
import json, sys
from client import AuthenticatedClient, Client
from client.api.projects import create_project, get_project, list_projects
from client.api.tokens import sign_in
from client.models import NewProject, NewProjectMetadata, Problem, SignInBody
url, login, password = sys.argv[1:]
tokens = sign_in.sync(client=Client(base_url=url), body=SignInBody(id=login, password=password))
assert tokens.access_token.expiration.tzinfo is not None
own = AuthenticatedClient(base_url=url, token=tokens.access_token.token)
made = create_project.sync(client=own, body=NewProject(name='Generated', metadata=NewProjectMetadata.from_dict({'kept': None})))
page = list_projects.sync(client=own, name_prefix='Gen', limit=5)
refused = get_project.sync(client=own, id='00000000-0000-4000-8000-000000000000')
assert isinstance(refused, Problem)
print(json.dumps({'id': made.id, 'metadata': made.metadata.to_dict(), 'found': [one.name for one in page.data], 'refused': refused.code}))
`;

test('A Python client is generated from the description, compiles, and signs in, creates and lists', async (t) => {
  t.timeout(170_000);
  const python = await pythonWith('openapi_python_client, httpx');
  if (python === undefined) {
    t.log('SKIPPED: there is no Python with openapi-python-client (PyPI) on this machine');
    return t.pass();
  }
  const { folder, path } = await openapiFile(t);
  const generate = ['-m', 'openapi_python_client', 'generate', '--path', path, '--meta', 'none'];
  const { stdout: told } = await run(python, [...generate, '--output-path', join(folder, 'client')], { cwd: folder });
  t.notRegex(told, /Endpoint will not be generated|Unable to parse/, told);
  await run(python, ['-m', 'compileall', '-q', join(folder, 'client')]);
  await writeFile(join(folder, 'program.py'), PYTHON_PROGRAM);
  const url = await w.listen();
  const { id } = await w.account();
  const { stdout } = await run(python, [join(folder, 'program.py'), url, id, PASSWORD], { cwd: folder });
  const { metadata, found, refused } = JSON.parse(stdout);
  t.deepEqual([metadata, found, refused], [{ kept: null }, ['Generated'], 'NotFound']);
});
