import { z } from 'zod';
import type { ByteSink, ByteSource } from '../data/bytes.ts';
import type { Data, DataKind } from '../data/data.ts';
import type { TimeAxis } from '../data/time-axis.ts';
import type { FileType } from './file-type.ts';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** Services of the conversion for readers and writers. */
export interface Context {
  readonly signal: AbortSignal;
  /** Folder for temporary files; the conversion deletes it. */
  readonly scratch: string;
  /** Maximum number of threads; absent: one. The output does not depend on it. */
  readonly threads?: number;
  log(level: LogLevel, message: string): void;
  /** Reports progress, 0 to 1. Writers of rows need not call it: the conversion counts the rows that they pull. */
  progress(fraction: number, phase: string): void;
  /**
   * Adds a sentence to the receipt about a part of the input that the output does not have. Duplicates are dropped.
   * Writers and bridges tell a loss that follows from the header of the data before they read values, so that it is
   * known before a conversion (`convert/header-losses.ts`).
   * @param parts that are lost with all their values, if the header of the data has them
   */
  reportLoss(sentence: string, ...parts: readonly LossPart[]): void;
  /**
   * Adds a sentence to the receipt about something that was repaired, guessed or taken as default. A sentence that
   * comes again is counted, so it may be called for each record.
   */
  remark(sentence: string): void;
  /**
   * Whether bad records end the conversion or are skipped; for readers that need an extra pass to skip them. Absent:
   * fail.
   */
  readonly onBadRecord?: 'fail' | 'skip';
  /**
   * Reports a record that cannot be read, transformed or written. Throws its reason or counts it as skipped, as the
   * request asks.
   */
  reportBadRecord(record: BadRecord): void;
  /** What makes the data that are written, for a writer that notes it in its file. Absent: not known. */
  readonly provenance?: Provenance;
  /** The content that the output replaces, for a writer that keeps something of it (`Writer.kept`). */
  readonly replaced?: { readonly path: string };
  /** The content to which the output adds steps, for a writer that joins both itself (`AppendRules.byWriter`). */
  readonly existing?: { readonly path: string; joined(steps: JoinedSteps): void };
  /**
   * Registers a function that runs when the conversion ends, also after an error; the last one registered runs first.
   */
  onEnd(close: () => Promise<void>): void;
}

/** The reader of the data, and the transformations that were applied to them, in order. */
export interface Provenance {
  readonly reader: string;
  readonly transformations: readonly string[];
}

/** Parts of data that their header tells, and a writer keeps or loses. */
export type LossPart =
  | 'crs'
  | 'rotation'
  | 'times'
  | 'layers'
  | 'units'
  | 'quantities'
  | 'valueKinds'
  | 'heights'
  | 'measures';

/** All steps after an append, and how many were there before. */
export interface JoinedSteps {
  readonly time: TimeAxis;
  readonly present: number;
}

/** Error code for a file with several layers of which the request names none. */
export const SEVERAL_LAYERS = 'SeveralLayers';

export interface BadRecord {
  /** Number of the record from 1, in the order of the input. */
  readonly number: number;
  readonly reason: Error;
  /** Location in the coordinate system of the input, if known. */
  readonly x?: number;
  readonly y?: number;
}

/**
 * Common to readers and writers. The schema `parameters` validates requests, types the code, and describes the
 * parameters in the API.
 */
interface Converter<P extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /** `datasetFormat` of the files that it reads or writes. */
  readonly format: string;
  readonly parameters: P;
  /**
   * The content of datasets of this format is rows of the database: a local file holds them only during a conversion.
   */
  readonly rows?: true;
}

/**
 * Properties of data that decide which transformations apply: coordinates, items (bands, fields), time steps, vertical
 * layers.
 */
export type Facet = 'place' | 'items' | 'times' | 'layers';

export interface Reader<P extends z.ZodObject = z.ZodObject> extends Converter<P> {
  /** Names by which requests may call it, too. */
  readonly otherNames?: readonly string[];
  /** A list: the kind is known only from the content. */
  readonly produces: DataKind | readonly DataKind[];
  readonly has: readonly Facet[];
  /** The file is rows of text, each of which ends a line: its first rows tell what it is. */
  readonly rowsOfText?: true;
  /** About how many MB of a file a thread reads in a second. Absent: 50 or more. */
  readonly megabytesPerSecond?: number;
  /**
   * Whether a part of the values of a file is read without most of the rest. Absent: never.
   * @throws FormatError for malformed content
   */
  readonly readsParts?: (source: ByteSource) => Promise<boolean>;
  /** The data may read from the source until the conversion ends. */
  read(source: ByteSource, parameters: z.output<P>, context: Context): Promise<Data>;
}

export interface Writer<P extends z.ZodObject = z.ZodObject> extends Converter<P>, FileType {
  readonly accepts: readonly DataKind[];
  /** The kinds that it accepts if a parameter is given. Absent: always the same. */
  readonly acceptsWith?: { readonly parameter: string; readonly kinds: readonly DataKind[] };
  /** Kinds that a bridge (`convert/bridges`) changes into one that it accepts. Absent: none. */
  readonly bridged?: readonly DataKind[];
  /** Keeps the places of the cells of a grid along a line. */
  readonly keepsPlaces?: true;
  /** Several: a file holds several layers of features, so that a mesh over time becomes one layer per step. */
  readonly layers?: 'several';
  /** Extensions in use for the same files, with the dot. */
  readonly otherExtensions?: readonly string[];
  write(data: Data, parameters: z.output<P>, sink: ByteSink, context: Context): Written;
  /** Rules for appending to a file of this format. Absent: appending is not supported. */
  readonly appends?: AppendRules;
  /** Parameters with which a command calls the writer where the user gives none, although it demands some. */
  readonly usualParameters?: Readonly<Record<string, unknown>>;
  /** Parameters that an update without them takes from the content of the dataset (`context.replaced`). */
  readonly kept?: readonly string[];
}

/** Resolves to the type of the file where it is not the usual one of the writer. */
export type Written = Promise<void> | Promise<FileType | undefined>;

/** Rules for appending to a file of a format: features, or the steps of data over time. */
export interface AppendRules {
  /**
   * True: the file declares types of fields and items, and records have no ids. False: types are inferred from values.
   */
  readonly declared: boolean;
  /** Records have ids beside their fields, although types are declared. */
  readonly ids?: true;
  /** The content is no data that a reader could join: the writer adds to it (`Context.existing`). */
  readonly byWriter?: true;
  /** The output of an append has only what is added, because the dataset can grow in place. */
  readonly onlyAdded?: true;
}

/**
 * The change of the coordinate system by a conversion: CRS names such as `EPSG:25832`, and the operation in a sentence.
 */
export interface CrsChange {
  from?: string;
  to?: string;
  operation?: string;
}

/** The kinds of data that a reader may produce. */
export const producedKinds = ({ produces }: Pick<Reader, 'produces'>): readonly DataKind[] =>
  typeof produces === 'string' ? [produces] : produces;

/** Implements a reader. */
export type Read<P extends z.ZodObject> = Reader<P>['read'];
/** Implements a writer of data of the kinds K. */
export type Write<P extends z.ZodObject, K extends DataKind> = (
  data: Extract<Data, { kind: K }>,
  parameters: z.output<P>,
  sink: ByteSink,
  context: Context,
) => Written;

/**
 * A reader whose code loads at its first call, so that a process loads the formats that it uses. Erases the type of the
 * parameters, so that the registry can list all readers. The conversion parses the parameters before each call.
 */
export const defineReader = <P extends z.ZodObject>({
  load,
  ...known
}: Omit<Reader<P>, 'read'> & { load(): Promise<{ read: Read<P> }> }): Reader => {
  const reader: Reader<P> = { ...known, read: async (...given) => (await load()).read(...given) };
  return reader as unknown as Reader;
};

/** A writer whose code loads at its first call. */
export const defineWriter = <P extends z.ZodObject, K extends DataKind>({
  load,
  ...known
}: Omit<Writer<P>, 'accepts' | 'write'> & {
  accepts: readonly K[];
  load(): Promise<{ write: Write<P, K> }>;
}): Writer => {
  const write = async (...given: Parameters<Write<P, K>>) => (await load()).write(...given);
  return { ...known, write } as unknown as Writer;
};

export interface ParameterDescription {
  name: string;
  description: string;
  dataType: string;
  /**
   * Also of an optional parameter whose metadata say so: its writer demands it, unless the dataset has it
   * (`Writer.kept`).
   */
  required: boolean;
  /**
   * Also a default that the code chooses, as metadata of an optional parameter, where it matters whether a value was
   * given.
   */
  defaultValue?: unknown;
  allowedValues?: readonly unknown[];
  /** Only for numbers. */
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
  requiredInLists?: boolean;
  anyOf?: readonly PropertySchema[];
}

const described = new WeakMap<z.ZodObject, readonly ParameterDescription[]>();

/** Describes the parameters of a reader or writer from its schema, once for each schema. */
export function describeParameters(schema: z.ZodObject): readonly ParameterDescription[] {
  const known = described.get(schema) ?? parametersOf(schema);
  described.set(schema, known);
  return known;
}

function parametersOf(schema: z.ZodObject): ParameterDescription[] {
  const json = z.toJSONSchema(schema, { io: 'input' });
  const required = new Set(json.required);
  return Object.entries(json.properties ?? {}).map(([name, value]) => {
    const property = value as PropertySchema;
    return {
      name,
      description: property.description ?? '',
      dataType: property.type ?? property.anyOf?.[0]?.type ?? 'string',
      required: required.has(name) || property.requiredInLists === true,
      ...(property.default === undefined ? {} : { defaultValue: property.default }),
      ...(property.enum === undefined ? {} : { allowedValues: property.enum }),
      ...(isBound(property.minimum) ? { minimum: property.minimum } : {}),
      ...(isBound(property.maximum) ? { maximum: property.maximum } : {}),
    };
  });
}

/** False for the default bounds of zod integers (±(2^53 − 1)), which are not worth printing. */
const isBound = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
