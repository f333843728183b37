import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { AppError } from '../../errors.ts';
import { pathAsSent } from './names.ts';

/** Thrown by validators: paths in declared names, which `problems` turns into names as sent. */
export class FormError extends Error {
  override readonly name = 'FormError';
  readonly issues: readonly z.core.$ZodIssue[];
  constructor(issues: readonly z.core.$ZodIssue[]) {
    super('The request is not valid.');
    this.issues = issues;
  }
}

/** Checks requests against zod schemas; all that is wrong is told at once. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (data) => {
    const result = schema.safeParse(data, { error: sentenceFor });
    return result.success ? { value: result.data } : { error: new FormError(result.error.issues) };
  };

const TYPES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Sentence without its subject; schemas that bring their own keep it. `undefined` leaves the wording to zod. */
function sentenceFor(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') {
    // where a text or an object belongs, what was sent instead may be a secret in the wrong place
    const told = ['string', 'object', 'record'].includes(issue.expected) ? '' : instead(issue.input);
    return `must be ${TYPES[issue.expected] ?? issue.expected}${told}`;
  }
  if (issue.code === 'invalid_format' && issue.format === 'uuid') return `must be a uuid${instead(issue.input)}`;
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map(String).join(', ')}${instead(issue.input)}`;
  if (issue.code === 'too_big')
    return `must ${bound(issue.origin, issue.maximum, issue.inclusive ? 'at most' : 'less than')}${beyond(issue)}`;
  if (issue.code === 'too_small')
    return `must ${bound(issue.origin, issue.minimum, issue.inclusive ? 'at least' : 'more than')}${beyond(issue)}`;
  return undefined;
}

const LONGEST_VALUE = 60;

/** `, not 'nope'`: the value, where it is short enough to be one. */
export function instead(value: unknown): string {
  if (typeof value === 'string') return value.length > LONGEST_VALUE ? '' : `, not '${value}'`;
  return ['number', 'boolean'].includes(typeof value) ? `, not ${value}` : '';
}

/** A number that is out of bounds; how many characters or entries there are the caller sees himself. */
const beyond = ({ input }: z.core.$ZodRawIssue): string => (typeof input === 'number' ? instead(input) : '');

/** What of an origin a bound counts; numbers are bound themselves. */
const COUNTED: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

function bound(origin: string, limit: number | bigint, how: string): string {
  const counted = COUNTED[origin];
  return counted ? `have ${how} ${limit} ${counted[Number(limit) === 1 ? 0 : 1]}` : `be ${how} ${limit}`;
}

/** What the caller reads: one sentence per mistake, under the names that were sent. */
export function asInvalid(error: FormError, sent: unknown, where: string): AppError {
  const errors: Record<string, string[]> = {};
  for (const issue of error.issues) {
    const path = pathAsSent(sent, issue.path) || where;
    errors[path] = [...(errors[path] ?? []), sentence(path, issue)];
  }
  const detail = Object.values(errors)[0]?.[0] ?? error.message;
  return new AppError('invalid', detail, { errors });
}

/** `name` + `is required` → `name is required.`; messages that are sentences by themselves stay. */
function sentence(path: string, { message }: z.core.$ZodIssue): string {
  const ended = /[.!?]$/.test(message) ? message : `${message}.`;
  return /^[a-z]/.test(message) ? `${path} ${ended}` : `${path}: ${ended}`;
}
