import type { Command } from 'commander';
import type { RecoveryCodes, Registration, Status } from '../../src/tokens/otp.routes.ts';
import type { Confirmed } from '../confirm.ts';
import { confirmed } from '../confirm.ts';
import type { Io } from '../io.ts';
import { moment, record } from '../table.ts';
import type { CredentialOptions } from './login.ts';
import { credentialsFrom, takesCredentials } from './login.ts';

const PATH = '/api/tokens/otp';
const pathOf = (account: string) => `${PATH}/${encodeURIComponent(account)}`;

export function otpCommands(otp: Command, io: Io): void {
  takesCredentials(otp.command('register'))
    .description('show the setup code of your authenticator, as a QR code and to be typed')
    .action((options) => register(io, options));
  otp
    .command('status')
    .description('what is registered for you, or for an account (administrators)')
    .argument('[account]', 'login id')
    .action((account) => status(io, account));
  otp
    .command('reset')
    .description('take away what an account has registered, for who has lost the device (administrators)')
    .argument('<account>', 'login id')
    .option('--yes', 'do not ask')
    .action((account, options) => reset(io, account, options));
  takesCredentials(otp.command('recovery-codes'))
    .description('make ten codes, each of which stands once for a one-time password; older ones are void')
    .action((options) => recoveryCodes(io, options));
}

async function register(io: Io, options: CredentialOptions): Promise<void> {
  const body = await credentialsFrom(io, options);
  const answer = await io.api.call<Registration>('POST', `${PATH}/registration`, {
    body,
    anonymous: true,
  });
  const { manualEntryCode } = answer.body;
  const issuer = encodeURIComponent(new URL(io.api.url).hostname);
  const uri = `otpauth://totp/${issuer}:${encodeURIComponent(body.id)}?secret=${manualEntryCode}&issuer=${issuer}`;
  const picture = io.json ? '' : await (await import('qrcode')).toString(uri, { type: 'utf8' });
  io.show(answer, () => `${picture.trimEnd()}\n\nTo be typed: ${manualEntryCode}`);
  io.note('It is shown until its first one-time password was accepted.');
}

async function status(io: Io, account?: string): Promise<void> {
  const answer = await io.api.call<Status>('GET', account === undefined ? PATH : pathOf(account));
  io.show(answer, ({ id, authenticators, recoveryCodes, failures, blockedUntil }) =>
    record({
      account: id,
      authenticators: authenticators.map(describe).join(', ') || 'none',
      'recovery codes': recoveryCodes,
      'wrong codes': failures,
      'blocked until': moment(blockedUntil),
    }),
  );
}

const describe = ({ type, own, registered }: Status['authenticators'][number]) =>
  `${type} (${own ? 'own' : 'of a group'}, ${registered ? 'in use' : 'not used yet'})`;

async function reset(io: Io, account: string, options: Confirmed): Promise<void> {
  const question = `Take away the authenticator and recovery codes of '${account}' for ever?`;
  await confirmed(io, question, options, 'Nothing was taken away.');
  const answer = await io.api.call('DELETE', pathOf(account));
  io.show(answer, () => `${account} can register an authenticator anew.`, { account, reset: true });
}

async function recoveryCodes(io: Io, options: CredentialOptions): Promise<void> {
  const given = await credentialsFrom(io, options);
  const otp = given.otp ?? (await io.ask('One-time password:', 'give --otp'));
  const answer = await io.api.call<RecoveryCodes>('POST', `${PATH}/recovery-codes`, {
    body: { ...given, otp },
    anonymous: true,
  });
  io.show(answer, (body) => body.recoveryCodes.join('\n'));
  io.note('They are shown only now.');
}
