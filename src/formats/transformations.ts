import { z } from 'zod';
import { AppError } from '../errors.ts';
import { parseSrid, sridOf } from '../geo/crs.ts';

/** A coordinate system by number, with or without its authority: 25832, '25832', 'EPSG:25832', 'ESRI:54030'. Comes out as `AUTHORITY:CODE`. */
export const Srid = z.union([z.int().positive(), z.string()]).transform((value, context) => {
  try {
    return sridOf(parseSrid(value))!;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});

const CrsTransformation = z.object({
  type: z.literal('crsTransformation'),
  inputSrid: Srid.nullish().transform((srid) => srid ?? undefined),
  outputSrid: Srid,
});

export type Transformation = z.output<typeof CrsTransformation>;

/** Every name that clients know. Those that are not offered yet are told from misspelt ones. */
const names = [
  'CrsTransformation',
  'CalculateStatisticsTransformation',
  'ItemFilterTransformation',
  'ItemTransformation',
  'TemporalFilterTransformation',
  'SpatialFilterTransformation',
  'WeightedSpatialFilterTransformation',
  'VerticalFilterTransformation',
  'VerticalGridShiftTransformation',
  'AggregationTransformation',
  'TimeSeriesIdsTransformation',
  'CsScriptValueTransformation',
];

/**
 * Checks the transformations of a request, member names in any letter case; the same at submit and in the child.
 * @throws AppError `invalid` with one sentence per wrong member under `transformations[n]…`
 */
export function parseTransformations(given: unknown): Transformation[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw refused('transformations', 'transformations must be an array.');
  return given.map((one, n) => parseOne(one, `transformations[${n}]`));
}

/**
 * What the request says about the coordinate system of its input, over the file's own word: `inputSrid` of the first
 * transformation or the reader's parameter `SRID`, as `AUTHORITY:CODE`.
 * @throws AppError `invalid` when both are given and differ
 */
export function inputSrid(transformations: readonly Transformation[], readerSrid: unknown): string | undefined {
  const fromReader = Srid.safeParse(readerSrid).data;
  const fromTransformation = transformations[0]?.inputSrid;
  if (fromReader !== undefined && fromTransformation !== undefined && fromReader !== fromTransformation) {
    const sentence = `inputSrid is ${fromTransformation}, but the reader's parameter SRID is ${fromReader}.`;
    throw refused('transformations[0].inputSrid', sentence);
  }
  return fromReader ?? fromTransformation;
}

function parseOne(given: unknown, path: string): Transformation {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw refused(path, `${path} must be an object with a type.`);
  const members = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const type: unknown = members.get('type');
  if (typeof type !== 'string') throw refused(`${path}.type`, `${path}.type is required.`);
  const known = names.find((name) => name.toLowerCase() === type.toLowerCase());
  if (known === undefined)
    throw refused(`${path}.type`, `'${type}' is not a transformation; there are ${names.join(', ')}.`);
  if (known !== 'CrsTransformation')
    throw refused(`${path}.type`, `${known} is not offered for this kind of data.`, 'TransformationNotSupported');
  const parsed = CrsTransformation.safeParse({
    type: 'crsTransformation',
    inputSrid: members.get('inputsrid'),
    outputSrid: members.get('outputsrid'),
  });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue): [string, string[]] => {
    const member = String(issue.path[0]);
    const value = members.get(member.toLowerCase());
    const wrong = `${path}.${member} must be the number of a coordinate system such as 25832, not ${JSON.stringify(value)}.`;
    const sentence =
      value === undefined ? `${path}.${member} is required.` : issue.code === 'custom' ? issue.message : wrong;
    return [`${path}.${member}`, [sentence]];
  });
  throw new AppError('invalid', errors[0]![1][0]!, { errors: Object.fromEntries(errors) });
}

const refused = (path: string, sentence: string, code?: string) =>
  new AppError('invalid', sentence, { errors: { [path]: [sentence] }, ...(code === undefined ? {} : { code }) });
