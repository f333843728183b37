import { FormatError } from '../../errors.ts';
import type { XmlHandler } from '../io/xml.ts';
import { InvalidCoordinates, parseCoordinates, parseTrackVertex, type Shape } from './coordinates.ts';

/** A `Document` or `Folder`, or the file itself. */
export interface Container {
  name: string;
  readonly parent: Container | undefined;
}

/** A field as a schema declares it, and its place among the others. */
interface SchemaField {
  readonly type: string;
  readonly place: number;
}

/** A value of `ExtendedData`. */
export interface Datum {
  readonly name: string;
  readonly value: string;
  /** Type of the field by the schema; absent: text. */
  readonly type?: string;
  /** Place of the field in the schema. */
  readonly place?: number;
}

export interface Placemark {
  readonly container: Container;
  readonly id: string | undefined;
  name?: string;
  description?: string;
  readonly data: Datum[];
  shape?: Shape;
  /** Why its geometry is not valid. */
  wrong?: InvalidCoordinates;
}

const shapeTypes: Readonly<Record<string, Shape['type']>> = {
  Point: 'Point',
  LineString: 'LineString',
  LinearRing: 'LineString',
  Track: 'LineString',
  Polygon: 'Polygon',
  MultiGeometry: 'Multi',
  MultiTrack: 'Multi',
};
/** Elements whose content is read as if it stood in the element around them, or that say nothing of the data. */
const transparent = new Set(['kml', 'ExtendedData', 'outerBoundaryIs', 'innerBoundaryIs']);
const ignored = new Set(['open', 'visibility', 'extrude', 'tessellate', 'displayName', 'interpolate']);
const mostContainers = 100_000;

/** Finds the placemarks of a KML file with what the product reads of them, and names what it does not. */
export class KmlHandler implements XmlHandler {
  /** Names of elements that were left out. */
  readonly leftOut = new Set<string>();
  networkLinks = 0;
  readonly #found: (placemark: Placemark) => void;
  readonly #path: string[] = [];
  #containers = 0;
  #container: Container = { name: '', parent: undefined };
  /** Fields by id of their schema. */
  readonly #schemas = new Map<string, Map<string, SchemaField>>();
  #schema: Map<string, SchemaField> | undefined;
  #placemark: Placemark | undefined;
  /** Geometries that are open. */
  readonly #shapes: Shape[] = [];
  #boundary: 'outer' | 'inner' = 'outer';
  #datum = { name: '', value: undefined as string | undefined };
  #text: string | undefined;
  /** Elements of the path below which nothing is read. */
  #skipped = Number.POSITIVE_INFINITY;

  constructor(found: (placemark: Placemark) => void) {
    this.#found = found;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const parent = this.#path.at(-1);
    this.#path.push(name);
    if (this.#path.length > this.#skipped || this.#text !== undefined) return;
    if (!this.#opened(name, parent, attributes)) {
      this.#skipped = this.#path.length;
      if (name === 'NetworkLink') this.networkLinks++;
      else if (!ignored.has(name)) this.leftOut.add(name.slice(0, 40));
    }
  }

  text(text: string): void {
    if (this.#text !== undefined) this.#text += text;
  }

  close(): void {
    const depth = this.#path.length;
    const name = this.#path.pop()!;
    if (depth > this.#skipped) return;
    if (depth === this.#skipped) this.#skipped = Number.POSITIVE_INFINITY;
    else if (this.#text === undefined) this.#closed(name);
    else if (depth === this.#textDepth) {
      const text = this.#text;
      this.#text = undefined;
      this.#textOf(name, text);
    }
  }

  #textDepth = 0;

  #capture(): true {
    this.#text = '';
    this.#textDepth = this.#path.length;
    return true;
  }

  /** Whether the element is read. */
  #opened(name: string, parent: string | undefined, attributes: Readonly<Record<string, string>>): boolean {
    if (this.#placemark !== undefined) return this.#openedInPlacemark(name, parent, attributes);
    if (parent === undefined && name !== 'kml' && name !== 'Document' && name !== 'Folder' && name !== 'Placemark')
      throw new FormatError(`The file is not KML: its first element is '${name.slice(0, 40)}'.`);
    if (name === 'Document' || name === 'Folder') {
      if (++this.#containers > mostContainers)
        throw new FormatError(`The file has more than ${mostContainers} folders.`);
      this.#container = { name: '', parent: this.#container };
      return true;
    }
    if (name === 'Placemark') {
      this.#placemark = { container: this.#container, id: attributes.id, data: [] };
      return true;
    }
    if (name === 'Schema') {
      this.#schema = new Map();
      for (const key of [attributes.id, attributes.name]) if (key !== undefined) this.#schemas.set(key, this.#schema);
      return true;
    }
    if (name === 'SimpleField' && this.#schema !== undefined) {
      this.#schema.set(attributes.name ?? '', { type: attributes.type ?? 'string', place: this.#schema.size });
      return true;
    }
    if (name === 'name' && (parent === 'Document' || parent === 'Folder')) return this.#capture();
    return transparent.has(name) && name !== 'ExtendedData';
  }

  #openedInPlacemark(name: string, parent: string | undefined, attributes: Readonly<Record<string, string>>): boolean {
    if (parent === 'Placemark' && (name === 'name' || name === 'description')) return this.#capture();
    const type = Object.hasOwn(shapeTypes, name) ? shapeTypes[name] : undefined;
    if (type !== undefined) {
      const isRing = name === 'LinearRing' && this.#shapes.at(-1)?.type === 'Polygon';
      if (!isRing) this.#shapes.push({ type, parts: [], members: [] });
      return true;
    }
    if (name === 'coordinates' || name === 'coord' || name === 'altitudeMode') return this.#capture();
    if (name === 'SchemaData') {
      this.#schema = this.#schemas.get((attributes.schemaUrl ?? '').replace(/^.*#/, ''));
      return true;
    }
    if (name === 'Data' || name === 'SimpleData') {
      this.#datum = { name: attributes.name ?? '', value: undefined };
      return name === 'Data' || this.#capture();
    }
    if (name === 'value' && parent === 'Data') return this.#capture();
    if (name === 'outerBoundaryIs' || name === 'innerBoundaryIs')
      this.#boundary = name === 'innerBoundaryIs' ? 'inner' : 'outer';
    return transparent.has(name);
  }

  #textOf(name: string, text: string): void {
    const placemark = this.#placemark;
    if (placemark === undefined) {
      if (name === 'name') this.#container.name = text.trim();
      return;
    }
    if (name === 'name' || name === 'description') placemark[name] = text.trim();
    else if (name === 'value') this.#datum.value = text;
    else if (name === 'SimpleData') {
      const { name: field } = this.#datum;
      placemark.data.push({ name: field, value: text, ...this.#schema?.get(field) });
    } else if (name === 'altitudeMode') {
      if (text.trim() !== 'absolute') this.leftOut.add(name);
    } else
      try {
        this.#vertices(name === 'coord' ? parseTrackVertex(text) : parseCoordinates(text), name === 'coord');
      } catch (error) {
        if (!(error instanceof InvalidCoordinates)) throw error;
        placemark.wrong ??= error;
      }
  }

  #vertices(vertices: number[], isTrack: boolean): void {
    const shape = this.#shapes.at(-1);
    if (shape === undefined) return;
    const [line] = shape.parts;
    if (isTrack && line !== undefined) line.push(...vertices);
    else if (shape.type === 'Polygon' && this.#boundary === 'outer') shape.parts.unshift(vertices);
    else shape.parts.push(vertices);
  }

  #closed(name: string): void {
    const placemark = this.#placemark;
    if (name === 'Document' || name === 'Folder') this.#container = this.#container.parent ?? this.#container;
    else if (name === 'Schema' || name === 'SchemaData') this.#schema = undefined;
    else if (placemark === undefined) return;
    else if (name === 'Data') {
      const { name: field, value } = this.#datum;
      if (value !== undefined) placemark.data.push({ name: field, value });
    } else if (name === 'Placemark') {
      this.#placemark = undefined;
      this.#shapes.length = 0;
      this.#found(placemark);
    } else if (Object.hasOwn(shapeTypes, name) && !(name === 'LinearRing' && this.#shapes.at(-1)?.type === 'Polygon')) {
      const shape = this.#shapes.pop();
      const parent = this.#shapes.at(-1);
      if (shape === undefined) return;
      if (parent !== undefined) parent.members.push(shape);
      else if (placemark.shape === undefined) placemark.shape = shape;
      else placemark.wrong ??= new InvalidCoordinates('It has several geometries that are not in a MultiGeometry.');
    }
  }
}
