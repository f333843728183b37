import { randomUUID } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config.ts';

/** A mail of plain text. */
export interface Mail {
  to: string;
  /** ASCII. */
  subject: string;
  text: string;
}

/** Sends mails. Resolves when the other side has taken it over; called again after a failure, a mail may arrive twice. */
export interface Mailer {
  /** Throws `Undeliverable` where trying again would change nothing. */
  send(mail: Mail): Promise<void>;
}

/** Nobody will ever get this mail: there is no such address. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/** To the SMTP server of the settings; without one, into files of the data folder, for development. */
export function openMailer(config: Pick<Config, 'mail.url' | 'mail.from' | 'data'>): Mailer {
  const url = config['mail.url'];
  const from = config['mail.from'];
  return url === undefined ? fileMailer(join(config.data, 'mail'), from) : smtpMailer(new URL(url), from);
}

/** One message for both ends. Without a letter above ASCII it is plain to read in a file, too. */
function messageOf({ to, subject, text }: Mail, from: string): string {
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
    // a line break would begin another field
    if (/[\r\n\0]/.test(value)) throw new Undeliverable(`The ${name} of a mail holds a line break.`);
    return `${name}: ${value}`;
  });
  return `${[...lines, '', ...text.split(/\r?\n/)].join('\r\n')}\r\n`;
}

function fileMailer(folder: string, from: string): Mailer {
  return {
    async send(mail) {
      // mails hold tokens
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = join(folder, `${new Date().toISOString().replace(/[:.]/g, '-')}-${randomUUID()}.eml`);
      const file = await open(`${name}.part`, 'wx', 0o600);
      try {
        await file.writeFile(messageOf(mail, from));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${name}.part`, name);
    },
  };
}

function smtpMailer({ protocol, hostname: host, port, username, password, searchParams }: URL, from: string): Mailer {
  const secure = protocol === 'smtps:';
  const options = {
    host: host.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: searchParams.get('requireTLS') === 'true',
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  };
  return {
    async send(mail) {
      // few installations send mails, and not often
      const { createTransport } = await import('nodemailer');
      const transport = createTransport(options);
      try {
        await transport.sendMail({ envelope: { from, to: mail.to }, raw: messageOf(mail, from) });
      } catch (error) {
        const { code, responseCode, message } = error as Error & { code?: string; responseCode?: number };
        if (code === 'EENVELOPE' && (responseCode === undefined || responseCode >= 500))
          throw new Undeliverable(`The mail server takes no mail for this address: ${message}`, { cause: error });
        throw error;
      } finally {
        transport.close();
      }
    },
  };
}
