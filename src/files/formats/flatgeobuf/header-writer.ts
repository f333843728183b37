import type { Crs } from '../../data/crs-reference.ts';
import { crsName, resolveCrs } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import {
  columnSlots,
  columnTypes,
  crsSlots,
  dateMetadata,
  headerSlots,
  idMetadata,
  magic,
  nodeSize,
  patchVersion,
} from '../io/flatgeobuf/schema.ts';
import type { OutputColumn } from './columns.ts';
import { flatBuffer, type Slots } from './flat-builder.ts';

/** Summary of the features in the header. */
export interface Contents {
  readonly name: string | undefined;
  readonly geometryType: number;
  readonly hasZ: boolean;
  readonly hasM: boolean;
  readonly count: number;
  /** West, south, east, north; absent: no feature has a place. */
  readonly box?: readonly number[];
  readonly crs: Slots | undefined;
}

/** The start of a file up to its index. */
export function headerBytes(contents: Contents, columns: readonly OutputColumn[]): Buffer {
  const { name, geometryType, hasZ, hasM, count, box, crs } = contents;
  const header = flatBuffer({
    ...(name === undefined ? {} : { [headerSlots.name]: { kind: 'text', value: name } }),
    ...(box === undefined ? {} : { [headerSlots.envelope]: { kind: 'doubles', value: box } }),
    [headerSlots.geometryType]: { kind: 'u8', value: geometryType },
    [headerSlots.hasZ]: { kind: 'u8', value: hasZ ? 1 : 0 },
    [headerSlots.hasM]: { kind: 'u8', value: hasM ? 1 : 0 },
    ...(columns.length === 0 ? {} : { [headerSlots.columns]: { kind: 'tables', value: columns.map(encodeColumn) } }),
    [headerSlots.featuresCount]: { kind: 'u64', value: BigInt(count) },
    [headerSlots.indexNodeSize]: { kind: 'u16', value: count === 0 ? 0 : nodeSize },
    ...(crs === undefined ? {} : { [headerSlots.crs]: { kind: 'table', value: crs } }),
  });
  return Buffer.concat([magic, Buffer.of(patchVersion), header]);
}

function encodeColumn({ name, type, field, widened, isDate }: OutputColumn): Slots {
  const metadata = field === undefined ? idMetadata : isDate ? dateMetadata : undefined;
  const { width, decimals } = (widened ? undefined : field) ?? {};
  return {
    [columnSlots.name]: { kind: 'text', value: name },
    [columnSlots.type]: { kind: 'u8', value: type },
    ...(width === undefined ? {} : { [columnSlots.width]: { kind: 'i32', value: width } }),
    ...(decimals === undefined || type !== columnTypes.Double
      ? {}
      : { [columnSlots.precision]: { kind: 'i32', value: decimals } }),
    ...(metadata === undefined ? {} : { [columnSlots.metadata]: { kind: 'text', value: metadata } }),
  };
}

/** The table of the coordinate system; undefined, with a reported loss, if it is not known. */
export async function crsTable(crs: Crs | undefined, { reportLoss }: Context): Promise<Slots | undefined> {
  if (crs === undefined) {
    reportLoss('The coordinate system is not known, so the file names none.');
    return undefined;
  }
  const known = await resolveCrs(crs);
  if (known === undefined) {
    reportLoss(`The coordinate system '${crsName(crs)}' is not known, so the file names none.`, 'crs');
    return undefined;
  }
  const { authority, code, name, wkt } = known;
  return {
    ...(code === undefined
      ? {}
      : {
          [crsSlots.org]: { kind: 'text', value: authority ?? 'EPSG' },
          [crsSlots.code]: { kind: 'i32', value: code },
        }),
    [crsSlots.name]: { kind: 'text', value: name },
    [crsSlots.wkt]: { kind: 'text', value: wkt },
  };
}
