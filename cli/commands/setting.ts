import type { Settings } from '../../src/operations/summary/routes.ts';
import type { Fill } from '../noun.ts';

export const settingCommands: Fill = (setting, io) => {
  setting
    .command('list')
    .description('list the settings of the server, without secrets: durations in milliseconds, sizes in bytes')
    .option('--set', 'only those that are set')
    .action(async ({ set = false }: { set?: boolean }) => {
      const answer = await io.api.call<Settings>('GET', '/api/admin/settings');
      const data = answer.body.data.filter(({ source }) => !set || source !== 'default');
      io.list({ ...answer, body: { data } }, ['NAME', 'VALUE', 'SOURCE', 'VARIABLE'], (one) => [
        one.name,
        textOf(one),
        one.source,
        one.variable,
      ]);
    });
};

function textOf({ value, hidden }: Settings['data'][number]): string {
  if (value === undefined) return hidden ? '(hidden)' : '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
