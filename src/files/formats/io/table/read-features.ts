import type { ByteSource } from '../../../data/bytes.ts';
import type { Crs } from '../../../data/crs-reference.ts';
import { microClockText } from '../../../data/date-text.ts';
import { type Dimensions, strideOf } from '../../../data/dimensions.ts';
import type { Feature, FeatureCollection, Field, FieldType, Geometry } from '../../../data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import { parseSrid, wgs84 } from '../../../geo/crs/crs.ts';
import { ONE_VERTEX, PART_LEFT_OUT, withoutShortLines } from '../../../geo/vector/short-lines.ts';
import type { Context } from '../../define.ts';
import { CoordinatePool } from '../coordinate-pool.ts';
import { readWktHead, WktReader } from '../wkt-reader.ts';
import { commonFieldType, readCell, readCellType } from './columns.ts';
import type { Dialect } from './dialect.ts';
import type { Roles } from './roles.ts';
import { cellForm, type Rows } from './rows.ts';
import { columnNames, tableRows } from './table.ts';

/** What is known of the features after reading all of the text once. */
interface Survey extends Dimensions {
  readonly types: readonly (FieldType | undefined)[];
  readonly count: number;
  /** Of the first geometry. */
  readonly srid?: number;
}

export async function readFeatures(
  source: ByteSource,
  dialect: Dialect,
  roles: Roles,
  context: Context,
): Promise<FeatureCollection> {
  const { place, wkt, time } = roles;
  const names = columnNames(dialect);
  const coordinates = new Set([place?.x, place?.y, place?.z, wkt]);
  const columns = names.flatMap((_, n) => (coordinates.has(n) ? [] : [n]));
  const survey = await surveyed(source, dialect, roles, columns, context);
  const isTime = (n: number) => n === time?.column && time.parser.pattern !== 'ISO 8601';
  const fields = columns.map((n): Field => {
    const type = isTime(n) ? 'dateTime' : survey.types[n];
    return { name: names[n]!, type: type ?? 'string', ...(type === undefined ? { untyped: true } : {}) };
  });
  remarkOn(dialect, roles, { names, columns, survey }, context);
  const crs = chooseCrs(roles, survey, context);
  const reader = { columns, fields, ...roles, hasZ: survey.hasZ, hasM: survey.hasM };
  return {
    kind: 'features',
    ...(crs === undefined ? {} : { crs }),
    fields,
    hasZ: survey.hasZ,
    hasM: survey.hasM,
    ...(place === undefined ? {} : { geometryTypes: ['Point'] }),
    count: survey.count,
    chunks: () => chunks(source, dialect, reader, context),
  };
}

/** Reads all rows: the types of the columns, and whether geometries have heights. Bad rows are reported later. */
async function surveyed(
  source: ByteSource,
  dialect: Dialect,
  { place, wkt }: Roles,
  columns: readonly number[],
  context: Context,
): Promise<Survey> {
  const types = new Array<FieldType | undefined>(dialect.columns);
  const { numbers } = dialect;
  let [count, hasZ, hasM] = [0, place?.z !== undefined, false];
  let srid: number | undefined;
  let isFirst = true;
  const quiet = { signal: context.signal, reportBadRecord() {} };
  for await (const _ of tableRows(source, dialect, quiet, (rows) => {
    count++;
    for (const n of columns)
      if (types[n] !== 'string') types[n] = commonFieldType(types[n], readCellType(rows, n, numbers));
    if (wkt === undefined || (hasZ && hasM) || rows.isEmpty(wkt)) return undefined;
    const start = rows.starts[wkt]!;
    const head = readWktHead(rows.bytes.toString('latin1', start, Math.min(rows.ends[wkt]!, start + 400)));
    hasZ ||= head.hasZ;
    hasM ||= head.hasM;
    if (isFirst) srid = head.srid;
    isFirst = false;
    return undefined;
  }));
  return { types, count, hasZ, hasM, ...(srid === undefined ? {} : { srid }) };
}

function remarkOn(
  { numbers, sample }: Dialect,
  { place, wkt, time }: Roles,
  { names, columns, survey }: { names: readonly string[]; columns: readonly number[]; survey: Survey },
  { remark }: Context,
): void {
  if (place !== undefined)
    remark(
      `The columns ${[place.x, place.y, ...(place.z === undefined ? [] : [place.z])].map((n) => `'${names[n]}'`).join(', ')} were read as coordinates.`,
    );
  if (wkt !== undefined) remark(`The column '${names[wkt]}' was read as geometry.`);
  if (place === undefined && wkt === undefined)
    remark('No columns are known to be a place, so features have no geometry.');
  if (time !== undefined && time.parser.pattern !== 'ISO 8601')
    remark(
      `Times of the column '${names[time.column]}' were read as ${time.parser.pattern}${time.parser.zoned ? ', in UTC' : ''}.`,
    );
  for (const n of columns) {
    if (survey.types[n] !== 'string' || survey.count <= sample.length) continue;
    const cells = sample.map((row) => (row[n] ?? '').trim()).filter((cell) => cell !== '');
    // Codes such as 007 were texts from the start.
    const isNumber = (cell: string) =>
      !/^[+-]?0\d/.test(cell) && !Number.isNaN(numbers.parse(Buffer.from(cell), 0, cell.length));
    if (cells.length > 0 && cells.every(isNumber))
      remark(`The column '${names[n]}' became text, because later rows have values that are no numbers.`);
  }
}

function chooseCrs({ isGeographic, wkt }: Roles, { srid }: Survey, { remark }: Context): Crs | undefined {
  if (isGeographic) {
    remark('Longitudes and latitudes were taken as EPSG:4326.');
    return wgs84;
  }
  if (wkt === undefined || srid === undefined) return undefined;
  try {
    return parseSrid(srid);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    remark(`The coordinate system of the geometries was ignored: ${error.message}`);
    return undefined;
  }
}

interface FeatureColumns extends Roles, Dimensions {
  readonly columns: readonly number[];
  readonly fields: readonly Field[];
}

async function* chunks(
  source: ByteSource,
  dialect: Dialect,
  reader: FeatureColumns,
  context: Context,
): AsyncGenerator<readonly Feature[]> {
  const rows = new RowReader(dialect, reader, context);
  yield* tableRows(source, dialect, context, (row) => rows.feature(row));
}

class RowReader {
  readonly #dialect: Dialect;
  readonly #reader: FeatureColumns;
  readonly #context: Context;
  readonly #pool = new CoordinatePool();
  readonly #wkt: WktReader;
  readonly #stride: number;

  constructor(dialect: Dialect, reader: FeatureColumns, context: Context) {
    this.#dialect = dialect;
    this.#reader = reader;
    this.#context = context;
    this.#wkt = new WktReader(reader, this.#pool);
    this.#stride = strideOf(reader);
  }

  feature(rows: Rows): Feature {
    const { columns, fields, place, wkt, time } = this.#reader;
    const { numbers } = this.#dialect;
    const values = columns.map((column, n) => {
      if (column === time?.column && time.parser.pattern !== 'ISO 8601') return timeText(rows, column, time.parser);
      return readCell(rows, column, fields[n]!.type, numbers);
    });
    const geometry =
      place === undefined ? (wkt === undefined ? undefined : this.#shape(rows, wkt)) : this.#point(rows, place);
    return geometry === undefined ? { values } : { geometry, values };
  }

  #point(rows: Rows, { x, y, z }: NonNullable<Roles['place']>): Geometry | undefined {
    if (rows.isEmpty(x) && rows.isEmpty(y)) return undefined;
    const coordinates = this.#pool.coordinates(this.#stride);
    coordinates[0] = this.#coordinate(rows, x);
    coordinates[1] = this.#coordinate(rows, y);
    if (z !== undefined) {
      const isEmpty = rows.isEmpty(z);
      coordinates[2] = isEmpty ? Number.NaN : this.#coordinate(rows, z);
      if (isEmpty) this.#context.remark('A point has no z.');
    }
    return { type: 'Point', coordinates };
  }

  #coordinate(rows: Rows, column: number): number {
    const value = rows.isEmpty(column) ? null : readCell(rows, column, 'real', this.#dialect.numbers);
    if (value !== null) return Number(value);
    throw new FormatError(
      `${rows.where} has '${rows.text(column).slice(0, 40)}' in column ${column + 1} in place of a coordinate.`,
    );
  }

  #shape(rows: Rows, column: number): Geometry | undefined {
    if (rows.isEmpty(column)) return undefined;
    const isPlain = rows.forms[column] !== cellForm.escaped;
    const bytes = isPlain ? rows.bytes : Buffer.from(rows.text(column));
    const geometry = this.#read(
      rows,
      bytes,
      isPlain ? rows.starts[column]! : 0,
      isPlain ? rows.ends[column]! : bytes.length,
    );
    const long = withoutShortLines(geometry, this.#stride);
    if (long === undefined) throw new FormatError(`${rows.where}: ${ONE_VERTEX}`);
    if (long !== geometry) this.#context.remark(PART_LEFT_OUT);
    return long;
  }

  #read(rows: Rows, bytes: Buffer, start: number, end: number): Geometry {
    try {
      return this.#wkt.read(bytes, start, end);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw new FormatError(`${rows.where}: ${error.message}`);
    }
  }
}

function timeText(rows: Rows, column: number, parser: NonNullable<Roles['time']>['parser']): string | null {
  const { parse, pattern, zoned } = parser;
  if (rows.isEmpty(column)) return null;
  const text = rows.text(column).trim();
  const time = parse(text);
  if (Number.isNaN(time))
    throw new FormatError(`${rows.where} has the time '${text.slice(0, 40)}', which is not of the form ${pattern}.`);
  return `${microClockText(time)}${zoned ? 'Z' : ''}`;
}
