import { LRUCache } from 'lru-cache';
import type { Crs } from '../../data/crs-reference.ts';
import { loadOnce } from '../../data/load-once.ts';
import { FormatError, RequestError } from '../../errors.ts';
import { type Gdal, gdal, guarded } from '../wasm.ts';
import { type CrsKind, kindOfCode } from './codes.ts';
import { identify } from './identify.ts';
import { crsToWkt, withCrs } from './srs.ts';
import { child, parseWkt, type WktNode, writeWkt } from './wkt.ts';

/** A CRS as described by PROJ. */
export interface KnownCrs extends Crs {
  /** WKT 2:2019, on one line. */
  readonly wkt: string;
  readonly name: string;
  readonly kind: CrsKind;
  /** Horizontal coordinates are longitude and latitude. */
  readonly geographic: boolean;
  /** Unit of horizontal coordinates; `factor` is its size in metres or, for longitude and latitude, in radians. */
  readonly unit: { readonly name: string; readonly factor: number };
  /** Area of use in degrees; `west > east` if it crosses the antimeridian. */
  readonly area?: { readonly west: number; readonly south: number; readonly east: number; readonly north: number };
}

/** WGS 84 longitude and latitude. */
export const wgs84: Crs = { authority: 'EPSG', code: 4326 };

/**
 * Parses an SRID: 25832, '25832', 'EPSG:25832', 'ESRI:102100'. A code that only ESRI has is taken as ESRI's even if it
 * is called EPSG, as in many files. Does not load PROJ.
 * @throws RequestError for an unknown code
 */
export function parseSrid(value: number | string): Crs & { authority: 'EPSG' | 'ESRI'; code: number } {
  const found = /^\s*(?:(EPSG|ESRI)\s*:{1,2}\s*)?(\d{1,9})\s*$/i.exec(String(value));
  if (found === null) {
    throw new RequestError(`'${shorten(String(value))}' is not an SRID. Write for example 25832 or EPSG:25832.`);
  }
  const code = Number(found[2]);
  const named = found[1]?.toUpperCase() as 'EPSG' | 'ESRI' | undefined;
  for (const authority of named === 'ESRI' ? ([named] as const) : (['EPSG', 'ESRI'] as const)) {
    if (kindOfCode(authority, code) !== undefined) return { authority, code };
  }
  throw new RequestError(`The coordinate system ${named ?? 'EPSG'}:${code} is not known.`);
}

/** `EPSG:25832`; undefined for a Crs without a code. */
export function sridOf(crs: Crs): string | undefined {
  return crs.code === undefined ? undefined : `${crs.authority ?? 'EPSG'}:${crs.code}`;
}

/** SRID or name of a CRS, as far as known without PROJ. */
export const crsName = ({ wkt = '', ...crs }: Crs): string =>
  sridOf(crs) ?? /"([^"]*)"/.exec(wkt)?.[1] ?? (wkt.trim() === '' ? 'unknown' : wkt.trim());

/** Kind of a CRS from its code or else the keyword of its WKT. Does not load PROJ. */
export function kindOf(crs: Crs): CrsKind {
  if (crs.code !== undefined) return kindOfCode(crs.authority ?? 'EPSG', crs.code) ?? 'other';
  return crs.wkt === undefined ? 'other' : kindOfNode(parseWkt(crs.wkt));
}

/**
 * PROJ's description of WGS 84, the CRS of most features: loading PROJ takes longer, and more memory, than converting a
 * small file.
 */
const knownWgs84: KnownCrs = {
  authority: 'EPSG',
  code: 4326,
  wkt: 'GEOGCRS["WGS 84",ENSEMBLE["World Geodetic System 1984 ensemble",MEMBER["World Geodetic System 1984 (Transit)"],MEMBER["World Geodetic System 1984 (G730)"],MEMBER["World Geodetic System 1984 (G873)"],MEMBER["World Geodetic System 1984 (G1150)"],MEMBER["World Geodetic System 1984 (G1674)"],MEMBER["World Geodetic System 1984 (G1762)"],MEMBER["World Geodetic System 1984 (G2139)"],ELLIPSOID["WGS 84",6378137,298.257223563,LENGTHUNIT["metre",1]],ENSEMBLEACCURACY[2.0]],PRIMEM["Greenwich",0,ANGLEUNIT["degree",0.0174532925199433]],CS[ellipsoidal,2],AXIS["geodetic latitude (Lat)",north,ORDER[1],ANGLEUNIT["degree",0.0174532925199433]],AXIS["geodetic longitude (Lon)",east,ORDER[2],ANGLEUNIT["degree",0.0174532925199433]],USAGE[SCOPE["Horizontal component of 3D system."],AREA["World."],BBOX[-90,-180,90,180]],ID["EPSG",4326]]',
  name: 'WGS 84',
  kind: 'geographic',
  geographic: true,
  unit: { name: 'degree', factor: 0.0174532925199433 },
  area: { south: -90, west: -180, north: 90, east: 180 },
};

/** WKTs come from files. A process uses a handful of CRSs at a time. */
const described = new LRUCache<string, Promise<KnownCrs>>({ max: 64 });

/**
 * Describes a CRS with PROJ. A WKT gets a code only if a registry has the same CRS (`identify`); a wrong ID in the WKT
 * is dropped.
 * @throws FormatError for a CRS that PROJ cannot read
 */
export function describeCrs(crs: Crs): Promise<KnownCrs> {
  return loadOnce(described, sridOf(crs) ?? `WKT ${crs.wkt ?? ''}`, () => describe(crs));
}

/** Describes a CRS with PROJ; undefined for a name or text that PROJ cannot read, which files of DFS may have. */
export async function resolveCrs(crs: Crs): Promise<KnownCrs | undefined> {
  try {
    return await describeCrs(crs);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return undefined;
  }
}

async function describe(crs: Crs): Promise<KnownCrs> {
  const srid = sridOf(crs);
  if (srid === 'EPSG:4326') return knownWgs84;
  if (srid !== undefined) {
    parseSrid(srid);
    return known(await gdal(), srid, crs);
  }
  if (crs.wkt === undefined) throw new FormatError('The coordinate system has neither a code nor a WKT.');
  return identified(crs.wkt);
}

/**
 * Removes white space at both ends and trailing NULs. A loop, because a regular expression could take quadratic time on
 * hostile text.
 */
function withoutPadding(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\0' || text.slice(end - 1, end).trim() === '')) end--;
  return text.slice(0, end).trimStart();
}

/** Describes a CRS given as WKT 1, WKT 2 or the content of a .prj file (including `Projection …` lines of ArcInfo). */
export const crsFromWkt = (text: string): Promise<KnownCrs> => describeCrs({ wkt: text });

/** Compares a WKT with all CRSs of the registry, which takes a second. */
async function identified(text: string): Promise<KnownCrs> {
  const trimmed = withoutPadding(text);
  const module = await gdal();
  if (/^projection\s/i.test(trimmed)) {
    const { wkt } = identify(module, trimmed);
    if (wkt === undefined) throw unreadable(trimmed);
    return crsFromWkt(wkt);
  }
  parseWkt(trimmed);
  const read = known(module, trimmed, {});
  if (read.kind === 'engineering' || read.kind === 'other') return read;
  const match = identify(module, read.wkt);
  if (match.authority === undefined) return read;
  return known(module, `${match.authority}:${match.code}`, { authority: match.authority, code: match.code! });
}

/** Describes a CRS given as PROJ string, such as `+proj=utm +zone=32 +ellps=GRS80`. */
export async function crsFromProj(text: string): Promise<KnownCrs> {
  const trimmed = text.trim();
  // No grid or init files: their names would become paths of the file system.
  if (
    !/^\+?proj=/.test(trimmed) ||
    trimmed.length > 2000 ||
    /[+\s](nadgrids|geoidgrids|init|file)=/.test(` ${trimmed}`)
  ) {
    throw new FormatError(
      `'${shorten(trimmed)}' is not a supported PROJ string. Use one with +proj= and without nadgrids, geoidgrids, init or file.`,
    );
  }
  const module = await gdal();
  return crsFromWkt(known(module, trimmed.startsWith('+') ? trimmed : `+${trimmed}`, {}).wkt);
}

export type WktDialect = 'WKT1_GDAL' | 'WKT1_ESRI' | 'WKT2_2019';

/**
 * WKT of a CRS: WKT1_ESRI for .prj files, WKT1_GDAL for old programs, WKT2_2019 for all else.
 * @throws FormatError if the dialect cannot express the CRS
 */
export async function crsText(crs: Crs, dialect: WktDialect): Promise<string> {
  const { wkt } = await describeCrs(crs);
  if (dialect === 'WKT2_2019') return wkt;
  const module = await gdal();
  return guarded(module, () => withCrs(module, sridOf(crs) ?? wkt, (handle) => crsToWkt(module, handle, dialect)));
}

/**
 * Whether coordinates in `a` are coordinates in `b`: the same code, or WKTs that differ only in names and metadata.
 * Datums must be equal.
 */
export async function sameCrs(a: Crs, b: Crs): Promise<boolean> {
  const srid = sridOf(a);
  if (srid !== undefined && srid === sridOf(b)) return true;
  const [left, right] = await Promise.all([describeCrs(a), describeCrs(b)]);
  const codes = [sridOf(left), sridOf(right)];
  if (codes[0] !== undefined && codes[0] === codes[1]) return true;
  return bare(left.wkt) === bare(right.wkt);
}

/** A WKT 2 without names of CRSs and conversions, identifiers, usage and remarks: only what affects coordinates. */
function bare(wkt: string): string {
  const nameless = (node: WktNode): WktNode => ({
    keyword: node.keyword,
    values: node.values.map((value, i) => {
      if (typeof value === 'object') return nameless(value);
      return i === 0 && /CRS$|^(CONVERSION|DERIVINGCONVERSION|AXIS)$/.test(node.keyword) ? '' : value;
    }),
  });
  return writeWkt(
    nameless(parseWkt(wkt)),
    (node) => !['ID', 'USAGE', 'REMARK', 'SCOPE', 'AREA', 'BBOX'].includes(node.keyword),
  );
}

function known(module: Gdal, definition: string, identity: Crs): KnownCrs {
  const wkt = guarded(module, () => withCrs(module, definition, (handle) => crsToWkt(module, handle, 'WKT2_2019')));
  const root = parseWkt(wkt);
  const horizontal = horizontalOf(root);
  const kind = kindOfNode(root);
  const unit = unitOf(horizontal);
  const box = child(root, 'BBOX') ?? child(child(root, 'USAGE') ?? root, 'BBOX');
  const [south, west, north, east] = box?.values ?? [];
  return {
    ...(identity.code === undefined ? {} : { authority: identity.authority ?? 'EPSG', code: identity.code }),
    wkt,
    // a bound system has no name of its own
    name: String((root.keyword === 'BOUNDCRS' ? horizontal : root).values[0]),
    kind,
    geographic: kindOfNode(horizontal).startsWith('geographic'),
    unit,
    ...(typeof south === 'number'
      ? { area: { south, west: Number(west), north: Number(north), east: Number(east) } }
      : {}),
  };
}

/** The system of x and y inside compound and bound ones. */
function horizontalOf(node: WktNode): WktNode {
  if (node.keyword === 'BOUNDCRS') {
    const source = child(node, 'SOURCECRS')?.values[0];
    return typeof source === 'object' ? horizontalOf(source) : node;
  }
  if (node.keyword === 'COMPOUNDCRS' || node.keyword === 'COMPD_CS') {
    const first = node.values.find((value) => typeof value === 'object');
    return first === undefined ? node : horizontalOf(first);
  }
  return node;
}

function kindOfNode(node: WktNode): CrsKind {
  switch (node.keyword) {
    case 'PROJCRS':
    case 'PROJECTEDCRS':
    case 'PROJCS':
      return 'projected';
    case 'GEOGCRS':
    case 'GEOGRAPHICCRS':
    case 'GEODCRS':
    case 'GEODETICCRS': {
      const [type, axes] = child(node, 'CS')?.values ?? [];
      if (type === 'Cartesian') return 'geocentric';
      return axes === 3 ? 'geographic3D' : 'geographic';
    }
    case 'GEOGCS':
      return 'geographic';
    case 'GEOCCS':
      return 'geocentric';
    case 'VERTCRS':
    case 'VERTICALCRS':
    case 'VERT_CS':
    case 'VERTCS':
      return 'vertical';
    case 'COMPOUNDCRS':
    case 'COMPD_CS':
      return 'compound';
    case 'BOUNDCRS':
      return kindOfNode(horizontalOf(node));
    case 'ENGCRS':
    case 'ENGINEERINGCRS':
    case 'LOCAL_CS':
      return 'engineering';
    default:
      return 'other';
  }
}

function unitOf(node: WktNode): { name: string; factor: number } {
  const keywords = ['LENGTHUNIT', 'ANGLEUNIT', 'UNIT'];
  const axis = child(node, 'AXIS');
  const unit = (axis === undefined ? undefined : child(axis, ...keywords)) ?? child(node, ...keywords);
  const [name, factor] = unit?.values ?? [];
  return { name: String(name ?? 'metre'), factor: typeof factor === 'number' ? factor : 1 };
}

function unreadable(text: string): FormatError {
  return new FormatError(`The WKT of the coordinate system cannot be read: ${JSON.stringify(shorten(text))}.`);
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
