import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';
import { toastError } from './toast.tsx';

interface ButtonProps {
  children?: ComponentChildren;
  icon?: IconName;
  /** `main`: one a page. */
  kind?: 'main' | 'ghost' | 'bad';
  small?: boolean;
  /** For buttons without words: their name. */
  label?: string;
  disabled?: boolean;
  type?: 'button' | 'submit';
  class?: string;
  /** While its promise runs, the button is busy; an error is told in a toast. */
  onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => unknown;
  /** Busy for a reason outside of `onClick`. */
  busy?: boolean;
  /** Opens and closes something: whether it is open. */
  expanded?: boolean;
  /** Switches something on and off: whether it is on. */
  pressed?: boolean;
}

const classOf = ({ kind, small, children, class: more }: Pick<ButtonProps, 'kind' | 'small' | 'children' | 'class'>) =>
  ['button', kind, small && 'small', children === undefined && 'icon', more].filter(Boolean).join(' ');

export function Button(all: ButtonProps) {
  const { icon, label, disabled, type = 'button', onClick, busy = false, expanded, pressed, ...props } = all;
  const [running, setRunning] = useState(false);
  async function click(event: TargetedMouseEvent<HTMLButtonElement>) {
    if (running) return;
    const answer = onClick?.(event);
    if (!(answer instanceof Promise)) return;
    setRunning(true);
    await answer.catch(toastError);
    setRunning(false);
  }
  return (
    <button
      type={type}
      class={classOf(props)}
      disabled={disabled}
      aria-busy={running || busy || undefined}
      aria-expanded={expanded}
      aria-pressed={pressed}
      aria-label={label}
      title={label}
      onClick={(event) => void click(event)}
    >
      {icon && <Icon name={icon} />}
      {props.children}
    </button>
  );
}

/** Looks like a button, leads to an address. */
export function ButtonLink({
  href,
  icon,
  label,
  download,
  ...props
}: Pick<ButtonProps, 'children' | 'icon' | 'kind' | 'small' | 'label' | 'class'> & {
  href: string;
  download?: string;
}) {
  return (
    <a class={classOf(props)} href={href} aria-label={label} title={label} download={download}>
      {icon && <Icon name={icon} />}
      {props.children}
    </a>
  );
}
