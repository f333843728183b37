import type { DatabaseSync } from 'node:sqlite';
import type { Field, FieldType } from '../../data/feature-collection.ts';
import type { Context } from '../define.ts';
import type { Layer } from './layers.ts';
import { guarded, quoted } from './sql.ts';

/** The columns of a layer: the key, which is the feature's id, the geometry, and the fields. */
export interface LayerColumns {
  readonly id?: string;
  readonly geometry?: string;
  readonly fields: readonly (Field & { readonly column: string })[];
}

const typesByName: Readonly<Record<string, FieldType>> = {
  BOOLEAN: 'boolean',
  TINYINT: 'integer',
  SMALLINT: 'integer',
  MEDIUMINT: 'integer',
  INT: 'integer64',
  INTEGER: 'integer64',
  FLOAT: 'real',
  DOUBLE: 'real',
  REAL: 'real',
  DATE: 'date',
  DATETIME: 'dateTime',
};

/** Types of GeoPackage, and by the affinity of SQLite those of other databases. Undefined for bytes. */
function fieldType(declared: string): FieldType | undefined {
  const [name = ''] = declared
    .toUpperCase()
    .split('(', 1)
    .map((word) => word.trim());
  const known = Object.hasOwn(typesByName, name) ? typesByName[name] : undefined;
  if (known !== undefined) return known;
  if (name.includes('INT')) return 'integer64';
  if (name === '' || /CHAR|CLOB|TEXT/.test(name)) return 'string';
  if (/BLOB|GEOMETRY|POINT|LINESTRING|POLYGON|CURVE|SURFACE/.test(name)) return undefined;
  return /TIMESTAMP/.test(name) ? 'dateTime' : 'real';
}

const declaredColumns = (database: DatabaseSync, table: string) =>
  guarded(() => database.prepare('select name, type, pk from pragma_table_xinfo(?) where hidden <> 1').all(table));

export const columnNames = (database: DatabaseSync, table: string): string[] =>
  declaredColumns(database, table).map(({ name }) => String(name));

/** @param rows the database that has the rows of the layer, which are a copy for a view */
export function readColumns(
  { database, rows }: { database: DatabaseSync; rows: DatabaseSync },
  layer: Layer,
  { reportLoss }: Context,
): LayerColumns {
  const declared = declaredColumns(database, layer.name);
  const keys = declared.filter(({ pk }) => Number(pk) > 0);
  const key = keys.length === 1 && /^INT(?:EGER)?$/i.test(String(keys[0]!.type)) ? String(keys[0]!.name) : undefined;
  const geometry = declared.find(
    ({ name }) => String(name).toLowerCase() === layer.geometry?.column.toLowerCase(),
  )?.name;
  const json = jsonColumns(database, layer.name);
  const left: string[] = [];
  const fields: (Field & { column: string })[] = [];
  for (const { name: given, type: declaredType } of declared) {
    const name = String(given);
    if (name === key || name === geometry) continue;
    const text = String(declaredType);
    const type = text === '' ? typeOfValues(rows, layer.name, name) : fieldType(text);
    if (type === undefined) {
      left.push(`'${name.slice(0, 80)}'`);
      continue;
    }
    const width = type === 'string' ? /\((\d{1,9})\)/.exec(text)?.[1] : undefined;
    fields.push({
      name,
      column: name,
      type: json.has(name.toLowerCase()) && type === 'string' ? 'json' : type,
      ...(width === undefined ? {} : { width: Number(width) }),
    });
  }
  if (left.length > 0)
    reportLoss(`Columns of bytes were left out: ${left.slice(0, 20).join(', ')}${left.length > 20 ? ', …' : ''}.`);
  return {
    ...(key === undefined ? {} : { id: key }),
    ...(geometry === undefined ? {} : { geometry: String(geometry) }),
    fields,
  };
}

/** A column of a view may have no type: that of its first value. */
function typeOfValues(database: DatabaseSync, table: string, column: string): FieldType | undefined {
  const found = guarded(() =>
    database
      .prepare(
        `select typeof(${quoted(column)}) as type from ${quoted(table)} where ${quoted(column)} is not null limit 1`,
      )
      .get(),
  )?.type;
  if (found === 'blob') return undefined;
  return found === 'integer' ? 'integer64' : found === 'real' ? 'real' : 'string';
}

/** Columns of JSON text, as the extension `schema` says, in lower case. */
function jsonColumns(database: DatabaseSync, table: string): Set<string> {
  const sql =
    "select column_name as name from gpkg_data_columns where lower(table_name) = lower(?) and mime_type = 'application/json'";
  try {
    return new Set(
      database
        .prepare(sql)
        .all(table)
        .map(({ name }) => String(name).toLowerCase()),
    );
  } catch {
    // The table is optional.
    return new Set();
  }
}
