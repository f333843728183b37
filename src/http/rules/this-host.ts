import type { FastifyRequest } from 'fastify';
import { contains, parseAddress, parseNetwork } from '../../platform/net/networks.ts';

const LOOPBACK = ['127.0.0.0/8', '::1'].map(parseNetwork);
const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
/** Headers that proxies add to forwarded requests. */
const FORWARDING_HEADERS = /^(x-forwarded(-.*)?|forwarded|via|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/** Whether a host name leads to this machine. */
export const isLoopbackName = (name: string): boolean => LOOPBACK_NAME.test(name);

/**
 * Whether a request comes from this machine directly, not through a local proxy, which may forward requests of anyone,
 * nor from a page of another origin: a name of its own that leads here is no name of this machine.
 * @param trustedProxies networks of proxies
 */
export function thisHost(trustedProxies: readonly string[]): (request: FastifyRequest) => boolean {
  const proxies = trustedProxies.map(parseNetwork);
  return (request) => {
    const { host = '', origin } = request.headers;
    const peer = parseAddress(request.raw.socket.remoteAddress ?? '');
    if (peer === undefined || !LOOPBACK.some((network) => contains(network, peer))) return false;
    if (proxies.some((network) => contains(network, peer))) return false;
    if (Object.keys(request.headers).some((name) => FORWARDING_HEADERS.test(name))) return false;
    if (origin !== undefined && origin !== `http://${host}`) return false;
    return isLoopbackName(host.replace(/:\d+$/, ''));
  };
}
