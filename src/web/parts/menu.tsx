import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';
import { toastError } from './toast.tsx';

export interface MenuItem {
  name: string;
  icon?: IconName;
  /** Leads to an address … */
  href?: string;
  /** … or does something; an error is told in a toast. */
  run?: () => unknown;
  bad?: boolean;
  /** One of several choices. */
  checked?: boolean;
  /** A line above it. */
  line?: boolean;
}

interface MenuProps {
  label: string;
  items: readonly (MenuItem | false | undefined)[];
  icon?: IconName;
  /** Words of the button instead of an icon alone. */
  children?: ComponentChildren;
  kind?: 'main' | 'ghost';
  small?: boolean;
  round?: boolean;
  /** Text above the items. */
  head?: ComponentChildren;
}

/** A button that opens a list of actions; arrow keys move in it, Escape closes it. */
export function Menu({ label, items, icon = 'more', children, kind = 'ghost', small, round, head }: MenuProps) {
  const [open, setOpen] = useState(false);
  const holder = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const shown = items.filter((one): one is MenuItem => Boolean(one));

  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  const button = () => holder.current!.querySelector('button')!;

  useLayoutEffect(() => {
    if (!open) return;
    entries()[0]?.focus();
    const outside = (event: Event) => {
      if (!holder.current?.contains(event.target as Node)) setOpen(false);
    };
    // a list that grows above its button scrolls the page: the menu goes along until the button is out of sight
    const follow = () => {
      const { top, bottom } = button().getBoundingClientRect();
      if (bottom < 0 || top > window.innerHeight) close();
      else place(list.current!, button());
    };
    document.addEventListener('pointerdown', outside);
    window.addEventListener('resize', follow);
    window.addEventListener('scroll', follow);
    return () => {
      document.removeEventListener('pointerdown', outside);
      window.removeEventListener('resize', follow);
      window.removeEventListener('scroll', follow);
    };
  }, [open]);
  // after each drawing, since rows above may have come or gone
  useLayoutEffect(() => {
    if (open) place(list.current!, button());
  });

  function close() {
    setOpen(false);
    button().focus({ preventScroll: true });
  }
  function key(event: KeyboardEvent) {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all.at(to % all.length)?.focus();
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') return setOpen(false);
    else if (event.key.length === 1)
      all.find((one) => one.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  async function choose({ run }: MenuItem) {
    close();
    try {
      await run?.();
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <span ref={holder}>
      <button
        type="button"
        class={['button', kind, small && 'small', round && 'round', children === undefined && 'icon']
          .filter(Boolean)
          .join(' ')}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        title={children === undefined ? label : undefined}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || open) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children ?? <Icon name={icon} />}
      </button>
      {open && (
        <div ref={list} id={id} class="menu" role="menu" aria-label={label} tabIndex={-1} onKeyDown={key}>
          {head && <p class="small quiet">{head}</p>}
          {shown.map((item) => (
            <Entry key={item.name} item={item} choose={() => void choose(item)} />
          ))}
        </div>
      )}
    </span>
  );
}

function Entry({ item, choose }: { item: MenuItem; choose: () => void }) {
  const { name, icon, href, bad, checked, line } = item;
  const kind = bad ? 'bad' : undefined;
  const content = (
    <>
      {icon && <Icon name={icon} />}
      {checked !== undefined && (checked ? <Icon name="check" /> : <span class="icon-picture" />)}
      <span class="grow">{name}</span>
    </>
  );
  return (
    <>
      {line && <hr role="separator" />}
      {href === undefined ? (
        <button
          type="button"
          role={checked === undefined ? 'menuitem' : 'menuitemradio'}
          aria-checked={checked}
          tabIndex={-1}
          class={kind}
          onClick={choose}
        >
          {content}
        </button>
      ) : (
        <a role="menuitem" href={href} tabIndex={-1} class={kind} onClick={choose}>
          {content}
        </a>
      )}
    </>
  );
}

/** Below the button, or above it where there is more room; within the window. */
function place(list: HTMLElement, button: HTMLElement): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const below = bottom + 4 + height <= window.innerHeight || top < window.innerHeight / 2;
  const start = left + width <= window.innerWidth - 8 ? left : right - width;
  list.style.left = `${Math.max(8, Math.min(start, window.innerWidth - width - 8))}px`;
  list.style.top = below ? `${bottom + 4}px` : `${Math.max(8, top - height - 4)}px`;
}
