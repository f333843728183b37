/** A feature of a vector tile: its paths in units of the tile. */
export interface DecodedFeature {
  id: number;
  type: number;
  paths: [number, number][][];
  attributes: Record<string, unknown>;
}

export interface DecodedLayer {
  name: string;
  version: number;
  extent: number;
  features: DecodedFeature[];
}

type Fields = Map<number, (number | bigint | Uint8Array | DataView)[]>;

/** A decoder of its own, by the specification 2.1: the test's referee. */
export function decodeTile(bytes: Uint8Array): DecodedLayer[] {
  return (fieldsOf(bytes).get(3) ?? []).map((layer) => decodeLayer(layer as Uint8Array));
}

function decodeLayer(bytes: Uint8Array): DecodedLayer {
  const fields = fieldsOf(bytes);
  const text = (value: unknown) => Buffer.from(value as Uint8Array).toString();
  const keys = (fields.get(3) ?? []).map(text);
  const values = (fields.get(4) ?? []).map((value) => decodeValue(value as Uint8Array));
  return {
    name: text(fields.get(1)![0]),
    version: Number(fields.get(15)![0]),
    extent: Number(fields.get(5)![0]),
    features: (fields.get(2) ?? []).map((one) => {
      const feature = fieldsOf(one as Uint8Array);
      const tags = varintsOf(feature.get(2)?.[0] as Uint8Array | undefined);
      const attributes: Record<string, unknown> = {};
      for (let n = 0; n < tags.length; n += 2) attributes[keys[tags[n]!]!] = values[tags[n + 1]!];
      const paths = pathsOf(varintsOf(feature.get(4)![0] as Uint8Array));
      return { id: Number(feature.get(1)?.[0]), type: Number(feature.get(3)![0]), paths, attributes };
    }),
  };
}

function decodeValue(bytes: Uint8Array): unknown {
  const [[field, [value]]] = [...fieldsOf(bytes)] as [[number, unknown[]]];
  if (field === 1) return Buffer.from(value as Uint8Array).toString();
  if (field === 3) return (value as DataView).getFloat64(0, true);
  if (field === 7) return Number(value) === 1;
  const whole = BigInt(value as number | bigint);
  return Number(field === 6 ? (whole >> 1n) ^ -(whole & 1n) : whole);
}

function pathsOf(commands: readonly number[]): [number, number][][] {
  const paths: [number, number][][] = [];
  let [x, y] = [0, 0];
  for (let n = 0; n < commands.length; ) {
    const [id, count] = [commands[n]! & 7, commands[n]! >> 3];
    n++;
    if (id === 7) continue;
    for (let k = 0; k < count; k++, n += 2) {
      const delta = (value: number) => (value >> 1) ^ -(value & 1);
      x += delta(commands[n]!);
      y += delta(commands[n + 1]!);
      if (id === 1) paths.push([]);
      paths.at(-1)!.push([x, y]);
    }
  }
  return paths;
}

function varintsOf(bytes: Uint8Array | undefined): number[] {
  const values: number[] = [];
  for (let at = 0; bytes !== undefined && at < bytes.length; ) {
    const [value, next] = varint(bytes, at);
    values.push(Number(value));
    at = next;
  }
  return values;
}

function varint(bytes: Uint8Array, start: number): [bigint, number] {
  let value = 0n;
  for (let at = start, shift = 0n; ; at++, shift += 7n) {
    value |= BigInt(bytes[at]! & 0x7f) << shift;
    if (bytes[at]! < 0x80) return [value, at + 1];
  }
}

function fieldsOf(bytes: Uint8Array): Fields {
  const fields: Fields = new Map();
  for (let at = 0; at < bytes.length; ) {
    const [tag, next] = varint(bytes, at);
    const [field, wire] = [Number(tag >> 3n), Number(tag & 7n)];
    at = next;
    let value: bigint | Uint8Array | DataView;
    if (wire === 0) [value, at] = varint(bytes, at);
    else if (wire === 1) {
      value = new DataView(bytes.buffer, bytes.byteOffset + at, 8);
      at += 8;
    } else {
      const [length, from] = varint(bytes, at);
      value = bytes.subarray(from, from + Number(length));
      at = from + Number(length);
    }
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}
