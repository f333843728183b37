import { Command, CommanderError } from 'commander';
import { accountCommands } from './commands/account.ts';
import { auditCommands } from './commands/audit.ts';
import { authCommands } from './commands/auth.ts';
import { converterCommands } from './commands/converter.ts';
import { cronCommands } from './commands/cron.ts';
import { crsCommands } from './commands/crs.ts';
import { datasetCommands } from './commands/dataset.ts';
import { eventCommands } from './commands/event.ts';
import { groupCommands } from './commands/group.ts';
import { hierarchyCommands } from './commands/hierarchy.ts';
import { jobCommands } from './commands/job.ts';
import { keyCommands } from './commands/key.ts';
import { keysCommands } from './commands/keys.ts';
import { loginCommands } from './commands/login.ts';
import { otpCommands } from './commands/otp.ts';
import { processCommands } from './commands/processes.ts';
import { projectCommands } from './commands/project.ts';
import { recycleBinCommands } from './commands/recycle-bin.ts';
import { tenantCommands } from './commands/tenant.ts';
import { tokenCommands } from './commands/token.ts';
import { transferCommands } from './commands/transfer.ts';
import { webhookCommands } from './commands/webhook.ts';
import { workerCommands } from './commands/worker.ts';
import { NotLoggedIn, UsageError } from './errors.ts';
import type { Io } from './io.ts';
import { terminal } from './io.ts';
import { plain } from './table.ts';

/** In the order of `--help`. Each adds its commands to the program; an action that fails throws. */
const LOCAL = [processCommands];
const SPEAKING = [
  loginCommands,
  otpCommands,
  tokenCommands,
  authCommands,
  accountCommands,
  groupCommands,
  tenantCommands,
  keyCommands,
  keysCommands,
  auditCommands,
  projectCommands,
  datasetCommands,
  hierarchyCommands,
  recycleBinCommands,
  transferCommands,
  converterCommands,
  crsCommands,
  eventCommands,
  webhookCommands,
  jobCommands,
  workerCommands,
  cronCommands,
];

const EXIT = { ok: 0, failed: 1, usage: 2, notLoggedIn: 3 } as const;

/** Runs one command. Gives the exit code: 0 done, 1 refused or failed, 2 wrong usage, 3 not logged in. */
export async function main(argv: readonly string[], io = terminal(process, process.env)): Promise<number> {
  try {
    await program(io).parseAsync(argv, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return exitCode(error, io);
  }
}

function program(io: Io): Command {
  const program = new Command('platform')
    .description('A data platform: projects, datasets, and the transfers that convert them.')
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
      outputError: (text) => io.note(`platform: ${text.replace(/^error: /, '').trimEnd()}`),
    })
    .hook('preAction', (_, command) => {
      const { json } = command.opts<{ json?: boolean }>();
      io.json = json ?? false;
    });
  for (const add of LOCAL) add(program, io);
  const local = program.commands.length;
  for (const add of SPEAKING) add(program, io);
  for (const [at, command] of program.commands.entries()) {
    for (const leaf of leavesOf(command)) {
      leaf.option('--json', "print the server's answer as it came");
      // some name another tenant, where their header would only narrow who asks
      const ownTenant = leaf.options.some(({ long }) => long === '--tenant');
      if (at >= local && !ownTenant && !EVERYWHERE.has(command.name())) actsInTenant(leaf, io);
      if (AUDITED.has(command.name()) && !READING.has(leaf.name())) saysWhy(leaf, io);
    }
  }
  return program;
}

const leavesOf = (command: Command): Command[] => {
  if (command.commands.length === 0) return [command];
  command.helpCommand(false);
  return command.commands.flatMap(leavesOf);
};

function actsInTenant(command: Command, io: Io): void {
  command.option('--tenant <id>', 'act in this tenant instead of the home tenant').hook('preAction', () => {
    io.api.tenant = command.opts<{ tenant?: string }>().tenant;
  });
}

/** Nouns whose changes are in the audit trail, and their verbs that change nothing. */
const AUDITED = new Set(['account', 'group', 'tenant', 'key', 'job']);
const READING = new Set(['list', 'show', 'why', 'failures', 'retries']);
/** Nouns that belong to no tenant. */
const EVERYWHERE = new Set(['job', 'worker', 'cron']);

function saysWhy(command: Command, io: Io): void {
  command.option('--reason <text>', 'why, for the audit trail').hook('preAction', () => {
    io.api.reason = command.opts<{ reason?: string }>().reason;
  });
}

/** Says on stderr what went wrong, in one line, and gives the code for it. */
function exitCode(error: unknown, io: Io): number {
  // commander has said it already, or was asked for its help
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (io.env.NODE_DEBUG?.includes('platform') && error instanceof Error) io.note(error.stack ?? '');
  const message = error instanceof Error ? error.message || error.name : String(error);
  io.note(`platform: ${plain(message.replace(/\s*\n\s*/g, ' '))}`);
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof NotLoggedIn ? EXIT.notLoggedIn : EXIT.failed;
}
