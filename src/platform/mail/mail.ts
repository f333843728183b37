import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Options } from 'nodemailer/lib/smtp-transport/index.js';
import type { Config } from '../../config.ts';

/** A plain-text mail. */
export interface Mail {
  to: string;
  /** ASCII. */
  subject: string;
  text: string;
}

export interface Mailer {
  /**
   * Resolves when the mail server has accepted the mail. Throws `Undeliverable` for permanent failures. A retry may
   * deliver a mail twice.
   */
  send(mail: Mail): Promise<void>;
}

/** A permanent failure, such as an address that does not exist. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}

const CONNECT_MS = 10_000;
const IDLE_MS = 30_000;

/** Sends to the configured SMTP server. Without one, writes files into the data folder, for development. */
export function openMailer(config: Pick<Config, 'mail.url' | 'mail.from' | 'data'>): Mailer {
  const url = config['mail.url'];
  const from = config['mail.from'];
  return url === undefined ? new FileMailer(join(config.data, 'mail'), from) : new SmtpMailer(new URL(url), from);
}

/** Connects and logs in to the mail server of these settings, and sends nothing. Throws if that fails. */
export async function tryMailServer(url: string): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(smtpOptions(new URL(url)));
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/** The message in Internet Message Format (RFC 5322). */
function composeMessage({ to, subject, text }: Mail, from: string): string {
  const ascii = !/[^\p{ASCII}]/u.test(text);
  const fields = {
    From: from,
    To: to,
    Subject: subject,
    Date: new Date().toUTCString().replace('GMT', '+0000'),
    'Message-ID': `<${randomUUID()}@${hostname()}>`,
    'MIME-Version': '1.0',
    'Content-Type': `text/plain; charset=${ascii ? 'us-ascii' : 'utf-8'}`,
    'Content-Transfer-Encoding': ascii ? '7bit' : '8bit',
    'Auto-Submitted': 'auto-generated',
  };
  const lines = Object.entries(fields).map(([name, value]) => {
    // header injection
    if (/[\r\n\0]/.test(value)) throw new Undeliverable(`The ${name} of a mail contains a line break.`);
    return `${name}: ${value}`;
  });
  return `${[...lines, '', ...text.split(/\r?\n/)].join('\r\n')}\r\n`;
}

class FileMailer implements Mailer {
  readonly #folder: string;
  readonly #from: string;

  constructor(folder: string, from: string) {
    this.#folder = folder;
    this.#from = from;
  }

  async send(mail: Mail): Promise<void> {
    // mails contain tokens
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const name = join(this.#folder, `${new Date().toISOString().replace(/[:.]/g, '-')}-${randomUUID()}.eml`);
    await writeFile(`${name}.part`, composeMessage(mail, this.#from), { flag: 'wx', mode: 0o600, flush: true });
    await rename(`${name}.part`, name);
  }
}

function smtpOptions({ protocol, hostname: host, port, username, password, searchParams }: URL): Options {
  const secure = protocol === 'smtps:';
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: searchParams.get('requireTLS') === 'true',
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: IDLE_MS,
  };
}

class SmtpMailer implements Mailer {
  readonly #options: Options;
  readonly #from: string;

  constructor(url: URL, from: string) {
    this.#options = smtpOptions(url);
    this.#from = from;
  }

  async send(mail: Mail): Promise<void> {
    // loaded on demand: few installations send mails
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(this.#options);
    try {
      const raw = composeMessage(mail, this.#from);
      await transport.sendMail({ envelope: { from: this.#from, to: mail.to }, raw });
    } catch (error) {
      const { code, responseCode, message } = error as Error & { code?: string; responseCode?: number };
      if (code === 'EENVELOPE' && (responseCode === undefined || responseCode >= 500))
        throw new Undeliverable(`The mail server refuses mails to this address: ${message}`, { cause: error });
      throw error;
    } finally {
      transport.close();
    }
  }
}
