import type { Fill } from '../noun.ts';
import { finishBeforeStop } from '../stop-signal.ts';

// Checks with direct access to settings, database and blob store. Their code is imported when they run.

const INTEGRITY = `
Reads only, unless --fix is given. Exit code 1 if there are findings.`;

export const integrityCommand: Fill = (command, io) => {
  command
    .option('--read', 'compare all bytes of all blobs with their digests, instead of a sample of 100')
    .option('--fix', 'derive anew what follows from other data, such as paths, entries of the search and lost jobs')
    .addHelpText('after', INTEGRITY)
    .action(async (options: { read?: boolean; fix?: boolean }) => {
      const { integrity } = await import('./integrity.ts');
      await finishBeforeStop((stop) => integrity(io, options, stop));
    });
};

const DOCTOR = `
Needs no running API and no login. Writes nothing but a blob of its own, which
it deletes. Exit code 1 if a check is not well.`;

export const doctorCommand: Fill = (command, io) => {
  command.addHelpText('after', DOCTOR).action(async () => {
    const { doctor } = await import('./doctor.ts');
    await finishBeforeStop((stop) => doctor(io, stop));
  });
};

const STATUS = `
Needs no login. Exit code 1 if something needs attention.`;

export const statusCommand: Fill = (command, io) => {
  command.addHelpText('after', STATUS).action(async () => {
    const { status } = await import('./status.ts');
    await finishBeforeStop((stop) => status(io, stop));
  });
};
