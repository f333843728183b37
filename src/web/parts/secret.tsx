import type { ComponentChildren } from 'preact';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Note } from './page-head.tsx';
import { copyText } from './states.tsx';

/** A key, address or code that is shown once. */
export const Secret = ({ label, value }: { label: string; value: string }) => (
  <div class="stack">
    <Note kind="warn">
      <b>{label}</b> {texts.shownOnce}
    </Note>
    <div class="secret">
      <pre aria-label={label}>{value}</pre>
      <Button icon="copy" onClick={() => copyText(value)}>
        {texts.copy}
      </Button>
    </div>
  </div>
);

interface SecretDialogProps {
  title: string;
  label: string;
  value: string;
  close: () => void;
  /** What to do with it. */
  children: ComponentChildren;
}

/** Shows what a form has made, until its reader says that it is kept. */
export const SecretDialog = ({ title, label, value, close, children }: SecretDialogProps) => (
  <Dialog title={title} onClose={close} modal>
    <div class="stack">
      <Secret label={label} value={value} />
      <p class="small quiet">{children}</p>
      <footer>
        <Button kind="main" onClick={close}>
          {texts.done}
        </Button>
      </footer>
    </div>
  </Dialog>
);
