import { z } from 'zod';

// Members with their texts. Those of answers check the type alone, which keeps long lists cheap.

export const text = (description: string, example?: string) =>
  z.string().meta({ description, ...(example === undefined ? {} : { example }) });
/** A text of a request; refuses longer ones. */
export const textUpTo = (length: number, description: string, example?: string) =>
  z
    .string()
    .max(length)
    .meta({ description, ...(example === undefined ? {} : { example }) });
export const texts = (description: string, example?: string[]) =>
  z.array(z.string()).meta({ description, ...(example === undefined ? {} : { example }) });
/** A list of objects. */
export const objects = <const Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z.array(z.object(shape)).describe(description);
export const number = (description: string, example?: number) =>
  z.number().meta({ description, ...(example === undefined ? {} : { example }) });
export const flag = (description: string) => z.boolean().describe(description);
export const timeText = (description: string) => text(description, '2026-01-24T08:17:02.4350000');
export const uuidText = (description: string) => text(description, '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10');

export const createdAt = timeText('Time of creation, UTC.');
export const createdBy = uuidText('User id of the creator.');
export const updatedAt = timeText('Time of the last change, UTC.');
export const updatedBy = uuidText('User id of the last editor.');
export const finishedAt = timeText('End time, UTC.');
export const rowVersion = text(
  'Changes with each write. Send it with an update: the answer is 409 if the record was changed meanwhile.',
  '7',
);
/** Description and example of the member `metadata`. */
export const METADATA = {
  description: 'Free-form object; stored unchanged, including null.',
  example: { source: 'survey' },
};

/** An object that is a component of the OpenAPI document under the name `id`. */
export const component = <const Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape, description?: string) =>
  z.object(shape).meta({ id, ...(description === undefined ? {} : { description }) });
