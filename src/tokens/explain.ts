import { standingInTheWay } from '../accounts/account.ts';
import { findSignInState, getAccount } from '../accounts/queries.ts';
import { invalidMember } from '../errors.ts';
import { contains, parseAddress } from '../platform/net/networks.ts';
import type { LoginParts } from './log-in.ts';
import { findOtpFailures } from './second-factor.queries.ts';
import { demandOf, findFactor } from './second-factor.ts';

/** What a login of an account from an address would meet, and why, in the order in which it would. Shows no secret. */
export async function explainLogin({ db, delay, factor }: LoginParts, accountId: string, ip: string) {
  const address = parseAddress(ip);
  if (!address) throw invalidMember('ip', `'${ip}' is no network address.`);
  const { id, userId } = await getAccount(db, accountId);
  const state = await findSignInState(db, id);
  const found = await findFactor(db, factor, userId);
  const decision = demandOf(found, ip);
  const { failures, waitMs } = await delay.standing({ address: ip, account: id });
  const otp = await findOtpFailures(db, userId);
  const obstacle = state && standingInTheWay(state)?.sentence;
  const groups = found.groups.map(({ name, demand }) => ({
    name,
    networks: demand.networks.map(({ network, text }) => ({ cidr: text, matches: contains(network, address) })),
    authenticators: demand.authenticators.map(({ type }) => type),
    malformed: demand.malformed,
  }));
  const reasons = [
    obstacle ?? 'The account may be used.',
    ...groups.flatMap(({ name, malformed }) => malformed.map((sentence) => `Group ${name}: ${sentence}`)),
    sentenceOf(decision, ip, groups),
    ...(otp?.blockedFor === undefined
      ? []
      : [`${otp.failures} wrong one-time passwords in a row: none is looked at for ${otp.blockedFor} s.`]),
    failures === 0
      ? 'Nobody has failed to log in from this address in the last hour.'
      : `${failures} failed logins from this address in the last hour: the next one that fails waits ${waitMs / 1000} s.`,
  ];
  return {
    account: id,
    address: ip,
    outcome: obstacle ? ('refused' as const) : decision.outcome,
    ...(obstacle ? { refusal: obstacle } : {}),
    ...(decision.outcome === 'free' && decision.network !== undefined ? { network: decision.network } : {}),
    ...(decision.outcome === 'code' ? { otpAuthenticatorIds: decision.types } : {}),
    groups,
    ownAuthenticators: found.authenticators.filter(({ own }) => own).map(({ type }) => type),
    otpFailures: otp?.failures ?? 0,
    delay: { failures, nextWaitSeconds: waitMs / 1000 },
    reasons,
  };
}

function sentenceOf(
  decision: ReturnType<typeof demandOf>,
  ip: string,
  groups: { name: string; networks: { matches: boolean }[] }[],
): string {
  switch (decision.outcome) {
    case 'forbidden':
      return `${ip} is in none of the networks of its groups, and there is no authenticator: the login is refused.`;
    case 'code':
      return `A one-time password is asked for: ${decision.types.join(' or ')}.`;
    case 'free': {
      if (decision.network === undefined) return 'Nothing asks for a second factor.';
      const group = groups.find(({ networks }) => networks.some(({ matches }) => matches));
      return `${ip} is in the network ${decision.network} of the group ${group?.name}: no one-time password is asked for.`;
    }
  }
}
