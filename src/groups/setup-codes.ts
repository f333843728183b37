import type { Reads, Transaction } from '../db.ts';
import type { Sealer } from '../platform/keys/sealing.ts';
import { findAuthenticatorType } from './authenticators.ts';
import { HIDDEN, splitEntry } from './second-factor.ts';
import { type GroupFactor, replaceSetupCodes } from './setup-codes.queries.ts';

// The setup codes of a group are encrypted in a table of their own. The entries in its metadata have asterisks instead,
// so that no answer and no copy of the metadata contains a code.

/** The entry with another setup code; undefined if it is a network, or no entry at all. */
function withCode(entry: unknown, code: string): string | undefined {
  if (typeof entry !== 'string') return undefined;
  const { type, comment } = splitEntry(entry);
  return findAuthenticatorType(type) && `${type}:${code}${comment}`;
}

const hide = (entry: unknown) => withCode(entry, HIDDEN) ?? entry;
const isHidden = (entry: unknown) => typeof entry === 'string' && splitEntry(entry).value === HIDDEN;
export const sealingContext = (groupId: string) => `setup code of group ${groupId}`;

/** The entries of a group with their setup codes, which are secrets. An entry whose code is missing stays hidden. */
export async function revealEntries(db: Reads, sealer: Sealer, { id, entries, codes }: GroupFactor): Promise<unknown> {
  if (!Array.isArray(entries)) return entries;
  const revealed: unknown[] = [...entries];
  for (const { position, sealed } of codes) {
    if (!isHidden(entries[position])) continue;
    const code = await sealer.unseal(Buffer.from(sealed, 'base64'), sealingContext(id), db);
    revealed[position] = withCode(entries[position], code);
  }
  return revealed;
}

/**
 * Entries in which those with a hidden setup code have the code that the group has. Such an entry means the one that is
 * shown in the same way, else the only one left of its type. What stays hidden is ambiguous or unknown, and malformed.
 * @param present entries of the group with their setup codes
 */
export function keepHiddenCodes(present: unknown, requested: unknown): unknown {
  if (!Array.isArray(requested) || !requested.some(isHidden)) return requested;
  const left = new Set((Array.isArray(present) ? present : []).filter((entry) => withCode(entry, '') !== undefined));
  const kept: unknown[] = [...requested];
  const assign = (keyOf: (entry: unknown) => unknown) => {
    const open = [...kept.keys()].filter((at) => isHidden(kept[at]));
    for (const [key, positions] of Map.groupBy(open, (at) => keyOf(hide(kept[at])))) {
      const found = [...left].filter((entry) => keyOf(hide(entry)) === key);
      if (found.length !== positions.length) continue;
      for (const [n, at] of positions.entries()) {
        kept[at] = withCode(requested[at], splitEntry(found[n] as string).value);
        left.delete(found[n]);
      }
    }
  };
  assign((entry) => entry);
  assign((entry) => splitEntry(entry as string).type);
  return kept;
}

/** Stores the setup codes of a group. Returns its entries without them. */
export async function storeSetupCodes(
  tx: Transaction,
  sealer: Sealer,
  groupId: string,
  entries: unknown,
): Promise<unknown> {
  const list: unknown[] = Array.isArray(entries) ? entries : [];
  const codes = list.flatMap((entry, position) =>
    typeof entry === 'string' && withCode(entry, '') !== undefined && !isHidden(entry)
      ? [{ position, sealed: sealer.seal(splitEntry(entry).value, sealingContext(groupId)) }]
      : [],
  );
  await replaceSetupCodes(tx, groupId, codes);
  return Array.isArray(entries) ? list.map(hide) : entries;
}
