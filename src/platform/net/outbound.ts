import { lookup } from 'node:dns';
import type { AgentOptions } from 'node:http';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { OptionsInit } from 'got';
import { invalidMember } from '../../errors.ts';

/** Where the platform may connect to when somebody names the address: whatever is public, and what the operator allows. */
export interface Outbound {
  /**
   * The address as a URL, if it may be tried: http or https, and no literal address that is neither public nor allowed, in whatever
   * spelling. Else throws `invalid` for this member of the request. Names are judged when they are connected to.
   */
  check(address: string, member: string): URL;
  /** For `got`: each connection, redirects included, is judged by the address that it goes to. A refused one fails with `RefusedAddress`. */
  options: Pick<OptionsInit, 'agent'>;
}

/** A connection that was not made. Whether a name leads to such an address can change, so trying later may make sense. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/** One entry of the setting `outbound.allow`; without a port it is good for 80 and 443. */
interface Allowed {
  ports: readonly number[];
  host?: string;
  network?: BlockList;
}

/** @param allow entries as `outbound.allow` has them, which `parseAllowed` understands */
export function openOutbound(allow: readonly string[]): Outbound {
  const allowed = allow.flatMap((entry) => parseAllowed(entry) ?? []);
  const mayGo = (host: string, address: string, port: number) =>
    isPublic(address) ||
    allowed.some(
      (entry) =>
        entry.ports.includes(port) && (entry.host === host || (entry.network && contains(entry.network, address))),
    );

  /** A name's addresses without those that must not be connected to. */
  const lookupFor =
    (port: number): LookupFunction =>
    (hostname, options, done) =>
      lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error) return done(error, []);
        const left = found.filter(({ address }) => mayGo(plainHost(hostname), address, port));
        const [first] = left;
        if (first === undefined) return done(refusedName(hostname), []);
        if (options.all) done(null, left);
        else done(null, first.address, first.family);
      });

  /** Node asks no lookup for a literal address, so that one is judged before. */
  const judged = (options: Target): Target => {
    const host = plainHost(String(options.host ?? ''));
    const port = Number(options.port);
    if (isIP(host) && !mayGo(host, host, port)) throw new RefusedAddress(sentenceOf(host));
    return { ...options, lookup: lookupFor(port) };
  };

  return {
    options: {
      agent: { http: guarded(new HttpAgent(), judged), https: guarded(new HttpsAgent(), judged) },
    },
    check(address, member) {
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (url === undefined)
        throw invalidMember(member, `'${shortened(address)}' is no address such as https://host/path.`);
      if (!/^https?:$/.test(url.protocol))
        throw invalidMember(member, `Addresses of '${url.protocol}' are not called, only of http and https.`);
      const host = plainHost(url.hostname);
      const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
      // what a name of this machine stands for is known without asking
      const literal = isIP(host) ? host : /(^|\.)localhost$/.test(host) ? '127.0.0.1' : undefined;
      if (literal !== undefined && !mayGo(host, literal, port)) throw invalidMember(member, sentenceOf(host));
      return url;
    },
  };
}

const sentenceOf = (host: string) => `'${host}' is no public address, and not among those that the platform may call.`;
const refusedName = (name: string) =>
  new RefusedAddress(`'${name}' leads to no public address, and to none of those that the platform may call.`);
const shortened = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** As it is compared: lower case, no brackets around IPv6, no dot of the root behind. */
const plainHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

type Target = AgentOptions & { lookup?: LookupFunction };

/** An agent all of whose connections go through `judge`, which throws to make none. */
function guarded<Agent extends HttpAgent>(agent: Agent, judge: (options: Target) => Target): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    let target: Target;
    try {
      target = judge(options as Target);
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

/** IANA's special-purpose IPv4 addresses that are not reached globally, relays of old transitions, multicast and what is reserved. */
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
/** All that is handed out for global use. NAT64, link-local, unique local and their like lie outside. */
const GLOBAL_6 = network('2000::/3');
/** Within it: Teredo, benchmarks and ORCHID, documentation, 6to4, documentation again. */
const SPECIAL_6 = network('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');
const MAPPED_4 = network('::ffff:0:0/96');

const contains = (list: BlockList, address: string) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

function isPublic(address: string): boolean {
  // a list of IPv4 networks also knows their mapped addresses
  if (!isIPv6(address) || contains(MAPPED_4, address)) return !contains(INTERNAL_4, address);
  return contains(GLOBAL_6, address) && !contains(SPECIAL_6, address);
}

const WEB = [80, 443];

/** `host`, `host:port`, CIDR, CIDR:port; IPv6 in brackets where a port follows the bare address. Undefined: it is none of these. */
export function parseAllowed(entry: string): Allowed | undefined {
  const [, bracketed, bits, after] = /^\[([^\]]+)\](?:\/(\d{1,3}))?(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? networkEntry(bracketed, bits, after) : undefined;
  const [, address, length, behind] = /^([\da-f.:]+)\/(\d{1,3})(?::(\d{1,5}))?$/i.exec(entry) ?? [];
  if (address !== undefined) return networkEntry(address, length, behind);
  if (isIP(entry)) return networkEntry(entry, undefined, undefined);
  const [, host, port] = /^([\w-]+(?:\.[\w-]+)*)\.?(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (host === undefined) return undefined;
  if (isIP(host)) return networkEntry(host, undefined, port);
  const ports = portsOf(port);
  return ports && { host: host.toLowerCase(), ports };
}

function networkEntry(address: string, bits: string | undefined, port: string | undefined): Allowed | undefined {
  const most = isIP(address) === 6 ? 128 : 32;
  const ports = portsOf(port);
  if (!isIP(address) || ports === undefined || Number(bits ?? 0) > most) return undefined;
  return { ports, network: network(`${address}/${bits ?? most}`) };
}

function portsOf(port: string | undefined): readonly number[] | undefined {
  if (port === undefined) return WEB;
  return Number(port) > 0 && Number(port) <= 65535 ? [Number(port)] : undefined;
}
