import { useState } from 'preact/hooks';
import { api, type RegisterAuthenticatorAnswer } from '../../client/api.ts';
import { refresh, useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { CurrentPassword } from '../../parts/current-password.tsx';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { Note } from '../../parts/page-head.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Loaded } from '../../parts/states.tsx';
import { profileTexts as words } from '../../texts/profile.ts';
import { texts } from '../../texts.ts';

const KEY = 'second factor';

/** The authenticator and the recovery codes of the account. */
export function SecondFactorCard() {
  const status = useQuery(KEY, (signal) => api('GET /api/tokens/otp', { signal }));
  return (
    <section class="card padded stack" aria-labelledby="factor">
      <h2 id="factor">{words.factorTitle}</h2>
      <Loaded query={status} rows={1}>
        {({ authenticators, recoveryCodes }) => {
          const isOn = authenticators.some(({ own, registered }) => own && registered);
          return (
            <>
              <Note kind={isOn ? 'ok' : 'warn'}>{isOn ? words.factorOn(recoveryCodes) : words.factorOff}</Note>
              {authenticators.some(({ own }) => !own) && <p class="quiet">{words.factorOfGroup}</p>}
              <div class="row">
                <Button icon="lock" onClick={() => openSetUp(isOn)}>
                  {isOn ? words.setUpAgain : words.setUp}
                </Button>
                {isOn && (
                  <Button kind="ghost" onClick={openNewCodes}>
                    {words.newCodes}
                  </Button>
                )}
              </div>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function openSetUp(isOn: boolean): void {
  openDialog((close) => (
    <Dialog title={words.setUpTitle} onClose={close} modal>
      <SetUp isOn={isOn} close={close} />
    </Dialog>
  ));
}

/** Password (and a code of the present authenticator), then the new code to scan, then recovery codes. */
function SetUp({ isOn, close }: { isOn: boolean; close: () => void }) {
  const [currentPassword, setCurrentPassword] = useState('');
  const [otp, setOtp] = useState('');
  const [made, setMade] = useState<RegisterAuthenticatorAnswer>();
  const [code, setCode] = useState('');
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <Codes codes={codes} close={close} />;
  if (made === undefined)
    return (
      <EntryForm
        submit={texts.continue}
        onCancel={close}
        onSubmit={async () => {
          const body = { currentPassword, ...(isOn && { otp: otp.trim() }) };
          setMade(await api('POST /api/tokens/otp/registration', { body }));
        }}
      >
        {({ fields }) => (
          <>
            <p class="quiet">{words.setUpHint}</p>
            <CurrentPassword
              value={currentPassword}
              onInput={setCurrentPassword}
              error={fields.currentPassword ?? fields.password}
              autofocus
            />
            {isOn && <CodeField label={words.oldCode} value={otp} onInput={setOtp} error={fields.otp} />}
          </>
        )}
      </EntryForm>
    );
  return (
    <EntryForm
      submit={words.confirm}
      onCancel={close}
      onSubmit={async () => {
        const body = { currentPassword, otp: code.trim() };
        setCodes((await api('POST /api/tokens/otp/recovery-codes', { body })).recoveryCodes);
        refresh(KEY);
      }}
    >
      {({ fields }) => (
        <>
          <p>{words.scan}</p>
          <img class="qr" src={made.qrCode} alt={words.qr} />
          <Secret label={words.setupCode} value={made.manualEntryCode} />
          <CodeField label={words.code} hint={words.codeHint} value={code} onInput={setCode} error={fields.otp} />
        </>
      )}
    </EntryForm>
  );
}

function openNewCodes(): void {
  openDialog((close) => (
    <Dialog title={words.newCodes} onClose={close} modal>
      <NewCodes close={close} />
    </Dialog>
  ));
}

function NewCodes({ close }: { close: () => void }) {
  const [currentPassword, setCurrentPassword] = useState('');
  const [otp, setOtp] = useState('');
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <Codes codes={codes} close={close} />;
  return (
    <EntryForm
      submit={texts.continue}
      onCancel={close}
      onSubmit={async () => {
        const body = { currentPassword, otp: otp.trim() };
        setCodes((await api('POST /api/tokens/otp/recovery-codes', { body })).recoveryCodes);
        refresh(KEY);
      }}
    >
      {({ fields }) => (
        <>
          <p class="quiet">{words.newCodesHint}</p>
          <CurrentPassword
            value={currentPassword}
            onInput={setCurrentPassword}
            error={fields.currentPassword ?? fields.password}
            autofocus
          />
          <CodeField label={words.oldCode} value={otp} onInput={setOtp} error={fields.otp} />
        </>
      )}
    </EntryForm>
  );
}

const Codes = ({ codes, close }: { codes: readonly string[]; close: () => void }) => (
  <div class="stack">
    <p>{words.codes}</p>
    <Secret label={words.codesTitle} value={codes.join('\n')} />
    <footer>
      <Button kind="main" onClick={close}>
        {words.done}
      </Button>
    </footer>
  </div>
);

interface CodeFieldProps {
  label: string;
  hint?: string;
  value: string;
  onInput: (value: string) => void;
  error: string | undefined;
}

const CodeField = (props: CodeFieldProps) => <Field {...props} autocomplete="one-time-code" required maxLength={100} />;
