import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';

export interface ProfileOptions {
  profile?: string;
  profileSpacing?: number;
}

export const profileOptions = (command: Command): Command =>
  command
    .option('--profile <line>', 'values along this line: WKT of a LINESTRING, or @FILE with it', line)
    .option('--profile-spacing <distance>', 'distance of the points of --profile', spacing);

/** @throws UsageError for a line without a spacing, or the other way round */
export function readProfile({ profile, profileSpacing }: ProfileOptions): unknown[] {
  if (profile === undefined && profileSpacing === undefined) return [];
  if (profile === undefined || profileSpacing === undefined)
    throw new UsageError('--profile and --profile-spacing belong together: a line, and the distance of its points.');
  return [{ type: 'profileTransformation', profile: { line: profile, spacing: profileSpacing } }];
}

function line(text: string): string {
  if (!text.startsWith('@')) return text;
  try {
    return readFileSync(text.slice(1), 'utf8')
      .replace(/^\uFEFF/, '')
      .trim();
  } catch (error) {
    throw new InvalidArgumentError(`${text.slice(1)} cannot be read: ${(error as Error).message}`);
  }
}

function spacing(text: string): number {
  const distance = text.trim() === '' ? Number.NaN : Number(text);
  if (distance > 0 && Number.isFinite(distance)) return distance;
  throw new InvalidArgumentError('It must be a positive number such as 50.');
}
