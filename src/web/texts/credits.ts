import { count, formatNumber } from '../client/format.ts';

export const creditTexts = {
  title: 'Credits',
  balance: 'Balance',
  statuses: { Available: 'Available', Reserved: 'Reserved', Spent: 'Spent', Expired: 'Expired' } as Record<
    string,
    string
  >,
  statusHints: {
    Available: 'can be spent',
    Reserved: 'for transfers under way',
    Spent: 'on finished transfers',
    Expired: 'not spent in time',
  } as Record<string, string>,
  forecast: 'Forecast',
  pace: (credits: number) => `${formatNumber(credits)} a day, mean of the last 30 days`,
  lasts: (time: string) => `Lasts until ${time} at this pace.`,
  notSpent: 'Nothing was spent in the last 30 days.',
  nothingLeft: 'No credits are available.',
  unspent: (credits: number) => `${count(credits, 'credit')} would expire unspent.`,
  chart: 'Available credits in the days to come',
  lots: 'Lots',
  noLots: 'No credits are available',
  noLotsWhy: 'An administrator or a seller adds credits to the tenant.',
  order: 'Order',
  expires: 'Expires',
  credits: 'Credits',
  ledger: 'Ledger',
  noLedger: 'Nothing was spent yet',
  noLedgerWhy: 'What transfers reserve and spend is listed here.',
  what: 'For',
  status: 'Status',
  time: 'Time',
};
