import { Srid } from '../../formats/srid.ts';
import { isIndex, type Members } from './request-members.ts';

/** A coordinate system as `AUTHORITY:CODE`. */
export function readSrid(members: Members, name: string): string | undefined {
  const numberOrText = (value: unknown) => typeof value === 'string' || (isIndex(value) && value > 0);
  const given = members.may(
    name,
    numberOrText as (value: unknown) => value is string | number,
    'the number of a coordinate system such as 25832',
  );
  if (given === undefined) return undefined;
  const parsed = Srid.safeParse(given);
  return parsed.success ? parsed.data : members.refuse(name, parsed.error.issues[0]!.message);
}
