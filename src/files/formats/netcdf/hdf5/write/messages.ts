import { bytesPerValue, type StoredType } from '../../../../data/stored-values.ts';
import { UNDEFINED, u8, u16, u32, u64 } from './bytes.ts';
import { lookup3 } from './lookup3.ts';

/*
 * Object headers of version 2 and their messages, by the HDF5 File Format Specification 3.0: the forms that the library
 * writes since 1.8, which all readers of NetCDF-4 know.
 */

/** Numbers of the messages. */
const kinds = {
  dataspace: 1,
  linkInfo: 2,
  datatype: 3,
  fill: 5,
  link: 6,
  layout: 8,
  groupInfo: 10,
  filters: 11,
  attribute: 12,
  attributeInfo: 21,
};
type Kind = keyof typeof kinds;

/** A message of an object header. */
export interface Message {
  readonly kind: Kind;
  readonly body: Buffer;
}

const message = (kind: Kind, ...parts: Buffer[]): Message => ({ kind, body: Buffer.concat(parts) });

/** Attributes that stay in the header: the library moves more than these elsewhere when it adds one. */
const mostInHeader = [1024, 512] as const;

/** An object header, whose attributes are in the order of their creation. */
export function objectHeader(messages: readonly Message[]): Buffer {
  const attributes = messages.filter(({ kind }) => kind === 'attribute').length;
  const info = message('attributeInfo', u8(0, 3), u16(attributes), u64(UNDEFINED, UNDEFINED, UNDEFINED));
  let order = 0;
  const body = Buffer.concat(
    [...messages, info].map(({ kind, body: content }) => {
      const created = kind === 'attribute' ? order++ : 0;
      return Buffer.concat([u8(kinds[kind]), u16(content.length), u8(0), u16(created), content]);
    }),
  );
  // Four bytes of length; order of attributes tracked and indexed; numbers of attributes.
  const flags = 0b11110;
  const head = Buffer.concat([
    Buffer.from('OHDR'),
    u8(2, flags),
    u16(mostInHeader[0]),
    u16(mostInHeader[1]),
    u32(body.length),
    body,
  ]);
  return Buffer.concat([head, u32(lookup3(head))]);
}

/** A datatype of numbers. */
export function numberType(type: StoredType): Buffer {
  const size = bytesPerValue(type);
  const bits = 8 * size;
  if (type === 'Float32')
    return Buffer.concat([u8(0x11, 0x20, 31, 0), u32(4), u16(0), u16(32), u8(23, 8, 0, 23), u32(127)]);
  if (type === 'Float64')
    return Buffer.concat([u8(0x11, 0x20, 63, 0), u32(8), u16(0), u16(64), u8(52, 11, 0, 52), u32(1023)]);
  return Buffer.concat([u8(0x10, type.startsWith('U') ? 0 : 0x08, 0, 0), u32(size), u16(0), u16(bits)]);
}

/** Text in UTF-8 of a fixed number of bytes. */
export const textType = (bytes: number): Buffer => Buffer.concat([u8(0x13, 0x10, 0, 0), u32(bytes)]);
/** Text of any length, which is stored in a global heap. */
export const longTextType = (): Buffer => Buffer.concat([u8(0x19, 0x01, 0x01, 0), u32(16), numberType('UInt8')]);
/** The address of an object. */
export const referenceType = (): Buffer => Buffer.concat([u8(0x17, 0, 0, 0), u32(8)]);
/** Lists of addresses, which are stored in a global heap. */
export const referenceListType = (): Buffer => Buffer.concat([u8(0x19, 0, 0, 0), u32(16), referenceType()]);
/** A variable and the number of its dimension; padded to 16 bytes as in C. */
export const scaleUseType = (): Buffer =>
  Buffer.concat([
    u8(0x36, 2, 0, 0),
    u32(16),
    Buffer.from('dataset\0'),
    u8(0),
    referenceType(),
    Buffer.from('dimension\0'),
    u8(8),
    numberType('UInt32'),
  ]);

/** Lengths, and the limit of the first dimension. An empty list: one value. */
export function dataspace(lengths: readonly number[], unlimited = false): Buffer {
  const limits = unlimited ? u64(UNDEFINED, ...lengths.slice(1)) : Buffer.alloc(0);
  return Buffer.concat([
    u8(2, lengths.length, unlimited ? 1 : 0, lengths.length === 0 ? 0 : 1),
    u64(...lengths),
    limits,
  ]);
}

/** No value at all. */
export const nullDataspace = (): Buffer => u8(2, 0, 0, 2);

export const datatypeMessage = (type: Buffer): Message => message('datatype', type);
export const dataspaceMessage = (space: Buffer): Message => message('dataspace', space);

/** @param early the values are written at once, not chunk by chunk */
export const fillMessage = (value: Buffer, early: boolean): Message =>
  message('fill', u8(3, (early ? 2 : 3) | (2 << 2) | (1 << 5)), u32(value.length), value);

/** A layout in chunks with a B-tree of version 1. */
export const chunkedLayout = (tree: number, chunks: readonly number[], bytes: number): Message =>
  message('layout', u8(3, 2, chunks.length + 1), u64(tree), u32(...chunks, bytes));

export const contiguousLayout = (address: number, bytes: number): Message =>
  message('layout', u8(3, 1), u64(address, bytes));

/** A filter of the pipeline. */
export interface Filter {
  readonly id: number;
  /** Only of filters that HDF5 does not have itself. */
  readonly name?: string;
  readonly values: readonly number[];
}

export const filtersMessage = (filters: readonly Filter[]): Message =>
  message(
    'filters',
    u8(2, filters.length),
    ...filters.map(({ id, name, values }) => {
      const text = name === undefined ? Buffer.alloc(0) : Buffer.from(`${name}\0`);
      return Buffer.concat([
        u16(id),
        ...(name === undefined ? [] : [u16(text.length)]),
        u16(1),
        u16(values.length),
        text,
        u32(...values),
      ]);
    }),
  );

/** Names are in UTF-8. */
export function attributeMessage(name: string, type: Buffer, space: Buffer, value: Buffer): Message {
  const text = Buffer.from(`${name}\0`);
  return message(
    'attribute',
    u8(3, 0),
    u16(text.length),
    u16(type.length),
    u16(space.length),
    u8(1),
    text,
    type,
    space,
    value,
  );
}

/** Links of a group, in the order of their creation. */
export const groupMessages = (links: readonly { readonly name: string; readonly address: number }[]): Message[] => [
  message('linkInfo', u8(0, 3), u64(links.length, UNDEFINED, UNDEFINED, UNDEFINED)),
  message('groupInfo', u8(0, 1), u16(65_535), u16(65_000)),
  ...links.map(({ name, address }, n) => {
    const text = Buffer.from(name);
    return message('link', u8(1, 0b10101), u64(n), u8(1), u16(text.length), text, u64(address));
  }),
];
