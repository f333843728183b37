import type { Crs } from '../../data/crs-reference.ts';
import { strideOf } from '../../data/dimensions.ts';
import type { Feature, Field } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { crsName, resolveCrs, sameCrs, sridOf, wgs84 } from '../../geo/crs/crs.ts';
import { type Transformer, transformer } from '../../geo/crs/transform.ts';
import type { Context, Write } from '../define.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { escaped, hasForbidden } from '../io/xml-text.ts';
import { ShapeWriter } from './geometry-writer.ts';
import type { writeParameters } from './parameters.ts';
import { firstWrong, inDegrees } from './reproject.ts';

export const write: Write<typeof writeParameters, 'features'> = async (data, { LayerName }, sink, context) => {
  const change = await toDegrees(data.crs, context);
  const out = new BufferedWriter(sink);
  const fields = new KmlFields(data.fields);
  if (fields.name > 0 || fields.description > 1)
    context.remark(
      'Names and descriptions are elements of their own in KML; they come before the other fields in order.',
    );
  if (data.hasM) context.reportLoss('KML cannot store measures (M); they were dropped.', 'measures');
  if (fields.asText.length > 0)
    context.reportLoss(
      `KML has no type for dates, times, large integers and nested values; these fields became texts: ${fields.asText.join(', ').slice(0, 500)}.`,
    );
  const name = LayerName ?? data.name;
  out.text('<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">\n<Document>\n');
  if (name !== undefined) out.text(`<name>${escaped(name)}</name>\n`);
  out.text(fields.schema());
  const shapes = new ShapeWriter(out, data, change === undefined ? 'exact' : 'rounded');
  const text = new PlacemarkWriter(out, fields, shapes);
  let number = 0;
  for await (const chunk of data.chunks()) {
    if (change !== undefined) inDegrees(chunk, data, change);
    for (const feature of chunk) {
      number++;
      const wrong = feature.geometry && firstWrong(feature.geometry, strideOf(data));
      if (wrong === undefined) text.put(feature);
      else
        context.reportBadRecord({
          number,
          reason: new FormatError(
            `Feature ${number} has the point (${wrong.join(', ')}), which is not a longitude and latitude.`,
          ),
        });
    }
    await out.drain();
  }
  out.text('</Document>\n</kml>\n');
  await out.end();
  text.report(context);
};

/** Undefined if the coordinates are longitudes and latitudes of WGS 84, or are taken as such. */
async function toDegrees(crs: Crs | undefined, context: Context): Promise<Transformer | undefined> {
  const isUnknown = crs === undefined || (crs.code === undefined && (await resolveCrs(crs)) === undefined);
  if (isUnknown) {
    const named = crs === undefined ? 'The coordinate system' : `The coordinate system '${crsName(crs)}'`;
    context.reportLoss(`${named} is not known. Coordinates were kept, but programs will read them as WGS 84.`, 'crs');
    return undefined;
  }
  if (sridOf(crs) === 'EPSG:4979' || (await sameCrs(crs, wgs84))) return undefined;
  const change = await transformer(crs, wgs84);
  context.onEnd(async () => change.close());
  context.reportLoss(`KML is in WGS 84 (EPSG:4326): coordinates in ${crsName(crs)} were transformed.`, 'crs');
  return change;
}

const types: Readonly<Partial<Record<Field['type'], string>>> = { integer: 'int', real: 'double', boolean: 'bool' };

/** What becomes of the fields: name, description, or extended data. */
class KmlFields {
  readonly name: number;
  readonly description: number;
  /** Positions of the fields in the extended data. */
  readonly extended: readonly number[];
  /** Names of fields whose type KML does not have. */
  readonly asText: readonly string[];
  readonly #fields: readonly Field[];

  constructor(fields: readonly Field[]) {
    this.#fields = fields;
    const find = (wanted: string) =>
      fields.findIndex(({ name, type }) => type === 'string' && name.toLowerCase() === wanted);
    this.name = find('name');
    this.description = find('description');
    // A field that is called Name stays so, too.
    const renamed = (n: number, name: string) => fields[n]!.name !== name;
    this.extended = [...fields.keys()].filter(
      (n) => (n !== this.name || renamed(n, 'name')) && (n !== this.description || renamed(n, 'description')),
    );
    this.asText = fields.filter(({ type }) => type !== 'string' && types[type] === undefined).map(({ name }) => name);
  }

  schema(): string {
    if (this.extended.length === 0) return '';
    const lines = this.extended.map((n) => {
      const { name, type } = this.#fields[n]!;
      return `<SimpleField name="${escaped(name)}" type="${types[type] ?? 'string'}"/>\n`;
    });
    return `<Schema name="fields" id="fields">\n${lines.join('')}</Schema>\n`;
  }

  tag(n: number): string {
    return `<SimpleData name="${escaped(this.#fields[n]!.name)}">`;
  }
}

class PlacemarkWriter {
  readonly #out: BufferedWriter;
  readonly #fields: KmlFields;
  readonly #shapes: ShapeWriter;
  readonly #tags: readonly string[];
  #withoutId = 0;
  #forbidden = 0;

  constructor(out: BufferedWriter, fields: KmlFields, shapes: ShapeWriter) {
    this.#out = out;
    this.#fields = fields;
    this.#shapes = shapes;
    this.#tags = fields.extended.map((n) => fields.tag(n));
  }

  put({ id, values, geometry }: Feature): void {
    const out = this.#out;
    const { name, description, extended } = this.#fields;
    // An id of XML is a name without a colon.
    const isName = typeof id === 'string' && /^[A-Za-z_][\w.-]*$/.test(id);
    if (id !== undefined && !isName) this.#withoutId++;
    out.text(isName ? `<Placemark id="${id}">` : '<Placemark>');
    if (typeof values[name] === 'string') out.text(`<name>${this.#escaped(values[name])}</name>`);
    if (typeof values[description] === 'string')
      out.text(`<description>${this.#escaped(values[description])}</description>`);
    let isOpen = false;
    for (const [k, n] of extended.entries()) {
      const value = values[n];
      if (value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value))) continue;
      if (!isOpen) out.text('<ExtendedData><SchemaData schemaUrl="#fields">');
      isOpen = true;
      out.text(`${this.#tags[k]}${this.#escaped(textOf(value))}</SimpleData>`);
    }
    if (isOpen) out.text('</SchemaData></ExtendedData>');
    if (geometry !== undefined) this.#shapes.put(geometry);
    out.text('</Placemark>\n');
  }

  #escaped(text: string): string {
    if (hasForbidden(text)) this.#forbidden++;
    return escaped(text);
  }

  report({ reportLoss }: Pick<Context, 'reportLoss'>): void {
    if (this.#withoutId > 0)
      reportLoss(`The ids of ${this.#withoutId} features are no names of XML, as KML needs them; they were dropped.`);
    if (this.#forbidden > 0)
      reportLoss(`${this.#forbidden} texts have characters that XML cannot hold; they were replaced by U+FFFD.`);
  }
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
