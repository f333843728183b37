import { FormatError, invalid } from '../../errors.ts';
import type { Gdal } from '../wasm.ts';
import { gdal, guarded } from '../wasm.ts';
import type { CrsKind } from './codes.ts';
import { kindOfCode } from './codes.ts';
import { identify } from './identify.ts';
import { crsToWkt, withCrs } from './srs.ts';
import type { WktNode } from './wkt.ts';
import { child, parseWkt, writeWkt } from './wkt.ts';

/**
 * What data say of their coordinates: a code of a registry, a text as the file had it, or both (then the code counts).
 * It costs nothing to carry; nobody has asked PROJ about a text yet. Our data always have x = easting or longitude and
 * y = northing or latitude, whatever order the registry names.
 */
export interface Crs {
  readonly authority?: 'EPSG' | 'ESRI';
  readonly code?: number;
  /** WKT 1 (GDAL's or Esri's dialect) or WKT 2. */
  readonly wkt?: string;
}

/** A Crs that PROJ has read. */
export interface KnownCrs extends Crs {
  /** WKT 2:2019, on one line. */
  readonly wkt: string;
  readonly name: string;
  readonly kind: CrsKind;
  /** Horizontal coordinates are longitude and latitude. */
  readonly geographic: boolean;
  /** Of horizontal coordinates: metres, or for longitude and latitude radians, in one unit. */
  readonly unit: { readonly name: string; readonly factor: number };
  /** Where it may be used, in degrees; `west > east` when it crosses the antimeridian. */
  readonly area?: { readonly west: number; readonly south: number; readonly east: number; readonly north: number };
}

/** WGS 84 longitude and latitude. */
export const wgs84: Crs = { authority: 'EPSG', code: 4326 };

/**
 * A Crs from what a caller writes as SRID: 25832, '25832', 'EPSG:25832', 'ESRI:102100'. A number that EPSG does not
 * know but Esri does is Esri's, also where it is called EPSG's, as many files do. Needs no PROJ. Unknown: AppError.
 */
export function parseSrid(value: number | string): Crs & { authority: 'EPSG' | 'ESRI'; code: number } {
  const found = /^\s*(?:(EPSG|ESRI)\s*:{1,2}\s*)?(\d{1,9})\s*$/i.exec(String(value));
  if (found === null) {
    throw invalid(`'${shorten(String(value))}' is not an SRID; write for example 25832 or EPSG:25832.`);
  }
  const code = Number(found[2]);
  const named = found[1]?.toUpperCase() as 'EPSG' | 'ESRI' | undefined;
  for (const authority of named === 'ESRI' ? ([named] as const) : (['EPSG', 'ESRI'] as const)) {
    if (kindOfCode(authority, code) !== undefined) return { authority, code };
  }
  throw invalid(`The coordinate system ${named ?? 'EPSG'}:${code} is not known.`);
}

/** `EPSG:25832`; undefined for a Crs without a code. */
export function sridOf(crs: Crs): string | undefined {
  return crs.code === undefined ? undefined : `${crs.authority ?? 'EPSG'}:${crs.code}`;
}

/** What people call it, as far as that is known without PROJ. */
export const crsName = (crs: Crs): string => sridOf(crs) ?? /"([^"]*)"/.exec(crs.wkt ?? '')?.[1] ?? 'unknown';

/** Projected, geographic …, from the code alone where there is one (no PROJ), else from the keyword of its text. */
export function kindOf(crs: Crs): CrsKind {
  if (crs.code !== undefined) return kindOfCode(crs.authority ?? 'EPSG', crs.code) ?? 'other';
  return crs.wkt === undefined ? 'other' : kindOfNode(parseWkt(crs.wkt));
}

/** What PROJ says of WGS 84, which most features are in: loading it takes longer, and more memory, than converting a small file. */
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

const described = new Map<string, Promise<KnownCrs>>();

/**
 * Asks PROJ what a Crs is. A text without a code of its own gets one only when a registry has the same system (`identify`),
 * and a code that its text claims wrongly is dropped. What PROJ cannot read throws FormatError.
 */
export function describeCrs(crs: Crs): Promise<KnownCrs> {
  const key = sridOf(crs) ?? crs.wkt ?? '';
  let known = described.get(key);
  if (known === undefined) {
    // A handful is in use at a time; texts come from files, so their number must not grow with the life of the process.
    if (described.size >= 64) described.delete(described.keys().next().value!);
    known = describe(crs);
    described.set(key, known);
    known.catch(() => described.delete(key));
  }
  return known;
}

async function describe(crs: Crs): Promise<KnownCrs> {
  const srid = sridOf(crs);
  if (srid === 'EPSG:4326') return knownWgs84;
  if (srid !== undefined) {
    parseSrid(srid);
    return known(await gdal(), srid, crs);
  }
  if (crs.wkt === undefined) throw new FormatError('The coordinate system has neither a code nor a text.');
  return crsFromWkt(crs.wkt);
}

/** Without blanks at its ends, and without the NULs that fill a record. A loop, as the texts of files are not to be trusted. */
function withoutPadding(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\0' || text.slice(end - 1, end).trim() === '')) end--;
  return text.slice(0, end).trimStart();
}

/** A Crs from WKT 1, WKT 2 or the content of a .prj file (also the old `Projection …` lines of ArcInfo). */
export async function crsFromWkt(text: string): Promise<KnownCrs> {
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

/** A Crs from a PROJ string, such as `+proj=utm +zone=32 +ellps=GRS80`. */
export async function crsFromProj(text: string): Promise<KnownCrs> {
  const trimmed = text.trim();
  // Grids and init files would be read from a file system; we carry none, and a name may not become a path.
  if (
    !/^\+?proj=/.test(trimmed) ||
    trimmed.length > 2000 ||
    /[+\s](nadgrids|geoidgrids|init|file)=/.test(` ${trimmed}`)
  ) {
    throw new FormatError(`'${shorten(trimmed)}' is not a PROJ string of a coordinate system that can be used here.`);
  }
  const module = await gdal();
  return crsFromWkt(known(module, trimmed.startsWith('+') ? trimmed : `+${trimmed}`, {}).wkt);
}

export type WktDialect = 'WKT1_GDAL' | 'WKT1_ESRI' | 'WKT2_2019';

/** The text of a Crs: WKT1_ESRI for .prj files, WKT1_GDAL for old programs, WKT2_2019 for all else. FormatError when a dialect cannot say it. */
export async function crsText(crs: Crs, dialect: WktDialect): Promise<string> {
  const { wkt } = await describeCrs(crs);
  if (dialect === 'WKT2_2019') return wkt;
  const module = await gdal();
  return guarded(() => withCrs(module, sridOf(crs) ?? wkt, (handle) => crsToWkt(module, handle, dialect)));
}

/** Whether coordinates of one are coordinates of the other: the same code, or the same system by another spelling. Names do not count, datums do. */
export async function sameCrs(a: Crs, b: Crs): Promise<boolean> {
  const srid = sridOf(a);
  if (srid !== undefined && srid === sridOf(b)) return true;
  const [left, right] = await Promise.all([describeCrs(a), describeCrs(b)]);
  const codes = [sridOf(left), sridOf(right)];
  if (codes[0] !== undefined && codes[0] === codes[1]) return true;
  return bare(left.wkt) === bare(right.wkt);
}

/** A WKT 2 without names of systems and conversions, identifiers, usage and remarks: what is left decides about coordinates. */
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
  const wkt = guarded(() => withCrs(module, definition, (handle) => crsToWkt(module, handle, 'WKT2_2019')));
  const root = parseWkt(wkt);
  const horizontal = horizontalOf(root);
  const kind = kindOfNode(root);
  const unit = unitOf(horizontal);
  const box = child(root, 'BBOX') ?? child(child(root, 'USAGE') ?? root, 'BBOX');
  const [south, west, north, east] = box?.values ?? [];
  return {
    ...(identity.code === undefined ? {} : { authority: identity.authority ?? 'EPSG', code: identity.code }),
    wkt,
    name: String(root.values[0]),
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
  return new FormatError(`The coordinate system's text cannot be read: ${JSON.stringify(shorten(text))}.`);
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
