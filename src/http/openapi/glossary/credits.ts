import type { Glossary } from './entry.ts';

const TENANT = '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10';

/** The ledger of credits. */
export const CREDITS: Glossary = {
  credits: ['Amount, with up to six decimal places.', 75.5],
  'CreditBalance.status': ['Status.', 'Available'],
  'CreditDetail.status': ['Status.', 'Available'],
  'ExtendedCreditDetail.status': ['Status.', 'Available'],
  billingReference: 'Billing reference.',
  'BillingReference.billingReference': ['Name of the billing reference.', 'C-1042'],
  'NewBillingReference.billingReference': ['Name of the billing reference.', 'C-1042'],
  billingReferenceType: ['Type of the billing reference.', 'EXT'],
  billingReferenceTag: ['Note on the billing reference.', 'Framework 2026'],
  'ExtendedCreditDetail.projectName': ['Name of the project.', 'Upper valley'],
  salesOrderId: ['Sales order.', 'SO-2026-17'],
  operationId: ['Operation that reserves or spends the credits, such as the id of a transfer.', 'run-4711'],
  sourceTenantId: ['Tenant that gives the credits. Empty: the generic pool.', TENANT],
  lots: ['Number of lots.', 3],
  pools: ['Number of pools.', 2],
  available: ['Credits that are available.', 300],
  spentPerDay: ['Mean of the credits spent per day.', 12.5],
  lastsUntil: ['Time when nothing is left at this pace, UTC.', '2026-02-17T08:17:02.4350000'],
  expiring: 'What is available, by its expiry.',
  maxCredits: ['The most that the transfer may cost; it ends if it would cost more.', 20],
  'DryRun.credits': ['Credits that the start would reserve. Absent: it is free.', 24.5],
  unspent: ['Credits that are left when they expire, at this pace.', 25],
  seq: ['Number of the entry in its pool.', 17],
  'CreditEntry.kind': ['Kind of the operation that wrote the entry.', 'Reserve'],
  'CreditEntry.account': ['Account of the entry.', 'Reserved'],
  lotId: ['Lot that the credits belong to: what one add or move put into the pool.', 4],
  'CreditVerification.valid': ['Whether the ledger is right.', true],
  'CreditVerification.entries': ['Number of entries.', 1200],
  wrong: 'The first wrong entry.',
  'CreditEntry.credits': ['Amount; negative on the account that gives.', 75.5],
};
