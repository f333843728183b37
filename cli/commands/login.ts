import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { record } from '../table.ts';

export interface PasswordOptions {
  passwordStdin?: boolean;
}

export function loginCommands(program: Command, io: Io): void {
  program
    .command('login')
    .description(
      'log in; what the server answers is kept for the next commands (with --json also printed: it holds tokens)',
    )
    .option('--id <id>', 'login id of the account')
    .option('--password-stdin', 'read the password from stdin')
    .action((options) => login(io, options));
  program
    .command('logout')
    .description('forget the login of this address')
    .action(() => logout(io));
  program
    .command('whoami')
    .description('show who is logged in, and in which tenant')
    .action(() => whoami(io));
}

async function login(io: Io, options: PasswordOptions & { id?: string }): Promise<void> {
  const id = options.id ?? (await io.ask('Login id:', 'give --id and --password-stdin'));
  const answer = await io.api.logIn(id, await passwordFrom(io, options));
  io.show(answer, () => `Logged in as ${id} at ${io.api.url}.`);
}

/** From stdin when asked for, else from the person; an empty one is none. */
export async function passwordFrom(
  io: Io,
  { passwordStdin }: PasswordOptions,
  question = 'Password:',
): Promise<string> {
  return passwordStdin ? io.stdin() : io.secret(question, 'give --password-stdin and the password on stdin');
}

async function logout(io: Io): Promise<void> {
  const { url } = io.api;
  const sentences = {
    'nobody was': `Nobody was logged in at ${url}.`,
    'only here': `Logged out of ${url} on this machine; the server did not end the login, which runs out by itself.`,
    everywhere: `Logged out of ${url}.`,
  };
  io.note(sentences[await io.api.logOut()]);
}

interface Principal {
  id: string;
  name: string;
  email?: string;
  role?: string;
  tenantId?: string;
}

async function whoami(io: Io): Promise<void> {
  const answer = await io.api.call<Principal>('GET', '/api/iam/principal/me');
  io.show(answer, ({ id, name, email, role, tenantId }) => record({ name, id, email, tenant: tenantId, role }));
}
