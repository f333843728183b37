import { accountStatusError } from '../accounts/account.ts';
import { findLoginState } from '../accounts/login.queries.ts';
import { getAccount } from '../accounts/queries.ts';
import { invalidMember } from '../errors.ts';
import { contains, parseAddress } from '../platform/net/networks.ts';
import type { LoginParts } from './log-in.ts';
import { findOtpFailures } from './second-factor.queries.ts';
import { type Decision, decide, findPolicy } from './second-factor.ts';

/**
 * Explains the outcome of a login of an account from an address; `reasons` has the order of the login's checks.
 * Contains no secret.
 */
export async function explainLogin({ db, delay, secondFactor }: LoginParts, accountId: string, ip: string) {
  const address = parseAddress(ip);
  if (!address) throw invalidMember('ip', `'${ip}' is not an IP address.`);
  const { id, userId } = await getAccount(db, accountId);
  const state = await findLoginState(db, id);
  const policy = await findPolicy(db, secondFactor, userId);
  const decision = decide(policy, ip);
  const { failures, delayMs } = await delay.status({ address: ip, account: id });
  const otp = await findOtpFailures(db, userId);
  const refusal = state && accountStatusError(state)?.message;
  const groups = policy.groups.map(({ name, requirement }) => ({
    name,
    networks: requirement.networks.map(({ network, text }) => ({ cidr: text, matches: contains(network, address) })),
    authenticators: requirement.authenticators.map(({ type }) => type),
    malformed: requirement.malformed,
  }));
  const reasons = [
    refusal ?? 'The account may sign in.',
    ...groups.flatMap(({ name, malformed }) => malformed.map((sentence) => `Group ${name}: ${sentence}`)),
    describeRefusal(decision, ip, groups),
    ...(otp?.blockedFor === undefined
      ? []
      : [`${otp.failures} wrong one-time passwords in a row: all are refused for ${otp.blockedFor} s.`]),
    failures === 0
      ? 'No failed logins from this address in the last hour.'
      : `${failures} failed logins from this address in the last hour: the next failure is delayed by ${delayMs / 1000} s.`,
  ];
  return {
    account: id,
    address: ip,
    outcome: refusal ? ('refused' as const) : decision.outcome,
    ...(refusal ? { refusal } : {}),
    ...(decision.outcome === 'free' && decision.network !== undefined ? { network: decision.network } : {}),
    ...(decision.outcome === 'code' ? { otpAuthenticatorIds: decision.types } : {}),
    groups,
    ownAuthenticators: policy.authenticators.filter(({ own }) => own).map(({ type }) => type),
    otpFailures: otp?.failures ?? 0,
    delay: { failures, nextWaitSeconds: delayMs / 1000 },
    reasons,
  };
}

function describeRefusal(
  decision: Decision,
  ip: string,
  groups: { name: string; networks: { matches: boolean }[] }[],
): string {
  switch (decision.outcome) {
    case 'forbidden':
      return `${ip} is in none of the networks of the account's groups, and there is no authenticator: the login is refused.`;
    case 'code':
      return `A one-time password is required: ${decision.types.join(' or ')}.`;
    case 'free': {
      if (decision.network === undefined) return 'No group requires a second factor.';
      const group = groups.find(({ networks }) => networks.some(({ matches }) => matches));
      return `${ip} is in the network ${decision.network} of the group ${group?.name}: no one-time password is required.`;
    }
  }
}
