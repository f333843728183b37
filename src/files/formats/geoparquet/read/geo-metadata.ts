import { z } from 'zod';
import type { Crs } from '../../../data/crs-reference.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import { crsFromWkt, parseSrid, wgs84 } from '../../../geo/crs/crs.ts';
import { crsFromProjJson } from '../../../geo/crs/projjson.ts';
import type { Context } from '../../define.ts';
import { logical } from '../parquet/constants.ts';
import type { Footer } from '../parquet/footer.ts';
import type { SchemaNode } from '../parquet/schema.ts';
import { kindOf } from './field-column.ts';

/** Encodings of geometries other than WKB, as groups and lists of coordinates. */
export const NATIVE = ['point', 'linestring', 'polygon', 'multipoint', 'multilinestring', 'multipolygon'] as const;

const Column = z.object({
  encoding: z.string(),
  geometry_types: z.array(z.string()).catch([]),
  crs: z.unknown().optional(),
  edges: z.string().optional().catch(undefined),
  epoch: z.number().optional().catch(undefined),
  covering: z
    .object({ bbox: z.record(z.string(), z.array(z.string())) })
    .optional()
    .catch(undefined),
});

const Geo = z.object({ version: z.string(), primary_column: z.string(), columns: z.record(z.string(), Column) });

/** The geometry of a file. */
export interface GeometrySource {
  readonly node: SchemaNode;
  /** `wkb`, or one of NATIVE. */
  readonly encoding: string;
  /** Types with ` Z`, ` M` or ` ZM` behind them; empty: not known. */
  readonly types: readonly string[];
  /** Undefined, an object or a text as the file has it; null: not known. */
  readonly crs: unknown;
  readonly edges: string | undefined;
  readonly epoch: number | undefined;
  /** Columns that hold no fields: boxes of the geometries, and other geometries. */
  readonly coverings: readonly string[];
  readonly others: readonly string[];
}

/**
 * The geometry column that the metadata `geo` (GeoParquet 1 and 2) name, else the first with Parquet's own type.
 * @throws FormatError for metadata that do not fit the file
 */
export function geometryOf({ keyValues }: Footer, columns: readonly SchemaNode[]): GeometrySource | undefined {
  const native = columns.filter((node) => [logical.geometry, logical.geography].some((kind) => kind === kindOf(node)));
  const text = keyValues.get('geo');
  if (text === undefined) return native.length === 0 ? undefined : ownType(native[0]!, native);
  const { primary_column: primary, columns: known } = parseGeo(text);
  const node = columns.find(({ name }) => name === primary);
  const found = Object.hasOwn(known, primary) ? known[primary] : undefined;
  if (node === undefined || found === undefined)
    throw new FormatError(`The metadata of GeoParquet name the column '${primary.slice(0, 80)}', which is missing.`);
  const own = ownType(node, native);
  const boxes = new Set(
    Object.values(known).flatMap(({ covering }) => Object.values(covering?.bbox ?? {})[0]?.[0] ?? []),
  );
  const coverings = columns.filter(({ name, column }) => column < 0 && boxes.has(name)).map(({ name }) => name);
  const others = columns
    .filter((one) => one !== node && (Object.hasOwn(known, one.name) || native.includes(one)))
    .map(({ name }) => name);
  return {
    node,
    encoding: found.encoding.toLowerCase(),
    types: found.geometry_types,
    crs: found.crs,
    edges: found.edges ?? own.edges,
    epoch: found.epoch,
    coverings,
    others,
  };
}

function parseGeo(text: string): z.output<typeof Geo> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new FormatError(`The metadata of GeoParquet are no JSON: ${JSON.stringify(text.slice(0, 60))}.`);
  }
  const read = Geo.safeParse(json);
  if (read.success) return read.data;
  const { path, message } = read.error.issues[0]!;
  throw new FormatError(`The metadata of GeoParquet are not valid: '${path.join('.').slice(0, 80)}': ${message}.`);
}

function ownType(node: SchemaNode, native: readonly SchemaNode[]): GeometrySource {
  return {
    node,
    encoding: 'wkb',
    types: [],
    crs: node.logical?.crs,
    edges: kindOf(node) === logical.geography ? 'spherical' : undefined,
    epoch: undefined,
    coverings: [],
    others: native.filter((one) => one !== node).map(({ name }) => name),
  };
}

/**
 * The coordinate system of a geometry column. One that cannot be read is ignored with a remark. A text is one of
 * Parquet's own type: `srid:` with a code (0: not known), `projjson:` with a key of the metadata, or a definition.
 */
export async function crsOf(
  { crs }: GeometrySource,
  { keyValues }: Footer,
  { remark }: Pick<Context, 'remark'>,
): Promise<Crs | undefined> {
  if (crs === undefined || crs === '') return wgs84;
  if (crs === null) return undefined;
  try {
    if (typeof crs === 'object') return await crsFromProjJson(crs);
    return await crsOfText(String(crs).trim(), keyValues);
  } catch (error) {
    if (!(error instanceof FormatError || error instanceof ConversionError)) throw error;
    remark(`The coordinate system of the file was ignored: ${error.message}`);
    return undefined;
  }
}

async function crsOfText(text: string, keyValues: Footer['keyValues']): Promise<Crs | undefined> {
  if (text === 'srid:0') return undefined;
  if (/^(?:OGC:)?CRS84$/i.test(text)) return wgs84;
  const code = /^(?:srid:|(?=EPSG:|ESRI:))(.{1,40})$/i.exec(text)?.[1];
  if (code !== undefined) return parseSrid(code);
  const definition = /^projjson:/i.test(text) ? (keyValues.get(text.slice(9)) ?? text) : text;
  if (!definition.startsWith('{')) return crsFromWkt(definition);
  try {
    return await crsFromProjJson(JSON.parse(definition) as object);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FormatError(`${JSON.stringify(definition.slice(0, 60))} is no JSON.`);
  }
}
