import type { ByteSource } from '../../../data/bytes.ts';
import type { SampleType } from '../../../data/item.ts';
import { FormatError } from '../../../errors.ts';
import { type DfsAxis, elementsOfAxis, isAxisTag, readAxis } from './axes.ts';
import { type DfsBlock, readBlocks } from './blocks.ts';
import {
  type DeleteValues,
  type DfsCustomBlock,
  type DfsHeader,
  type DfsItem,
  type DfsProjection,
  type DfsStatic,
  type DfsTime,
  type UnknownBlock,
  usualDeleteValues,
} from './header.ts';
import { tag, typeOfNumber } from './tags.ts';
import type { StoredArray } from './typed-array.ts';
import { anyArrayAt, arrayAt, fixedNumbers, textAt } from './values.ts';

/** The header while its blocks are being read. Optional members have their defaults. */
interface Draft {
  title: string;
  application: string;
  version: number;
  fileType?: number;
  dataType: number;
  statisticsType: number;
  compressed: boolean;
  deleteValues: DeleteValues;
  projection?: DfsProjection;
  time?: DfsTime;
  itemCount?: number;
  items: ItemDraft[];
  statics: ItemDraft[];
  custom: DfsCustomBlock[];
  unknown: UnknownBlock[];
  /** Whether items belong to the static section. */
  inStatics: boolean;
}

type ItemDraft = { offset: number; axis?: DfsAxis; values?: StoredArray } & {
  -readonly [K in keyof Omit<DfsItem, 'axis'>]: DfsItem[K];
};

const fileTypes = { equidistant: 1, nonEquidistant: 4 } as const;

/**
 * Reads a header. Large arrays (coordinates, statistics, static items) stay in the file until they are loaded.
 * @throws FormatError with an offset
 */
export async function readHeader(source: ByteSource): Promise<DfsHeader & { dataStart: number }> {
  const { head, blocks, dataStart } = await readBlocks(source);
  const draft: Draft = {
    title: '',
    application: '',
    version: 0,
    dataType: 0,
    statisticsType: 1,
    compressed: false,
    deleteValues: usualDeleteValues,
    items: [],
    statics: [],
    custom: [],
    unknown: [],
    inStatics: false,
  };
  const seen = new Map<number, number>();
  let last: number = tag.header;
  for (const block of blocks) {
    const part = isAxisTag(block.tag) ? axisPart : parts[block.tag];
    if (part === undefined) {
      const { tag: number, arrays } = block;
      draft.unknown.push({ tag: number, arrays, after: last, nth: Math.max(0, (seen.get(last) ?? 0) - 1) });
      continue;
    }
    Object.assign(draft, await part(block, draft));
    last = block.tag;
    seen.set(last, (seen.get(last) ?? 0) + 1);
  }
  return { ...completed(draft, dataStart), head, dataStart };
}

/** Reads a block; what it returns goes into the draft. */
type Part = (block: DfsBlock, draft: Draft) => Promise<Partial<Draft>> | Partial<Draft>;

const nothing: Part = () => ({});

const parts: Readonly<Record<number, Part>> = {
  [tag.header]: nothing,
  [tag.timeSection]: nothing,
  [tag.itemSection]: nothing,
  [tag.title]: async (block) => ({ title: await textAt(block, 0) }),
  [tag.application]: async (block) => ({ application: await textAt(block, 0) }),
  [tag.version]: async (block) => ({ version: await single(block, 'Int32') }),
  [tag.fileType]: async (block) => ({ fileType: await fileType(block) }),
  [tag.dataType]: async (block) => ({ dataType: await single(block, 'Int32') }),
  [tag.compressed]: async (block) => ({ compressed: (await single(block, 'Int32')) === 1 }),
  [tag.statisticsType]: async (block) => ({ statisticsType: await single(block, 'Int32') }),
  [tag.deleteFloat]: deletePart('Float32'),
  [tag.deleteDouble]: deletePart('Float64'),
  [tag.deleteByte]: deletePart('Int8'),
  [tag.deleteInt]: deletePart('Int32'),
  [tag.deleteUInt]: deletePart('UInt32'),
  [tag.projection]: async (block) => ({ projection: await readProjection(block) }),
  [tag.relativeEquidistant]: timePart(true, false),
  [tag.relativeNonEquidistant]: timePart(false, false),
  [tag.calendarEquidistant]: timePart(true, true),
  [tag.calendarNonEquidistant]: timePart(false, true),
  [tag.itemCount]: async (block) => ({ itemCount: await single(block, 'Int32') }),
  [tag.item]: async (block, draft) => {
    (draft.inStatics ? draft.statics : draft.items).push(await readItem(block));
    return {};
  },
  [tag.valueKind]: itemPart(async (block) => ({ valueKind: await single(block, 'Int32') })),
  [tag.regularStatistics]: itemPart((block) => ({ statistics: arrayAt(block, 0, 'Float64') })),
  [tag.associatedStatics]: itemPart((block) => ({ statics: arrayAt(block, 0, 'UInt32') })),
  [tag.custom]: async (block, { custom }) => {
    custom.push({ name: await textAt(block, 0), values: anyArrayAt(block, 1) });
    return {};
  },
  [tag.staticSection]: () => ({ inStatics: true }),
  [tag.staticData]: itemPart((block) => ({ values: anyArrayAt(block, 0) })),
};

const single = async (block: DfsBlock, type: SampleType): Promise<number> =>
  (await fixedNumbers(block, 0, type, 1))[0]!;

async function fileType(block: DfsBlock): Promise<number> {
  const type = await single(block, 'Int16');
  if (type !== fileTypes.equidistant && type !== fileTypes.nonEquidistant)
    throw new FormatError(
      `The file type is ${type}. Only 1 (equidistant steps) and 4 (non-equidistant steps) are supported.`,
      block.offset,
    );
  return type;
}

function deletePart(type: keyof DeleteValues): Part {
  return async (block, { deleteValues }) => ({
    deleteValues: { ...deleteValues, [type]: await single(block, type) },
  });
}

async function readProjection(block: DfsBlock): Promise<DfsProjection> {
  const text = await textAt(block, 0);
  const [longitude, latitude, rotation] = (await fixedNumbers(block, 1, 'Float64', 3)) as [number, number, number];
  if (![longitude, latitude, rotation].every(Number.isFinite))
    throw new FormatError(
      `The projection block has the position ${longitude}, ${latitude} and the rotation ${rotation}.`,
      block.offset,
    );
  return { text, longitude, latitude, rotation };
}

function timePart(equidistant: boolean, calendar: boolean): Part {
  return async (block) => {
    const first = calendar ? 2 : 0;
    const start = calendar ? { start: { date: await textAt(block, 0), time: await textAt(block, 1) } } : {};
    const [unit] = await fixedNumbers(block, first, 'Int32', 1);
    const numbers = (await fixedNumbers(block, first + 1, 'Float64', 2)) as [number, number];
    if (equidistant && !numbers.every(Number.isFinite))
      throw new FormatError(`The time axis has the offset and interval ${numbers.join(', ')}.`, block.offset);
    const [steps, firstStep] = (await fixedNumbers(block, first + 2, 'Int32', 2)) as [number, number];
    return { time: { equidistant, ...start, unit: unit!, numbers, steps, firstStep, offset: block.offset } };
  };
}

async function readItem(block: DfsBlock): Promise<ItemDraft> {
  const [eumItem] = await fixedNumbers(block, 0, 'Int32', 1);
  const name = await textAt(block, 1);
  const [eumUnit] = await fixedNumbers(block, 2, 'Int32', 1);
  const [number] = await fixedNumbers(block, 3, 'Int32', 1);
  const type = typeOfNumber(number!);
  if (type === undefined)
    throw new FormatError(`The item '${name}' has the data type ${number}. Types are 1 to 7.`, block.offset);
  const [maximum, minimum, deleted] = (await fixedNumbers(block, 4, 'Float64', 3)) as [number, number, number];
  const reference = [...(await fixedNumbers(block, 5, 'Float32', 3)), ...(await fixedNumbers(block, 6, 'Float32', 3))];
  const summary = { maximum, minimum, deleted };
  return { offset: block.offset, name, eumItem: eumItem!, eumUnit: eumUnit!, type, summary, reference, valueKind: 0 };
}

/** A block of the current item, which the last item block has started. */
function itemPart(read: (block: DfsBlock) => Partial<ItemDraft> | Promise<Partial<ItemDraft>>): Part {
  return async (block, draft) => {
    const item = (draft.inStatics ? draft.statics : draft.items).at(-1);
    if (item === undefined) throw new FormatError(`Block ${block.tag} comes before the first item.`, block.offset);
    Object.assign(item, await read(block));
    return {};
  };
}

const axisPart = itemPart(async (block) => ({ axis: await readAxis(block) }));

function completed(draft: Draft, dataStart: number): Omit<DfsHeader, 'head'> {
  const { fileType: type, time, itemCount, inStatics: _, ...rest } = draft;
  if (time === undefined) throw new FormatError('The file has no time axis.', dataStart);
  if (type === undefined) throw new FormatError('The file does not say its type (block 10004).', dataStart);
  if ((type === fileTypes.equidistant) !== time.equidistant)
    throw new FormatError(`The time axis does not match the file type, which is ${type}.`, dataStart);
  const items = draft.items.map(withAxis);
  if (itemCount !== items.length)
    throw new FormatError(
      `The file declares ${itemCount ?? 'no number of'} items, but has ${items.length}.`,
      dataStart,
    );
  if (items.length === 0) throw new FormatError('The file has no items.', dataStart);
  const statics = draft.statics.map(({ values, ...item }): DfsStatic => {
    if (values === undefined) throw new FormatError(`The static item '${item.name}' has no data.`, item.offset);
    return { item: withAxis(item), values };
  });
  const keys = statics.slice(0, 3);
  if (draft.compressed) {
    if (keys.length < 3 || keys.some(({ values }) => values.type !== 'Int32' || values.count !== keys[0]!.values.count))
      throw new FormatError(
        'The file is compressed, but does not have three encoding keys of equal length.',
        dataStart,
      );
    const [{ axis }] = items as [DfsItem];
    const bad = items.find(
      (item) =>
        item.type !== 'Float32' || item.axis.counts.length === 0 || item.axis.counts.join() !== axis.counts.join(),
    );
    if (bad !== undefined)
      throw new FormatError(
        `The file is compressed, so all items must be Float32 grids of the same size. Item '${bad.name}' is not.`,
        dataStart,
      );
  }
  return { ...rest, time, items, statics };
}

function withAxis({ offset, values: _, axis, ...item }: ItemDraft): DfsItem {
  if (axis === undefined) throw new FormatError(`The item '${item.name}' has no spatial axis.`, offset);
  const elements = elementsOfAxis(axis);
  if (item.statistics !== undefined && item.statistics.count !== 9 * elements)
    throw new FormatError(
      `The item '${item.name}' has ${item.statistics.count} statistics for ${elements} elements.`,
      offset,
    );
  return { ...item, axis };
}
