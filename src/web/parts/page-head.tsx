import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { to } from '../client/address.ts';
import { takeNavigation } from '../client/navigation.ts';
import { texts } from '../texts.ts';
import type { IconName } from './icons.tsx';
import { Icon } from './icons.tsx';

/** The title of the tab, and the focus on the h1 after a navigation. For pages without a `PageHead`. */
export function useTitle(title: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title]);
  useEffect(() => {
    if (takeNavigation()) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}

interface PageHeadProps {
  title: string;
  /** From the root to the parent: what the page stands in. */
  crumbs?: readonly { name: string; path: string }[];
  /** Small words behind the title. */
  tags?: ComponentChildren;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

/** The head of a page: path, the one h1, actions. Sets the title of the tab. */
export function PageHead({ title, crumbs, tags, children, actions }: PageHeadProps) {
  const heading = useTitle(title);
  return (
    <>
      {crumbs && (
        <nav class="crumbs" aria-label="Path">
          <ol>
            {crumbs.map(({ name, path }) => (
              <li key={path}>
                <a href={to(path)}>{name}</a>
              </li>
            ))}
            <li aria-current="page">{title}</li>
          </ol>
        </nav>
      )}
      <div class="page-head">
        <div>
          <div class="title">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {tags}
          </div>
          {children && <p class="quiet">{children}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </div>
    </>
  );
}

export const Tag = ({
  children,
  kind,
  icon,
}: {
  children: ComponentChildren;
  kind?: 'ok' | 'warn' | 'bad' | 'run';
  icon?: IconName;
}) => (
  <span class={kind ? `tag ${kind}` : 'tag'}>
    {icon && <Icon name={icon} />}
    {children}
  </span>
);

export const Note = ({ children, kind }: { children: ComponentChildren; kind?: 'ok' | 'warn' | 'bad' }) => (
  <div class={kind ? `note ${kind}` : 'note'}>
    <Icon name={kind === 'ok' ? 'check' : kind === undefined ? 'info' : 'warning'} />
    <div class="grow">{children}</div>
  </div>
);

/** Links between the views of one thing; each has an address. */
export const Tabs = ({
  label,
  tabs,
  current,
}: {
  label: string;
  /** `view`: the fragment of the address. */
  tabs: readonly { name: string; path: string; view?: string }[];
  /** The path of the present one. */
  current: string;
}) => {
  const list = useRef<HTMLElement>(null);
  // on a phone not all are in view
  useLayoutEffect(() => {
    const own = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (own) list.current!.scrollLeft = own.offsetLeft - (list.current!.clientWidth - own.offsetWidth) / 2;
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={list}>
      {tabs.map(({ name, path, view = '' }) => (
        <a key={path} href={to(`${path}${view}`)} aria-current={path === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
};

const AVATARS = ['#35618a', '#7a4e8f', '#2f6f5e', '#8a5a2b', '#8f3d56'];

/** The first letters of the words of a name. */
export const initials = (name: string): string =>
  name
    .split(/[\s.@_-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((part) => part[0]!.toUpperCase())
    .join('');

/** The first letters of a name in a circle. */
export function Avatar({ name }: { name: string }) {
  const sum = [...name].reduce((total, character) => total + character.charCodeAt(0), 0);
  return (
    <span class="avatar" style={{ background: AVATARS[sum % AVATARS.length]! }} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
