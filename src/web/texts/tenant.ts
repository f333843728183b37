/** `Ann, Bo or Cy` */
export const someOf = (names: readonly string[]): string =>
  names.length === 0 ? 'one of them' : [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ');

export const tenantTexts = {
  ownersOnly: 'Only Owners of the tenant see this',
  ownersOnlyWhy: (tenant: string, owners: readonly string[]) =>
    `You are a Member of ${tenant}. Ask ${someOf(owners)} to make you an Owner, under Members.`,
};

export const keyTexts = {
  title: 'API keys',
  about: 'Programs sign in with a key instead of a password. A key has its role in every project of the tenant.',
  create: 'New key',
  createTitle: 'New API key',
  none: 'No API keys',
  noneWhy: 'Make one for a script, a scheduled import or another system that reads or writes data of this tenant.',
  name: 'Name',
  nameHint: 'What it is for, such as Nightly import.',
  role: 'Role',
  roleHints: {
    Reader: 'Reader: reads all projects',
    Contributor: 'Contributor: reads and writes all projects',
    Owner: 'Owner: everything, also members and keys',
  } as Record<string, string>,
  expires: 'Expires',
  expiresHint: 'Without a date the key works until it is revoked.',
  networks: 'Networks',
  networksHint: 'One a line, such as 203.0.113.0/24. Empty: from everywhere.',
  never: 'never',
  expired: 'expired',
  madeBy: 'Made by',
  you: 'you',
  makerGone: 'somebody who is gone',
  lastUsed: 'Last used',
  used: (time: string, from: string | undefined) => (from === undefined ? time : `${time} from ${from}`),
  unused: 'not yet',
  secret: 'The key',
  secretHint: 'Programs send it in the header',
  serviceHint: 'beside',
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeWhy: 'Programs that use this key are refused at once. It cannot be brought back.',
  revoked: (name: string) => `The key ${name} is revoked.`,
};
