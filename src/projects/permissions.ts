import { z } from 'zod';
import { boundedJson } from '../http/rules/names.ts';
import { queryEnum } from '../http/rules/query.ts';
import { may } from './access.ts';

const Entry = z
  .object({
    principals: z
      .array(z.string().trim().min(1, 'must not be empty').max(255))
      .min(1, 'must name at least one principal')
      .max(1000),
    operation: z.string().trim().toLowerCase().min(1, 'must not be empty').max(255),
    type: queryEnum(['Allowed', 'Denied']).default('Allowed'),
  })
  .meta({ id: 'Permission' });

/**
 * `permissions` of a project or dataset in a request, normalized as stored: operations in lower case, `type` always
 * present.
 */
export const permissionsForm = () => boundedJson(z.array(Entry).max(1000));
export type Permissions = z.output<ReturnType<typeof permissionsForm>>;

/** `permissions` in an answer. */
export const permissionsAnswer = () =>
  z.array(z.object({ principals: z.array(z.string()), operation: z.string(), type: z.string() }));

/** Removes `permissions` from a record for a caller without canGrantAccess. */
export function withoutHiddenPermissions<Row extends { rights: number; permissions?: unknown }>(row: Row): Row {
  if (may(row, 'canGrantAccess')) return row;
  const { permissions: _, ...rest } = row;
  return rest as Row;
}
