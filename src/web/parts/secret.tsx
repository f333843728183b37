import { texts } from '../texts.ts';
import { Button } from './button.tsx';
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
