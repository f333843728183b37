import { isIPv4, isIPv6 } from 'node:net';

/** A network address. IPv4 in its IPv6 form (`::ffff:10.1.2.3`) is IPv4. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** A block of addresses, its host bits masked. */
export interface Network extends Address {
  /** How many leading bits an address shares with it. */
  readonly prefix: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;
/** The upper 96 bits of an IPv4 address in IPv6 form. */
const MAPPED = 0xffffn;

/** Nothing for what is no address. A zone (`fe80::1%eth0`) is no part of it, nor is the port that some proxies forward with it. */
export function parseAddress(given: string): Address | undefined {
  const text = withoutPort(given);
  if (isIPv4(text)) return { family: 4, value: ipv4(text) };
  if (!isIPv6(text)) return undefined;
  const value = ipv6(text.split('%', 1)[0] ?? '');
  return value >> 32n === MAPPED ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };
}

/** `1.2.3.4:5678`, `[::1]:5678` and `[::1]` without port and brackets; whatever else is left as it is. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^[\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : text;
  return plain ?? text;
}

/** `10.0.0.0/8`, `2001:db8::/32`, or an address alone, which is a network of one. Throws a sentence that holds the text. */
export function parseNetwork(text: string): Network {
  const [address = '', length, ...more] = text.split('/');
  const alone = isIPv4(address) || (isIPv6(address) && !address.includes('%'));
  const parsed = alone ? parseAddress(address) : undefined;
  if (!parsed || more.length > 0) throw new Error(`'${text}' is no network such as 10.0.0.0/8 or 2001:db8::/32.`);
  const { family, value } = parsed;
  // written as IPv6: its prefix counts the 96 bits before the IPv4 address
  const before = family === 4 && address.includes(':') ? 96 : 0;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length))
    throw new Error(`'${text}' is no network: '${length}' is no prefix length.`);
  const prefix = length === undefined ? WIDTH[family] : Number(length) - before;
  if (prefix < 0 || prefix > WIDTH[family]) {
    throw new Error(`'${text}' is no network: the prefix length must be ${before} to ${WIDTH[family] + before}.`);
  }
  return { family, prefix, value: leading(value, family, prefix) };
}

export const contains = ({ family, value, prefix }: Network, address: Address): boolean =>
  family === address.family && leading(address.value, family, prefix) === value;

/** One client as limits count it: its IPv4 address, or the /64 that an IPv6 client has for itself. */
export function clientOf(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed) return address;
  return parsed.family === 4 ? `v4 ${parsed.value.toString(16)}` : `v6 ${(parsed.value >> 64n).toString(16)}`;
}

function leading(value: bigint, family: 4 | 6, prefix: number): bigint {
  const host = BigInt(WIDTH[family] - prefix);
  return (value >> host) << host;
}

const ipv4 = (text: string) => text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);

function ipv6(text: string): bigint {
  const last = text.slice(text.lastIndexOf(':') + 1);
  const tail = last.includes('.') ? ipv4(last) : undefined;
  const hex =
    tail === undefined
      ? text
      : text.slice(0, -last.length) +
        `${tail >> 16n}:${tail & 0xffffn}`
          .split(':')
          .map((part) => BigInt(part).toString(16))
          .join(':');
  const [head = '', rest] = hex.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const front = groups(head);
  const back = rest === undefined ? [] : groups(rest);
  const zeros = Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...zeros, ...back].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
