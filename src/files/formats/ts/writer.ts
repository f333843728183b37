import { eumItem, eumUnit, UNDEFINED_ITEM, UNDEFINED_UNIT } from '../../data/eum/eum.ts';
import { quantityOf } from '../../data/eum/unit-text.ts';
import { type Item, VALUE_KINDS } from '../../data/item.ts';
import type { Series, SeriesItem } from '../../data/series.ts';
import { crsName } from '../../geo/crs/crs.ts';
import type { Context, Write } from '../define.ts';
import { AppendTargets, SeriesContent } from './content.ts';
import { MAX_NAME, SERIES_TYPES, type SeriesDefinition, type SeriesItem as StoredItem } from './definition.ts';
import type { writeParameters } from './parameters.ts';
import { RowWriter } from './row-writer.ts';
import { SeriesFileWriter } from './series-file.ts';

export const write: Write<typeof writeParameters, 'series'> = async (
  series,
  { TimeSeriesProperties: schema },
  sink,
  context,
) => {
  const file = new SeriesFileWriter(sink);
  const { origin } = series;
  const content = origin?.content;
  if (content instanceof SeriesContent && origin?.changed !== true && schema === undefined) {
    content.kept = true;
    // read also for an unchanged copy, because the receipt's statistics count what is read
    for await (const _ of series.chunks()) context.signal.throwIfAborted();
    await copy(content, file, context);
    return;
  }
  const targets =
    content instanceof AppendTargets ? content.series : series.items.map((item, n) => definitionOf(item, n, context));
  for (const target of targets) file.addSeries(target);
  const rows = new RowWriter(series, targets, file, context);
  if (!(content instanceof AppendTargets)) reportPlace(series, context);
  for await (const chunk of series.chunks()) {
    context.signal.throwIfAborted();
    await rows.add(chunk);
  }
  await rows.end();
  await file.end(schema);
};

function reportPlace({ items, crs }: Series, { reportLoss }: Pick<Context, 'reportLoss'>): void {
  if (items.some(({ position }) => position !== undefined))
    reportLoss('The positions of the series were left out: time series in the store have none.');
  if (crs !== undefined)
    reportLoss(`Time series in the store have no coordinate system; ${crsName(crs)} was left out.`, 'crs');
}

async function copy({ file }: SeriesContent, made: SeriesFileWriter, { signal }: Context): Promise<void> {
  for (const [n, { present: _, blocks: __, ...definition }] of file.series.entries()) {
    made.addSeries(definition);
    for await (const block of file.blocks(n)) {
      signal.throwIfAborted();
      await made.addBlock(n, block);
    }
  }
  await made.end(file.schema);
}

/** The series of the store for an item. */
function definitionOf(item: SeriesItem, n: number, context: Pick<Context, 'reportLoss'>): SeriesDefinition {
  const { valueKind = 'instantaneous' } = item;
  const stored: StoredItem = {
    name: nameOf(item, n, context),
    ...identifiersOf(item, context),
    dataType: isSingle(item) ? 'Single' : 'Double',
    timeSeriesType: SERIES_TYPES[VALUE_KINDS.indexOf(valueKind)]!,
  };
  return { item: stored, properties: {}, dataFields: [] };
}

function nameOf({ name }: Item, n: number, { reportLoss }: Pick<Context, 'reportLoss'>): string {
  const given = name ?? '';
  const whole = given.trim().toWellFormed().replaceAll('\0', '\ufffd') || `Item ${n + 1}`;
  if (given !== '' && whole !== given)
    reportLoss(
      `The name '${given.slice(0, 80)}' became '${whole.slice(0, 80)}': names of series have no blanks around them.`,
    );
  if (whole.length <= MAX_NAME) return whole;
  reportLoss(`The name '${whole.slice(0, 80)}…' was cut to ${MAX_NAME} characters.`);
  return whole.slice(0, MAX_NAME).toWellFormed();
}

/** An item or unit that EUM's table does not have is undefined. */
function identifiersOf(
  described: Item,
  { reportLoss }: Pick<Context, 'reportLoss'>,
): Pick<StoredItem, 'item' | 'unit'> {
  const { name } = described;
  const eum = quantityOf(described);
  const [item, unit] = [eumItem(eum.item), eumUnit(eum.unit)];
  if (described.unit !== undefined && eum.unit === UNDEFINED_UNIT)
    reportLoss(
      `Time series have units of EUM; '${described.unit.slice(0, 80)}' is none of them and was left out.`,
      'units',
    );
  if (item === undefined || unit === undefined)
    reportLoss(
      `The EUM item ${eum.item} with the unit ${eum.unit} of '${name ?? ''}' has no identifier; it became undefined.`,
    );
  return {
    item: (item ?? eumItem(UNDEFINED_ITEM))!.identifier,
    unit: (unit ?? eumUnit(UNDEFINED_UNIT))!.identifier,
  };
}

/** Whether single precision holds the values of the item. */
const isSingle = ({ type, integer64, scale = 1, offset = 0 }: Item): boolean =>
  integer64 === undefined &&
  (type === 'Float32' || (scale === 1 && offset === 0 && ['Int8', 'UInt8', 'Int16', 'UInt16'].includes(type ?? '')));
