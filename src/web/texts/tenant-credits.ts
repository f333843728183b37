import { count } from '../client/format.ts';

export const tenantCreditTexts = {
  title: (name: string) => `Credits of ${name}`,
  pool: 'In the generic pool',
  what: 'What to do',
  kinds: {
    add: 'Add credits that were sold',
    fromPool: 'Move credits from the generic pool',
    toPool: 'Move credits to the generic pool',
    toTenant: 'Move credits to another tenant',
  } as Record<string, string>,
  add: 'Add',
  move: 'Move',
  done: (credits: number, name: string, less: boolean) =>
    `${name} has ${count(credits, 'credit')} ${less ? 'less' : 'more'}.`,
  sellersOnly: 'Who has the role BackOffice or PlatformAdministrator can also add credits.',
  order: 'Sales order',
  reference: 'Billing reference',
};
