import { Box } from '../../../data/box.ts';
import { allFinite, strideOf } from '../../../data/dimensions.ts';
import type { Feature, FeatureCollection, Field, Geometry } from '../../../data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import type { Context } from '../../../formats/define.ts';
import { OrderedSpool } from '../../../formats/io/ordered-spool.ts';
import { ProtobufWriter } from '../../../formats/io/protobuf.ts';
import type { KnownCrs } from '../../../geo/crs/crs.ts';
import { Boxes, REORDERED } from '../../../geo/vector/spatial-order.ts';
import { GeometryPlacer } from '../placed.ts';
import { putValue, type TileKey } from '../tile-values.ts';
import { type EncodedValues, putRecord } from './placed-record.ts';

/** Attributes that tiles have, and their places among the fields of the data. */
export interface ChosenFields {
  readonly fields: readonly Field[];
  readonly places: readonly number[];
}

/** Features of which tiles are drawn, numbered along a Hilbert curve. Plain data for threads. */
export interface PlacedFeatures {
  /** A temporary file with the records of the features in the order of the data. */
  readonly path: string;
  readonly count: number;
  /** In shared memory: west, south, east, north of each feature in the coordinate system of the data. */
  readonly boxes: Float64Array;
  /** In shared memory: where each feature begins in the file, and its bytes. */
  readonly positions: Float64Array;
  readonly sizes: Uint32Array;
  /** Around all features in the coordinate system of the data; undefined if none has a place. */
  readonly box: Box | undefined;
  /** Around all of them on the map in metres from its upper left corner: west, north, east, south. */
  readonly bounds: readonly [number, number, number, number];
  /** Whether all are lines. */
  readonly lines: boolean;
  /** Whether features keep ids of their own; else they are numbered. */
  readonly ownIds: boolean;
}

/** Places the features on the map and sorts them. Reports those that cannot be drawn. */
export async function placeFeatures(
  data: FeatureCollection,
  { crs, chosen, context }: { crs: KnownCrs; chosen: ChosenFields; context: Context },
): Promise<PlacedFeatures> {
  const spool = await OrderedSpool.create(context);
  const placer = await GeometryPlacer.create(crs, strideOf(data));
  try {
    const placing = new Placing(data, { placer, chosen, spool, context });
    for await (const chunk of data.chunks()) {
      for (const feature of chunk) placing.add(feature);
      await spool.out.drain();
    }
    return await placing.sorted();
  } finally {
    placer.close();
  }
}

interface PlacingParts {
  readonly placer: GeometryPlacer;
  readonly chosen: ChosenFields;
  readonly spool: OrderedSpool;
  readonly context: Context;
}

class Placing {
  readonly #parts: PlacingParts;
  readonly #stride: number;
  readonly #keys: readonly TileKey[];
  readonly #boxes = new Boxes();
  readonly #value = new ProtobufWriter();
  readonly #bounds: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  readonly #types = new Set<Geometry['type']>();
  #ownIds = true;
  #foreignIds = false;
  #number = 0;
  #without = 0;

  constructor(data: FeatureCollection, parts: PlacingParts) {
    this.#parts = parts;
    this.#stride = strideOf(data);
    this.#keys = parts.chosen.fields.map(({ name, type }) => ({ name, real: type === 'real' }));
    const { reportLoss, remark } = parts.context;
    if (data.hasZ || data.hasM) reportLoss('Vector tiles have no heights and measures.', 'heights', 'measures');
    reportLoss(
      'Vector tiles are in the coordinate system Web Mercator (EPSG:3857), and their coordinates are rounded to 1/4096 of a tile.',
      'crs',
    );
    remark(REORDERED);
  }

  add({ id, geometry, values }: Feature): void {
    const { placer, spool, context } = this.#parts;
    this.#number++;
    if (geometry !== undefined && !allFinite(geometry, this.#stride)) {
      const reason = new FormatError(
        `Feature ${this.#number} has a coordinate that is not finite, so it cannot be drawn.`,
      );
      context.reportBadRecord({ number: this.#number, reason });
      return;
    }
    if (typeof id === 'string') this.#ownIds = false;
    const box = new Box();
    if (geometry !== undefined) box.addGeometry(geometry, this.#stride);
    this.#boxes.add(box.west, box.south, box.east, box.north);
    // Features without a place are counted, so that all have the same numbers as in a dataset.
    const geometries = geometry === undefined || box.west > box.east ? [] : placer.place(geometry);
    if (geometries.length === 0) this.#without++;
    else this.#types.add(geometry!.type);
    for (const { bounds } of geometries)
      for (const k of [0, 1, 2, 3] as const)
        this.#bounds[k] = (k < 2 ? Math.min : Math.max)(this.#bounds[k], bounds[k]);
    const own = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : -1;
    if (own < 0 && id !== undefined) this.#foreignIds = true;
    spool.add(
      putRecord(spool.out, { id: own, geometries, values: this.#encoded(geometries.length > 0 ? values : []) }),
    );
  }

  /** Valid until the next feature. */
  #encoded(values: Feature['values']): EncodedValues {
    const { places } = this.#parts.chosen;
    const [keys, ends]: [number[], number[]] = [[], []];
    this.#value.length = 0;
    for (let key = 0; key < places.length; key++) {
      const value = values[places[key]!];
      if (value === null || value === undefined || Number.isNaN(value)) continue;
      putValue(this.#value, typeof value === 'object' ? JSON.stringify(value) : value, this.#keys[key]!.real);
      keys.push(key);
      ends.push(this.#value.length);
    }
    return { bytes: this.#value.taken(), keys, ends };
  }

  /** Numbers the features along the Hilbert curve. */
  async sorted(): Promise<PlacedFeatures> {
    const { spool, context } = this.#parts;
    const count = spool.length;
    if (this.#foreignIds)
      context.reportLoss('Ids that are no whole numbers from 0 are in no vector tile; such features have numbers.');
    if (this.#without > 0) context.reportLoss(`${this.#without} features without a place are in no tile.`);
    const path = await spool.end();
    const { positions: places, sizes: lengths } = spool;
    const order = this.#boxes.order();
    const boxes = new Float64Array(new SharedArrayBuffer(32 * count));
    const positions = new Float64Array(new SharedArrayBuffer(8 * count));
    const sizes = new Uint32Array(new SharedArrayBuffer(4 * count));
    for (let n = 0; n < count; n++) {
      this.#boxes.copy(order[n]!, boxes, 4 * n);
      positions[n] = places[order[n]!]!;
      sizes[n] = lengths[order[n]!]!;
    }
    const [west, south, east, north] = this.#boxes.whole;
    const [type, another] = this.#types;
    return {
      path,
      count,
      boxes,
      positions,
      sizes,
      box: west <= east ? Object.assign(new Box(), { west, south, east, north }) : undefined,
      bounds: this.#bounds,
      lines: another === undefined && (type === 'LineString' || type === 'MultiLineString'),
      ownIds: this.#ownIds,
    };
  }
}

/** @throws ConversionError for a name that no field has */
export function chooseFields(fields: readonly Field[], wanted: readonly string[] | string | undefined): ChosenFields {
  const names = typeof wanted === 'string' ? wanted.split(',') : wanted;
  const chosen = names?.map((name) => name.trim()).filter((name) => name !== '');
  const missing = chosen?.find((name) => !fields.some((field) => field.name === name));
  if (missing !== undefined)
    throw new ConversionError(
      `Attributes: the data have no field '${missing}'. There are ${fields.map(({ name }) => `'${name}'`).join(', ')}.`,
    );
  const places = fields.flatMap(({ name }, n) => (chosen === undefined || chosen.includes(name) ? [n] : []));
  return { fields: places.map((n) => fields[n]!), places };
}
