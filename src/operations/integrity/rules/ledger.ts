import { verify } from '../../../credits/verify.ts';
import type { Rule } from '../rule.ts';

/** The ledger of credits, as `platform credit verify` checks it. */
export const ledger: Rule = {
  name: 'ledger',
  async find({ db }) {
    const { wrong } = await verify(db);
    if (wrong === undefined) return [];
    const { tenantId = 'the generic pool', seq, lotId, reason } = wrong;
    const place = seq === undefined ? `lot ${lotId}` : `entry ${seq}`;
    return [{ id: `${tenantId}/${seq ?? lotId}`, message: `${reason} (${place} of ${tenantId})` }];
  },
};
