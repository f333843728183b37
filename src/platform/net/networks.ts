import { isIPv4, isIPv6 } from 'node:net';

/** An IP address. IPv4-mapped IPv6 addresses (`::ffff:10.1.2.3`) count as IPv4. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** An IP network (CIDR). The host bits of `value` are 0. */
export interface Network extends Address {
  /** Prefix length in bits. */
  readonly prefix: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;
/** Upper 96 bits of an IPv4-mapped IPv6 address. */
const MAPPED = 0xffffn;

/**
 * Undefined if the text is not an IP address. Ignores a zone (`fe80::1%eth0`) and a port, which some proxies append.
 */
export function parseAddress(textWithPort: string): Address | undefined {
  const text = withoutPort(textWithPort);
  if (isIPv4(text)) return { family: 4, value: ipv4(text) };
  if (!isIPv6(text)) return undefined;
  const value = ipv6(text.split('%', 1)[0] ?? '');
  return value >> 32n === MAPPED ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };
}

/** Removes port and brackets of `1.2.3.4:5678`, `[::1]:5678` and `[::1]`. Returns any other text unchanged. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^[\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : text;
  return plain ?? text;
}

/** Parses `10.0.0.0/8`, `2001:db8::/32`, or a single address. Throws an error whose message contains the text. */
export function parseNetwork(text: string): Network {
  const [address = '', length, ...more] = text.split('/');
  const isAddress = isIPv4(address) || (isIPv6(address) && !address.includes('%'));
  const parsed = isAddress ? parseAddress(address) : undefined;
  if (!parsed || more.length > 0) throw new Error(`'${text}' is not a network such as 10.0.0.0/8 or 2001:db8::/32.`);
  const { family, value } = parsed;
  // the prefix length of an IPv4-mapped address includes the 96 bits before the IPv4 address
  const before = family === 4 && address.includes(':') ? 96 : 0;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length))
    throw new Error(`'${text}' is not a network: the prefix length '${length}' is not a number.`);
  const prefix = length === undefined ? WIDTH[family] : Number(length) - before;
  if (prefix < 0 || prefix > WIDTH[family]) {
    throw new Error(`'${text}' is not a network: the prefix length must be ${before} to ${WIDTH[family] + before}.`);
  }
  return { family, prefix, value: leading(value, family, prefix) };
}

export const contains = ({ family, value, prefix }: Network, address: Address): boolean =>
  family === address.family && leading(address.value, family, prefix) === value;

/**
 * The client that rate limits count: an IPv4 address, or the /64 of an IPv6 address, which usually belongs to one
 * client.
 */
export function rateLimitKey(address: string): string {
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
