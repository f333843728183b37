import {
  describeParameters,
  type ParameterDescription,
  producedKinds,
  type Reader,
  type Writer,
} from '../formats/define.ts';
import { writers } from '../formats/registry.ts';
import { bridgeTo } from './bridges/bridges.ts';
import { stepNames } from './kinds/step-names.ts';
import { type TransformationName, transformationsFor } from './steps/transformations.ts';

/**
 * The transformations that apply to a reader's data: the data have the required facet, and one of their kinds
 * implements the step.
 */
export const offeredBy = (reader: Pick<Reader, 'has' | 'produces'>): TransformationName[] => {
  const implemented = new Set(producedKinds(reader).flatMap((kind): readonly TransformationName[] => stepNames[kind]));
  return transformationsFor(reader.has).filter((name) => implemented.has(name));
};

/** Whether the data of a reader are transformed, not only copied. */
export const isTransformed = (reader: Pick<Reader, 'produces'>): boolean =>
  producedKinds(reader).some((kind) => stepNames[kind].length > 0);

/**
 * Whether a writer can follow a reader: it accepts one of the reader's kinds of data, or a kind that a bridge converts
 * one of them to. Which kind the data are may be known only from the content.
 */
export const fits = (reader: Pick<Reader, 'produces'>, writer: Writer): boolean =>
  producedKinds(reader).some((kind) => writer.accepts.includes(kind) || bridgeTo(writer, kind) !== undefined);

export const writersFor = (reader: Reader): Writer[] => writers.filter((writer) => fits(reader, writer));

export interface ConverterDescription {
  name: string;
  description: string;
  datasetFormat: string;
  parameters: readonly ParameterDescription[];
}

export const describeReader = (
  reader: Reader,
): ConverterDescription & { transformations: string[]; writers: string[] } => ({
  name: reader.name,
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
