import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { AppError } from '../../errors.ts';
import { pathAsSent } from './names.ts';

/** Issues of a validation, with declared names, which `problems` replaces by the spelling of the request. */
export class FormError extends Error {
  override readonly name = 'FormError';
  readonly issues: readonly z.core.$ZodIssue[];
  constructor(issues: readonly z.core.$ZodIssue[]) {
    super('The request is not valid.');
    this.issues = issues;
  }
}

/** Validates requests with zod schemas. Reports all issues at once. */
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

/** A sentence without its subject, for issues without a message of the schema. `undefined`: zod's message. */
function sentenceFor(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') {
    // does not repeat values sent instead of a text or object: they may be misplaced secrets
    const value = ['string', 'object', 'record'].includes(issue.expected) ? '' : instead(issue.input);
    return `must be ${TYPES[issue.expected] ?? issue.expected}${value}`;
  }
  if (issue.code === 'invalid_format' && issue.format === 'guid') return `must be a UUID${instead(issue.input)}`;
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map(String).join(', ')}${instead(issue.input)}`;
  if (issue.code === 'too_big')
    return `must ${bound(issue.origin, issue.maximum, issue.inclusive ? 'at most' : 'less than')}${beyond(issue)}`;
  if (issue.code === 'too_small')
    return `must ${bound(issue.origin, issue.minimum, issue.inclusive ? 'at least' : 'more than')}${beyond(issue)}`;
  return undefined;
}

const MAX_SHOWN_LENGTH = 60;

/** The end of a sentence with the wrong value, such as `, not 'nope'`. Empty for long texts, objects and lists. */
export function instead(value: unknown): string {
  if (typeof value === 'string') return value.length > MAX_SHOWN_LENGTH ? '' : `, not '${value}'`;
  return ['number', 'boolean'].includes(typeof value) ? `, not ${value}` : '';
}

/** The wrong value if it is a number. Not for texts and lists, whose length is out of bounds. */
const beyond = ({ input }: z.core.$ZodRawIssue): string => (typeof input === 'number' ? instead(input) : '');

/** Units of the length of texts and lists. */
const COUNTED: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

function bound(origin: string, limit: number | bigint, how: string): string {
  const counted = COUNTED[origin];
  return counted ? `have ${how} ${limit} ${counted[Number(limit) === 1 ? 0 : 1]}` : `be ${how} ${limit}`;
}

/** More issues of a request are of no use, and each is a search for its name. */
const MAX_SHOWN_ISSUES = 100;

/** Converts the first issues to `invalid`, with one sentence per issue, under the names of the request. */
export function asInvalid(error: FormError, sent: unknown, where: string): AppError {
  const errors: Record<string, string[]> = {};
  for (const issue of error.issues.slice(0, MAX_SHOWN_ISSUES)) {
    const path = pathAsSent(sent, issue.path) || where;
    errors[path] = [...(errors[path] ?? []), sentence(path, issue)];
  }
  const detail = Object.values(errors)[0]?.[0] ?? error.message;
  return new AppError('invalid', detail, { errors });
}

/** `name` + `is required` → `name is required.`; puts the path before messages that are complete sentences. */
function sentence(path: string, { message }: z.core.$ZodIssue): string {
  const ended = /[.!?]$/.test(message) ? message : `${message}.`;
  return /^[a-z]/.test(message) ? `${path} ${ended}` : `${path}: ${ended}`;
}
