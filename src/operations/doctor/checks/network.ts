import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { Redis } from 'ioredis';
import { tryMailServer } from '../../../platform/mail/mail.ts';
import { ill, ms, type Result, timed, well } from '../check.ts';

const CONNECT_MS = 5000;
const DAY_MS = 86_400_000;
const SOON_DAYS = 21;

export async function checkRedis(url: string): Promise<Result> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_MS,
    commandTimeout: CONNECT_MS,
    retryStrategy: () => null,
  });
  // the command rejects, too, but only with "Connection is closed."
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await redis.connect();
    return well(`Redis answers in ${ms(await timed(() => redis.ping()))}.`);
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

export async function checkMail(url: string): Promise<Result> {
  return well(`The mail server accepts the login in ${ms(await timed(() => tryMailServer(url)))}; nothing was sent.`);
}

/** The certificate as a client gets it at the address of the platform. */
export async function checkCertificate(address: string): Promise<Result> {
  const { hostname, port } = new URL(address);
  const ends = await expiryOf(hostname.replace(/^\[|\]$/g, ''), port === '' ? 443 : Number(port));
  const days = Math.floor((ends.getTime() - Date.now()) / DAY_MS);
  const message = `The certificate of ${hostname} is valid until ${ends.toISOString().slice(0, 10)} (${days} days).`;
  return days < SOON_DAYS ? ill(message, 'Renew the certificate at the reverse proxy.') : well(message);
}

function expiryOf(host: string, port: number): Promise<Date> {
  const { promise, resolve, reject } = Promise.withResolvers<Date>();
  const socket = connect({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), timeout: CONNECT_MS });
  socket.once('secureConnect', () => {
    resolve(new Date(socket.getPeerCertificate().valid_to));
    socket.destroy();
  });
  socket.once('timeout', () => socket.destroy(new Error(`${host}:${port} does not answer within ${CONNECT_MS} ms`)));
  socket.once('error', reject);
  return promise;
}
