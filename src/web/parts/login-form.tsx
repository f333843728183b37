import { useState } from 'preact/hooks';
import type { OtpRequired } from '../client/api.ts';
import { api } from '../client/api.ts';
import { signIn } from '../client/session.ts';
import { accountTexts } from '../texts/account.ts';
import { texts } from '../texts.ts';
import { Check, EntryForm, Field } from './field.tsx';
import { Note } from './page-head.tsx';
import { Secret } from './secret.tsx';

/** Password, and a second factor if the account has or needs one. */
export function LoginForm({ id: fixed, done }: { id?: string | undefined; done: () => void }) {
  const [id, setId] = useState(fixed ?? '');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(false);
  const [needed, setNeeded] = useState<OtpRequired>();
  const [code, setCode] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [setUp, setSetUp] = useState<{ manualEntryCode: string; qrCode: string }>();
  const authenticator = chosen ?? needed?.otpAuthenticatorIds[0];

  async function submit() {
    const otp =
      needed === undefined ? {} : { otp: code.trim(), ...(authenticator && { otpAuthenticator: authenticator }) };
    const missing = await signIn({ id, password, remember, ...otp });
    if (missing === undefined) return done();
    if (missing.accessForbidden) throw new Error(accountTexts.forbidden);
    if (needed === undefined) await offerSetUp();
    setNeeded(missing);
  }
  /** An account whose groups ask for a factor that it never set up gets its code here; a registered one is refused. */
  async function offerSetUp() {
    const credentials = { id, password, currentPassword: password };
    setSetUp(await api('POST /api/tokens/otp/registration', { body: credentials }).catch(() => undefined));
  }
  return (
    <EntryForm submit={texts.signIn} full onSubmit={submit}>
      {({ fields }) => (
        <>
          <Field
            label={accountTexts.id}
            value={id}
            onInput={setId}
            autocomplete="username"
            required
            maxLength={320}
            disabled={fixed !== undefined || needed !== undefined}
            error={fields.id}
          />
          {needed === undefined ? (
            <>
              <Field
                label={accountTexts.password}
                type="password"
                value={password}
                onInput={setPassword}
                autocomplete="current-password"
                required
                maxLength={1000}
                error={fields.password}
                autofocus={fixed !== undefined}
              />
              <Check label={accountTexts.remember} checked={remember} onChange={setRemember} />
            </>
          ) : (
            <SecondFactor {...{ needed, code, setCode, authenticator, setChosen, setUp }} error={fields.otp} />
          )}
        </>
      )}
    </EntryForm>
  );
}

interface SecondFactorProps {
  needed: OtpRequired;
  code: string;
  setCode: (code: string) => void;
  authenticator: string | undefined;
  setChosen: (type: string) => void;
  setUp: { manualEntryCode: string; qrCode: string } | undefined;
  error: string | undefined;
}

const SecondFactor = ({ needed, code, setCode, authenticator, setChosen, setUp, error }: SecondFactorProps) => (
  <>
    {setUp && (
      <>
        <Note>{accountTexts.needsSetUp}</Note>
        <img class="qr" src={setUp.qrCode} alt="" />
        <Secret label={accountTexts.authenticator} value={setUp.manualEntryCode} />
      </>
    )}
    {needed.otpAuthenticatorIds.length > 1 && (
      <Field
        label={accountTexts.authenticator}
        value={authenticator ?? ''}
        onInput={setChosen}
        options={needed.otpAuthenticatorIds.map((one) => ({ value: one, name: one }))}
      />
    )}
    <Field
      label={accountTexts.code}
      hint={accountTexts.codeHint}
      value={code}
      onInput={setCode}
      autocomplete="one-time-code"
      required
      maxLength={100}
      error={error}
      autofocus
    />
  </>
);
