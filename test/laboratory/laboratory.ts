import { bridgeTo } from '../../src/files/convert/bridges/bridges.ts';
import { fits } from '../../src/files/convert/offers.ts';
import type { Data } from '../../src/files/data/data.ts';
import { layersOf } from '../../src/files/data/grid.ts';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import type { Reader, Writer } from '../../src/files/formats/define.ts';
import { readers, writers } from '../../src/files/formats/registry.ts';
import type { Bench } from './bench.ts';
import { comparisons } from './compare.ts';
import type { Column, Facts } from './facts.ts';
import { unlikeReceipt, wronglyKept } from './foreseen.ts';
import { PROPERTIES, type Property, RESULTS, type Row, sentenceOn } from './properties.ts';
import { type Sample, samplesOf } from './samples.ts';
import { LEVEL, tileFacts } from './tile-facts.ts';

export interface Pair {
  readonly reader: Reader;
  readonly writer: Writer;
}

/** Every ordered pair of reader and writer that fit. */
export const pairs = (): Pair[] =>
  readers.flatMap((reader) => writers.filter((writer) => fits(reader, writer)).map((writer) => ({ reader, writer })));

/**
 * Rows of the pairs, in their order.
 * @param differs is called with each difference between the losses that a header tells and those of a receipt
 */
export async function* examine(
  bench: Bench,
  chosen: readonly Pair[],
  differs: (difference: string) => void,
): AsyncGenerator<Row[]> {
  const samples = new Map<Reader, Sample[]>();
  for (const { reader, writer } of chosen) {
    if (!samples.has(reader)) samples.set(reader, await samplesOf(bench, reader));
    const fitting = samples
      .get(reader)!
      .filter(({ facts: { kind } }) => writer.accepts.includes(kind) || bridgeTo(writer, kind) !== undefined);
    const rows: Row[] = [];
    for (const sample of fitting) rows.push(...(await rowsOf(bench, { reader, writer }, sample, differs)));
    yield worstRows(rows);
  }
}

/** Of several rows of a property the worst. */
function worstRows(rows: readonly Row[]): Row[] {
  return PROPERTIES.flatMap((property) => {
    const own = rows.filter((row) => row.property === property);
    return own.toSorted((a, b) => RESULTS.indexOf(b.result) - RESULTS.indexOf(a.result)).slice(0, 1);
  });
}

const carried = ({ facts, declared, about }: Sample): Property[] =>
  PROPERTIES.filter(
    (property) =>
      (about === undefined || about === property) &&
      (declared.includes(property) || comparisons[property].carried(facts)),
  );

/** What becomes of each property of a sample behind a writer. */
async function rowsOf(bench: Bench, pair: Pair, sample: Sample, differs: (difference: string) => void): Promise<Row[]> {
  const { reader, writer } = pair;
  const properties = carried(sample);
  if (properties.length === 0) return [];
  const names = { reader: reader.name, writer: writer.name };
  const { path, parameters: given } = sample;
  const parameters = await parametersFor(bench, pair, sample);
  const converted = await bench.convert(
    path,
    { name: reader.name, parameters: given },
    { name: writer.name, parameters },
  );
  const foreseen = await bench.foresee(path, { reader, parameters: given }, { writer, parameters });
  const tell = (sentence: string) => differs(`${reader.name} ${writer.name}: ${sentence}`);
  unlikeReceipt(foreseen, converted, sample.sentences).forEach(tell);
  if ('refused' in converted) {
    const alone = await sample.alone();
    const rows: Row[] = [];
    for (const one of alone) rows.push(...(await rowsOf(bench, pair, one, differs)));
    const tried = new Set(rows.map(({ property }) => property));
    const sentence = converted.refused;
    const rest = properties.filter((property) => !tried.has(property));
    return [...rows, ...rest.map((property): Row => ({ ...names, property, result: 'refused', sentence }))];
  }
  if (sample.facts.kind === 'bytes') {
    const result = (await bench.same(path, converted.path)) ? 'kept' : 'silent';
    return properties.map((property) => ({ ...names, property, result }));
  }
  const after = await readAgain(bench, writer, converted.path);
  // What the reader has said about the file is no sentence about the writer.
  const fresh = converted.sentences.filter((sentence) => !sample.sentences.includes(sentence));
  const rows: Row[] = [];
  const leavesOut = converted.sentences.some((sentence) =>
    /left out of the mesh|no geometry and were left out/.test(sentence),
  );
  const singles = leavesOut ? await sample.alone() : [];
  for (const property of properties) {
    const has = comparisons[property].carried(sample.facts);
    const outcome = await outcomeOf(property, { before: sample.facts, after }, has ? fresh : converted.sentences);
    // Records that the receipt names as left out take their properties along: those of the others are seen alone.
    const single = outcome.result === 'silent' ? singles.find(({ about }) => about === property) : undefined;
    if (single !== undefined) rows.push(...(await rowsOf(bench, pair, single, differs)));
    else rows.push({ ...names, property, ...outcome });
  }
  wronglyKept(foreseen, rows).forEach(tell);
  return rows;
}

/** @param facts of the output: undefined where nothing reads it */
async function outcomeOf(
  property: Property,
  { before, after }: { before: Facts; after: Facts | undefined },
  sentences: readonly string[],
): Promise<Pick<Row, 'result' | 'sentence'>> {
  const { carried: has, kept } = comparisons[property];
  if (after !== undefined) {
    if (has(before) && (await kept(before, after))) return { result: 'kept' };
    const { rest, said } = withoutNamedParts(before, after, sentences);
    if (said !== undefined && has(before) && (!has(rest) || (await kept(rest, after))))
      return { result: 'named', sentence: said };
  }
  const sentence = sentenceOn(property, sentences);
  return sentence === undefined ? { result: 'silent' } : { result: 'named', sentence };
}

/** Only the rows whose number is in the output. */
function rowsWithin(columns: readonly Column[], after: Facts): readonly Column[] {
  const marker = columns.find(({ name, values }) => name === 'nr' && new Set(values).size === values.length);
  const there = new Set(after.columns.find(({ name }) => name === 'nr')?.values);
  if (marker === undefined) return columns;
  return columns.map((column) => ({
    ...column,
    values: column.values.filter((_, n) => there.has(marker.values[n]!)),
  }));
}

/** The input without whole fields and steps that the receipt names as left out: they take their properties along. */
function withoutNamedParts(
  before: Facts,
  after: Facts,
  sentences: readonly string[],
): { rest: Facts; said: string | undefined } {
  const left = before.columns.filter(({ name }) => !after.columns.some((one) => one.name === name));
  const named = left.map(({ name }) =>
    sentences.find((one) => /left out|dropped/.test(one) && one.includes(`'${name}'`)),
  );
  const columns = before.columns.filter((column) => !named[left.indexOf(column)]);
  const steps = sentences.find((one) => /only the first of \d+ steps/i.test(one));
  const count = steps === undefined ? 1 : (before.times?.list.length ?? 1);
  const firstStep = columns.map((column) => ({
    ...column,
    values: column.values.slice(0, column.values.length / count),
  }));
  const records = sentences.find((one) => /features have no geometry and were left out/.test(one));
  const kept = records === undefined ? firstStep : rowsWithin(firstStep, after);
  return { rest: { ...before, columns: kept }, said: named.find((one) => one !== undefined) ?? steps ?? records };
}

/** The output as the reader of its format reads it; undefined if there is none, or the reader needs to be told more. */
async function readAgain(bench: Bench, { format }: Writer, path: string): Promise<Facts | undefined> {
  const reader = readers.find((one) => one.format === format);
  if (reader === undefined) return tileFacts[format]?.(path);
  try {
    return (await bench.read(reader, path)).facts;
  } catch (error) {
    if (error instanceof ConversionError || error instanceof FormatError) return tileFacts[format]?.(path);
    throw error;
  }
}

/** Parameters without which a writer makes nothing: a series at each cell, a map of each item. */
export async function parametersFor(
  bench: Bench,
  { reader, writer }: Pair,
  sample: Sample,
): Promise<Record<string, unknown>> {
  const { shape } = writer.parameters;
  if ('TilingSchemes' in shape && (writer.format === 'tiles' || sample.facts.kind === 'grid'))
    return { TilingSchemes: [{ schemeId: 'map', schemeType: 'XYZ', itemName: '*', zoomLevels: [2] }] };
  if ('MaxZoom' in shape) return { MinZoom: LEVEL, MaxZoom: LEVEL };
  const { kind } = sample.facts;
  if (!('Points' in shape) || (kind !== 'grid' && kind !== 'mesh')) return {};
  const { seen } = await bench.look(reader, sample.path, sample.parameters, pointsOf);
  return { Points: seen };
}

/** The centre of each cell. */
function pointsOf(data: Data): { name: string; x: number; y: number; z?: number }[] {
  if (data.kind === 'mesh')
    return Array.from(data.shapes, (_, cell) => {
      const nodes = [...data.connectivity.subarray(data.offsets[cell]!, data.offsets[cell + 1]!)];
      const mean = (axis: number) => nodes.reduce((sum, node) => sum + data.nodes[3 * node + axis]!, 0) / nodes.length;
      return { name: `p${cell}`, x: mean(0), y: mean(1), ...(data.layers === undefined ? {} : { z: mean(2) }) };
    });
  if (data.kind !== 'grid') return [];
  const { affine: t, width, height, layers } = data;
  return Array.from({ length: width * height * layersOf(data) }, (_, n) => {
    const [layer, cell] = [Math.floor(n / (width * height)), n % (width * height)];
    const [column, row] = [(cell % width) + 0.5, Math.floor(cell / width) + 0.5];
    return {
      name: `p${n}`,
      x: t[0] + column * t[1] + row * t[2],
      y: t[3] + column * t[4] + row * t[5],
      ...(layers === undefined ? {} : { z: layers.first + layer * layers.spacing }),
    };
  });
}
