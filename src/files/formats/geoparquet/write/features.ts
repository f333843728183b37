import { Box } from '../../../data/box.ts';
import type { ByteSink } from '../../../data/bytes.ts';
import { allFinite, hasNumbers, strideOf } from '../../../data/dimensions.ts';
import { distinctName } from '../../../data/distinct-name.ts';
import type { Feature, FeatureCollection, Geometry } from '../../../data/feature-collection.ts';
import { FormatError } from '../../../errors.ts';
import { Boxes, isAscending, REORDERED } from '../../../geo/vector/spatial-order.ts';
import type { Context } from '../../define.ts';
import { OrderedSpool } from '../../io/ordered-spool.ts';
import { WkbWriter } from '../../io/wkb-writer.ts';
import { FeatureGroups, type Layer } from './feature-groups.ts';
import type { GeoParquetOptions } from './options.ts';
import { OutputField } from './output-field.ts';
import { CommonTexts, isPresent, putValue } from './records.ts';

/** Features of a layer: they are kept in a temporary file until their order and the types of columns are known. */
export async function writeFeatures(
  data: FeatureCollection,
  options: GeoParquetOptions,
  sink: ByteSink,
  context: Context,
): Promise<void> {
  const records = await Records.create(data, context);
  for await (const chunk of data.chunks()) {
    context.signal.throwIfAborted();
    for (const feature of chunk) records.add(feature);
    await records.drain();
  }
  const layer = records.layer();
  const { spool, boxes } = layer;
  const order = boxes.order();
  if (layer.hasGeometry && !isAscending(order)) context.remark(REORDERED);
  const groups = await FeatureGroups.create(layer, options, sink, context);
  for await (const { bytes, first, count } of spool.ordered(order)) {
    context.signal.throwIfAborted();
    context.progress(0.7 + (0.3 * first) / order.length, 'Writing in spatial order');
    await groups.add(bytes, order.subarray(first, first + count));
  }
  await groups.end();
}

/** Takes features in the order of the input. */
class Records {
  readonly #data: FeatureCollection;
  readonly #context: Context;
  readonly #spool: OrderedSpool;
  readonly #boxes = new Boxes();
  readonly #names = new Set<string>();
  readonly #fields: OutputField[];
  #id: OutputField;
  readonly #common: CommonTexts[];
  readonly #wkb = new WkbWriter();
  readonly #stride: number;
  #hasGeometry: boolean;
  #number = 0;

  private constructor(data: FeatureCollection, spool: OrderedSpool, context: Context) {
    this.#data = data;
    this.#context = context;
    this.#spool = spool;
    this.#stride = strideOf(data);
    this.#fields = data.fields.map((field) => new OutputField(this.#columnName(field.name), field));
    this.#id = new OutputField(this.#freeName('id'), { type: 'integer' });
    this.#common = [...this.#fields, this.#id].map(() => new CommonTexts());
    this.#hasGeometry = data.geometryTypes !== undefined;
  }

  static async create(data: FeatureCollection, context: Context): Promise<Records> {
    return new Records(data, await OrderedSpool.create(context), context);
  }

  /** Many programs tell columns apart without letter case. */
  #freeName(wanted: string): string {
    const name = distinctName(wanted.toLowerCase(), this.#names);
    return `${wanted}${name.slice(wanted.toLowerCase().length)}`;
  }

  #columnName(given: string): string {
    const name = this.#freeName(given.toWellFormed() || 'field');
    if (name !== given)
      this.#context.reportLoss(`The field '${given.slice(0, 80)}' was called '${name.slice(0, 80)}'.`);
    return name;
  }

  add(feature: Feature): void {
    const number = ++this.#number;
    const { geometry, id, values } = feature;
    if (geometry !== undefined && !allFinite(geometry, this.#stride)) {
      const reason = new FormatError(`Feature ${number} has a coordinate that is not finite.`);
      this.#context.reportBadRecord({ number, reason });
      return;
    }
    const { out } = this.#spool;
    let size = this.#putGeometry(geometry);
    for (let n = 0; n < this.#fields.length; n++) {
      const value = values[n];
      if (isPresent(value)) this.#fields[n]!.take(value);
      size += putValue(out, value, this.#common[n]!);
    }
    if (id !== undefined) this.#takeId(id);
    size += putValue(out, id, this.#common.at(-1)!);
    this.#spool.add(size);
  }

  /** Ids have the type of the first one. */
  #takeId(id: string | number): void {
    if (this.#id.isUnused && typeof id === 'string') this.#id = new OutputField(this.#id.name, { type: 'string' });
    this.#id.take(id);
  }

  /** The length of the geometry, then its WKB. */
  #putGeometry(geometry: Geometry | undefined): number {
    const { out } = this.#spool;
    const box = new Box();
    let end = 0;
    if (geometry !== undefined) {
      this.#hasGeometry = true;
      const { hasZ, hasM } = this.#data;
      const stride = this.#stride;
      const to = {
        hasZ: hasZ && hasNumbers(geometry, stride, 2),
        hasM: hasM && hasNumbers(geometry, stride, stride - 1),
      };
      end = this.#wkb.write(geometry, 0, this.#data, to);
      box.addGeometry(geometry, stride);
    }
    this.#boxes.add(box.west, box.south, box.east, box.north);
    out.reserve(4 + end);
    out.at = out.bytes.writeUInt32LE(end, out.at);
    out.raw(this.#wkb.bytes.subarray(0, end));
    return 4 + end;
  }

  drain(): Promise<void> {
    return this.#spool.out.drain();
  }

  layer(): Layer {
    const id = this.#id.isUnused ? undefined : this.#id;
    return {
      data: this.#data,
      spool: this.#spool,
      boxes: this.#boxes,
      fields: this.#fields,
      id,
      common: this.#common,
      hasGeometry: this.#hasGeometry || this.#number === 0,
      geometryName: this.#freeName('geometry'),
      boxName: this.#freeName('bbox'),
    };
  }
}
