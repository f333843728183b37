import { type Network, parseNetwork } from '../platform/net/networks.ts';
import { authenticatorNames, findAuthenticatorType } from './authenticators.ts';

/** A network from which logins need no second factor. */
export interface AllowedNetwork {
  network: Network;
  /** The network as written in the entry, without the entry's comment. */
  text: string;
}

/** An authenticator that the members of a group share. */
export interface SharedAuthenticator {
  type: string;
  /** A secret. */
  setupCode: string;
}

/** Second factor and networks that a group requires of its members. */
export interface SecondFactor {
  networks: AllowedNetwork[];
  /** In the order of the entries. */
  authenticators: SharedAuthenticator[];
}

/** A second-factor entry that cannot be read. The message names it, but never contains a setup code. */
export class MalformedEntry extends Error {
  override readonly name = 'MalformedEntry';
  /** Position in the list, from 0. */
  readonly index: number;
  constructor(index: number, sentence: string) {
    super(sentence);
    this.index = index;
  }
}

export const NETWORK = 'CIDR';
const COMMENT = /&comment:[\s\S]*$/i;

/** Stands for a setup code in answers. */
export const HIDDEN = '*'.repeat(16);

/** Parts of an entry; `comment` begins with `&Comment:` or is empty. */
export function splitEntry(entry: string): { type: string; value: string; comment: string } {
  const colon = entry.indexOf(':');
  const rest = entry.slice(colon + 1);
  const comment = COMMENT.exec(rest)?.[0] ?? '';
  return {
    type: entry.slice(0, Math.max(colon, 0)).trim(),
    value: rest.slice(0, rest.length - comment.length).trim(),
    comment,
  };
}

/**
 * Reads entries `{type}:{value}&Comment:{comment}`: networks (`CIDR:10.0.0.0/8`) and setup codes
 * (`APPAUTH:0123456789abcdef`). Type names are case-sensitive. Throws `MalformedEntry` for the first entry that is
 * neither.
 */
export function parseSecondFactor(entries: readonly string[]): SecondFactor {
  const found: SecondFactor = { networks: [], authenticators: [] };
  for (const [index, entry] of entries.entries()) {
    const { type, value } = splitEntry(entry);
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
    // if the colon is missing or misplaced, the text before it may be a setup code
    const shown = /^\w{1,15}$/.test(type) ? ` with '${type}:'` : '';
    throw new MalformedEntry(
      index,
      `Entry ${index + 1} begins${shown || ' without a type'}, not with ${names} and a colon.`,
    );
  }
  if (setupCode === HIDDEN)
    throw new MalformedEntry(
      index,
      `Entry ${index + 1} (${type}): its setup code is hidden, and the group has none or several that it may stand for. Send the setup code.`,
    );
  const problem = known.problem(setupCode);
  if (problem) throw new MalformedEntry(index, `Entry ${index + 1} (${type}): ${problem}.`);
  return { type, setupCode };
}

/**
 * A requirement as stored. Entries that cannot be read never let anyone in: they count as a network without addresses.
 */
export interface Requirement extends SecondFactor {
  malformed: string[];
}

/** Reads stored metadata, also of older versions. Absent metadata requires no second factor. */
export function readRequirement(value: unknown): Requirement {
  const requirement: Requirement = { networks: [], authenticators: [], malformed: [] };
  if (value === undefined || value === null) return requirement;
  if (!Array.isArray(value)) return { ...requirement, malformed: ['The second-factor metadata is not a list.'] };
  for (const [index, entry] of value.entries()) {
    try {
      if (typeof entry !== 'string') throw new MalformedEntry(index, 'It is not a text.');
      const { networks, authenticators } = parseSecondFactor([entry]);
      requirement.networks.push(...networks);
      requirement.authenticators.push(...authenticators);
    } catch (error) {
      if (!(error instanceof MalformedEntry)) throw error;
      requirement.malformed.push(error.message.replace(/^Entry 1/, `Entry ${index + 1}`));
    }
  }
  return requirement;
}
