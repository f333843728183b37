import type { Command } from 'commander';
import { moment, record } from 'hydrofiles/terminal';
import type { RecoveryCodes, Registration, Status } from '../../src/tokens/otp.routes.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { type CredentialOptions, credentialsFrom, takesCredentials } from './login.ts';

const PATH = '/api/tokens/otp';
const pathOf = (account: string) => `${PATH}/${encodeURIComponent(account)}`;

export function otpCommands(otp: Command, io: Io): void {
  takesCredentials(otp.command('register'))
    .description('show the setup code of your authenticator, as a QR code and as text')
    .action((options) => register(io, options));
  otp
    .command('status')
    .description('show your authenticators and recovery codes, or those of an account (administrators)')
    .argument('[account]', 'login id')
    .action((account) => status(io, account));
  otp
    .command('reset')
    .description('remove authenticators and recovery codes of an account whose owner lost the device (administrators)')
    .argument('<account>', 'login id')
    .option('--yes', 'do not ask for confirmation')
    .action((account, options) => reset(io, account, options));
  takesCredentials(otp.command('recovery-codes'))
    .description('create ten recovery codes, each valid once instead of a one-time password; replaces older ones')
    .action((options) => recoveryCodes(io, options));
}

async function register(io: Io, options: CredentialOptions): Promise<void> {
  const body = await credentialsFrom(io, options);
  const answer = await io.api.call<Registration>('POST', `${PATH}/registration`, {
    body,
    anonymous: 'ifLoggedIn',
  });
  const { manualEntryCode } = answer.body;
  const issuer = encodeURIComponent(new URL(io.api.url).hostname);
  const uri = `otpauth://totp/${issuer}:${encodeURIComponent(body.id)}?secret=${manualEntryCode}&issuer=${issuer}`;
  const picture = io.json ? '' : await (await import('qrcode')).toString(uri, { type: 'utf8' });
  io.show(answer, () => `${picture.trimEnd()}\n\nCode to type: ${manualEntryCode}`);
  io.note('The code is shown until a first one-time password was accepted.');
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

async function reset(io: Io, account: string, options: ConfirmOptions): Promise<void> {
  const question = `Remove the authenticators and recovery codes of '${account}' for ever?`;
  await confirm(io, question, options, 'Nothing was removed.');
  const answer = await io.api.call('DELETE', pathOf(account));
  io.show(answer, () => `${account} can register a new authenticator.`, { account, reset: true });
}

async function recoveryCodes(io: Io, options: CredentialOptions): Promise<void> {
  const given = await credentialsFrom(io, options);
  const otp = given.otp ?? (await io.ask('One-time password:', 'Use --otp'));
  const answer = await io.api.call<RecoveryCodes>('POST', `${PATH}/recovery-codes`, {
    body: { ...given, otp },
    anonymous: 'ifLoggedIn',
  });
  io.show(answer, (body) => body.recoveryCodes.join('\n'));
  io.note('They are shown only now.');
}
