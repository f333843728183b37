import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Box } from '../../data/box.ts';
import { allFinite, hasNumbers, strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection, Geometry } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { Boxes } from '../../geo/vector/spatial-order.ts';
import type { Context } from '../define.ts';
import { WkbWriter, wkbCodes } from '../io/wkb-writer.ts';
import { headLength, headWithEnvelope, putHead } from './geometry-blob.ts';
import { createIndex } from './rtree.ts';
import { quoted } from './sql.ts';
import { freeName, StoredColumn } from './stored-column.ts';

/** Pairs of types of which a layer may have both. */
const multi: Readonly<Record<string, string>> = {
  Point: 'MultiPoint',
  LineString: 'MultiLineString',
  Polygon: 'MultiPolygon',
};

/** Writes a layer as a table, with its R-tree and what other tables say of it. */
export class TableWriter {
  readonly #database: DatabaseSync;
  readonly #data: FeatureCollection;
  readonly #name: string;
  readonly #srs: number;
  readonly #context: Context;
  readonly #columns: StoredColumn[];
  readonly #key: string;
  readonly #geometry: string;
  #insert: StatementSync;
  /** Finds a row by its key. */
  #find: StatementSync;
  /** The column of ids, once one is no key of a row. */
  #ids: StoredColumn | undefined;
  /** Keys `first … last` of features without an id, until ids are a column. */
  readonly #madeKeys: { readonly first: number; last: number }[] = [];
  readonly #boxes = new Boxes();
  readonly #boxKeys: number[] = [];
  readonly #types = new Set<Geometry['type']>();
  readonly #wkb = new WkbWriter();
  #z = { some: false, none: false };
  #m = { some: false, none: false };
  #number = 0;
  #lastKey = 0;

  constructor(
    database: DatabaseSync,
    data: FeatureCollection,
    { name, srs }: { name: string; srs: number },
    context: Context,
  ) {
    this.#database = database;
    this.#data = data;
    this.#name = name;
    this.#srs = srs;
    this.#context = context;
    const taken = new Set<string>();
    const names = data.fields.map((field) => freeName(field.name, taken));
    this.#key = freeName('fid', taken);
    this.#geometry = freeName('geom', taken);
    this.#columns = data.fields.map((field, n) => {
      if (names[n] !== field.name)
        context.reportLoss(`The field '${field.name.slice(0, 80)}' was called '${names[n]}'.`);
      return new StoredColumn(names[n]!, field);
    });
    this.#create(quoted(name));
    [this.#insert, this.#find] = this.#prepared();
  }

  #create(table: string): void {
    const columns = this.#columns.map((column) => `, ${quoted(column.name)} ${column.declared}`).join('');
    this.#database.exec(
      `create table ${table} (${quoted(this.#key)} integer primary key autoincrement not null, ${quoted(this.#geometry)} GEOMETRY${columns})`,
    );
  }

  #prepared(): [insert: StatementSync, find: StatementSync] {
    const places = ['?', '?', ...this.#columns.map(() => '?')].join(', ');
    return [
      this.#database.prepare(`insert into ${quoted(this.#name)} values (${places})`),
      this.#database.prepare(`select 1 from ${quoted(this.#name)} where ${quoted(this.#key)} = ?`),
    ];
  }

  add(feature: Feature): void {
    const number = ++this.#number;
    const { geometry, id } = feature;
    const stride = strideOf(this.#data);
    if (geometry !== undefined && !allFinite(geometry, stride)) {
      const reason = new FormatError(`Feature ${number} has a coordinate that is not finite.`);
      this.#context.reportBadRecord({ number, reason });
      return;
    }
    const key = this.#keyOf(id);
    for (const [n, column] of this.#columns.entries()) {
      const value = column === this.#ids ? id : feature.values[n];
      if (!column.take(value)) {
        this.#rebuild();
        column.take(value);
      }
    }
    const blob = geometry === undefined ? null : this.#blob(geometry, key);
    this.#insert.run(key, blob, ...this.#columns.map(({ stored }) => stored));
  }

  /** The key of the row: the id of the feature if it is a whole number that no other has. */
  #keyOf(id: Feature['id']): number {
    if (this.#ids === undefined && id !== undefined) {
      const isKey = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 && !this.#hasKey(id);
      if (!isKey) this.#addIds();
    }
    const next = this.#lastKey + 1;
    const key = this.#ids === undefined && id !== undefined ? (id as number) : next;
    if (this.#ids === undefined && id === undefined) this.#noteMade(key);
    this.#lastKey = Math.max(this.#lastKey, key);
    return key;
  }

  /** Asks the table, which holds more keys than a `Set` may have. Ids mostly rise, and need no question. */
  #hasKey(key: number): boolean {
    return key <= this.#lastKey && this.#find.get(key) !== undefined;
  }

  #noteMade(key: number): void {
    const range = this.#madeKeys.at(-1);
    if (range?.last === key - 1) range.last = key;
    else this.#madeKeys.push({ first: key, last: key });
  }

  /** Keeps ids in a column of their own, also those that were keys. */
  #addIds(): void {
    const taken = new Set(
      [this.#key, this.#geometry, ...this.#columns.map(({ name }) => name)].map((name) => name.toLowerCase()),
    );
    const ids = new StoredColumn(freeName('id', taken), { name: 'id', type: 'integer64' });
    this.#database.exec(`alter table ${quoted(this.#name)} add column ${quoted(ids.name)} ${ids.declared};
      update ${quoted(this.#name)} set ${quoted(ids.name)} = ${quoted(this.#key)}`);
    const clear = this.#database.prepare(
      `update ${quoted(this.#name)} set ${quoted(ids.name)} = null where ${quoted(this.#key)} between ? and ?`,
    );
    for (const { first, last } of this.#madeKeys) clear.run(first, last);
    this.#context.remark('Ids of features that are no unique whole numbers were written as a column.');
    this.#columns.push(ids);
    this.#ids = ids;
    [this.#insert, this.#find] = this.#prepared();
  }

  /** Copies the table after a column has got a wider type. */
  #rebuild(): void {
    const before = quoted(`${this.#name} before`);
    this.#database.exec(`alter table ${quoted(this.#name)} rename to ${before}`);
    this.#create(quoted(this.#name));
    const list = this.#columns.map((column, n) => {
      this.#database.function(`follow_${n}`, (value) => column.follow(value));
      return column.converted(`follow_${n}`);
    });
    this.#database.exec(
      `insert into ${quoted(this.#name)} select ${[quoted(this.#key), quoted(this.#geometry), ...list].join(', ')} from ${before};
      drop table ${before}`,
    );
    for (const column of this.#columns) column.settle();
    [this.#insert, this.#find] = this.#prepared();
  }

  /** The blob of a geometry, and its box for the index. */
  #blob(geometry: Geometry, key: number): Uint8Array {
    const stride = strideOf(this.#data);
    const { hasZ, hasM } = this.#data;
    const to = {
      hasZ: hasZ && hasNumbers(geometry, stride, 2),
      hasM: hasM && hasNumbers(geometry, stride, stride - 1),
    };
    this.#z[to.hasZ ? 'some' : 'none'] = true;
    this.#m[to.hasM ? 'some' : 'none'] = true;
    this.#types.add(geometry.type);
    const box = new Box();
    addTo(box, geometry, stride);
    const isEmpty = !(box.west <= box.east);
    const envelope = isEmpty || geometry.type === 'Point' ? undefined : [box.west, box.south, box.east, box.north];
    const start = envelope === undefined ? headLength : headWithEnvelope;
    const end = this.#wkb.write(geometry, start, this.#data, to);
    putHead(this.#wkb.bytes, this.#srs, envelope, isEmpty);
    if (!isEmpty) {
      this.#boxes.add(box.west, box.south, box.east, box.north);
      this.#boxKeys.push(key);
    }
    return this.#wkb.bytes.subarray(0, end);
  }

  /** Makes the index, and lists the table. */
  end(): void {
    const hasGeometry = this.#types.size > 0 || this.#data.geometryTypes !== undefined || this.#number === 0;
    const type = this.#commonType();
    const database = this.#database;
    const [west, south, east, north] = this.#boxes.whole;
    const box = west <= east ? [west, south, east, north] : [null, null, null, null];
    if (!hasGeometry) {
      database.exec(`alter table ${quoted(this.#name)} drop column ${quoted(this.#geometry)}`);
      this.#list('attributes', [null, null, null, null], null);
    } else {
      this.#list('features', box, this.#srs);
      const declare = ({ some, none }: { some: boolean; none: boolean }) => (some ? (none ? 2 : 1) : 0);
      database
        .prepare('insert into gpkg_geometry_columns values (?, ?, ?, ?, ?, ?)')
        .run(this.#name, this.#geometry, type, this.#srs, declare(this.#z), declare(this.#m));
      createIndex(
        database,
        { table: this.#name, key: this.#key, geometry: this.#geometry },
        this.#boxes,
        this.#boxKeys,
      );
    }
    this.#listJson();
    for (const column of this.#columns) column.report(this.#context);
  }

  #list(type: string, box: readonly (number | null)[], srs: number | null): void {
    this.#database
      .prepare(
        'insert into gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, max_y, srs_id) values (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(this.#name, type, this.#name, ...box, srs);
  }

  /** The type of all geometries; of single and multiple ones all become multiple; else GEOMETRY. */
  #commonType(): string {
    const [one, other, more] = this.#types;
    if (one === undefined || more !== undefined) return 'GEOMETRY';
    if (other === undefined) return one.toUpperCase();
    const single = multi[one] === other ? one : multi[other] === one ? other : undefined;
    if (single === undefined) return 'GEOMETRY';
    const several = multi[single] as Geometry['type'];
    this.#context.remark(`Geometries of the type ${single} became ${several}, because the layer has both.`);
    this.#database.function('as_multi', { deterministic: true }, (blob) =>
      asMulti(blob as Uint8Array, single, several),
    );
    const column = quoted(this.#geometry);
    this.#database.exec(`update ${quoted(this.#name)} set ${column} = as_multi(${column}) where ${column} is not null`);
    return several.toUpperCase();
  }

  /** The extension `schema` says which texts are JSON. */
  #listJson(): void {
    const json = this.#columns.filter(({ isJson }) => isJson);
    if (json.length === 0) return;
    const database = this.#database;
    database.exec(`create table if not exists gpkg_data_columns (
        table_name text not null, column_name text not null, name text, title text, description text, mime_type text,
        constraint_name text,
        constraint pk_gdc primary key (table_name, column_name), constraint gdc_tn unique (table_name, name));
      create table if not exists gpkg_data_column_constraints (
        constraint_name text not null, constraint_type text not null, value text, min numeric, min_is_inclusive boolean,
        max numeric, max_is_inclusive boolean, description text,
        constraint gdcc_ntv unique (constraint_name, constraint_type, value))`);
    const source = 'http://www.geopackage.org/spec121/#extension_schema';
    const extend = database.prepare('insert or ignore into gpkg_extensions values (?, null, ?, ?, ?)');
    const has = database.prepare("select 1 from gpkg_extensions where table_name = 'gpkg_data_columns'").get();
    if (has === undefined)
      for (const table of ['gpkg_data_columns', 'gpkg_data_column_constraints'])
        extend.run(table, 'gpkg_schema', source, 'read-write');
    const add = database.prepare(
      "insert into gpkg_data_columns values (?, ?, null, null, null, 'application/json', null)",
    );
    for (const { name } of json) add.run(this.#name, name);
  }
}

function addTo(box: Box, { coordinates, members = [] }: Geometry, stride: number): void {
  box.add(coordinates, stride);
  for (const member of members) addTo(box, member, stride);
}

/** The blob of a single geometry as one of several; others as they are. */
function asMulti(blob: Uint8Array, single: Geometry['type'], several: Geometry['type']): Uint8Array {
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.length);
  const start = (bytes[3]! & 2) !== 0 ? headWithEnvelope : headLength;
  const code = bytes.readUInt32LE(start + 1);
  if (code % 1000 !== wkbCodes[single]) return blob;
  const isEmpty = (bytes[3]! & 16) !== 0;
  const head = Buffer.alloc(start + 9);
  bytes.copy(head, 0, 0, start);
  head[start] = 1;
  head.writeUInt32LE(code - wkbCodes[single] + wkbCodes[several], start + 1);
  head.writeUInt32LE(isEmpty ? 0 : 1, start + 5);
  return isEmpty ? head : Buffer.concat([head, bytes.subarray(start)]);
}
