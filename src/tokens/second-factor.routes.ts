import { z } from 'zod';
import { getSecondFactor, setSecondFactor } from '../groups/set-second-factor.ts';
import { type App, Routes } from '../http/route.ts';
import { component, flag, number, objects, rowVersion, text, texts, timeText } from '../http/rules/members.ts';
import { explainLogin } from './explain.ts';
import type { LoginParts } from './log-in.ts';
import { previewSecondFactor } from './preview.ts';

const Path = z.object({ id: text('Id of the group.') });
const Body = component('SecondFactorEntries', {
  entries: z
    .array(z.string())
    .max(1000)
    .meta({
      description: 'Networks and authenticators: `CIDR:…` or `APPAUTH:…`, with an optional `&Comment:…`.',
      example: ['CIDR:10.0.0.0/8&Comment:office'],
    }),
});
const Entries = Body.extend({ rowVersion }).meta({ id: 'GroupSecondFactor' });
const Change = Body.extend({
  rowVersion: rowVersion.optional(),
  before: z
    .array(z.string())
    .max(1000)
    .optional()
    .meta({
      description: 'Entries as they were read. If the group has others meanwhile, the answer is 409.',
      example: ['CIDR:10.0.0.0/8'],
    }),
}).meta({ id: 'SecondFactorChange' });
const Affected = z.array(
  z.object({
    address: text('Address from which the member logged in.', '203.0.113.9'),
    logins: number('Number of logins from the address.'),
    lastAt: timeText('Time of the last login, UTC.'),
  }),
);
const Preview = component('SecondFactorPreview', {
  days: number('Number of past days whose logins were replayed.'),
  lockedOut: texts('Login ids whose logins would be refused.'),
  registerAgain: texts('Login ids whose authenticator is replaced or removed, so that they must register again.'),
  accounts: objects('Members of the group, with the changed outcomes of their logins.', {
    id: text('Login id of the member.', 'ann'),
    logins: number('Number of past logins of the member.'),
    refused: Affected.describe('Logins that would be refused, by address.'),
    asked: Affected.describe('Logins that would need a one-time password, by address.'),
    mustRegister: flag('Whether the account has no authenticator yet.'),
  }),
});
export type Preview = z.infer<typeof Preview>;
const Explained = component('LoginExplanation', {
  account: text('Login id that is explained.', 'ann'),
  address: text('Address of the login.', '203.0.113.9'),
  outcome: z.enum(['free', 'code', 'forbidden', 'refused']).describe('Outcome of the login.'),
  refusal: text('Why the login is refused.', 'The account is locked.').optional(),
  network: text('Allowed network that contains the address.', '10.0.0.0/8').optional(),
  otpAuthenticatorIds: texts('Types of authenticators whose one-time passwords are accepted.', ['APPAUTH']).optional(),
  groups: objects('Groups of the account, with their second factors.', {
    name: text('Name of the group.', 'Staff'),
    networks: objects('Networks from which no one-time password is required.', {
      cidr: text('The network.', '10.0.0.0/8'),
      matches: flag('Whether it contains the address.'),
    }),
    authenticators: texts('Authenticators of the group.', ['APPAUTH']),
    malformed: texts('Entries that cannot be read.'),
  }),
  ownAuthenticators: texts("Types of the account's own authenticators."),
  otpFailures: number('Number of wrong one-time passwords in a row.'),
  delay: z
    .object({
      failures: number('Number of failed logins that count.'),
      nextWaitSeconds: number('Delay of the next failure in seconds.'),
    })
    .describe('Delay of the next failed login.'),
  reasons: texts('Reasons, as sentences.', ['The address is in 10.0.0.0/8.']),
});
export type Explained = z.infer<typeof Explained>;

export async function secondFactorRoutes(app: App, parts: LoginParts) {
  const routes = new Routes(app, { access: 'administrators', service: 'groups' });
  const { db } = parts;
  const { metadataKey, sealer } = parts.secondFactor;

  routes.get('/api/usergroups/:id/second-factor', {
    operationId: 'getGroupSecondFactor',
    summary: 'Returns the second-factor entries of a group',
    description:
      'Setup codes are hidden. An entry that is sent back keeps its setup code. The version is that of the group.',
    params: Path,
    response: { 200: Entries },
    handler: async ({ params }) => getSecondFactor(db, { secondFactorKey: metadataKey }, params.id),
  });

  routes.put('/api/usergroups/:id/second-factor', {
    operationId: 'setGroupSecondFactor',
    summary: 'Sets which second factor a group requires of its members',
    description: 'Replaces the second-factor entries in the metadata of the group. An empty list requires none.',
    params: Path,
    body: Change,
    response: { 204: z.null() },
    handler: ({ caller, params, body }) =>
      setSecondFactor({ db, secondFactorKey: metadataKey, sealer }, caller, params.id, body),
  });

  routes.post('/api/usergroups/:id/second-factor/preview', {
    operationId: 'previewGroupSecondFactor',
    summary: 'Previews second-factor entries of a group',
    description: 'Replays the logins of the last 30 days and tells who would be locked out or need a code.',
    params: Path,
    body: Body,
    response: { 200: Preview },
    handler: async ({ params, body }) =>
      previewSecondFactor({ db, secondFactorKey: metadataKey, sealer }, params.id, body.entries),
  });

  routes.get('/api/tokens/explain', {
    operationId: 'explainLogin',
    summary: 'Explains the outcome of a login of an account from an address',
    querystring: z.object({ account: text('Login id that is explained.'), ip: text('IP address.') }),
    response: { 200: Explained },
    config: { service: 'tokens' },
    handler: async ({ query }) => explainLogin(parts, query.account, query.ip),
  });
}
