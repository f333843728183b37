import { z } from 'zod';
import { getSecondFactor, setSecondFactor } from '../groups/set-second-factor.ts';
import type { App } from '../http/route.ts';
import { explainLogin } from './explain.ts';
import type { LoginParts } from './log-in.ts';
import { previewSecondFactor } from './preview.ts';

const Path = z.object({ id: z.string() });
const Body = z.object({ entries: z.array(z.string()).max(1000) }).meta({ id: 'SecondFactorEntries' });
const Change = Body.extend({ before: z.array(z.string()).max(1000).optional() }).meta({ id: 'SecondFactorChange' });
const Affected = z.array(z.object({ address: z.string(), logins: z.number(), lastAt: z.string() }));
const Preview = z
  .object({
    days: z.number(),
    lockedOut: z.array(z.string()),
    registerAgain: z.array(z.string()),
    accounts: z.array(
      z.object({
        id: z.string(),
        logins: z.number(),
        refused: Affected,
        asked: Affected,
        mustRegister: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'SecondFactorPreview' });
export type Preview = z.infer<typeof Preview>;
const Explained = z
  .object({
    account: z.string(),
    address: z.string(),
    outcome: z.enum(['free', 'code', 'forbidden', 'refused']),
    refusal: z.string().optional(),
    network: z.string().optional(),
    otpAuthenticatorIds: z.array(z.string()).optional(),
    groups: z.array(
      z.object({
        name: z.string(),
        networks: z.array(z.object({ cidr: z.string(), matches: z.boolean() })),
        authenticators: z.array(z.string()),
        malformed: z.array(z.string()),
      }),
    ),
    ownAuthenticators: z.array(z.string()),
    otpFailures: z.number(),
    delay: z.object({ failures: z.number(), nextWaitSeconds: z.number() }),
    reasons: z.array(z.string()),
  })
  .meta({ id: 'LoginExplanation' });
export type Explained = z.infer<typeof Explained>;

export async function secondFactorRoutes(app: App, parts: LoginParts) {
  const { db } = parts;
  const { metadataKey, sealer } = parts.secondFactor;

  app.get(
    '/api/usergroups/:id/second-factor',
    {
      config: { access: 'administrators', service: 'groups' },
      schema: {
        operationId: 'getGroupSecondFactor',
        summary: 'Returns the second-factor entries of a group',
        description: 'Setup codes are hidden. An entry that is sent back keeps its setup code.',
        params: Path,
        response: { 200: Body },
      },
    },
    async ({ params }) => ({ entries: await getSecondFactor(db, { secondFactorKey: metadataKey }, params.id) }),
  );

  app.put(
    '/api/usergroups/:id/second-factor',
    {
      config: { access: 'administrators', service: 'groups' },
      schema: {
        operationId: 'setGroupSecondFactor',
        summary: 'Sets which second factor a group requires of its members',
        description: 'Replaces the second-factor entries in the metadata of the group. An empty list requires none.',
        params: Path,
        body: Change,
        response: { 204: z.null() },
      },
    },
    async ({ caller, params, body }, reply) => {
      await setSecondFactor({ db, secondFactorKey: metadataKey, sealer }, caller, params.id, body);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/api/usergroups/:id/second-factor/preview',
    {
      config: { access: 'administrators', service: 'groups' },
      schema: {
        operationId: 'previewGroupSecondFactor',
        summary: 'Previews second-factor entries of a group',
        description: 'Replays the logins of the last 30 days and tells who would be locked out or need a code.',
        params: Path,
        body: Body,
        response: { 200: Preview },
      },
    },
    async ({ params, body }) =>
      previewSecondFactor({ db, secondFactorKey: metadataKey, sealer }, params.id, body.entries),
  );

  app.get(
    '/api/tokens/explain',
    {
      config: { access: 'administrators', service: 'tokens' },
      schema: {
        operationId: 'explainLogin',
        summary: 'Explains the outcome of a login of an account from an address',
        querystring: z.object({ account: z.string(), ip: z.string() }),
        response: { 200: Explained },
      },
    },
    async ({ query }) => explainLogin(parts, query.account, query.ip),
  );
}
