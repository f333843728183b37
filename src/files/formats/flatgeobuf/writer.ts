import { Box } from '../../data/box.ts';
import { allFinite, strideOf } from '../../data/dimensions.ts';
import { distinctName } from '../../data/distinct-name.ts';
import type { Feature, FeatureCollection, Geometry } from '../../data/feature-collection.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { Boxes, isAscending, REORDERED } from '../../geo/vector/spatial-order.ts';
import type { Context, Write } from '../define.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { columnTypes, geometryCodes } from '../io/flatgeobuf/schema.ts';
import { OrderedSpool } from '../io/ordered-spool.ts';
import { OutputColumn } from './columns.ts';
import { FeatureEncoder } from './feature-encoder.ts';
import { crsTable, headerBytes } from './header-writer.ts';
import { writeIndex } from './index-writer.ts';
import type { writeParameters } from './parameters.ts';
import { withFinalTypes } from './widen.ts';

const maxColumns = 0xffff;

export const write: Write<typeof writeParameters, 'features'> = async (data, _parameters, sink, context) => {
  const crs = await crsTable(data.crs, context);
  const features = await FeatureWriter.create(data, context);
  for await (const chunk of data.chunks()) {
    for (const feature of chunk) features.add(feature);
    await features.drain();
  }
  const { spool, boxes, columns, geometryType } = await features.finished();
  const { hasZ, hasM, name } = data;
  const count = spool.length;
  const place = boxes.whole[0] <= boxes.whole[2] ? { box: boxes.whole } : {};
  const out = new BufferedWriter(sink);
  out.raw(headerBytes({ name, geometryType, hasZ, hasM, count, crs, ...place }, columns));
  if (count > 0) {
    const order = boxes.order();
    if (!isAscending(order)) context.remark(REORDERED);
    await writeIndex(out, boxes, order, spool.sizes);
    await out.end();
    for await (const { bytes, first } of spool.ordered(order)) {
      context.signal.throwIfAborted();
      context.progress(0.9 + (0.1 * first) / count, 'Writing in spatial order');
      await sink.append(bytes);
    }
  } else await out.end();
};

/** Takes features in the order of the input, and collects what header and index need. */
class FeatureWriter {
  readonly #data: FeatureCollection;
  readonly #context: Context;
  readonly #spool: OrderedSpool;
  readonly #boxes = new Boxes();
  readonly #columns: OutputColumn[];
  readonly #encoder: FeatureEncoder;
  readonly #types = new Set<Geometry['type']>();
  #number = 0;

  private constructor(data: FeatureCollection, spool: OrderedSpool, context: Context) {
    this.#data = data;
    this.#context = context;
    this.#spool = spool;
    this.#columns = data.fields.map((field) => new OutputColumn(field.name, field));
    // The column of ids is the last one: it is left out if no feature has an id.
    this.#columns.push(new OutputColumn(idName(data), undefined));
    if (this.#columns.length > maxColumns)
      throw new ConversionError(`There are ${data.fields.length} fields; a FlatGeobuf can have 65,534.`);
    this.#encoder = new FeatureEncoder(this.#columns, data);
  }

  static async create(data: FeatureCollection, context: Context): Promise<FeatureWriter> {
    return new FeatureWriter(data, await OrderedSpool.create(context), context);
  }

  add(feature: Feature): void {
    this.#number++;
    const { geometry, id } = feature;
    const stride = strideOf(this.#data);
    if (geometry !== undefined && !allFinite(geometry, stride)) {
      const reason = new FormatError(
        `Feature ${this.#number} has a coordinate that is not finite. A FlatGeobuf cannot store it.`,
      );
      this.#context.reportBadRecord({ number: this.#number, reason });
      return;
    }
    const prepared = this.#encoder.prepared(geometry);
    const values = id === undefined ? feature.values : [...feature.values, id];
    this.#spool.add(this.#encoder.put(this.#spool.out, prepared, values, this.#spool.length));
    const box = new Box();
    if (prepared !== undefined) {
      this.#types.add(prepared.type);
      box.addGeometry(prepared, stride);
    }
    this.#boxes.add(box.west, box.south, box.east, box.north);
  }

  drain(): Promise<void> {
    return this.#spool.out.drain();
  }

  async finished() {
    const id = this.#columns.at(-1)!;
    const spool = this.#columns.some(({ widened }) => widened)
      ? await withFinalTypes(this.#spool, this.#columns, this.#context)
      : this.#spool;
    this.#report();
    const [type, another] = this.#types;
    return {
      spool,
      boxes: this.#boxes,
      columns: id.unused ? this.#columns.slice(0, -1) : this.#columns,
      geometryType: type === undefined || another !== undefined ? 0 : geometryCodes[type],
    };
  }

  #report(): void {
    const { reportLoss } = this.#context;
    const { empty } = this.#encoder;
    if (empty > 0) reportLoss(`${empty} geometries without vertices became null or were left out of their collection.`);
    for (const { field, name, rounded, type, widened } of this.#columns) {
      if (rounded > 0) reportLoss(`${rounded} integers of '${name}' were rounded to double precision.`);
      if (widened && type === columnTypes.String && field?.type !== 'string')
        reportLoss(`Values of '${name}' were written as text, because they have different types.`);
    }
  }
}

/** A name for the column of ids that no field has. */
const idName = ({ fields }: FeatureCollection): string =>
  distinctName('id', new Set(fields.map(({ name }) => name.toLowerCase())));
