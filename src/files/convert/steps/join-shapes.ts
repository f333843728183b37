import type { Members } from './request-members.ts';

/** How cells that several files have are joined. */
export const MOSAIC_METHODS = ['first', 'last', 'mean', 'min', 'max'] as const;
export type MosaicMethod = (typeof MOSAIC_METHODS)[number];

/** Joins the cells of several grids into one grid that covers them all. */
export interface Mosaic {
  type: 'MosaicTransformation';
  method: MosaicMethod;
}

export const STACK_AXES = ['time', 'items'] as const;
export type StackAxis = (typeof STACK_AXES)[number];

/** Joins the steps or the items of several files with the same cells. */
export interface Stack {
  type: 'StackTransformation';
  by: StackAxis;
}

/** A transformation that joins all files of a request into one. It is the first one. */
export type Join = Mosaic | Stack;

const joinTypes: readonly string[] = ['MosaicTransformation', 'StackTransformation'] satisfies Join['type'][];

/** Whether a transformation of this name joins all files of a request. */
export const joinsFiles = (name: string): boolean => joinTypes.includes(name);

export const isJoin = <T extends { type: string }>(step: T): step is Extract<T, Join> => joinsFiles(step.type);

export function readMosaic(members: Members): Mosaic | undefined {
  const method = word(
    members.object('mosaic', `an object with a method: ${MOSAIC_METHODS.join(', ')}`),
    'method',
    MOSAIC_METHODS,
  );
  return method && { type: 'MosaicTransformation', method };
}

export function readStack(members: Members): Stack | undefined {
  const by = word(members.object('stack', `an object with by: ${STACK_AXES.join(' or ')}`), 'by', STACK_AXES);
  return by && { type: 'StackTransformation', by };
}

/** One of these words, in any letter case. */
function word<W extends string>(members: Members | undefined, name: string, words: readonly W[]): W | undefined {
  const find = (value: unknown) => words.find((one) => one === String(value).toLowerCase());
  const is = (value: unknown): value is string => typeof value === 'string' && find(value) !== undefined;
  return find(members?.need(name, is, `one of ${words.join(', ')}`));
}
