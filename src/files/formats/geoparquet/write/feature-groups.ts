import type { ByteSink } from '../../../data/bytes.ts';
import type { FeatureCollection, Field } from '../../../data/feature-collection.ts';
import type { Boxes } from '../../../geo/vector/spatial-order.ts';
import type { Context } from '../../define.ts';
import type { OrderedSpool } from '../../io/ordered-spool.ts';
import { createdBy } from '../created-by.ts';
import { DESCRIPTION_KEY, type FeaturesDescription, GDAL_KEY } from '../own-description.ts';
import { physical } from '../parquet/constants.ts';
import { struct, type ThriftStruct } from '../parquet/thrift-writer.ts';
import { ColumnWriter } from './column-writer.ts';
import { FieldWriter } from './field-writer.ts';
import { GeometryStatistics, geometryType, singleAbove, singleBelow, writtenCrs } from './geo.ts';
import type { GeoParquetOptions } from './options.ts';
import type { OutputField } from './output-field.ts';
import { ParquetFile, type SchemaColumn } from './parquet-file.ts';
import { type CommonTexts, RecordReader } from './records.ts';
import { addGeometry } from './wkb-statistics.ts';

/** Bytes of records of a row group, which is held in memory. */
const groupBytes = 128 << 20;

/** Features in a temporary file, and what is known of all of them. */
export interface Layer {
  readonly data: FeatureCollection;
  readonly spool: OrderedSpool;
  readonly boxes: Boxes;
  readonly fields: readonly OutputField[];
  readonly id: OutputField | undefined;
  /** Of each field and of the ids. */
  readonly common: readonly CommonTexts[];
  readonly hasGeometry: boolean;
  readonly geometryName: string;
  readonly boxName: string;
}

const sides = ['xmin', 'ymin', 'xmax', 'ymax'] as const;

/** Writes records in their final order as row groups. */
export class FeatureGroups {
  readonly #layer: Layer;
  readonly #options: GeoParquetOptions;
  readonly #context: Context;
  readonly #crs: object | null | undefined;
  readonly #file: ParquetFile;
  readonly #fields: readonly FieldWriter[];
  readonly #id: FieldWriter | undefined;
  /** Reads over ids that no feature has. */
  readonly #record = new RecordReader();
  readonly #all = new GeometryStatistics();
  readonly #box = new Float64Array(4);
  readonly #hasCovering: boolean;
  #statistics = new GeometryStatistics();
  #geometry: ColumnWriter;
  #sides: ColumnWriter[];
  #rows = 0;
  #bytes = 0;

  private constructor(
    layer: Layer,
    crs: object | null | undefined,
    options: GeoParquetOptions,
    sink: ByteSink,
    context: Context,
  ) {
    this.#layer = layer;
    this.#crs = crs;
    this.#options = options;
    this.#context = context;
    const { fields, id, common } = layer;
    this.#fields = fields.map((field, n) => new FieldWriter(field, common[n]!, options.RowGroupRows));
    this.#id = id && new FieldWriter(id, common.at(-1)!, options.RowGroupRows);
    this.#hasCovering = layer.hasGeometry && options.Version === '1.1';
    this.#geometry = this.#newGeometry();
    this.#sides = this.#newSides();
    this.#file = new ParquetFile(sink, this.#schema());
  }

  static async create(layer: Layer, options: GeoParquetOptions, sink: ByteSink, context: Context) {
    const crs = layer.hasGeometry ? await writtenCrs(layer.data.crs, context) : undefined;
    return new FeatureGroups(layer, crs, options, sink, context);
  }

  #newGeometry(): ColumnWriter {
    const annotation = this.#options.Version === '2.0' ? { annotation: geometryType(this.#crs) } : {};
    return new ColumnWriter({ path: [this.#layer.geometryName], type: physical.bytes, ...annotation });
  }

  #newSides(): ColumnWriter[] {
    if (!this.#hasCovering) return [];
    return sides.map((side) => new ColumnWriter({ path: [this.#layer.boxName, side], type: physical.float }));
  }

  #writers(): readonly FieldWriter[] {
    return this.#id === undefined ? this.#fields : [this.#id, ...this.#fields];
  }

  #schema(): SchemaColumn[] {
    const { hasGeometry, geometryName, boxName } = this.#layer;
    const own = this.#writers().map(({ spec, field }) => ({ name: field.name, isOptional: true, columns: [spec] }));
    if (!hasGeometry) return own;
    const geometry = { name: geometryName, isOptional: true, columns: [this.#geometry.spec] };
    const box = { name: boxName, isOptional: true, columns: this.#sides.map(({ spec }) => spec) };
    return [...own, geometry, ...(this.#hasCovering ? [box] : [])];
  }

  /** Takes records that follow each other; `features` are their numbers in the order of the input. */
  async add(bytes: Buffer, features: Uint32Array): Promise<void> {
    const record = this.#record;
    record.bytes = bytes;
    record.at = 0;
    for (const feature of features) {
      const start = record.at;
      this.#putGeometry(bytes, feature);
      for (const field of this.#fields) field.put(record);
      if (this.#id === undefined) record.next();
      else this.#id.put(record);
      this.#rows++;
      this.#bytes += record.at - start;
      if (this.#rows === this.#options.RowGroupRows || this.#bytes >= groupBytes) await this.#flush();
    }
  }

  #putGeometry(bytes: Buffer, feature: number): void {
    const record = this.#record;
    const length = bytes.readUInt32LE(record.at);
    const start = record.at + 4;
    record.at = start + length;
    if (!this.#layer.hasGeometry) return;
    if (length === 0) this.#geometry.null();
    else this.#geometry.text(bytes, start, start + length);
    const box = this.#box;
    this.#layer.boxes.copy(feature, box, 0);
    if (length > 0) addGeometry(bytes, start, box, this.#statistics);
    if (!this.#hasCovering) return;
    const isPlaced = box[0]! <= box[2]!;
    for (const [n, side] of this.#sides.entries())
      if (isPlaced) side.number(n < 2 ? singleBelow(box[n]!) : singleAbove(box[n]!));
      else side.null();
  }

  async #flush(): Promise<void> {
    const { hasGeometry } = this.#layer;
    const geometry = this.#geometry;
    const statistics = this.#statistics;
    const columns = [
      ...this.#writers().map((writer) => writer.take()),
      ...(hasGeometry ? [geometry] : []),
      ...this.#sides,
    ];
    const isNative = this.#options.Version === '2.0';
    const more = (column: ColumnWriter): ThriftStruct =>
      column === geometry && isNative ? { 17: struct(statistics.thrift) } : {};
    await this.#file.rowGroup(columns, this.#rows, more);
    this.#all.merge(statistics);
    this.#statistics = new GeometryStatistics();
    this.#geometry = this.#newGeometry();
    this.#sides = this.#newSides();
    [this.#rows, this.#bytes] = [0, 0];
  }

  async end(): Promise<void> {
    if (this.#rows > 0) await this.#flush();
    for (const writer of this.#writers()) writer.report(this.#context);
    const isDeclared = this.#options.Version === '2.0' || this.#all.m.isEmpty;
    if (!isDeclared)
      this.#context.remark(
        'GeoParquet 1.1 knows no measures; geometries have them all the same, as in other programs.',
      );
    await this.#file.end(
      {
        geo: this.#layer.hasGeometry ? JSON.stringify(this.#geo()) : undefined,
        [GDAL_KEY]: this.#gdalSchema(),
        [DESCRIPTION_KEY]: JSON.stringify(this.#description()),
      },
      createdBy,
    );
  }

  #geo(): object {
    const { geometryName, boxName } = this.#layer;
    const covering = Object.fromEntries(sides.map((side) => [side, [boxName, side]]));
    const box = this.#all.box;
    return {
      version: this.#options.Version === '2.0' ? '2.0.0' : '1.1.0',
      primary_column: geometryName,
      columns: {
        [geometryName]: {
          encoding: 'WKB',
          geometry_types: this.#all.types,
          ...(this.#crs === undefined ? {} : { crs: this.#crs }),
          ...(box === undefined ? {} : { bbox: box }),
          ...(this.#hasCovering ? { covering: { bbox: covering } } : {}),
        },
      },
    };
  }

  /** Tells GDAL which column of whole numbers is the id. */
  #gdalSchema(): string | undefined {
    const { id } = this.#layer;
    const isWhole = id?.type === 'integer' || id?.type === 'integer64';
    return isWhole ? JSON.stringify({ fid: id.name, columns: {} }) : undefined;
  }

  #description(): FeaturesDescription {
    const { id, fields, data } = this.#layer;
    const sizes = data.fields.flatMap(({ width, decimals }: Field, n) =>
      width === undefined && decimals === undefined ? [] : [{ name: fields[n]!.name, width, decimals }],
    );
    return { kind: 'features', ...(id === undefined ? {} : { id: id.name }), fields: sizes };
  }
}
