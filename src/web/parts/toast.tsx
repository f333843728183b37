import { signal } from '@preact/signals';
import { isAbort, sentenceOf } from '../client/problem.ts';
import { texts } from '../texts.ts';
import { Icon } from './icons.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly bad: boolean;
  readonly action?: { name: string; run: () => unknown };
}

const SHOWN_MS = 8000;
const toasts = signal<readonly Toast[]>([]);
let last = 0;

/**
 * Tells what has happened, for some seconds.
 * @param action such as to undo it
 */
export function toast(text: string, action?: { name: string; run: () => unknown }): void {
  show({ id: ++last, text, bad: false, ...(action && { action }) });
}

/** Tells the sentence of an error. */
export function toastError(error: unknown): void {
  if (!isAbort(error)) show({ id: ++last, text: sentenceOf(error), bad: true });
}

function show(one: Toast): void {
  toasts.value = [...toasts.value.slice(-2), one];
  setTimeout(() => close(one.id), one.bad ? 2 * SHOWN_MS : SHOWN_MS);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

async function run({ id, action }: Toast): Promise<void> {
  close(id);
  try {
    await action?.run();
  } catch (error) {
    toastError(error);
  }
}

/** Once, in the shell. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map((one) => (
      <div key={one.id} class="toast">
        {one.bad && <Icon name="warning" />}
        <span class="grow">{one.text}</span>
        {one.action && (
          <button type="button" class="button small" onClick={() => void run(one)}>
            {one.action.name}
          </button>
        )}
        <button type="button" class="button small icon" aria-label={texts.close} onClick={() => close(one.id)}>
          <Icon name="cross" />
        </button>
      </div>
    ))}
  </div>
);
