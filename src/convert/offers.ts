import type { ParameterDescription, Reader, Writer } from '../formats/define.ts';
import { describeParameters } from '../formats/define.ts';
import { writers } from '../formats/registry.ts';
import { bridgeTo } from './bridges/bridges.ts';
import { handlerOf } from './kinds/kinds.ts';
import type { TransformationName } from './steps/transformations.ts';
import { transformationsFor } from './steps/transformations.ts';

/**
 * The transformations that apply to a reader's data: the data have the required facet, and their kind implements the
 * step.
 */
export const offeredBy = ({ has, produces }: Pick<Reader, 'has' | 'produces'>): TransformationName[] =>
  transformationsFor(has).filter((name) => name in (handlerOf(produces).steps ?? {}));

/**
 * Whether a writer can follow a reader: it accepts the reader's kind of data, or a kind that a bridge converts it to.
 */
export const fits = ({ produces }: Reader, writer: Writer): boolean =>
  writer.accepts.includes(produces) || bridgeTo(writer, produces) !== undefined;

export const writersFor = (reader: Reader): Writer[] => writers.filter((writer) => fits(reader, writer));

export interface ConverterDescription {
  name: string;
  description: string;
  datasetFormat: string;
  parameters: ParameterDescription[];
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
