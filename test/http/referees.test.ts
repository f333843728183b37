import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { attempt } from '../world/authenticator.ts';
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
  const { stdout } = await run('oathtool', ['--totp', '--base32', manualEntryCode]);
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

test('PyJWT verifies a token from the published keys alone, also after a rotation', async (t) => {
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
