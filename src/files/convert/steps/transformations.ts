import { RequestError } from '../../errors.ts';
import type { Facet } from '../../formats/define.ts';
import { Srid } from '../../formats/srid.ts';
import { calculate } from './calculate/rule.ts';
import { contours } from './contours/rule.ts';
import { readMosaic, readStack } from './join-shapes.ts';
import { profile } from './profile/rule.ts';
import { rasterize } from './rasterize/rule.ts';
import { redefine } from './redefine/rule.ts';
import { addError, type FieldErrors, Members } from './request-members.ts';
import { resample } from './resample/rule.ts';
import type { StepRule } from './rule.ts';
import type { SideInput } from './side-input.ts';
import {
  readCrs,
  readItemFilter,
  readSpatialFilter,
  readTemporalFilter,
  readVerticalFilter,
  type Transformation,
} from './transformation-shapes.ts';
import { zonalStatistics } from './zonal-statistics/rule.ts';

interface TransformationRule {
  /** Facet that the data must have. Absent: not implemented, so no reader offers it. */
  needs?: Facet;
  read?(members: Members): Transformation | undefined;
  /** It joins all files of the request, so no other transformation comes before it. */
  joins?: true;
}

/** Transformations in folders of their own, which may make data of another kind. */
const steps = {
  ItemTransformation: redefine,
  ResampleTransformation: resample,
  ContoursTransformation: contours,
  RasterizeTransformation: rasterize,
  ZonalStatisticsTransformation: zonalStatistics,
  CalculateTransformation: calculate,
  ProfileTransformation: profile,
} as const;

/** The rule of a transformation that has a folder of its own. */
export const findRule = (name: string): StepRule<{ readonly type: string }> | undefined =>
  Object.hasOwn(steps, name) ? (steps[name as keyof typeof steps] as never) : undefined;

/** The files and datasets beside the input that the transformations name. */
export const sideInputsOf = (transformations: readonly Transformation[]): readonly SideInput[] =>
  transformations.flatMap((step) => findRule(step.type)?.sideInputs?.(step) ?? []);

const MOST = 200;

/** All transformation names that clients send. */
const rules = {
  CrsTransformation: { needs: 'place', read: readCrs },
  CalculateStatisticsTransformation: { needs: 'items', read: () => ({ type: 'CalculateStatisticsTransformation' }) },
  ItemFilterTransformation: { needs: 'items', read: readItemFilter },
  TemporalFilterTransformation: { needs: 'times', read: readTemporalFilter },
  SpatialFilterTransformation: { needs: 'place', read: readSpatialFilter },
  WeightedSpatialFilterTransformation: {},
  VerticalFilterTransformation: { needs: 'layers', read: readVerticalFilter },
  ...steps,
  VerticalGridShiftTransformation: {},
  AggregationTransformation: {},
  TimeSeriesIdsTransformation: {},
  CsScriptValueTransformation: {},
  MosaicTransformation: { needs: 'place', read: readMosaic, joins: true },
  StackTransformation: { needs: 'items', read: readStack, joins: true },
} satisfies Record<string, TransformationRule>;
export type TransformationName = keyof typeof rules;
const names = Object.keys(rules) as TransformationName[];

/** The implemented transformations whose need (place, items, times or layers) the data meet. */
export const transformationsFor = (has: readonly Facet[]): TransformationName[] =>
  names.filter((name) => {
    const { needs }: TransformationRule = rules[name];
    return needs !== undefined && has.includes(needs);
  });

/**
 * Validates the transformations of a request, at submit and again in the child process. Member names match in any
 * letter case.
 * @param offers the transformations that apply to the reader's data after those before; absent: the reader is not known
 * yet
 * @throws RequestError with all validation errors, under `transformations[n]…`
 */
export function parseTransformations(
  given: unknown,
  offers?: (before: readonly TransformationName[]) => readonly TransformationName[],
): Transformation[] {
  if (given === undefined || given === null) return [];
  const errors: FieldErrors = {};
  let unsupported = false;
  const parsed: Transformation[] = [];
  const before: TransformationName[] = [];
  if (!Array.isArray(given)) addError(errors, 'transformations', 'transformations must be an array.');
  else if (given.length > MOST)
    addError(errors, 'transformations', `There are ${given.length} transformations; the maximum is ${MOST}.`);
  else
    for (const [n, one] of given.entries()) {
      const path = `transformations[${n}]`;
      const members = Members.of(one, path, 'an object with a type', errors);
      const name = members && nameOf(members);
      if (members === undefined || name === undefined) continue;
      const { needs, read, joins }: TransformationRule = rules[name];
      if (joins && n > 0) members.refuse('type', `${name} joins the files, so it must be the first transformation.`);
      const offered = offers?.(before);
      if (needs === undefined || offered?.includes(name) === false) {
        members.refuse('type', notOffered(name, offered));
        unsupported = true;
      } else before.push(name);
      const step = read?.(members);
      if (step !== undefined) parsed.push(step);
    }
  const [first] = Object.values(errors).flat();
  if (first === undefined) return parsed;
  throw new RequestError(first, errors, unsupported ? 'TransformationNotSupported' : undefined);
}

/** The names of the transformations of a request, also of one that `parseTransformations` refuses. */
export function transformationNames(given: unknown): TransformationName[] {
  if (!Array.isArray(given) || given.length > MOST) return [];
  return given.flatMap((one) => {
    const members = Members.of(one, '', '', {});
    return (members && nameOf(members)) ?? [];
  });
}

function nameOf(members: Members): TransformationName | undefined {
  const type = members.need('type', (value) => typeof value === 'string', `one of ${names.join(', ')}`);
  if (type === undefined) return undefined;
  const found = names.find((name) => name.toLowerCase() === type.toLowerCase());
  if (found === undefined)
    members.refuse('type', `'${type.slice(0, 100)}' is not a transformation. Use one of ${names.join(', ')}.`);
  return found;
}

function notOffered(name: TransformationName, offered: readonly TransformationName[] | undefined): string {
  const sentence = `${name} is not supported for this kind of data.`;
  if (offered === undefined) return sentence;
  return `${sentence} ${offered.length === 0 ? 'It supports no transformations.' : `Use ${offered.join(', ')}.`}`;
}

/**
 * The CRS of the input according to the request, which overrides the file: `inputSrid` of the first crsTransformation
 * or the reader's parameter `SRID`, as `AUTHORITY:CODE`.
 * @throws RequestError if both are given and differ
 */
export function inputSrid(transformations: readonly Transformation[], readerSrid: unknown): string | undefined {
  const fromReader = Srid.safeParse(readerSrid).data;
  const n = transformations.findIndex((one) => one.type === 'CrsTransformation');
  const step = transformations[n];
  const fromTransformation = step?.type === 'CrsTransformation' ? step.inputSrid : undefined;
  if (fromReader !== undefined && fromTransformation !== undefined && fromReader !== fromTransformation) {
    const sentence = `inputSrid is ${fromTransformation}, but the reader's parameter SRID is ${fromReader}.`;
    throw new RequestError(sentence, { [`transformations[${n}].inputSrid`]: [sentence] });
  }
  return fromReader ?? fromTransformation;
}
