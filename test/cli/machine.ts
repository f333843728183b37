import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../cli/main.ts';
import { PASSWORD, type World } from '../world.ts';
import { type PersonOptions, person } from './person.ts';

export interface Seen {
  code: number;
  out: string;
  err: string;
}

/** A person at a machine of their own, with the program and a platform to speak to. */
export interface Machine {
  url: string;
  /** An empty folder of this machine; what the program keeps is in its subfolder `config`. */
  folder: string;
  run(argv: string[], options?: PersonOptions & { env?: Record<string, string> }): Promise<Seen>;
  logIn(id: string): Promise<Seen>;
  /** The file that keeps the login. */
  loginPath(): Promise<string>;
}

type Test = { teardown(work: () => Promise<void>): void };

/** Machines that speak to the server of this world, which listens from the first one on. */
export function machines(w: World): (t: Test) => Promise<Machine> {
  return async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'platform-cli-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const url = await w.listen();
    const config = join(folder, 'config');
    const run: Machine['run'] = async (argv, options = {}) => {
      const { io, out, err } = person({ PLATFORM_URL: url, XDG_CONFIG_HOME: config, ...options.env }, options);
      const code = await main(argv, io);
      return { code, out: out(), err: err() };
    };
    const logins = join(config, 'platform', 'logins');
    return {
      url,
      folder,
      run,
      logIn: (id) => run(['login', '--id', id, '--password-stdin'], { stdin: `${PASSWORD}\n` }),
      loginPath: async () => join(logins, (await readdir(logins))[0] ?? ''),
    };
  };
}
