import { integer, UsageError } from 'hydrofiles/terminal';
import type { Fill } from '../noun.ts';
import { milliseconds } from '../options.ts';
import { finishBeforeStop } from '../stop-signal.ts';

const TARGET = 'a folder, or s3://[key:secret@]host/bucket[/folder]';
const NEWEST = 'backup, as in `backup list` (default: the newest complete one)';
const TARGETS = `
Of an s3:// target without key and secret, they are read from
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;

const PRUNE = `
With both options, a backup is deleted if both allow it. Remains of backups and
prunes that were stopped are deleted as well.
`;

const run = () => import('./backup-run.ts');

export const backupCommands: Fill = (backup, io) => {
  backup
    .command('create')
    .description('back up the database and the blobs of the settings; blobs that the target has are not written again')
    .argument('<target>', TARGET)
    .addHelpText('after', TARGETS)
    .action(async (target: string) => {
      const { createBackup } = await run();
      await finishBeforeStop((stop) => createBackup(io, target, stop));
    });
  backup
    .command('list')
    .description('list the backups of a target, newest first')
    .argument('<target>', TARGET)
    .addHelpText('after', TARGETS)
    .action(async (target: string) => (await run()).listBackups(io, target));
  backup
    .command('verify')
    .description('read all of a backup and compare it with what was written')
    .argument('<target>', TARGET)
    .argument('[id]', NEWEST)
    .addHelpText('after', TARGETS)
    .action(async (target: string, id: string | undefined) => {
      const { verifyBackup } = await run();
      await finishBeforeStop((stop) => verifyBackup(io, target, id, stop));
    });
  backup
    .command('restore')
    .description('restore into the empty database and blob store of the settings; goes on after it was stopped')
    .argument('<target>', TARGET)
    .argument('[id]', NEWEST)
    .addHelpText('after', TARGETS)
    .action(async (target: string, id: string | undefined) => {
      const { restoreBackup } = await run();
      await finishBeforeStop((stop) => restoreBackup(io, target, id, stop));
    });
  backup
    .command('prune')
    .description('delete old backups, and the blobs that no other backup needs; the newest complete one stays')
    .argument('<target>', TARGET)
    .option('--keep <count>', 'so many complete backups of each database stay, the newest ones', integer(1, 100_000))
    .option('--older-than <duration>', 'younger backups stay, such as 90d', milliseconds)
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .addHelpText('after', PRUNE + TARGETS)
    .action(async (target: string, options: { keep?: number; olderThan?: number; dryRun?: boolean }) => {
      if (options.keep === undefined && options.olderThan === undefined)
        throw new UsageError('Which backups are old? Give --keep, --older-than, or both.');
      const { pruneBackups } = await run();
      await finishBeforeStop((stop) => pruneBackups(io, target, options, stop));
    });
};
