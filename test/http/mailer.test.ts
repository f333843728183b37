import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { SMTPServer } from 'smtp-server';
import { openMailer, Undeliverable } from '../../src/platform/mail/mail.ts';

const settings = { 'mail.from': 'platform@example.org', data: '/nowhere' };
const MAIL = { to: 'ada@example.org', subject: 'Greeting', text: 'Hello,\n\nsee https://example.org/?token=abc\n' };

interface Received {
  from: string;
  to: string[];
  user: string | undefined;
  text: string;
}

async function smtp(t: ExecutionContext, { refuse = '', down = false } = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 's3cret' ? done(null, { user: username }) : done(new Error('wrong password')),
    onRcptTo: ({ address }, _session, done) =>
      address === refuse ? done(Object.assign(new Error('no such mailbox'), { responseCode: 550 })) : done(),
    onData(stream, session, done) {
      text(stream).then((content) => {
        if (down) return done(Object.assign(new Error('come back later'), { responseCode: 451 }));
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          user: session.user as string | undefined,
          text: content,
        });
        done();
      }, done);
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = listening.address() as AddressInfo;
  return { received, url: (user = '') => `smtp://${user}127.0.0.1:${port}` };
}

test('a mail goes to the SMTP server of the settings, with user and password where they are given', async (t) => {
  const { received, url } = await smtp(t);
  await openMailer({ ...settings, 'mail.url': url() }).send(MAIL);
  await openMailer({ ...settings, 'mail.url': url('me%40here:s3cret@') }).send({ ...MAIL, text: 'Grüße\n' });
  t.is(received.length, 2);
  t.like(received[0], { from: 'platform@example.org', to: ['ada@example.org'], user: undefined });
  t.regex(received[0]?.text ?? '', /^From: platform@example\.org\r\nTo: ada@example\.org\r\nSubject: Greeting\r\n/);
  t.true(received[0]?.text.endsWith('\r\n\r\nHello,\r\n\r\nsee https://example.org/?token=abc\r\n\r\n'));
  t.is(received[1]?.user, 'me@here');
  t.true(received[1]?.text.includes('Grüße'));
  await t.throwsAsync(openMailer({ ...settings, 'mail.url': url('me:wrong@') }).send(MAIL), { code: 'EAUTH' });
});

test('a permanently refused address has another error than an unreachable SMTP server', async (t) => {
  const refusing = await smtp(t, { refuse: MAIL.to });
  await t.throwsAsync(openMailer({ ...settings, 'mail.url': refusing.url() }).send(MAIL), {
    instanceOf: Undeliverable,
    message: /no such mailbox/,
  });
  const busy = await smtp(t, { down: true });
  const later = await t.throwsAsync(openMailer({ ...settings, 'mail.url': busy.url() }).send(MAIL));
  t.false(later instanceof Undeliverable);
  const away = await t.throwsAsync(openMailer({ ...settings, 'mail.url': 'smtp://127.0.0.1:9' }).send(MAIL));
  t.false(away instanceof Undeliverable);
});

test('without an SMTP server, mails are written atomically as files in the data folder', async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'platform-mail-'));
  t.teardown(() => rm(data, { recursive: true, force: true }));
  const mailer = openMailer({ ...settings, 'mail.url': undefined, data });
  await mailer.send(MAIL);
  const names = await readdir(join(data, 'mail'));
  t.is(names.length, 1);
  t.regex(names[0] ?? '', /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f-]{36}\.eml$/);
  t.regex(await readFile(join(data, 'mail', names[0] ?? ''), 'utf8'), /\?token=abc\r\n/);
});

test('an address cannot inject mail headers', async (t) => {
  const { received, url } = await smtp(t);
  const mailer = openMailer({ ...settings, 'mail.url': url() });
  await t.throwsAsync(mailer.send({ ...MAIL, to: 'a@example.org\r\nBcc: b@example.org' }), {
    instanceOf: Undeliverable,
  });
  t.is(received.length, 0);
});
