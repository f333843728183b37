import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface DialogProps {
  title: string;
  children: ComponentChildren;
  /** After Escape, the cross or a click beside it. */
  onClose: () => void;
  wide?: boolean;
  /** Stays until it is answered: no cross, no Escape. */
  modal?: boolean;
}

/** A dialog over the page. The first field gets the focus, and what had it before gets it back. */
export function Dialog({ title, children, onClose, wide = false, modal = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-autofocus], .body input, .body select, .body textarea')?.focus();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!modal) onClose();
      }}
      onPointerDown={(event) => {
        if (!modal && event.target === element.current && isOutside(event, element.current!)) onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {!modal && <Button kind="ghost" small icon="cross" label={texts.close} onClick={onClose} />}
      </header>
      <div class="body">{children}</div>
    </dialog>
  );
}

function isOutside({ clientX, clientY }: PointerEvent, dialog: HTMLElement): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

type Shown = (close: () => void) => ComponentChildren;
const shown = signal<readonly { id: number; content: Shown }[]>([]);
let last = 0;

/** Shows a dialog from code: `openDialog((close) => <Dialog title="…" onClose={close}>…</Dialog>)`. */
export function openDialog(content: Shown): () => void {
  const id = ++last;
  shown.value = [...shown.value, { id, content }];
  return () => closeDialog(id);
}

function closeDialog(id: number): void {
  shown.value = shown.value.filter((one) => one.id !== id);
}

export function closeDialogs(): void {
  shown.value = [];
}

/** Once, in the shell: where `openDialog` shows its dialogs. */
export const Dialogs = () => (
  <>
    {shown.value.map(({ id, content }) => (
      <div key={id}>{content(() => closeDialog(id))}</div>
    ))}
  </>
);
