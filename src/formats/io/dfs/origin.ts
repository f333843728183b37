import type { Crs } from '../../../data/crs-reference.ts';
import type { Affine } from '../../../data/grid.ts';
import type { Axis } from '../../../data/item.ts';
import type { Origin } from '../../../data/origin.ts';
import type { DfsAxis } from './axes.ts';
import type { DfsFile } from './dfs-file.ts';
import type { DfsProjection } from './header.ts';
import type { WriterOptions } from './parameters.ts';

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

/** How the DFS file of data that went through a store described their position. It holds while they still have it. */
export class DfsPlace {
  readonly crs: Crs | undefined;
  readonly projection: DfsProjection;
  /** Unit and spacing of the axis of a grid. */
  readonly axis: Pick<DfsAxis, 'unit' | 'spacing'> | undefined;
  readonly place: ReadPlace | undefined;

  constructor(
    crs: Crs | undefined,
    { projection, axis }: { projection: DfsProjection; axis?: Pick<DfsAxis, 'unit' | 'spacing'> | undefined },
    place?: ReadPlace,
  ) {
    this.crs = crs;
    this.projection = projection;
    this.axis = axis;
    this.place = place;
  }
}

/** The position by the DFS file that the data come from through a store, unless their coordinate system was changed. */
export const storedPlaceOf = ({ origin, crs }: Data): DfsPlace | undefined =>
  origin?.content instanceof DfsPlace && origin.content.crs === crs ? origin.content : undefined;

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
