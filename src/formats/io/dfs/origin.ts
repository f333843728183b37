import type { Crs } from '../../../data/crs-reference.ts';
import type { Affine } from '../../../data/grid.ts';
import type { Axis } from '../../../data/item.ts';
import type { Origin } from '../../../data/origin.ts';
import type { DfsAxis } from './axes.ts';
import type { DfsFile } from './dfs-file.ts';
import type { WriterOptions } from './parameters.ts';

/** Place of the cells as a reader found it: while a grid still has it, a writer keeps what the file says of it. */
export interface ReadPlace {
  readonly affine: Affine;
  readonly width: number;
  readonly height: number;
  readonly firstLayer?: number;
  readonly layers?: number;
}

/** A spatial axis, and the numbers of the dimensions that it became. */
export interface ReadAxis {
  readonly axis: DfsAxis;
  readonly numbers: readonly number[];
}

/** The axes of an array as a reader made them of a file. */
export interface ReadAxes {
  readonly axes: readonly Axis[];
  readonly known: readonly ReadAxis[];
}

/** What readers of DFS files keep for writers of them. */
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

interface Data {
  readonly crs?: Crs;
  readonly origin?: Origin;
}

/** `complete`: the data are all that the file holds, as it says it. */
export const dfsOrigin = (format: string, content: DfsContent, complete: boolean): Origin => ({
  format,
  content,
  ...(complete ? {} : { changed: true }),
});

/** The DFS file that data come from, whatever became of them. */
export const contentOf = ({ origin }: Data): DfsContent | undefined =>
  origin?.content instanceof DfsContent ? origin.content : undefined;

/** The file of this format whose bytes say all of the data, because nothing has changed them. None if its items must become floats. */
export function unchangedFile(data: Data, format: string, { WriteAsFloat }: WriterOptions): DfsFile | undefined {
  const content = contentOf(data);
  if (content === undefined || data.origin?.format !== format || data.origin.changed) return undefined;
  if (WriteAsFloat === true && content.file.header.items.some(({ type }) => type !== 'Float32')) return undefined;
  return data.crs === content.crs ? content.file : undefined;
}
