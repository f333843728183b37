import { type Noun, sectionOf } from '../noun.ts';

const login = () => import('../commands/login.ts');

/** Nouns of people: logins, accounts, groups, tenants, keys, invitations, links. */
export const PEOPLE: readonly Noun[] = sectionOf({ section: 'people' }, [
  {
    name: 'login',
    description: 'log in, and store the login for later commands (--json also prints it: it contains tokens)',
    load: async () => (await login()).loginCommand,
  },
  {
    name: 'logout',
    description: 'log out, and delete the stored login',
    load: async () => (await login()).logoutCommand,
  },
  {
    name: 'whoami',
    description: 'show who is logged in, and in which tenant',
    load: async () => (await login()).whoamiCommand,
  },
  {
    name: 'auth',
    description: 'logins: tokens, one-time passwords, recovery codes, and why a login goes as it does',
    load: async () => (await import('../commands/auth.ts')).authCommands,
  },
  {
    name: 'account',
    description: 'accounts of users (administrators)',
    audited: true,
    load: async () => (await import('../commands/account.ts')).accountCommands,
  },
  {
    name: 'group',
    description: 'groups of users (administrators)',
    audited: true,
    load: async () => (await import('../commands/group.ts')).groupCommands,
  },
  {
    name: 'tenant',
    description: 'tenants, which own projects',
    audited: true,
    load: async () => (await import('../commands/tenant.ts')).tenantCommands,
  },
  {
    name: 'key',
    description: 'API keys of a tenant (its owners and administrators)',
    audited: true,
    load: async () => (await import('../commands/key.ts')).keyCommands,
  },
  {
    name: 'invitation',
    description: 'your invitations to projects: list, accept; `project invite` makes one',
    load: async () => (await import('../commands/invitation.ts')).invitationCommands,
  },
  {
    name: 'share',
    description: 'links by which anybody who has one sees one dataset: list, end',
    audited: true,
    load: async () => (await import('../commands/share.ts')).shareCommands,
  },
  {
    name: 'otp',
    hidden: true,
    description: 'one-time passwords: authenticator apps and recovery codes',
    load: async () => (await import('../commands/otp.ts')).otpCommands,
  },
  {
    name: 'token',
    hidden: true,
    description: 'tokens: issue a token, list logins, end logins',
    load: async () => (await import('../commands/token.ts')).tokenCommands,
  },
]);
