import type { Feature } from '../../../data/feature-collection.ts';
import { CoordinatePool } from '../coordinate-pool.ts';
import { FlatTable } from './flat-table.ts';
import { GeometryReader } from './geometry-reader.ts';
import type { Header } from './header-reader.ts';
import { featureSlots } from './schema.ts';
import { ValueReader } from './values.ts';

/** Reads features from their bytes. */
export class FeatureReader {
  /** A feature had columns of its own, which were left out. */
  ownColumns = false;
  readonly #geometryType: number;
  readonly #values: ValueReader;
  readonly #geometries: GeometryReader;

  /** @param wanted numbers of the fields whose values are read; absent: all */
  constructor(header: Pick<Header, 'columns' | 'geometryType' | 'hasZ' | 'hasM'>, wanted?: ReadonlySet<number>) {
    this.#geometryType = header.geometryType;
    this.#values = new ValueReader(header.columns, wanted);
    this.#geometries = new GeometryReader(header, new CoordinatePool());
  }

  /**
   * @param bytes the feature without its size
   * @param offset of the bytes in the file
   * @throws InvalidRecord
   */
  read(bytes: Buffer, offset: number): Feature {
    const table = FlatTable.root(bytes, offset);
    if (!this.ownColumns && table.vector(featureSlots.columns, 4) !== undefined) this.ownColumns = true;
    const geometry = table.table(featureSlots.geometry);
    const values = this.#values.read(table);
    if (geometry === undefined) return values;
    return { ...values, geometry: this.#geometries.read(geometry, this.#geometryType) };
  }

  /**
   * Reads the feature without its geometry.
   * @throws InvalidRecord
   */
  readValues(bytes: Buffer, offset: number): Feature {
    return this.#values.read(FlatTable.root(bytes, offset));
  }
}
