import type { Crs } from '../../../data/crs-reference.ts';
import type { Affine } from '../../../data/grid.ts';
import type { Axis } from '../../../data/item.ts';
import type { Origin } from '../../../data/origin.ts';
import type { DfsAxis } from './axes.ts';
import type { DfsFile } from './dfs-file.ts';
import type { DfsHeader, DfsProjection } from './header.ts';
import type { WriterOptions } from './parameters.ts';
import { projectionText } from './projection.ts';

/**
 * Position of the cells in the source file. If a grid still has it, a writer keeps the file's own description of it.
 */
export interface ReadPlace {
  readonly affine: Affine;
  readonly width: number;
  readonly height: number;
  readonly firstLayer?: number;
  readonly layers?: number;
}

/** A spatial axis, and the indices of the array's axes that were made of it. */
export interface ReadAxis {
  readonly axis: DfsAxis;
  readonly numbers: readonly number[];
}

/** The axes that a reader gave to an array. */
export interface ReadAxes {
  readonly axes: readonly Axis[];
  readonly known: readonly ReadAxis[];
}

/** Content that readers of DFS files pass on to writers of DFS files. */
export class DfsContent {
  readonly file: DfsFile;
  readonly crs: Crs | undefined;
  readonly place: ReadPlace | undefined;
  readonly readAxes: ReadAxes | undefined;

  constructor(file: DfsFile, crs: Crs | undefined, where?: ReadPlace | ReadAxes) {
    this.file = file;
    this.crs = crs;
    this.place = where !== undefined && 'affine' in where ? where : undefined;
    this.readAxes = where !== undefined && 'known' in where ? where : undefined;
  }
}

/** Title and type of a DFS file. */
export type DfsFacts = Partial<Pick<DfsHeader, 'title' | 'dataType'>>;

/** How a DFS file described the position of its data. */
export interface PlaceText {
  readonly projection: DfsProjection;
  /** Unit and spacing of the axis of a grid. */
  readonly axis?: Pick<DfsAxis, 'unit' | 'spacing'> | undefined;
  /** Unit and spacing of each axis of an array, and the numbers of the axes made from it. */
  readonly axes?: readonly (Pick<DfsAxis, 'unit' | 'spacing'> & { readonly numbers: readonly number[] })[] | undefined;
}

/** Metadata of the source DFS file in a store. The position is valid while the data still have it. */
export class StoredDfs {
  readonly facts: DfsFacts;
  readonly crs: Crs | undefined;
  readonly text: PlaceText | undefined;
  readonly where: ReadPlace | readonly Axis[] | undefined;

  /** @param where position of the cells of a grid, or the axes of an array */
  constructor(
    { facts, text }: { facts?: DfsFacts | undefined; text?: PlaceText | undefined },
    crs: Crs | undefined,
    where?: ReadPlace | readonly Axis[],
  ) {
    this.facts = facts ?? {};
    this.crs = crs;
    this.text = text;
    this.where = where;
  }
}

/** The position by the DFS file that the data come from through a store, unless their coordinate system was changed. */
export function storedPlaceOf({
  origin,
  crs,
}: Data): (PlaceText & { readonly place: ReadPlace | undefined }) | undefined {
  const stored = origin?.content;
  if (!(stored instanceof StoredDfs) || stored.text === undefined || stored.crs !== crs) return undefined;
  return { ...stored.text, place: stored.where !== undefined && 'affine' in stored.where ? stored.where : undefined };
}

/** That of the DFS file that the data come from, unless their coordinate system was changed. */
export async function projectionOf(data: Data): Promise<DfsProjection> {
  const from = contentOf(data);
  const read = from?.crs === data.crs ? from?.file.header.projection : undefined;
  const kept = read ?? storedPlaceOf(data)?.projection;
  return kept ?? { text: await projectionText(data.crs), longitude: 0, latitude: 0, rotation: 0 };
}

/** The axis by the DFS file that an array comes from through a store, for an item that still has its coordinates. */
export function storedAxisOf(
  { origin, axes }: Data & { readonly axes: readonly Axis[] },
  numbers: readonly number[],
): Pick<DfsAxis, 'unit' | 'spacing'> | undefined {
  const stored = origin?.content;
  if (!(stored instanceof StoredDfs) || stored.where !== axes) return undefined;
  return stored.text?.axes?.find((one) => one.numbers.join() === numbers.join());
}

/** Whether NaN is a value like others: the data come from a DFS file, whose delete value is another one. */
export const hasNaNAsValue = ({ origin }: Data): boolean =>
  origin?.content instanceof DfsContent || origin?.content instanceof StoredDfs;

/** Title and type of the DFS file that the data come from, even if they were changed since. */
export function factsOf({ origin }: Data): DfsFacts {
  const content = origin?.content;
  if (content instanceof StoredDfs) return content.facts;
  return content instanceof DfsContent
    ? { title: content.file.header.title, dataType: content.file.header.dataType }
    : {};
}

interface Data {
  readonly crs?: Crs;
  readonly origin?: Origin;
}

/** `complete`: the data are the whole content of the file. */
export const dfsOrigin = (format: string, content: DfsContent, complete: boolean): Origin => ({
  format,
  content,
  ...(complete ? {} : { changed: true }),
});

/** The DFS file that the data come from, even if they were changed since. */
export const contentOf = ({ origin }: Data): DfsContent | undefined =>
  origin?.content instanceof DfsContent ? origin.content : undefined;

/**
 * The source file, if it has this format and the data are unchanged and complete, so that its bytes can be copied.
 * Undefined if the request asks for single precision and an item has another type.
 */
export function unchangedFile(data: Data, format: string, { WriteAsFloat }: WriterOptions): DfsFile | undefined {
  const content = contentOf(data);
  if (content === undefined || data.origin?.format !== format || data.origin.changed) return undefined;
  if (WriteAsFloat === true && content.file.header.items.some(({ type }) => type !== 'Float32')) return undefined;
  return data.crs === content.crs ? content.file : undefined;
}
