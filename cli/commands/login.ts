import type { Command } from 'commander';
import { record, UsageError } from 'hydrofiles/terminal';
import type { Principal } from '../../src/keys/routes.ts';
import type { AccessTokenAnswer } from '../../src/tokens/answers.ts';
import type { Credentials } from '../../src/tokens/credentials.ts';
import type { OtpRequired } from '../../src/tokens/log-in.ts';
import type { Answer } from '../client.ts';
import type { Io } from '../io.ts';
import type { Fill } from '../noun.ts';
import { type PasswordOptions, passwordFrom } from '../password.ts';

export interface CredentialOptions extends PasswordOptions {
  id?: string;
  otp?: string;
  otpAuthenticator?: string;
}

export const loginCommand: Fill = (command, io) =>
  void takesCredentials(command).action((options) => login(io, options));
export const logoutCommand: Fill = (command, io) => void command.action(() => logout(io));
export const whoamiCommand: Fill = (command, io) => void command.action(() => whoami(io));

async function login(io: Io, options: CredentialOptions): Promise<void> {
  let id = '';
  const answer = await tokensFor(io, options, (credentials) => {
    id = credentials.id;
    return io.api.logIn(credentials);
  });
  io.show(answer, () => `Logged in as ${id} at ${io.api.url}.`);
}

/** Adds the options of commands that send a password. */
export const takesCredentials = (command: Command): Command =>
  command
    .option('--id <id>', 'login id of the account')
    .option('--password-stdin', 'read the password from stdin')
    .option('--otp <code>', 'one-time password, or a recovery code')
    .option('--otp-authenticator <type>', 'type of the authenticator of --otp, such as APPAUTH');

/** Takes credentials from the options, and asks for the others. */
export async function credentialsFrom(io: Io, options: CredentialOptions): Promise<Credentials> {
  const id = options.id ?? (await io.ask('Login id:', 'Use --id and --password-stdin'));
  const password = await passwordFrom(io, options);
  return { id, password, otp: options.otp, otpAuthenticator: options.otpAuthenticator };
}

/** Logs in with `send`. Asks for a one-time password if the server requires it. */
export async function tokensFor<Tokens extends AccessTokenAnswer>(
  io: Io,
  options: CredentialOptions,
  send: (credentials: Credentials) => Promise<Answer<Tokens | OtpRequired>>,
): Promise<Answer<Tokens>> {
  const credentials = await credentialsFrom(io, options);
  let answer = await send(credentials);
  if ('otpRequired' in answer.body) {
    const types = answer.body.otpAuthenticatorIds.join(' or ');
    if (!io.interactive) throw new UsageError(`A code is required: --otp (${types}).`);
    const otp = await io.ask(`One-time password (${types}):`, 'Use --otp');
    answer = await send({ ...credentials, otp });
    if ('otpRequired' in answer.body) throw new Error('A one-time password is needed.');
  }
  return answer as Answer<Tokens>;
}

async function logout(io: Io): Promise<void> {
  const { url } = io.api;
  const sentences = {
    notLoggedIn: `Nobody was logged in at ${url}.`,
    locally: `Logged out of ${url} on this machine. The server did not end the login, which expires by itself.`,
    everywhere: `Logged out of ${url}.`,
  };
  const done = await io.api.logOut();
  if (io.json) io.out(JSON.stringify({ url, loggedOut: done !== 'notLoggedIn', ended: done === 'everywhere' }));
  else io.note(sentences[done]);
}

async function whoami(io: Io): Promise<void> {
  const answer = await io.api.call<Principal>('GET', '/api/iam/principal/me');
  io.show(answer, ({ id, name, email, role, tenantId }) => record({ name, id, email, tenant: tenantId, role }));
}
