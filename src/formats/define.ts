import { z } from 'zod';
import type { ByteSink, ByteSource } from '../data/bytes.ts';
import type { Data, DataKind } from '../data/data.ts';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** What a reader or writer may ask of the conversion around it. */
export interface Context {
  readonly signal: AbortSignal;
  /** A folder for temporary files; its owner removes it. */
  readonly scratch: string;
  /** Threads that may compute at a time; absent: one. What is written does not depend on it. */
  readonly threads?: number;
  log(level: LogLevel, message: string): void;
  /** Share of the work that is done, 0 to 1. Writers of rows need not call it: pulling rows counts. */
  progress(fraction: number, phase: string): void;
  /** One sentence for the receipt about something that the output cannot hold. The same sentence is kept once. */
  lost(sentence: string): void;
  /** What the request says of records that cannot be read; a reader that would have to look twice asks before it does. Absent: fail. */
  readonly onBadRecord?: 'fail' | 'skip';
  /** A record that cannot be read, placed or written: throws its reason when the request says fail, else counts it as skipped. */
  badRecord(record: BadRecord): void;
  /** Called when the conversion has ended, however it ended, in reverse order. */
  atEnd(close: () => Promise<void>): void;
}

/** Code of what a reader throws that would have to be told which layer is meant. */
export const SEVERAL_LAYERS = 'SeveralLayers';

export interface BadRecord {
  /** From 1, in the order of the input. */
  readonly number: number;
  readonly reason: Error;
  /** Where it lies, in the coordinate system of the input, if that is known. */
  readonly x?: number;
  readonly y?: number;
}

/** What readers and writers have in common. `parameters` checks the request, types the code and is what the lists print. */
interface Converter<P extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /** `datasetFormat` of the files that it reads or writes. */
  readonly format: string;
  readonly parameters: P;
}

/** What data may have, so that transformations can choose by it: coordinates, items (bands, fields), moments, layers above each other. */
export type Facet = 'place' | 'items' | 'times' | 'layers';

export interface Reader<P extends z.ZodObject = z.ZodObject> extends Converter<P> {
  readonly produces: DataKind;
  readonly has: readonly Facet[];
  /** Data may hold on to the source until the conversion ends. */
  read(source: ByteSource, parameters: z.output<P>, context: Context): Promise<Data>;
}

export interface Writer<P extends z.ZodObject = z.ZodObject> extends Converter<P> {
  readonly accepts: readonly DataKind[];
  /** With the dot; empty: the name of the input is kept. */
  readonly extension: string;
  readonly mediaType: string;
  write(data: Data, parameters: z.output<P>, sink: ByteSink, context: Context): Promise<void>;
  /** Data can be added to what a file of this format holds, by these rules. Absent: they cannot. */
  readonly appends?: AppendRules;
}

/** How records are added to a file of a format. */
export interface AppendRules {
  /** Fields have the types that the file declares, and records have no ids. Else a type is what the values have in common. */
  readonly declared: boolean;
}

/** What became of the coordinate system: names such as `EPSG:25832`, and how coordinates were changed. */
export interface CrsChange {
  from?: string;
  to?: string;
  operation?: string;
}

/** Typed where it is written, plain where the registry lists it: `convert.ts` parses the parameters before each call. */
export const defineReader = <P extends z.ZodObject>(reader: Reader<P>): Reader => reader as unknown as Reader;

export const defineWriter = <P extends z.ZodObject, K extends DataKind>(
  writer: Omit<Writer<P>, 'accepts' | 'write'> & {
    accepts: readonly K[];
    write(data: Extract<Data, { kind: K }>, parameters: z.output<P>, sink: ByteSink, context: Context): Promise<void>;
  },
): Writer => writer as unknown as Writer;

export interface ParameterDescription {
  name: string;
  description: string;
  dataType: string;
  required: boolean;
  defaultValue?: unknown;
  allowedValues?: readonly unknown[];
  /** Of numbers. */
  minimum?: number;
  maximum?: number;
}

interface PropertySchema {
  minimum?: number;
  maximum?: number;
  description?: string;
  type?: string;
  default?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly PropertySchema[];
}

/** The parameters of a reader or writer as its schema states them. */
export function describeParameters(schema: z.ZodObject): ParameterDescription[] {
  const json = z.toJSONSchema(schema, { io: 'input' });
  const required = new Set(json.required);
  return Object.entries(json.properties ?? {}).map(([name, value]) => {
    const property = value as PropertySchema;
    return {
      name,
      description: property.description ?? '',
      dataType: property.type ?? property.anyOf?.[0]?.type ?? 'string',
      required: required.has(name),
      ...(property.default === undefined ? {} : { defaultValue: property.default }),
      ...(property.enum === undefined ? {} : { allowedValues: property.enum }),
      ...(isBound(property.minimum) ? { minimum: property.minimum } : {}),
      ...(isBound(property.maximum) ? { maximum: property.maximum } : {}),
    };
  });
}

/** Every integer has the bounds of those that a double holds exactly; they say nothing. */
const isBound = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
