import type { Network } from '../platform/net/networks.ts';
import { contains, parseAddress, parseNetwork } from '../platform/net/networks.ts';
import { authenticatorNames, findAuthenticatorType } from './authenticators.ts';

/** A network that needs no second factor. */
export interface AllowedNetwork {
  network: Network;
  /** As it was written, without its comment. */
  text: string;
}

/** An authenticator that the members of a group share. */
export interface SharedAuthenticator {
  type: string;
  /** A secret. */
  setupCode: string;
}

/** What a group asks of its members besides their passwords. */
export interface SecondFactor {
  networks: AllowedNetwork[];
  /** In the order of the entries. */
  authenticators: SharedAuthenticator[];
}

/** An entry of second-factor metadata that means nothing. The sentence names it, but never repeats a setup code. */
export class MalformedEntry extends Error {
  override readonly name = 'MalformedEntry';
  /** Where it stands, from 0. */
  readonly index: number;
  constructor(index: number, sentence: string) {
    super(sentence);
    this.index = index;
  }
}

const NETWORK = 'CIDR';
const COMMENT = /&comment:[\s\S]*$/i;

/**
 * Reads entries `{type}:{value}&Comment:{comment}`: networks (`CIDR:10.0.0.0/8`) and setup codes (`APPAUTH:0123456789abcdef`). Type names
 * are case-sensitive. Throws `MalformedEntry` for the first that is neither.
 */
export function parseSecondFactor(entries: readonly string[]): SecondFactor {
  const found: SecondFactor = { networks: [], authenticators: [] };
  for (const [index, entry] of entries.entries()) {
    const colon = entry.indexOf(':');
    const type = entry.slice(0, Math.max(colon, 0)).trim();
    const value = entry
      .slice(colon + 1)
      .replace(COMMENT, '')
      .trim();
    if (type === NETWORK) found.networks.push(allowedNetwork(index, value));
    else found.authenticators.push(sharedAuthenticator(index, type, value));
  }
  return found;
}

function allowedNetwork(index: number, text: string): AllowedNetwork {
  try {
    return { network: parseNetwork(text), text };
  } catch (error) {
    throw new MalformedEntry(index, `Entry ${index + 1}: ${(error as Error).message}`);
  }
}

function sharedAuthenticator(index: number, type: string, setupCode: string): SharedAuthenticator {
  const known = findAuthenticatorType(type);
  if (!known) {
    const names = [NETWORK, ...authenticatorNames].join(' or ');
    // without a colon, or with one at a strange place, what stands before it may be a secret
    const shown = /^\w{1,15}$/.test(type) ? ` with '${type}:'` : '';
    throw new MalformedEntry(
      index,
      `Entry ${index + 1} begins${shown || ' without a type'}, not with ${names} and a colon.`,
    );
  }
  const problem = known.problem(setupCode);
  if (problem) throw new MalformedEntry(index, `Entry ${index + 1} (${type}): ${problem}.`);
  return { type, setupCode };
}

/** What stored metadata asks for. What cannot be read never lets anybody in: it counts as a network that nobody is in. */
export interface Demand extends SecondFactor {
  malformed: string[];
}

/** Reads metadata as it is stored, whoever wrote it. Nothing asked is an empty demand. */
export function readDemand(value: unknown): Demand {
  const demand: Demand = { networks: [], authenticators: [], malformed: [] };
  if (value === undefined || value === null) return demand;
  if (!Array.isArray(value)) return { ...demand, malformed: ['The second-factor metadata is no list.'] };
  for (const [index, entry] of value.entries()) {
    try {
      if (typeof entry !== 'string') throw new MalformedEntry(index, 'It is no text.');
      const { networks, authenticators } = parseSecondFactor([entry]);
      demand.networks.push(...networks);
      demand.authenticators.push(...authenticators);
    } catch (error) {
      if (!(error instanceof MalformedEntry)) throw error;
      demand.malformed.push(error.message.replace(/^Entry 1/, `Entry ${index + 1}`));
    }
  }
  return demand;
}

export type Decision =
  /** No code is asked for; `network` says why, if there are demands at all. */
  { outcome: 'free'; network?: string } | { outcome: 'code'; types: [string, ...string[]] } | { outcome: 'forbidden' };

/** What a login from `address` needs besides the password, from the demands of all groups and the types of the account's own authenticators. */
export function decide(demands: readonly Demand[], ownTypes: readonly string[], address: string): Decision {
  const networks = demands.flatMap((demand) => demand.networks);
  const types = [
    ...new Set([...demands.flatMap((demand) => demand.authenticators.map(({ type }) => type)), ...ownTypes]),
  ];
  const from = parseAddress(address);
  const match = from && networks.find(({ network }) => contains(network, from));
  if (match) return { outcome: 'free', network: match.text };
  const [first, ...others] = types;
  if (first !== undefined) return { outcome: 'code', types: [first, ...others] };
  const restricted = networks.length > 0 || demands.some((demand) => demand.malformed.length > 0);
  return { outcome: restricted ? 'forbidden' : 'free' };
}
