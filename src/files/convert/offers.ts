import type { DataKind } from '../data/data.ts';
import {
  describeParameters,
  type ParameterDescription,
  producedKinds,
  type Reader,
  type Writer,
} from '../formats/define.ts';
import { writers } from '../formats/registry.ts';
import { bridgeTo } from './bridges/bridges.ts';
import { joinNames, stepNames } from './kinds/step-names.ts';
import { joinsFiles } from './steps/join-shapes.ts';
import { findRule, type TransformationName, transformationsFor } from './steps/transformations.ts';

/** The kinds of data that a transformation can make of a kind; none if it does not apply. */
export function kindsMade(name: TransformationName, kind: DataKind): readonly DataKind[] {
  const own: readonly TransformationName[] = [...stepNames[kind], ...joinNames[kind]];
  return own.includes(name) ? [kind] : (findRule(name)?.makes[kind] ?? []);
}

/**
 * The transformations that apply to a reader's data after other ones: the data have the required facet, and one of
 * their kinds has the step. Files are joined, rows of the database are not.
 */
export function offeredBy(
  reader: Pick<Reader, 'has' | 'produces' | 'rows'>,
  before: readonly TransformationName[] = [],
): TransformationName[] {
  let present = producedKinds(reader);
  for (const name of before) present = [...new Set(present.flatMap((kind) => kindsMade(name, kind)))];
  return transformationsFor(reader.has).filter(
    (name) => present.some((kind) => kindsMade(name, kind).length > 0) && !(reader.rows && joinsFiles(name)),
  );
}

/** Whether the data of a reader are transformed, not only copied. */
export const isTransformed = (reader: Pick<Reader, 'produces'>): boolean =>
  producedKinds(reader).some((kind) => stepNames[kind].length > 0);

/** Whether a writer accepts a kind of data after transformations, or a kind that a bridge converts it to. */
function takes(
  writer: Pick<Writer, 'accepts' | 'bridged'>,
  kind: DataKind,
  names: readonly TransformationName[],
): boolean {
  if (writer.accepts.includes(kind)) return true;
  const bridge = bridgeTo(writer, kind);
  return bridge !== undefined && !(kind === 'features' && bridge.to === 'grid' && madeWithoutPoints(names));
}

/** Whether the last transformation that makes features makes lines or polygons. */
function madeWithoutPoints(names: readonly TransformationName[]): boolean {
  const makesFeatures = names
    .map((name) => findRule(name))
    .findLast((rule) => rule !== undefined && Object.values(rule.makes).some((made) => made.includes('features')));
  return makesFeatures?.makesNoPoints === true;
}

/** The writer as it is with these parameters: they may decide which kinds it accepts. */
export function withParameters(writer: Writer, parameters: Readonly<Record<string, unknown>>): Writer {
  const { name, acceptsWith } = writer;
  if (acceptsWith === undefined || parameters[acceptsWith.parameter] === undefined) return writer;
  const { parameter, kinds } = acceptsWith;
  return { ...writer, name: `${name} with ${parameter}`, accepts: kinds };
}

/**
 * The kind of data after each transformation. Where several kinds lead to the writer, one that it accepts without a
 * bridge, and of these the preferred one. Undefined if a transformation does not apply, or the writer does not take
 * what the last one makes.
 */
export const kindsUpTo = (
  writer: Pick<Writer, 'accepts' | 'bridged'>,
  kind: DataKind,
  names: readonly TransformationName[],
): DataKind[] | undefined =>
  kindsLeadingTo(writer.accepts, kind, names) ??
  kindsLeadingTo(
    kinds.filter((one) => takes(writer, one, names)),
    kind,
    names,
  );

const kinds = Object.keys(stepNames) as DataKind[];

function kindsLeadingTo(
  ends: readonly DataKind[],
  kind: DataKind,
  names: readonly TransformationName[],
): DataKind[] | undefined {
  // backwards: the kinds before each transformation that lead to an end
  const leading = [ends];
  for (const name of names.toReversed())
    leading.unshift(kinds.filter((one) => kindsMade(name, one).some((made) => leading[0]!.includes(made))));
  if (!leading[0]!.includes(kind)) return undefined;
  let present = kind;
  return names.map((name, n) => {
    present = kindsMade(name, present).find((made) => leading[n + 1]!.includes(made))!;
    return present;
  });
}

/**
 * Whether a writer can follow a reader and transformations: it accepts one of the kinds of data that they make, or a
 * kind that a bridge converts one of them to. Which kind the data of a reader are may be known only from the content.
 */
export const fits = (
  reader: Pick<Reader, 'produces'>,
  writer: Writer,
  names: readonly TransformationName[] = [],
): boolean => {
  // copies ignore transformations
  const applied = isTransformed(reader) ? names : [];
  return producedKinds(reader).some((kind) => kindsUpTo(writer, kind, applied) !== undefined);
};

export const writersFor = (reader: Reader, names: readonly TransformationName[] = []): Writer[] =>
  writers.filter((writer) => fits(reader, writer, names));

/** The sentence for a writer that cannot follow a reader and transformations, with those that can. */
export function misfit(reader: Reader, writer: Writer, names: readonly TransformationName[] = []): string {
  const able = writersFor(reader, names).map(({ name }) => name);
  // a transformation that is the reason is named
  const after = fits(reader, writer) ? ` and ${names.join(', ')}` : '';
  return `${writer.name} cannot follow ${reader.name}${after}; ${able.join(', ') || 'no writer'} can.`;
}

export interface ConverterDescription {
  name: string;
  description: string;
  datasetFormat: string;
  parameters: readonly ParameterDescription[];
}

export const describeReader = (
  reader: Reader,
): ConverterDescription & { otherNames?: string[]; transformations: string[]; writers: string[] } => ({
  name: reader.name,
  ...(reader.otherNames === undefined ? {} : { otherNames: [...reader.otherNames] }),
  description: reader.description,
  datasetFormat: reader.format,
  parameters: describeParameters(reader.parameters),
  transformations: offeredBy(reader),
  writers: writersFor(reader).map((writer) => writer.name),
});

export const describeWriter = (writer: Writer): ConverterDescription & { canAppend: boolean } => ({
  name: writer.name,
  description: writer.description,
  datasetFormat: writer.format,
  canAppend: writer.appends !== undefined,
  parameters: describeParameters(writer.parameters),
});
