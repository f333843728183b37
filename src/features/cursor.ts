import type { Position } from 'hydrofiles/features';
import { AppError } from '../errors.ts';
import { type CursorScope, readCursor, writeCursor } from '../http/rules/paging.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import type { Content } from './content.ts';

/** A cursor that leads to a feature of this version of the content. */
export const cursorAt = (signer: Signer, scope: CursorScope, { version }: Content, { number, offset }: Position) =>
  writeCursor(signer, { value: version, id: `${number},${offset}` }, scope);

/** Throws `gone` for a cursor of another version: a page must not go on in other features than the one before. */
export async function decodePosition(
  signer: Signer,
  scope: CursorScope,
  { version, dataset }: Content,
  cursor: string,
): Promise<Position> {
  const { value, id } = await readCursor(signer, cursor, scope);
  if (value !== version)
    throw new AppError(
      'gone',
      `The content of dataset '${dataset.id}' was replaced after the first page. Request the first page again.`,
      { code: 'ContentChanged' },
    );
  const [number = 0, offset = 0] = id.split(',').map(Number);
  return { number, offset };
}
