import { z } from 'zod';
import { component, text, texts } from '../http/rules/members.ts';
import { boundedJson } from '../http/rules/names.ts';
import { queryEnum } from '../http/rules/query.ts';
import { may } from './access.ts';

const Entry = component('Permission', {
  principals: z
    .array(z.string().trim().min(1, 'must not be empty').max(255))
    .min(1, 'must name at least one principal')
    .max(1000)
    .meta({ description: 'User ids, login ids and group names.', example: ['Editors'] }),
  operation: z
    .string()
    .trim()
    .toLowerCase()
    .min(1, 'must not be empty')
    .max(255)
    .meta({ description: '`read`, `update` or `delete`; others are stored without effect.', example: 'read' }),
  type: queryEnum(['Allowed', 'Denied']).default('Allowed').describe('`Allowed` (default) or `Denied`, which wins.'),
});

/**
 * `permissions` of a project or dataset in a request, normalized as stored: operations in lower case, `type` always
 * present.
 */
export const permissionsForm = () => boundedJson(z.array(Entry).max(1000));
export type Permissions = z.output<ReturnType<typeof permissionsForm>>;

/** `permissions` in an answer. */
export const permissionsAnswer = () =>
  z.array(
    z.object({
      principals: texts('User ids, login ids and group names.', ['Editors']),
      operation: text('`read`, `update` or `delete`; others are stored without effect.', 'read'),
      type: text('`Allowed`, or `Denied`, which wins.', 'Allowed'),
    }),
  );

/** Removes `permissions` from a record for a caller without canGrantAccess. */
export function withoutHiddenPermissions<Row extends { rights: number; permissions?: unknown }>(row: Row): Row {
  if (may(row, 'canGrantAccess')) return row;
  const { permissions: _, ...rest } = row;
  return rest as Row;
}
