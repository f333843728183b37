import type { ByteSource } from '../../data/bytes.ts';
import { clockText } from '../../data/date-text.ts';
import type { Samples } from '../../data/item.ts';
import type { Mesh } from '../../data/mesh.ts';
import { nodeCoordinates } from '../../data/mesh-cells.ts';
import { bytesOf } from '../../data/samples.ts';
import { secondsAxis, type TimeAxis } from '../../data/time-axis.ts';
import { FormatError } from '../../errors.ts';
import type { Context, Read } from '../define.ts';
import { UnpackedFiles } from '../io/unpacked-files.ts';
import type { Geometry } from './cells.ts';
import { collectionSteps } from './collection.ts';
import type { readParameters } from './parameters.ts';
import { VtuFile } from './vtu-file.ts';

export const read: Read<typeof readParameters> = async (source, { SRID }, context): Promise<Mesh> => {
  const head = await source.read(0, 2);
  const isZip = head[0] === 0x50 && head[1] === 0x4b;
  const mesh = await (isZip ? readCollection(source, context) : readFile(source, context));
  if (SRID === undefined) return mesh;
  const { crs: _, ...rest } = mesh;
  return rest;
};

async function readFile(source: ByteSource, context: Context): Promise<Mesh> {
  const file = await VtuFile.open(source, context);
  return openMesh([file], ownTime(file, context), context);
}

async function readCollection(zip: ByteSource, context: Context): Promise<Mesh> {
  const steps = await collectionSteps(zip, context);
  const files = new UnpackedFiles(zip, context);
  const opened: VtuFile[] = [];
  for (const { entry } of steps) opened.push(await VtuFile.open(files.source(entry), context));
  if (steps.length === 1 && steps[0]!.seconds === undefined)
    return openMesh(opened, ownTime(opened[0]!, context), context);
  const start = opened.find((file) => file.start !== undefined)?.start;
  const seconds = steps.map((step) => step.seconds ?? 0);
  const time = timeOf(seconds, start) ?? (steps.length === 1 ? undefined : secondsAxis(seconds));
  return openMesh(opened, time, context);
}

/** The time of a file alone: its TimeValue counts from its StartTime, else from 1970-01-01. */
function ownTime({ start, seconds }: VtuFile, { remark }: Context): TimeAxis | undefined {
  if (seconds === undefined) return timeOf([0], start);
  if (!Number.isFinite(seconds)) {
    remark(`TimeValue ${seconds} is no time and was ignored.`);
    return timeOf([0], start);
  }
  const origin =
    start === undefined ? '1970-01-01T00:00:00, because there is no StartTime' : `StartTime ${clockText(start)}`;
  remark(`TimeValue ${seconds} became the time of the step, in seconds since ${origin}.`);
  return timeOf([seconds], start ?? 0);
}

/** Undefined for one step without a time. */
function timeOf(seconds: readonly number[], start: number | undefined): TimeAxis | undefined {
  return start === undefined ? undefined : { ...secondsAxis(seconds), start };
}

/** The mesh of the first file, with the values of all files. All must have its cells and points. */
async function openMesh(files: readonly VtuFile[], time: TimeAxis | undefined, context: Context): Promise<Mesh> {
  const first = files[0]!;
  const geometry = await first.geometry();
  const nodeCodes = await first.nodeCodes();
  let moves = false;
  for (const file of files.slice(1)) {
    context.signal.throwIfAborted();
    for (const item of first.items) file.sameItem(item);
    if (movesFrom(geometry, await file.geometry())) moves = true;
  }
  let rounded = false;
  const values = async (item: number, step: number): Promise<Samples> => {
    const file = files[step]!;
    const numbers = await file.values(file.sameItem(first.items[item]!));
    if (!rounded && first.items[item]!.arrays.some(({ type }) => type.endsWith('Int64'))) rounded = isRounded(numbers);
    if (rounded) context.reportLoss('Integers above 2^53 were rounded to 53 bits.');
    return numbers;
  };
  return {
    kind: 'mesh',
    ...(first.crs === undefined ? {} : { crs: first.crs }),
    ...geometry,
    ...(nodeCodes === undefined ? {} : { nodeCodes }),
    ...first.layers(geometry.shapes.length),
    ...first.spectrum(geometry.shapes.length),
    items: first.items.map(({ item }) => item),
    ...(time === undefined ? {} : { time }),
    ...(moves ? { heights: async (step: number) => nodeCoordinates((await files[step]!.geometry()).nodes, 2) } : {}),
    values,
  };
}

const isRounded = (numbers: Samples): boolean => numbers.some((value) => Math.abs(value) > Number.MAX_SAFE_INTEGER);

/**
 * Whether z differs between two steps.
 * @throws FormatError if the cells, or x and y of the points, differ
 */
function movesFrom(one: Geometry, other: Geometry): boolean {
  for (const key of ['shapes', 'connectivity', 'offsets'] as const)
    if (Buffer.compare(bytesOf(one[key]), bytesOf(other[key])) !== 0)
      throw new FormatError('The cells of the steps differ. All parts of a collection must have the same cells.');
  if (one.nodes.length !== other.nodes.length)
    throw new FormatError(`The steps have ${one.nodes.length / 3} and ${other.nodes.length / 3} points.`);
  let moves = false;
  for (let at = 0; at < one.nodes.length; at++) {
    if (Object.is(one.nodes[at], other.nodes[at]) || one.nodes[at] === other.nodes[at]) continue;
    if (at % 3 !== 2)
      throw new FormatError(`Point ${Math.floor(at / 3)} moves sideways between the steps; only z may change.`);
    moves = true;
  }
  return moves;
}
