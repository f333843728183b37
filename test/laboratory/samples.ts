import type { Data } from '../../src/files/data/data.ts';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import { producedKinds, type Reader } from '../../src/files/formats/define.ts';
import { writers } from '../../src/files/formats/registry.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import type { Bench, Reading } from './bench.ts';
import { madeFiles } from './made-files.ts';
import type { Model, Variation } from './model.ts';
import { models } from './models.ts';
import type { Property } from './properties.ts';

/** A file for a reader, and what the reader finds in it. */
export interface Sample extends Reading {
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The file has these, whatever the reader finds. */
  readonly declared: readonly Property[];
  /** The only property that the file is about; absent: all that it has. */
  readonly about?: Property;
  /** Samples that have the properties of this one each alone. */
  alone(): Promise<Sample[]>;
}

const propertyOf = (variation: Variation) => variation.split(':', 1)[0] as Property;

/** All samples of a reader: made by the writer of its format, or by hand. */
export async function samplesOf(bench: Bench, reader: Reader): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const { content, declared, parameters = {}, about } of await (madeFiles[reader.name]?.() ?? [])) {
    const path = await bench.keep(content);
    const { facts, sentences } = await bench.read(reader, path, parameters);
    const crs = parameters.SRID === undefined ? {} : { crs: parseSrid(Number(parameters.SRID)) };
    samples.push({
      facts: { ...crs, ...facts },
      sentences,
      path,
      parameters,
      declared,
      ...(about && { about }),
      alone: async () => [],
    });
  }
  if (writers.some(({ format }) => format === reader.format))
    for (const kind of producedKinds(reader))
      for (const model of models[kind]) {
        const made = await modelSamples(bench, reader, model);
        samples.push(...made);
        if (made.length > 0) break;
      }
  if (samples.length === 0) throw new Error(`${reader.name} has no sample. Add one to test/laboratory/made-files.ts.`);
  return samples;
}

/** Samples of a model that the writer of the reader's format takes. */
async function modelSamples(bench: Bench, reader: Reader, { together, alone, make }: Model): Promise<Sample[]> {
  const sample = (wanted: readonly Variation[]) => written(bench, reader, make(new Set(wanted)));
  const singles = new Map<Variation, Sample>();
  for (const variation of [...together, ...alone]) {
    const one = await sample([variation]);
    if (one !== undefined) singles.set(variation, { ...one, about: propertyOf(variation) });
  }
  const single = (variations: readonly Variation[]) => variations.flatMap((one) => singles.get(one) ?? []);
  const whole = await sample(together.filter((one) => singles.has(one)));
  return [
    ...(whole === undefined ? single(together) : [{ ...whole, alone: async () => single(together) }]),
    ...single(alone),
  ];
}

/** A sample made by the writer of the reader's format; undefined if it refuses the data. */
async function written(bench: Bench, reader: Reader, data: Data): Promise<Sample | undefined> {
  const writer = writers.find(({ format }) => format === reader.format)!;
  try {
    const path = await bench.write(data, writer);
    return { ...(await bench.read(reader, path)), path, parameters: {}, declared: [], alone: async () => [] };
  } catch (error) {
    if (error instanceof ConversionError || error instanceof FormatError) return undefined;
    throw error;
  }
}
