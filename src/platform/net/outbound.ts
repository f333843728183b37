import { lookup } from 'node:dns';
import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import type { OptionsInit } from 'got';
import { invalidMember } from '../../errors.ts';

/**
 * The address of a connection is not allowed. A retry may succeed, because a host name can resolve to other addresses
 * later.
 */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/** An entry of the setting `outbound.allow`. Without a port it allows 80 and 443. */
interface Allowed {
  ports: readonly number[];
  host?: string;
  network?: BlockList;
}

/**
 * Guard against server-side request forgery (SSRF): requests to URLs of users go to public addresses only, and to those
 * that the operator allows.
 */
export class Outbound {
  readonly #allowed: readonly Allowed[];
  /**
   * Options for `got`. Checks the address of each connection, also after redirects; `RefusedAddress` if it is not
   * allowed.
   */
  readonly options: Pick<OptionsInit, 'agent'>;

  /** @param allow entries of the setting `outbound.allow`, valid for `parseAllowed` */
  constructor(allow: readonly string[]) {
    this.#allowed = allow.flatMap((entry) => parseAllowed(entry) ?? []);
    const check = (options: Target) => this.#checked(options);
    this.options = { agent: { http: guarded(new HttpAgent(), check), https: guarded(new HttpsAgent(), check) } };
  }

  /**
   * Parses a URL of a user. Throws `invalid` for `member` unless it is http or https, or if its host is an IP address,
   * in any spelling, that is neither public nor allowed. Host names are checked when a connection is made.
   */
  check(address: string, member: string): URL {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined)
      throw invalidMember(member, `'${shortened(address)}' is not a URL such as https://host/path.`);
    if (!/^https?:$/.test(url.protocol))
      throw invalidMember(member, `The scheme '${url.protocol}' is not supported. Use http or https.`);
    const host = normalizeHost(url.hostname);
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    // RFC 6761: localhost and names below it are loopback addresses
    const literal = isIP(host) ? host : /(^|\.)localhost$/.test(host) ? '127.0.0.1' : undefined;
    if (literal !== undefined && !this.#mayConnect(host, literal, port))
      throw invalidMember(member, notPublic(host, port));
    return url;
  }

  #mayConnect(host: string, address: string, port: number): boolean {
    if (isPublic(address)) return true;
    return this.#allowed.some(
      (entry) =>
        entry.ports.includes(port) && (entry.host === host || (entry.network && contains(entry.network, address))),
    );
  }

  /** Node does not call `lookup` for IP addresses, so they are checked here. */
  #checked(options: Target): Target {
    const host = normalizeHost(String(options.host ?? ''));
    const port = Number(options.port);
    if (isIP(host) && !this.#mayConnect(host, host, port)) throw new RefusedAddress(notPublic(host, port));
    return { ...options, lookup: this.#lookup(port) };
  }

  /** Resolves a host name to its allowed addresses. */
  #lookup(port: number): LookupFunction {
    return (hostname, options, done) =>
      lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error) return done(error, []);
        const allowed = found.filter(({ address }) => this.#mayConnect(normalizeHost(hostname), address, port));
        const [first] = allowed;
        if (first === undefined) return done(refusedName(hostname, port), []);
        if (options.all) done(null, allowed);
        else done(null, first.address, first.family);
      });
  }
}

/** With the port, because an entry without one allows 80 and 443 only. */
const allowing = (host: string, port: number) =>
  `An operator can allow it with PLATFORM_OUTBOUND_ALLOW=${isIPv6(host) ? `[${host}]` : host}:${port}.`;
const notPublic = (host: string, port: number) => `'${host}' is not a public address. ${allowing(host, port)}`;
const refusedName = (name: string, port: number) =>
  new RefusedAddress(`'${name}' does not resolve to a public address. ${allowing(normalizeHost(name), port)}`);
const shortened = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** Lower case, without the brackets of IPv6 and without the trailing dot of the DNS root. */
const normalizeHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

type Target = AgentOptions & { lookup?: LookupFunction };

/** Calls `check` before each connection of the agent. If it throws, no connection is made. */
function guarded<Agent extends HttpAgent>(agent: Agent, check: (options: Target) => Target): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    let target: Target;
    try {
      target = check(options as Target);
    } catch (error) {
      process.nextTick(() => done?.(error as Error, undefined as never));
      return undefined;
    }
    return connect(target as typeof options, done);
  };
  return agent;
}

const network = (...ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
};

/**
 * IPv4: IANA special-purpose addresses that are not globally reachable, 6to4 relays, multicast and reserved addresses.
 */
const INTERNAL_4 = network(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);
/** IPv6 global unicast. Excludes NAT64, link-local and unique local addresses. */
const GLOBAL_6 = network('2000::/3');
/** Exceptions: Teredo, benchmarking and ORCHID, documentation, 6to4, documentation. */
const SPECIAL_6 = network('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');
const MAPPED_4 = network('::ffff:0:0/96');

const contains = (list: BlockList, address: string) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

function isPublic(address: string): boolean {
  // a BlockList of IPv4 networks also matches IPv4-mapped addresses
  if (!isIPv6(address) || contains(MAPPED_4, address)) return !contains(INTERNAL_4, address);
  return contains(GLOBAL_6, address) && !contains(SPECIAL_6, address);
}

const DEFAULT_PORTS = [80, 443];

/**
 * Parses `host`, `host:port`, CIDR or CIDR:port; an IPv6 address with a port is in brackets. Undefined for any other
 * text.
 */
export function parseAllowed(entry: string): Allowed | undefined {
  const [, bracketed, bits, bracketedPort] = /^\[([^\]]+)\](?:\/(\d{1,3}))?(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? networkEntry(bracketed, bits, bracketedPort) : undefined;
  const [, address, length, cidrPort] = /^([\da-f.:]+)\/(\d{1,3})(?::(\d{1,5}))?$/i.exec(entry) ?? [];
  if (address !== undefined) return networkEntry(address, length, cidrPort);
  if (isIP(entry)) return networkEntry(entry, undefined, undefined);
  const [, host, port] = /^([\w-]+(?:\.[\w-]+)*)\.?(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (host === undefined) return undefined;
  if (isIP(host)) return networkEntry(host, undefined, port);
  const ports = parsePorts(port);
  return ports && { host: host.toLowerCase(), ports };
}

function networkEntry(address: string, bits: string | undefined, port: string | undefined): Allowed | undefined {
  const maxBits = isIP(address) === 6 ? 128 : 32;
  const ports = parsePorts(port);
  if (!isIP(address) || ports === undefined || Number(bits ?? 0) > maxBits) return undefined;
  return { ports, network: network(`${address}/${bits ?? maxBits}`) };
}

function parsePorts(port: string | undefined): readonly number[] | undefined {
  if (port === undefined) return DEFAULT_PORTS;
  return Number(port) > 0 && Number(port) <= 65535 ? [Number(port)] : undefined;
}
